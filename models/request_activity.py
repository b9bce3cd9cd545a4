"""Requests go first: work that can wait a moment gives way to them.

Threads of one Python process take turns many times in a request, so a busy one beside it can
double the time it takes.
"""

import threading
import time

CALM_SECONDS = 0.005


class Traffic:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._passing = 0
        self._last_at = 0.0

    def enter(self) -> None:
        with self._lock:
            self._passing += 1

    def leave(self) -> None:
        with self._lock:
            self._passing -= 1
            self._last_at = time.monotonic()

    def give_way(self, longest_seconds: float) -> None:
        """Returns when no request has run for a moment, or when the longest wait is over."""
        ends_at = time.monotonic() + longest_seconds
        while not self._is_calm() and time.monotonic() < ends_at:
            time.sleep(CALM_SECONDS)

    def _is_calm(self) -> bool:
        return self._passing == 0 and time.monotonic() - self._last_at >= CALM_SECONDS


traffic = Traffic()
