"""Shares of the workers: at most half of them serve one caller.

The application names the caller of a request as soon as it knows it, and perhaps a part of that
caller, which gets three quarters of the caller's share, so that the rest of it stays usable. The
requests of a caller whose share is used wait in a line of their own; others pass them.
"""

import threading
from collections import Counter, deque
from collections.abc import Callable
from enum import Enum, auto
from typing import Protocol

Names = tuple[str, ...]
"""Of a caller, and perhaps of its part; empty while the caller is not known."""


class Entry(Enum):
    """The outcome of a request for a worker."""

    COUNTED = auto()
    WAITS = auto()
    REFUSED = auto()  # too many requests of the caller wait


class Requesting(Protocol):
    """A connection whose request has the caller `caller`, and a worker of the share `counted`."""

    caller: Names
    counted: Names


class Shares:
    """The number of workers that serve each caller, and the connections that wait for one."""

    def __init__(
        self, workers: int, most_waiting: int, serve: Callable[[Requesting], None]
    ) -> None:
        """Share workers between callers; at most `most_waiting` requests of a caller wait.

        `serve` is called for each of them when a worker of its caller's share is free, which is
        counted for it already.
        """
        of_caller = max(1, workers // 2)
        of_part = max(1, of_caller * 3 // 4)
        self._most = (of_caller, of_part)
        self._most_waiting = most_waiting
        self._serve = serve
        self._guard = threading.Lock()
        self._serving = Counter[str]()
        self._lines: dict[str, deque[Requesting]] = {}  # by the caller's first name

    def enter(self, connection: Requesting) -> bool:
        """Count a worker for the connection's caller, unless its share is used."""
        with self._guard:
            return self._count(connection)

    def enter_or_wait(self, connection: Requesting) -> Entry:
        """Count a worker for the connection's caller, or put the connection into its line."""
        with self._guard:
            if self._count(connection):
                return Entry.COUNTED
            line = self._lines.setdefault(connection.caller[0], deque())
            if len(line) >= self._most_waiting:
                return Entry.REFUSED
            line.append(connection)
            return Entry.WAITS

    def leave(self, connection: Requesting) -> None:
        """Free the worker that is counted for the connection, for the next in its caller's line."""
        former = connection.counted
        if not former:
            return
        with self._guard:
            self._serving -= Counter(former)  # also forgets a caller without workers
            connection.counted = ()
            following = self._next_in_line(former[0])
            if following is not None:
                self._count(following)
        if following is not None:
            self._serve(following)

    def _count(self, connection: Requesting) -> bool:
        has_room = self._has_room(connection.caller)
        if has_room:
            self._serving.update(connection.caller)
            connection.counted = connection.caller
        return has_room

    def _has_room(self, caller: Names) -> bool:
        shares = zip(caller, self._most, strict=False)
        return all(self._serving[name] < most for name, most in shares)

    def _next_in_line(self, name: str) -> Requesting | None:
        line = self._lines.get(name, deque())
        following = next((one for one in line if self._has_room(one.caller)), None)
        if following is not None:
            line.remove(following)
            if not line:
                del self._lines[name]
        return following
