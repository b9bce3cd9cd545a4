"""Responses that are held until what they tell of is on disk.

A thread that waited for the sync of its own request would hand the interpreter over for each
request. Here the responses wait, and no thread: one sync releases all that were held before it, and
the worker that leads serves other requests meanwhile.
"""

import contextlib
import logging
import os
import threading
import time
from collections import deque

from .connection import Connection
from .context import Context
from .lead import Lead

_log = logging.getLogger("docservice")


class HeldResponses:
    """The connections whose responses are held, and the thread that syncs for them."""

    def __init__(self, context: Context, lead: Lead) -> None:
        self._context = context
        self._lead = lead
        self._waiting = deque[tuple[float, Connection]]()  # since when, by the monotonic clock
        self.released = deque[Connection]()
        """Those whose responses may be sent, each by the worker that takes it."""
        self._asked = threading.Event()  # for a sync
        self._is_closed = False
        self.reader, self._writer = os.pipe()
        """The end of a pipe that is readable when a worker has to look at `released`."""
        for descriptor in (self.reader, self._writer):
            os.set_blocking(descriptor, False)
        self._thread = threading.Thread(target=self._run, name="sync", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def close(self, deadline: float) -> None:
        """Sync for nobody any more; return at this time of the monotonic clock at the latest."""
        self._is_closed = True
        self._asked.set()
        self._thread.join(max(0, deadline - time.monotonic()))

    def close_pipe(self) -> None:
        """Close the pipe, when no worker looks at it any more."""
        if not self._thread.is_alive():
            os.close(self.reader)
            os.close(self._writer)

    def takes(self, connection: Connection) -> bool:
        """Return whether a response is held here. If not, its worker waits for the sync.

        What makes a response that is streamed may wait, and all that were released with it would
        wait as well. And if the disk does not answer, some connections have to stay free.
        """
        has_room = len(self._waiting) < self._context.limits.held
        return has_room and not connection.is_streamed()

    def add(self, connection: Connection) -> None:
        """Hold the response of a connection, which belongs to no worker from now on.

        The thread that leads asks for the sync when it has nothing else to do; another one, whose
        request took long, asks now.
        """
        self._waiting.append((time.monotonic(), connection))
        if not self._lead.is_mine():
            self._asked.set()

    def wants_sync(self) -> bool:
        """Return whether responses wait for a sync that nobody has asked for."""
        return bool(self._waiting) and not self._asked.is_set()

    def ask_if_due(self, *, is_idle: bool) -> None:
        """Ask for the sync if the worker that leads is idle, or a response has waited for long."""
        if is_idle or self._is_late():
            self._asked.set()

    def sync_for(self, connections: list[Connection]) -> None:
        """Sync, so that the responses of these connections may be sent.

        If that raises an error, which is a fault of the service, the connections are closed.
        """
        sync = self._context.sync
        try:
            if sync is None:
                raise RuntimeError("This server was given no function that syncs.")
            sync()
        except Exception:
            _log.exception("responses were not sent, as their sync was not made")
            for connection in connections:
                _close(connection)

    def take_released(self) -> Connection | None:
        """Return a connection whose response is to be sent, or None."""
        try:
            return self.released.popleft()
        except IndexError:
            return None

    def drain_wakes(self) -> None:
        """Empty the pipe."""
        with contextlib.suppress(BlockingIOError):
            os.read(self.reader, 4096)

    def _run(self) -> None:
        while True:
            self._asked.wait()
            if self._is_closed:
                return
            # In this order: who is added behind the second line asks again, and is synced again.
            self._asked.clear()
            synced = self._take_waiting()
            if not synced:
                continue
            self.sync_for(synced)
            self.released.extend(synced)
            if self._lead.is_at_rest():
                self._wake()

    def _is_late(self) -> bool:
        with contextlib.suppress(IndexError):  # the thread has taken them meanwhile
            since, _ = self._waiting[0]
            return time.monotonic() - since >= self._context.limits.held_seconds
        return False

    def _take_waiting(self) -> list[Connection]:
        return [self._waiting.popleft()[1] for _ in range(len(self._waiting))]

    def _wake(self) -> None:
        """Wake the worker that waits for events; a pipe that is full has woken it."""
        with contextlib.suppress(BlockingIOError):
            os.write(self._writer, b"w")


def _close(connection: Connection) -> None:
    """Close a connection, and go on whatever the application raises when its response ends."""
    try:
        connection.close()
    except Exception:
        _log.exception("a response could not be ended")
