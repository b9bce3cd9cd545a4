"""HTTP requests to other servers under one deadline: resolving the name, and a socket's stream."""

import io
import socket
import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from typing import Any

Resolve = Callable[..., Iterable[tuple[Any, ...]]]


def seconds_left(deadline: float) -> float:
    """Return the seconds until this moment of the monotonic clock; TimeoutError if it is past."""
    seconds = deadline - time.monotonic()
    if seconds <= 0:
        raise TimeoutError
    return seconds


def resolved(resolve: Resolve, host: str, port: int) -> Future[Any]:
    """Return the result of the system's resolver, on a thread since it has no deadline."""
    future: Future[Any] = Future()

    def work() -> None:
        try:
            future.set_result(resolve(host, port, type=socket.SOCK_STREAM))
        except Exception as error:  # noqa: BLE001  raised where the result is used
            future.set_exception(error)

    threading.Thread(target=work, name="resolver", daemon=True).start()
    return future


class DeadlineStream(io.RawIOBase):
    """The part of a socket that http.client uses, with one deadline for all reads and writes.

    The request is sent at the first read, so that its head and body leave in one packet.
    """

    def __init__(self, connection: socket.socket, deadline: float) -> None:
        self._connection = connection
        self._deadline = deadline
        self._unsent = b""

    def makefile(self, _mode: str) -> io.BufferedReader:
        return io.BufferedReader(self)

    def readable(self) -> bool:
        return True

    def sendall(self, data: bytes) -> None:
        self._unsent += data

    def readinto(self, buffer: Any) -> int:
        self._connection.settimeout(seconds_left(self._deadline))
        if self._unsent:
            self._connection.sendall(self._unsent)
            self._unsent = b""
            self._connection.settimeout(seconds_left(self._deadline))
        return self._connection.recv_into(buffer)

    def close(self) -> None:
        super().close()
        self._connection.close()
