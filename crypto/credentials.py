"""The secret strings this service issues: API keys, document tokens, invitations, root keys.

    prefix || random base62 characters || 6 base62 characters: the CRC-32 of all before them

32 characters carry 190 random bits, 43 carry 256. The checksum detects typing errors without a
database query (as in GitHub's tokens since 2021); it does not authenticate.
"""

import hashlib
import os
import zlib

API_KEY = "pk_live_"
INVITATION = "invite_"
DOCUMENT_TOKEN = "dt_"  # noqa: S105  a prefix, not a secret

_ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_PAIRS = [first + second for first in _ALPHABET for second in _ALPHABET]
_OF_BYTE = (_ALPHABET * 5)[:256].encode()
_UNEVEN = bytes(range(248, 256))  # with them, eight of the characters would be likelier
_CHECK_CHARACTERS = 6


def generate(prefix: str, length: int = 32) -> str:
    """Return a new credential with `length` random characters."""
    enough = os.urandom(2 * length)  # fewer than `length` characters come of it once in 10**31
    body = prefix + enough.translate(_OF_BYTE, _UNEVEN)[:length].decode()
    return body + _checksum(body)


def well_formed(credential: str, prefix: str, length: int = 32) -> bool:
    """Return whether prefix, length, alphabet and checksum are right."""
    return (
        credential.startswith(prefix)
        and len(credential) == len(prefix) + length + _CHECK_CHARACTERS
        and credential.isascii()
        and credential[len(prefix) :].isalnum()
        and credential[-_CHECK_CHARACTERS:] == _checksum(credential[:-_CHECK_CHARACTERS])
    )


def fingerprint(credential: str) -> bytes:
    """Return the SHA-256 that is stored and indexed; 190 random bits need no slow hash."""
    return hashlib.sha256(credential.encode()).digest()


def mask(credential: str) -> str:
    """Return the credential as it is displayed: `pk_live_9fQ2…x7Kd`."""
    after_prefix = credential.rindex("_") + 1
    return f"{credential[: after_prefix + 4]}…{credential[-4:]}"


def _checksum(body: str) -> str:
    rest, third = divmod(zlib.crc32(body.encode()), len(_PAIRS))
    first, second = divmod(rest, len(_PAIRS))
    return _PAIRS[first] + _PAIRS[second] + _PAIRS[third]
