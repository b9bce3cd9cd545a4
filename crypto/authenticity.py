"""MACs and hashes by which alterations of the database file are recognized: rows by a MAC, the log
by a chain of hashes.

    mac  = HMAC-SHA-256(key, PAE("authority/1", table, value_1, value_2, ...))           RFC 2104
    hash = SHA-256(PAE("event/1", owner id, sequence, previous hash, body))

PAE is PASETO's encoding (`sealing.pae`). The values of a row are its columns that say who may do
what, each written with its type, so that NULL, a number, a text and bytes differ. The hash links an
event to the one before it in its owner's chain: the sequence is written in decimal, the previous
hash as its 32 bytes, and the body is the text that is stored: it is not written anew.
"""

import hashlib
import hmac
from functools import lru_cache
from typing import Any

from .sealing import context, pae

REMEMBERED = 1024  # of about 1 KiB each
FIRST_PREVIOUS = bytes(32)  # the previous hash of the first link


@lru_cache(REMEMBERED)
def authority_mac(key: bytes, table: str, values: tuple[Any, ...]) -> bytes:
    """Return the MAC of a row's authority columns, 32 bytes; MACs of rows in use are remembered."""
    message = context("authority/1", table, *map(_typed, values))
    return hmac.digest(key, message, hashlib.sha256)


def is_authentic(key: bytes, table: str, values: tuple[Any, ...], mac: object) -> bool:
    """Return whether `mac`, as it was found in the row, is that of the values."""
    return isinstance(mac, bytes) and hmac.compare_digest(mac, authority_mac(key, table, values))


def event_hash(owner_id: str, sequence: int, previous: bytes, body: str) -> bytes:
    """Return the hash of an entry, 32 bytes."""
    number = str(sequence).encode()
    message = pae(b"event/1", owner_id.encode(), number, previous, body.encode())
    return hashlib.sha256(message).digest()


def reader_hash(salt: bytes, address: str, name: str) -> str:
    """Return the hash by which events name a reader: SHA-256(PAE("reader/1", salt, address, name)).

    It is in hex, and reveals nothing without the salt.
    """
    return hashlib.sha256(pae(b"reader/1", salt, address.encode(), name.encode())).hexdigest()


def _typed(value: object) -> str:
    return f"bytes {value.hex()}" if isinstance(value, bytes) else f"{type(value).__name__} {value}"
