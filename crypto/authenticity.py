"""MACs of short texts, and the hashes by which the log is a chain.

    mac  = HMAC-SHA-256(key, PAE("authority/1", purpose, value_1, value_2, ...))         RFC 2104
    hash = SHA-256(PAE("event/1", owner id, sequence, previous hash, body))

PAE is PASETO's encoding (`sealing.pae`). Each value is written with its type, so that None, a
number, a text and bytes differ. The hash links an
event to the one before it in its owner's chain: the sequence is written in decimal, the previous
hash as its 32 bytes, and the body is the text that is stored: it is not written anew.
"""

import hashlib
import hmac
from typing import Any

from .sealing import context, pae

FIRST_PREVIOUS = bytes(32)  # the previous hash of the first link


def mac(key: bytes, purpose: str, values: tuple[Any, ...]) -> bytes:
    """Return the MAC of values, 32 bytes."""
    message = context("authority/1", purpose, *map(_typed, values))
    return hmac.digest(key, message, hashlib.sha256)


def is_authentic(key: bytes, purpose: str, values: tuple[Any, ...], given: object) -> bool:
    """Return whether `given` is the MAC of the values."""
    return isinstance(given, bytes) and hmac.compare_digest(given, mac(key, purpose, values))


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
