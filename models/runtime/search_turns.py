"""Lets one search of each user run at a time: it decrypts thousands of names without a pause."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

from ..core import Busy

MOST = 2  # of one user: one that runs, and one that waits for it, as of a person who types on


class SearchTurns:
    def __init__(self) -> None:
        self._asked, self._lock = Counter[str](), Lock()
        self._running: dict[str, Lock] = {}

    @contextmanager
    def turn(self, owner_id: str) -> Iterator[None]:
        """Returns when the owner's former search has ended. Raises `Busy` if one waits for it."""
        with self._lock:
            if self._asked[owner_id] >= MOST:
                raise Busy
            self._asked[owner_id] += 1
            running = self._running.setdefault(owner_id, Lock())
        try:
            with running:
                yield
        finally:
            with self._lock:
                self._asked -= Counter([owner_id])
                if not self._asked[owner_id]:
                    del self._running[owner_id]
