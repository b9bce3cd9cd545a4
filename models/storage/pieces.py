"""The pieces of a payload, the unit in which it is stored.

A piece is 192 KiB of the payload: whole chunks (16 KiB), and a multiple of three bytes, so that
the base64 of pieces joins without carry.
"""

from crypto import sealing

CHUNKS = 12
PIECE_BYTES = CHUNKS * sealing.CHUNK_BYTES
SEALED_BYTES = CHUNKS * (sealing.CHUNK_BYTES + sealing.TAG_BYTES)


def sealed_length(size: int, number: int) -> int:
    """The sealed length of piece `number` of a payload of `size` bytes."""
    return min(SEALED_BYTES, sealing.sealed_bytes(size) - number * SEALED_BYTES)
