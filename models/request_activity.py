"""Counts the requests that run, so that background work can wait until none does.

The threads of a Python process share one lock: a busy one can double the time a request takes.
"""

import threading
import time

IDLE_SECONDS = 0.005


class RequestActivity:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running = 0
        self._last_at = 0.0

    def start(self) -> None:
        with self._lock:
            self._running += 1

    def end(self) -> None:
        with self._lock:
            self._running -= 1
            self._last_at = time.monotonic()

    def wait_until_idle(self, longest_seconds: float) -> None:
        """Returns when no request has run for 5 ms, at the latest after `longest_seconds`."""
        ends_at = time.monotonic() + longest_seconds
        while not self._is_idle() and time.monotonic() < ends_at:
            time.sleep(IDLE_SECONDS)

    def _is_idle(self) -> bool:
        return self._running == 0 and time.monotonic() - self._last_at >= IDLE_SECONDS


request_activity = RequestActivity()
