"""The connections that wait for any worker: those with a new request, and those that go on.

A long response is interrupted again and again, and a request is postponed while the share of its
caller is used. New requests and those that go on take turns. So a small request waits for a moment
of one download, however many downloads there are, and downloads go on, however many small requests
there are.

Of new requests one of the network that has the fewest is next, then the one that has waited for
longest, in turns. So a client does not wait for all requests of another one; and somebody with
several waits at most for twice as many as came before, however many networks send one.
"""

from collections import deque
from typing import Any

from .lines import By, Lines


class Requested:
    """Connections that wait. Any thread may append to them; one at a time takes from them."""

    def __init__(self, lines: Lines) -> None:
        self._lines = lines
        self._arrived = deque[Any]()  # new requests that are in no line yet
        self._going_on = deque[Any]()
        self._refused = deque[Any]()
        self._last_was_new = False
        self._last_was_oldest = True

    def __bool__(self) -> bool:
        return bool(self._arrived or self._going_on or self._lines.length_by_network)

    def append(self, connection: Any) -> None:
        if connection.is_refused:
            self._refused.append(connection)
        elif connection.was_served():
            self._going_on.append(connection)
        else:
            self._arrived.append(connection)

    def popleft(self) -> Any:
        """Return the next connection. Raises `IndexError` if none waits."""
        is_new = not self._going_on
        if self._going_on and not self._last_was_new:
            is_new = bool(self._arrived or self._lines.length_by_network)
        self._last_was_new = is_new
        return self._next_new() if is_new else self._going_on.popleft()

    def refuse_displaced(self) -> None:
        """Refuse requests beyond the room that lines have; call it while no worker is free."""
        self._line_up()
        while (displaced := self._lines.take_displaced()) is not None:
            displaced.is_refused = True
            self._refused.append(displaced)

    def pop_refused(self) -> Any | None:
        """Return a connection whose request is to be refused, if there is one."""
        try:
            return self._refused.popleft()
        except IndexError:
            return None

    def _next_new(self) -> Any:
        if len(self._arrived) == 1 and not self._lines.length_by_network:
            return self._arrived.popleft()  # as usual
        self._line_up()
        self._last_was_oldest = not self._last_was_oldest
        return self._lines.take_oldest() if self._last_was_oldest else self._lines.take_of_fewest()

    def _line_up(self) -> None:
        while self._arrived:
            connection = self._arrived.popleft()
            self._lines.join((By.NETWORK, connection.network()), connection)
