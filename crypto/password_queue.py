"""Queues for expensive work on passwords, so that a flood of it does not slow down the rest."""

from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Lock
from typing import TypeVar

T = TypeVar("T")


class PasswordQueueFull(Exception):
    """Too many passwords are being hashed; the caller may retry after a moment."""


class PasswordQueue:
    """Runs work on `threads` threads: at most `places` run or wait, and `share` of one caller."""

    def __init__(self, name: str, *, threads: int, places: int, share: int) -> None:
        self._pool = ThreadPoolExecutor(threads, name)
        self._places, self._share = places, share
        self._held, self._lock = Counter[str](), Lock()

    def run(self, caller: str, work: Callable[[], T]) -> T:
        """The result of `work`. Raises `PasswordQueueFull`."""
        with self._place(caller):
            return self._pool.submit(work).result()

    @contextmanager
    def _place(self, caller: str) -> Iterator[None]:
        with self._lock:
            if self._held.total() >= self._places or self._held[caller] >= self._share:
                raise PasswordQueueFull
            self._held[caller] += 1
        try:
            yield
        finally:
            with self._lock:
                self._held -= Counter({caller: 1})  # also forgets a caller without places


ACCOUNTS = PasswordQueue("accounts", threads=2, places=8, share=6)
LINKS = PasswordQueue("links", threads=2, places=6, share=4)  # both leave two of 16 workers
