"""Admits work on previews, so that expensive documents leave worker threads to everyone else.

A preview is made in a child process. A quarter of the worker threads may make one or wait for one;
a caller beyond that, or beyond a share of it, is refused at once.
"""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from threading import BoundedSemaphore, Lock

from .errors import Busy

PROCESSES = 4  # child processes at once
PROCESS_SECONDS = 30


class PreviewQueue:
    """`places` are held by all, all but one by the links and credentials of one owner, and half of
    them by one link.
    """

    def __init__(self, threads: int) -> None:
        self.places = max(1, threads // 4)
        self._processes = BoundedSemaphore(PROCESSES)
        self._held, self._lock = Counter[str](), Lock()
        self._alone: dict[str, Lock] = {}  # for each preview that is made or waited for

    @contextmanager
    def turn(self, id: str, owner_id: str, caller_id: str) -> Iterator[None]:
        """The turn to make the preview `id`: nobody else makes the same one meanwhile.

        `caller_id` is a link's id, or the owner's. Raises `Busy`.
        """
        with self._place(id, owner_id, caller_id), self._alone[id]:
            if not self._processes.acquire(timeout=PROCESS_SECONDS):
                raise Busy
            try:
                yield
            finally:
                self._processes.release()

    @contextmanager
    def _place(self, id: str, owner_id: str, caller_id: str) -> Iterator[None]:
        most = {caller_id: self.places // 2, owner_id: self.places - 1, "": self.places}
        with self._lock:
            if any(self._held[one] >= max(1, count) for one, count in most.items()):
                raise Busy
            self._held.update([*most, id])
            self._alone.setdefault(id, Lock())
        try:
            yield
        finally:
            with self._lock:
                self._held -= Counter([*most, id])
                if not self._held[id]:
                    del self._alone[id]
