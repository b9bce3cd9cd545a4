"""Sockets that accept connections."""

import contextlib
import os
import socket
import stat
from typing import Any

BACKLOG = 1024  # connections that wait to be accepted


def listen(where: str) -> list[socket.socket]:
    """At `host:port`, on each address of the host (`*`: on all), or at `unix:path`.

    Raises `OSError`.
    """
    if where.startswith("unix:"):
        return [_listen_at_path(where.removeprefix("unix:"))]
    host, _, port = where.rpartition(":")
    name = None if host == "*" else host.strip("[]")
    found = socket.getaddrinfo(name, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    return [_listen_at_address(family, to) for family, *_, to in dict.fromkeys(found)]


def accept(listener: socket.socket) -> tuple[socket.socket, tuple[str, int | None]] | None:
    """A connection and its client's address and port, None of a Unix socket; or None.

    Raises `OSError`.
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
