"""Runs an iterator on a thread of its own, with a bounded queue."""

import queue
import threading
from collections.abc import Generator, Iterator
from typing import TypeVar

T = TypeVar("T")

PIECES_AHEAD = 4


def prefetch(pieces: Iterator[T]) -> Generator[T, None, None]:
    """The same pieces, at most four produced ahead.

    Decoding, hashing, sealing and SQLite release the interpreter lock: with two cores, an upload of
    50 MiB takes a third longer without this. An exception of `pieces`
    is raised here; closing this generator ends the thread.
    """
    made: queue.Queue[tuple[T | None, BaseException | None]] = queue.Queue(PIECES_AHEAD)
    stopped = threading.Event()
    worker = threading.Thread(target=_make, args=(pieces, made, stopped), daemon=True)
    worker.start()
    try:
        while True:
            piece, error = made.get()
            if error is not None:
                raise error
            if piece is None:
                return
            yield piece
    finally:
        stopped.set()
        while not made.empty():
            made.get_nowait()
        worker.join()


def _make(
    pieces: Iterator[T],
    made: "queue.Queue[tuple[T | None, BaseException | None]]",
    stopped: threading.Event,
) -> None:
    try:
        for piece in pieces:
            made.put((piece, None))
            if stopped.is_set():
                return
        made.put((None, None))
    except BaseException as error:  # noqa: BLE001  told on the other side
        made.put((None, error))
