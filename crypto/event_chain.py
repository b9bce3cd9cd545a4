"""The hash that links an event to the one before it in its owner's chain.

    hash = SHA-256(PAE("event/1", owner id, sequence, previous hash, body))

PAE is PASETO's encoding (`sealing.pae`). The sequence is written in decimal, the previous hash
as its 32 bytes, and the body is the text that is stored: it is not written anew to be hashed.
"""

import hashlib

from .sealing import pae

FIRST_PREVIOUS = bytes(32)  # the previous hash of the first link


def event_hash(owner_id: str, sequence: int, previous: bytes, body: str) -> bytes:
    """32 bytes."""
    number = str(sequence).encode()
    message = pae(b"event/1", owner_id.encode(), number, previous, body.encode())
    return hashlib.sha256(message).digest()
