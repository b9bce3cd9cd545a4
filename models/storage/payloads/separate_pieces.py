"""Separate pieces: each is a message of its own, under the data key of the payload.

    piece n = Cobblestone-256(key, ("piece/1", payload id, size of the payload, n), 192 KiB)

A message has 72 bytes more than its piece, and 16 for each whole 16 KiB; so a whole piece takes
196,872 bytes. A random salt begins each message: a piece that is written again, after a crash or a
broken connection, shares no nonce with what was there before. A payload of 0 bytes is one empty
piece.
"""

from crypto import sealing

from .pieces import PIECE_BYTES


def piece_context(payload_id: str, size: int, number: int) -> bytes:
    """Return what binds a piece to its payload of `size` bytes, and to its place in it."""
    return sealing.context("piece/1", payload_id, str(size), str(number))


def last_piece(size: int) -> int:
    """Return the number of the last piece of a payload of `size` bytes."""
    return max(size - 1, 0) // PIECE_BYTES


def sealed_piece_length(size: int, number: int) -> int:
    """Return the sealed length of piece `number` of a payload of `size` bytes."""
    plain = min(PIECE_BYTES, size - number * PIECE_BYTES)
    return sealing.HEADER_BYTES + sealing.sealed_bytes(plain)


def seal_piece(key: bytes, payload_id: str, size: int, number: int, plain: bytes) -> bytes:
    return sealing.seal(key, piece_context(payload_id, size, number), plain)


def open_piece(key: bytes, payload_id: str, size: int, number: int, sealed: bytes) -> bytes:
    """Return the plain piece. Raise `DecryptionError`."""
    return sealing.unseal(key, piece_context(payload_id, size, number), sealed)
