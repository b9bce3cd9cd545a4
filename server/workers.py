"""The sockets that accept connections, and the threads that receive, serve and send."""

import contextlib
import logging
import os
import select
import selectors
import socket
import stat
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Any

from .connection import Connection
from .context import Context
from .held import HeldResponses
from .lead import Lead

BACKLOG = 1024  # connections that wait to be accepted
ACCEPTED_AT_ONCE = 64
READY_AT_ONCE = 64  # descriptors
_log = logging.getLogger("docservice")


def listen(where: str) -> list[socket.socket]:
    """Listen at `host:port`, on each address of the host (`*`: on all), or at `unix:path`.

    Port 0 is a free port, the same one on each address. Raises `OSError`.
    """
    if where.startswith("unix:"):
        return [_listen_at_path(where.removeprefix("unix:"))]
    host, _, port = where.rpartition(":")
    name = None if host == "*" else host.strip("[]")
    found = socket.getaddrinfo(name, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    listeners: list[socket.socket] = []
    for family, *_, address in dict.fromkeys(found):
        if listeners and address[1] == 0:
            given_port = listeners[0].getsockname()[1]
            address = (address[0], given_port, *address[2:])  # noqa: PLW2901
        listeners.append(_listen_at_address(family, address))
    return listeners


def accept(listener: socket.socket) -> tuple[socket.socket, tuple[str, int | None]] | None:
    """Accept a connection; return it with its client's address and port, None of a Unix socket.

    Returns None if there is none. Raises `OSError`.
    """
    try:
        connection, address = listener.accept()
    except (BlockingIOError, ConnectionAbortedError):  # the client has gone
        return None
    connection.setblocking(False)
    if listener.family == socket.AF_UNIX:
        return connection, ("localhost", None)
    with contextlib.suppress(OSError):  # macOS refuses it after a disconnection
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection, address[:2]


def _listen_at_address(family: int, address: Any) -> socket.socket:
    listener = socket.socket(family)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if family == socket.AF_INET6:  # IPv4 has a listener of its own
        listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
    return _listening(listener, address)


def _listen_at_path(path: str) -> socket.socket:
    with contextlib.suppress(FileNotFoundError):
        if stat.S_ISSOCK(os.stat(path).st_mode):  # of a process that was killed
            os.remove(path)
    listener = _listening(socket.socket(socket.AF_UNIX), path)
    os.chmod(path, 0o600)
    return listener


def _listening(listener: socket.socket, address: Any) -> socket.socket:
    try:
        listener.bind(address)
    except OSError:
        listener.close()
        raise
    listener.setblocking(False)
    listener.listen(BACKLOG)
    return listener


class Epoll:
    """The descriptors whose readiness the leader waits for. Other threads may add to them."""

    def __init__(self) -> None:
        self._epoll = select.epoll()
        self._ready: deque[int] = deque()

    def expect(self, descriptor: int, *, sending: bool = False) -> None:
        """Wake a worker once when something can be received, or sent."""
        event = select.EPOLLONESHOT | (select.EPOLLOUT if sending else select.EPOLLIN)
        try:
            self._epoll.modify(descriptor, event)
        except FileNotFoundError:  # for the first time
            self._epoll.register(descriptor, event)

    def wait(self, seconds: float | None = None) -> int | None:
        """Wait for a descriptor that is ready; return None if none is after these seconds."""
        if not self._ready:
            self._ready.extend(int(one) for one, _ in self._epoll.poll(seconds, READY_AT_ONCE))
        return self.ready()

    def ready(self) -> int | None:
        """Return a further descriptor that was found ready with the last one, if there is one."""
        try:
            return self._ready.popleft()
        except IndexError:  # or another thread leads by now, and has taken it
            return None

    def close(self) -> None:
        self._epoll.close()


class Selector:
    """The same without epoll."""

    def __init__(self) -> None:
        self._selector = selectors.DefaultSelector()
        self._changing = threading.Lock()  # a selector may not be changed by two threads at once
        self._ready: deque[int] = deque()

    def expect(self, descriptor: int, *, sending: bool = False) -> None:
        event = selectors.EVENT_WRITE if sending else selectors.EVENT_READ
        with self._changing, contextlib.suppress(KeyError):  # it is expected already
            self._selector.register(descriptor, event)

    def wait(self, seconds: float | None = None) -> int | None:
        ready = [] if self._ready else self._selector.select(seconds)
        with self._changing:
            for key, _ in ready:
                with contextlib.suppress(KeyError):  # a former leader has found it, too
                    self._selector.unregister(key.fd)
                    self._ready.append(key.fd)
        return self.ready()

    def ready(self) -> int | None:
        try:
            return self._ready.popleft()
        except IndexError:
            return None

    def close(self) -> None:
        self._selector.close()


Readiness = Epoll if hasattr(select, "epoll") else Selector  # only Linux has it


class Workers:
    """The workers that may serve requests at once, and one more, so that one always receives."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._count = context.workers
        self._requested = context.requested
        self.lead = Lead(context.limits.working_seconds)
        self._held = HeldResponses(context, self.lead)
        self._readiness = Readiness()
        self._serving = 0  # workers
        self._lock = threading.Lock()
        self._accepting = threading.Lock()
        self._stop_reader, self._stop_writer = os.pipe()
        self._listeners: dict[int, socket.socket] = {}  # by their descriptors
        self._paused: list[int] = []  # listening sockets that accept nothing for now
        self._is_stopping = False
        self._threads = [
            threading.Thread(target=self._run, daemon=True) for _ in range(self._count + 1)
        ]

    def start(self, listeners: list[socket.socket]) -> None:
        self._listeners = {one.fileno(): one for one in listeners}
        for descriptor in (self._stop_reader, self._held.reader, *self._listeners):
            self._readiness.expect(descriptor)
        self.lead.start()
        self._held.start()
        for thread in self._threads:
            thread.start()

    def close_listeners(self) -> None:
        with self._accepting:
            for listener in self._listeners.values():
                listener.close()
            self._listeners, self._paused = {}, []

    def stop(self, deadline: float) -> None:
        """Return when all workers have ended, or at this time of the monotonic clock."""
        self._is_stopping = True
        os.write(self._stop_writer, b"s")
        self.lead.close()
        self._held.close(deadline)
        for thread in self._threads:
            thread.join(max(0, deadline - time.monotonic()))
        if not any(thread.is_alive() for thread in self._threads):
            self._readiness.close()
            self._held.close_pipe()
            for descriptor in (self._stop_reader, self._stop_writer):
                os.close(descriptor)

    def _run(self) -> None:
        try:
            while not self._is_stopping:
                self.lead.take()
                while self.lead.is_mine() and not self._is_stopping:
                    self._work()
                # The leader serves what has come, unless it waits for an event and does not notice.
                while self.lead.is_at_rest() and (connection := self._next_requested()):
                    self._serve(connection)
        finally:
            self.lead.give_away()
            self._readiness.expect(self._stop_reader)  # in case this worker has had the event

    def _work(self) -> None:
        """Handle an event and serve a request, if there are any; wait for an event if not."""
        if not self.lead.rest():
            return
        if self._held.released:
            self._send_released()
            return
        may_serve = self._requested and self._serving < self._count
        wants_sync = self._held.wants_sync()
        descriptor = self._readiness.wait(0 if may_serve or wants_sync else None)
        if wants_sync:
            self._held.ask_if_due(is_idle=descriptor is None and not may_serve)
        self.lead.begin()
        self._handle_events(descriptor)
        if connection := self._next_requested():
            self._serve(connection)

    def _send_released(self) -> None:
        self.lead.begin()
        while (connection := self._held.take_released()) is not None:
            self._handle(connection, connection.release)

    def _handle_events(self, descriptor: int | None) -> None:
        """Handle an event, and those that have come with it, as long as others can wait for it.

        So it is known who waits before one of them is served.
        """
        until = time.monotonic() + self._context.limits.uninterrupted_seconds
        while descriptor is not None:
            self._handle_event(descriptor)
            is_over = time.monotonic() >= until or not self.lead.is_mine()
            descriptor = None if is_over else self._readiness.ready()

    def _handle_event(self, descriptor: int) -> None:
        if connection := self._context.connections.get(descriptor):
            self._handle(connection, connection.handle_event)
        elif descriptor == self._held.reader:
            self._held.drain_wakes()
            self._readiness.expect(descriptor)
        else:
            self._accept(descriptor)

    def _accept(self, descriptor: int) -> None:
        """Accept the connections that wait, unless the listener was closed, and receive from them.

        All of them at once: if one were accepted for each event, new clients would wait longer,
        the more others there are.
        """
        accepted = []
        with self._accepting:
            if listener := self._listeners.get(descriptor):
                most = self._context.limits.connections - len(self._context.connections)
                for _ in range(min(most, ACCEPTED_AT_ONCE)):
                    connection = self._connection(listener)
                    if connection is None:
                        break
                    accepted.append(connection)
                self._paused.append(descriptor)
        self._accept_more()
        for connection in accepted:
            self._handle(connection, connection.handle_event)

    def _connection(self, listener: socket.socket) -> Connection | None:
        try:
            accepted = accept(listener)
        except OSError as error:  # no descriptor is left
            _log.warning("a connection was not accepted: %s", error)
            return None
        return Connection(*accepted, self._context) if accepted else None

    def _accept_more(self) -> None:
        """Accept connections until all are taken; it is called again when one has been closed."""
        with self._accepting:
            is_free = len(self._context.connections) < self._context.limits.connections
            while self._paused and is_free:
                self._readiness.expect(self._paused.pop())

    def _handle(self, connection: Connection, handle: Callable[[], None]) -> None:
        """Handle an event or a request of a connection, and await what comes next."""
        try:
            handle()
            while connection.needs_no_worker():
                connection.serve()
        except BaseException:
            _log.exception("a connection was closed because of an error")
            connection.close()
        if connection.is_held:
            self._held.add(connection)
        elif connection.has_request():
            self._requested.append(connection)
        elif connection.socket is not None:
            descriptor = connection.socket.fileno()
            self._readiness.expect(descriptor, sending=connection.is_sending())
        else:
            self._accept_more()

    def _release_here(self, connection: Connection) -> None:
        """Sync for a held response on this thread, whose worker is counted until it is sent.

        While nobody else is connected, the leader keeps the lead: the hand-over costs a tenth of an
        upload.
        """
        if not self._is_alone():
            self.lead.give_away()
        self._held.sync_for([connection])
        connection.release()

    def _is_alone(self) -> bool:
        return len(self._context.connections) == 1

    def _serve(self, connection: Connection) -> None:
        def serve_and_leave() -> None:
            try:
                connection.serve()
                if connection.is_held and (self._is_alone() or not self._held.takes(connection)):
                    self._release_here(connection)
            finally:
                self._context.shares.leave(connection)
                with self._lock:
                    self._serving -= 1

        self._handle(connection, serve_and_leave)

    def _next_requested(self) -> Connection | None:
        """Return a connection to be served, unless as many workers serve as may."""
        with self._lock:
            found = self._first_to_be_served()
        while refused := self._requested.pop_refused():
            self._handle(refused, refused.serve)
        return found

    def _first_to_be_served(self) -> Connection | None:
        while self._requested and self._serving < self._count:
            connection: Connection = self._requested.popleft()
            if self._may_be_served(connection):
                self._serving += 1
                return connection
        if self._serving == self._count:
            self._requested.refuse_displaced()
        return None

    def _may_be_served(self, connection: Connection) -> bool:
        """Return whether a worker of its caller's share is free; if not, let it wait."""
        if connection.counted or not connection.caller:
            return True
        return self._context.shares.enter_or_wait(connection)
