"""Authenticates the columns of a row that say who may do what, so that a row which was made up or
altered in the database file is recognized.

    mac = HMAC-SHA-256(key, PAE("authority/1", table, value_1, value_2, ...))      RFC 2104

PAE is PASETO's encoding (`sealing.context`). A value is written with its type, so that NULL, a
number, a text and bytes differ.
"""

import hashlib
import hmac
from functools import lru_cache
from typing import Any

from .sealing import context

REMEMBERED = 1024  # of about 1 KiB each


@lru_cache(REMEMBERED)
def authority_mac(key: bytes, table: str, values: tuple[Any, ...]) -> bytes:
    """The MAC of a row's authority columns, 32 bytes; those of rows in use are remembered."""
    message = context("authority/1", table, *map(_typed, values))
    return hmac.digest(key, message, hashlib.sha256)


def is_authentic(key: bytes, table: str, values: tuple[Any, ...], mac: object) -> bool:
    """Whether `mac`, as it was found in the row, is that of the values."""
    return isinstance(mac, bytes) and hmac.compare_digest(mac, authority_mac(key, table, values))


def _typed(value: object) -> str:
    return f"bytes {value.hex()}" if isinstance(value, bytes) else f"{type(value).__name__} {value}"
