"""The connections that wait for a worker: those with a new request, and those that go on.

A long response is interrupted again and again, and a request is postponed while the share of its
caller is used. New requests and those that go on take turns. So a small request waits for a moment
of one download, however many downloads there are, and downloads go on, however many small requests
there are.
"""

from collections import deque
from typing import Any


class Requested:
    """Two lines of connections. Any thread may append to them; one at a time takes from them."""

    def __init__(self) -> None:
        self._new = deque[Any]()
        self._going_on = deque[Any]()
        self._last_was_new = False

    def __bool__(self) -> bool:
        return bool(self._new or self._going_on)

    def append(self, connection: Any) -> None:
        line = self._going_on if connection.was_served() else self._new
        line.append(connection)

    def popleft(self) -> Any:
        """Return the next connection. Raises `IndexError` if none waits."""
        is_new = bool(self._new) and not (self._going_on and self._last_was_new)
        self._last_was_new = is_new
        line = self._new if is_new else self._going_on
        return line.popleft()
