"""The pieces of a payload, the unit in which it is stored.

A piece is 192 KiB of the payload: whole chunks (16 KiB), and a multiple of three bytes, so that
the base64 of pieces joins without carry.
"""

from collections import deque
from collections.abc import Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from threading import BoundedSemaphore
from typing import Final

from crypto import sealing

from ...core import will_wait

PIECES_AHEAD: Final = 4  # that are made while others are stored
READERS_AHEAD: Final = 16  # readers that hold windows; further ones hold one piece
SEGMENT_PIECES: Final = 64  # of an object, of a large payload
CHUNKS = 12
PIECE_BYTES = CHUNKS * sealing.CHUNK_BYTES
SEALED_BYTES = CHUNKS * sealing.SEALED_CHUNK_BYTES


def prefetch(pieces: Iterator[bytes]) -> Generator[bytes, None, None]:
    """Yield the same pieces, made on a thread of their own, a few ahead of their reader.

    Decoding, hashing, sealing and SQLite release the interpreter lock: with two cores, an upload of
    50 MiB takes a third longer without this. An exception of `pieces` is raised here; closing this
    generator ends the thread.
    """
    will_wait()
    maker = ThreadPoolExecutor(1, "prefetch")
    try:
        coming = deque(maker.submit(next, pieces, None) for _ in range(PIECES_AHEAD))
        while True:
            piece = coming.popleft().result()
            if piece is None:
                return
            coming.append(maker.submit(next, pieces, None))
            yield piece
    finally:
        maker.shutdown(cancel_futures=True)


class ReadAhead:
    """Windows of several pieces for a few readers, since each fetch costs a round trip."""

    def __init__(self) -> None:
        self._readers = BoundedSemaphore(READERS_AHEAD)

    def windows(self, first: int, last: int, at_once: int) -> Iterator[tuple[int, int]]:
        """Yield the first piece, and the one behind the last, of each window of pieces.

        The windows hold the pieces `first` to `last`. The first window is one piece, since some
        readers ask for no more. Close the iterator, or let go of it.
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
