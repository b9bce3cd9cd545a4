"""The lines of requests that wait: by the network of the client, then by the caller.

All lines together have an end. Beyond it a further request takes the place of the newest in the
longest line. So whoever has many waiting loses some of them, and somebody else still finds a place.
"""

from collections import deque
from collections.abc import Callable
from enum import Enum, auto
from itertools import count
from threading import Lock
from typing import Any


class By(Enum):
    """What the requests of a line have in common."""

    NETWORK = auto()  # of requests whose caller is not known yet, which wait for any worker
    CALLER = auto()  # of requests that wait for a worker of their caller's share


Name = tuple[By, str]


class Lines:
    """The connections that wait, `most` at once. Any thread may call."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._lines: dict[Name, deque[tuple[int, Any]]] = {}  # with the number of the arrival
        self._arrivals = count()
        self._length = 0
        self.length_by_network = 0  # of all lines by network together
        self._guard = Lock()

    def __len__(self) -> int:
        return self._length

    def join(self, name: Name, connection: Any) -> None:
        """Put a connection at the end of a line."""
        with self._guard:
            self._lines.setdefault(name, deque()).append((next(self._arrivals), connection))
            self._length += 1
            self.length_by_network += name[0] is By.NETWORK

    def take_displaced(self) -> Any | None:
        """Take a connection that has to leave, if more wait than may; None if there is none.

        That is the newest of the longest line; of lines that are as long, the one that came last.
        So nobody who is alone in a line has to leave it for somebody who comes later.
        """
        with self._guard:
            if self._length <= self._most:
                return None
            longest = max(self._lines, key=lambda name: _length_and_newest(self._lines[name]))
            return self._taken(longest, -1)

    def take(self, name: Name, may: Callable[[Any], bool]) -> Any | None:
        """Take the first connection of a line that `may` leave it; None if there is none."""
        with self._guard:
            line = self._lines.get(name, deque())
            found = (place for place, (_, connection) in enumerate(line) if may(connection))
            place = next(found, None)
            return None if place is None else self._taken(name, place)

    def take_of_fewest(self) -> Any:
        """Take the first connection of the shortest line by network. `IndexError` without one."""
        return self._take_least(len)

    def take_oldest(self) -> Any:
        """Take the connection that has waited in a line by network for longest; as above."""
        return self._take_least(lambda line: line[0][0])

    def _take_least(self, order: Callable[[deque[tuple[int, Any]]], int]) -> Any:
        with self._guard:
            names = [name for name in self._lines if name[0] is By.NETWORK]
            if not names:
                raise IndexError("nobody waits")
            least = min(names, key=lambda name: (order(self._lines[name]), self._lines[name][0][0]))
            return self._taken(least, 0)

    def _taken(self, name: Name, place: int) -> Any:
        line = self._lines[name]
        _, connection = line[place]
        del line[place]
        self._length -= 1
        self.length_by_network -= name[0] is By.NETWORK
        if not line:
            del self._lines[name]
        return connection


def _length_and_newest(line: deque[tuple[int, Any]]) -> tuple[int, int]:
    newest, _ = line[-1]
    return len(line), newest
