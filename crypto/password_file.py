"""Files encrypted with a password, which browsers can decrypt with WebCrypto alone.

    key    PBKDF2-HMAC-SHA-512, 600,000 rounds, 16 bytes of random salt -> 32 bytes
    piece  AES-256-GCM over at most 1 MiB
           nonce = 7 random bytes | number of the piece (4 bytes) | 1 if it is the last, else 0
           additional data = the file's clear header

So swapped, dropped, repeated or truncated pieces and a changed header make a tag wrong. Browsers
have no Argon2 and no scrypt; SHA-512 costs an attacker's graphics card more than SHA-256. The
number of rounds is in the header, so that it can be raised later.
"""

import base64
import os
import unicodedata
from typing import Final

from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA512
from cryptography.hazmat.primitives.kdf.pbkdf2 import PBKDF2HMAC

ROUNDS: Final = 600_000
PIECE_BYTES: Final = 1 << 20
TAG_BYTES: Final = 16
SALT_BYTES: Final = 16
PREFIX_BYTES: Final = 7
KEY_BYTES: Final = 32


class PasswordSeal:
    """The key of one file. Create one for each file, so that salt and nonces never repeat."""

    piece_bytes = PIECE_BYTES
    tag_bytes = TAG_BYTES

    def __init__(
        self, password: str, *, salt: bytes = b"", prefix: bytes = b"", rounds: int = 0
    ) -> None:
        self._salt = salt or os.urandom(SALT_BYTES)
        self._prefix = prefix or os.urandom(PREFIX_BYTES)
        self._rounds = rounds or ROUNDS
        self._cipher = AESGCM(_derive(password, self._salt, self._rounds))

    def parameters(self) -> dict[str, str | int]:
        """Return the parameters of decryption, which the file's header has in clear."""
        return {
            "kdf": "PBKDF2",
            "hash": "SHA-512",
            "rounds": self._rounds,
            "salt": base64.b64encode(self._salt).decode(),
            "cipher": "AES-256-GCM",
            "piece": PIECE_BYTES,
            "nonce": base64.b64encode(self._prefix).decode(),
        }

    def seal(self, piece: bytes, number: int, *, last: bool, header: bytes) -> bytes:
        """Encrypt a piece; it grows by the tag."""
        nonce = self._prefix + number.to_bytes(4, "big") + bytes([last])
        return self._cipher.encrypt(nonce, piece, header)


def _derive(password: str, salt: bytes, rounds: int) -> bytes:
    """Derive the key from NFC: some systems type accents composed, others decomposed."""
    kdf = PBKDF2HMAC(SHA512(), KEY_BYTES, salt, rounds)
    return kdf.derive(unicodedata.normalize("NFC", password).encode("utf-8", "surrogatepass"))
