"""Sealing: the authenticated encryption of everything that is stored.

C2SP Cobblestone-256 (https://c2sp.org/chunked-encryption), which is AES-256-GCM in chunks:

    sealed  = salt(24) || commitment(32) || chunk_0 || chunk_1 || ... || chunk_last
    okm(76) = HKDF-Expand-SHA-512(key, "c2sp.org/chunked-encryption@v1+AEAD_AES_256_GCM\\0"
                                       || salt || context)
    aes_key(32) || base_nonce(12) || commitment(32) = okm
    chunk_i = AES-256-GCM(aes_key, base_nonce XOR i, plaintext[16384 * i : 16384 * (i + 1)])

The last chunk is always shorter than 16384 bytes (0 to 16383), which marks the end. A random salt
gives each message its own key and base nonce, so no nonce is chosen by a caller. Encryption and
whole messages are the library's code; only the random-access `ChunkReader` is ours, because the
library decrypts front to back only.
"""

import hmac
import os
import struct
from itertools import chain

from cryptography.cobblestone import Cobblestone256Decryptor, Cobblestone256Encryptor
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDFExpand

KEY_BYTES = 32
CHUNK_BYTES = 16384
TAG_BYTES = 16
SEALED_CHUNK_BYTES = CHUNK_BYTES + TAG_BYTES
HEADER_BYTES = 56

_SALT_BYTES = 24
_INFO = b"c2sp.org/chunked-encryption@v1+AEAD_AES_256_GCM\0"
_HASH: hashes.HashAlgorithm = hashes.SHA512()  # the published vectors use SHA-256
_le64 = struct.Struct("<Q").pack


class DecryptionError(Exception):
    """A wrong key, a wrong context or altered bytes; deliberately it does not say which."""


def generate_key() -> bytes:
    return os.urandom(KEY_BYTES)


def context(*pieces: str) -> bytes:
    """Return the associated data that binds a message: PASETO's PAE, which is injective."""
    return pae(*map(str.encode, pieces))


def pae(*pieces: bytes) -> bytes:
    """Return PASETO's pre-authentication encoding: their number, then each behind its length."""
    sizes = map(_le64, map(len, pieces))
    return _le64(len(pieces)) + b"".join(chain.from_iterable(zip(sizes, pieces, strict=True)))


def keyed_digest(key: bytes, *pieces: str) -> str:
    """Return an HMAC-SHA-256 in hex, which names texts and hides them without the key."""
    return hmac.digest(key, context(*pieces), "sha256").hex()


def seal(key: bytes, context: bytes, plaintext: bytes) -> bytes:
    """Encrypt a small message; it grows by 72 bytes, and 16 more for each full 16 KiB."""
    encryptor = Cobblestone256Encryptor(key, context)
    return encryptor.update(plaintext) + encryptor.finalize()


def unseal(key: bytes, context: bytes, sealed: bytes) -> bytes:
    """Decrypt the output of `seal`. Raises DecryptionError."""
    decryptor = Cobblestone256Decryptor(key, context)
    try:
        return decryptor.update(sealed) + decryptor.finalize()
    except InvalidTag:
        raise DecryptionError from None


class Sealer:
    """The encryption of a stream: the message is `header`, then the output of each `update`, then
    `finish`.

    A piece whose length is a multiple of 16 KiB returns as many whole chunks.
    """

    def __init__(self, key: bytes, context: bytes) -> None:
        self._encryptor = Cobblestone256Encryptor(key, context)
        self.header = self._encryptor.update(b"")

    def update(self, plaintext: bytes) -> bytes:
        return self._encryptor.update(plaintext)

    def finish(self) -> bytes:
        """Return the last chunk."""
        return self._encryptor.finalize()


class Unsealer:
    """The decryption of a stream that `Sealer` has made, from its header to its last chunk.

    What `update` returns is authentic, and begins as the message does; only `finish` shows that
    the message is complete.
    """

    def __init__(self, key: bytes, context: bytes) -> None:
        self._decryptor = Cobblestone256Decryptor(key, context)

    def update(self, sealed: bytes) -> bytes:
        """Return the plaintext of the chunks that are complete by now. Raises DecryptionError."""
        try:
            return self._decryptor.update(sealed)
        except InvalidTag:
            raise DecryptionError from None

    def finish(self) -> bytes:
        """Return the rest. Raises DecryptionError if the end of the message is missing."""
        try:
            return self._decryptor.finalize()
        except InvalidTag:
            raise DecryptionError from None


class ChunkReader:
    """The decryption of any consecutive chunks of a message; each is authenticated, with its
    position.

    It does not verify that the message is complete: bind the plaintext's length in the context.
    """

    def __init__(self, key: bytes, context: bytes, header: bytes) -> None:
        if len(key) != KEY_BYTES or len(header) != HEADER_BYTES:
            raise DecryptionError
        salt = header[:_SALT_BYTES]
        commitment = header[_SALT_BYTES:]
        okm = HKDFExpand(_HASH, 76, _INFO + salt + context).derive(key)
        if not hmac.compare_digest(okm[44:], commitment):
            raise DecryptionError
        self._decrypt = AESGCM(okm[:32]).decrypt
        self._base_nonce = int.from_bytes(okm[32:44], "big")

    def open(self, first: int, sealed: bytes) -> bytes:
        """Return the plaintext of consecutive chunks, the first being number `first`."""
        view = memoryview(sealed)
        decrypt = self._decrypt
        nonce = self._base_nonce
        step = SEALED_CHUNK_BYTES
        starts = enumerate(range(0, len(sealed), step), first)
        try:
            chunks = [
                decrypt((nonce ^ number).to_bytes(12, "big"), view[at : at + step], None)
                for number, at in starts
            ]
        except InvalidTag:
            raise DecryptionError from None
        return b"".join(chunks)


def sealed_bytes(size: int) -> int:
    """Return the sealed length of `size` bytes, without the header."""
    return size + TAG_BYTES * (size // CHUNK_BYTES + 1)
