"""Every secret string this service hands out.

    prefix || base62 characters, random || 6 base62 characters: the CRC-32 of all before them

32 characters carry 190 random bits, 43 carry 256. The checksum finds a slip of the pen without
a look-up (the design is GitHub's, of 2021); it proves nothing about validity.
"""

import hashlib
import secrets
import zlib

API_KEY = "pk_live_"
DOCUMENT_TOKEN = "dt_"  # noqa: S105  a prefix, not a secret

_ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_CHECK_CHARACTERS = 6


def fresh(prefix: str, length: int = 32) -> str:
    head = prefix + _base62(secrets.randbelow(62**length), length)
    return head + _checksum(head)


def well_formed(credential: str, prefix: str, length: int = 32) -> bool:
    """Whether it could be one at all: rejects typing slips and junk before any look-up."""
    return (
        credential.startswith(prefix)
        and len(credential) == len(prefix) + length + _CHECK_CHARACTERS
        and credential.isascii()
        and credential[len(prefix) :].isalnum()
        and credential[-_CHECK_CHARACTERS:] == _checksum(credential[:-_CHECK_CHARACTERS])
    )


def digest(credential: str) -> bytes:
    """What is stored: plain SHA-256 suffices for 190 random bits, and finds its row by index."""
    return hashlib.sha256(credential.encode()).digest()


def mask(credential: str) -> str:
    """`pk_live_9fQ2…x7Kd`"""
    after_prefix = credential.rindex("_") + 1
    return f"{credential[: after_prefix + 4]}…{credential[-4:]}"


def _checksum(head: str) -> str:
    return _base62(zlib.crc32(head.encode()), _CHECK_CHARACTERS)


def _base62(number: int, width: int) -> str:
    characters = ""
    for _ in range(width):
        number, rest = divmod(number, 62)
        characters = _ALPHABET[rest] + characters
    return characters
