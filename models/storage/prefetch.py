"""Work ahead: the next pieces are made while the last one is stored."""

import queue
import threading
from collections.abc import Iterator
from typing import TypeVar

T = TypeVar("T")

PIECES_AHEAD = 4


def prefetch(pieces: Iterator[T]) -> Iterator[T]:
    """The same pieces, made on a thread of their own, a few at a time.

    Decoding, hashing, sealing and SQLite all let other threads run meanwhile. What goes wrong in
    making a piece is raised here; who stops early ends the thread too.
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
