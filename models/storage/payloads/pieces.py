"""The pieces of a payload, the unit in which it is stored.

A piece is 192 KiB of the payload: whole chunks (16 KiB), and a multiple of three bytes, so that
the base64 of pieces joins without carry.
"""

from collections.abc import Iterator
from itertools import pairwise
from threading import BoundedSemaphore
from typing import Final

from crypto import sealing

READERS_AHEAD: Final = 16  # readers that hold windows; further ones hold one piece
CHUNKS = 12
PIECE_BYTES = CHUNKS * sealing.CHUNK_BYTES
SEALED_BYTES = CHUNKS * sealing.SEALED_CHUNK_BYTES


def sealed_length(size: int, number: int) -> int:
    """The sealed length of piece `number` of a payload of `size` bytes."""
    return min(SEALED_BYTES, sealing.sealed_bytes(size) - number * SEALED_BYTES)


class ReadAhead:
    """Lends windows of several pieces, since each fetch costs a round trip, to a few readers."""

    def __init__(self) -> None:
        self._readers = BoundedSemaphore(READERS_AHEAD)

    def windows(self, first: int, last: int, at_once: int) -> Iterator[tuple[int, int]]:
        """Where to start and before which to stop, of each window of the pieces `first` to `last`.

        The first window is one piece, since some readers ask for no more. Close the iterator, or
        let go of it.
        """
        yield first, first + 1
        if first == last:
            return
        ahead = at_once > 1 and self._readers.acquire(blocking=False)
        step = at_once if ahead else 1
        try:
            yield from pairwise([*range(first + 1, last + 1, step), last + 1])
        finally:
            if ahead:
                self._readers.release()
