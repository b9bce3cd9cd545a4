"""Shares of the workers: at most half of them serve one caller.

The application names the caller of a request as soon as it knows it, and perhaps a part of that
caller, which gets three quarters of the caller's share, so that the rest of it stays usable. The
requests of a caller whose share is used wait in a line of their own; others pass them.
"""

import threading
from collections import Counter
from collections.abc import Callable
from typing import Protocol

from .lines import By, Lines

Names = tuple[str, ...]
"""Of a caller, and perhaps of its part; empty while the caller is not known."""


class Requesting(Protocol):
    """A connection whose request has the caller `caller`, and a worker of the share `counted`.

    `is_refused` says that too many requests wait.
    """

    caller: Names
    counted: Names
    is_refused: bool


class Shares:
    """The number of workers that serve each caller, and the connections that wait for one."""

    def __init__(self, workers: int, lines: Lines, serve: Callable[[Requesting], None]) -> None:
        """Share workers between callers, whose further requests wait in `lines`.

        `serve` is called for each of them when a worker of its caller's share is free, which is
        counted for it already, or to be refused when it has to leave the line for another one.
        """
        of_caller = max(1, workers // 2)
        of_part = max(1, of_caller * 3 // 4)
        self._most = (of_caller, of_part)
        self._lines = lines
        self._serve = serve
        self._guard = threading.Lock()
        self._serving = Counter[str]()

    def enter(self, connection: Requesting) -> bool:
        """Count a worker for the connection's caller, unless its share is used."""
        with self._guard:
            return self._count(connection)

    def enter_or_wait(self, connection: Requesting) -> bool:
        """Count a worker for the connection's caller, or put the connection into its line.

        Return whether a worker is counted.
        """
        with self._guard:
            if self._count(connection):
                return True
            self._lines.join((By.CALLER, connection.caller[0]), connection)
            displaced = self._lines.take_displaced()
        if displaced is not None:
            displaced.is_refused = True
            self._serve(displaced)
        return False

    def leave(self, connection: Requesting) -> None:
        """Free the worker that is counted for the connection, for the next in its caller's line."""
        former = connection.counted
        if not former:
            return
        with self._guard:
            for name in former:
                self._serving[name] -= 1
                if self._serving[name] == 0:
                    del self._serving[name]  # a caller without workers is forgotten
            connection.counted = ()
            line = (By.CALLER, former[0])
            following = self._lines.take(line, lambda one: self._has_room(one.caller))
            if following is not None:
                self._count(following)
        if following is not None:
            self._serve(following)

    def _count(self, connection: Requesting) -> bool:
        has_room = self._has_room(connection.caller)
        if has_room:
            for name in connection.caller:
                self._serving[name] += 1
            connection.counted = connection.caller
        return has_room

    def _has_room(self, caller: Names) -> bool:
        shares = zip(caller, self._most, strict=False)
        return all(self._serving[name] < most for name, most in shares)
