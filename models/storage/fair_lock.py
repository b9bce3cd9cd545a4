"""A lock that threads get in the order in which they have asked for it."""

import threading
from collections import deque


class FairLock:
    """The lock.

    `threading.Lock` is taken by whichever thread runs when it is released: often the one that has
    just had it, again and again, while the others wait.
    """

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._is_held = False
        self._waiting: deque[threading.Lock] = deque()  # one of each thread, held until its turn

    def acquire(self, timeout: float) -> bool:
        """Return whether this thread got the lock within so many seconds."""
        with self._guard:
            if not self._is_held:
                self._is_held = True
                return True
            turn = threading.Lock()
            turn.acquire()
            self._waiting.append(turn)
        if turn.acquire(timeout=timeout):
            return True
        with self._guard:
            if turn in self._waiting:
                self._waiting.remove(turn)
                return False
        return True  # it was handed over at the last moment

    def release(self) -> None:
        """Hand the lock over to the thread that waits longest, if any does."""
        with self._guard:
            if self._waiting:
                self._waiting.popleft().release()
            else:
                self._is_held = False
