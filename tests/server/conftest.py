"""A server with short limits on a real socket, before an application that notes what it does."""

import contextlib
import socket
import threading
import time

import pytest

from server import Limits, Server

PIECE = bytes(range(256)) * 256  # 64 KiB
PIECES = 512  # 32 MiB, more than the system keeps for a client


class Application:
    """Answers by path; what is made piece by piece counts what was made and what was let go."""

    def __init__(self):
        self.made = self.begun = self.ended = 0
        self.workers, self.bodies = set(), []

    def __call__(self, environ, start):
        path, method = environ["PATH_INFO"], environ["REQUEST_METHOD"]
        if path == "/fault":
            raise ZeroDivisionError
        if path == "/empty":
            start("204 No Content", [])
            return []
        if path == "/unchanged":
            start("304 Not Modified", [])
            return []
        if path == "/short":
            start("200 OK", [("Content-Length", "10")])
            return [b"short"]
        if path == "/body":
            self.bodies.append(environ["wsgi.input"].read())
            return self._small(start, str(len(self.bodies[-1])).encode())
        if path == "/quick":
            return self._small(start, b"" if method == "HEAD" else b"quick")
        fields = [("Content-Length", str(PIECES * len(PIECE)))] if path != "/chunked" else []
        start("200 OK", fields)
        return [] if method == "HEAD" else self._pieces(spoiled="damaged" in path)

    def _small(self, start, body):
        start("200 OK", [("Content-Length", str(len(body) or 5))])
        return [body] if body else []

    def _pieces(self, *, spoiled):
        self.begun += 1
        try:
            for _ in range(PIECES - spoiled):
                self.made += 1
                self.workers.add(threading.get_ident())
                yield PIECE
            if spoiled:
                raise ZeroDivisionError
        finally:
            self.ended += 1


class House:
    """A running server, its application, and connections to it."""

    def __init__(self, threads, limits, **config):
        self.application = Application()
        config = {"LISTEN": "127.0.0.1:0", "TRUSTED_PROXY": None, "THREADS": threads} | config
        self.server = Server(self.application, config, limits)
        self.port = int(self.server._listeners[0].effective_port)
        self._thread = threading.Thread(target=self.server.serve)
        self._thread.start()

    def stop(self):
        """How many seconds it took to end."""
        began = time.monotonic()
        self.server.stop()
        self._thread.join(30)
        assert not self._thread.is_alive()
        return time.monotonic() - began

    @contextlib.contextmanager
    def connected(self, sent=b"", *, small=False):
        """A connection; a small one has room for little that is not read."""
        with socket.socket() as connection:
            if small:
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8192)
            connection.settimeout(15)
            connection.connect(("127.0.0.1", self.port))
            connection.sendall(sent)
            yield connection

    def is_quick(self):
        """Whether somebody else is answered at once."""
        began = time.monotonic()
        with self.connected(ask("/quick")) as connection:
            assert answer(connection)[0] == 200
        return time.monotonic() - began < 1.5


def ask(path, method="GET", *more):
    return "\r\n".join([f"{method} {path} HTTP/1.1", "Host: a", *more, "", ""]).encode()


def is_ended(connection):
    """Whether the server ends the connection; what it said is read over."""
    with contextlib.suppress(ConnectionResetError):
        while connection.recv(65_536):
            pass
    return True


def head(connection):
    """Status and header fields of the next answer."""
    lines = b""
    while not lines.endswith(b"\r\n\r\n"):
        byte = connection.recv(1)
        assert byte, lines
        lines += byte
    first, *rest = lines.decode().removesuffix("\r\n\r\n").split("\r\n")
    return int(first.split()[1]), dict(line.lower().split(": ", 1) for line in rest)


def body(connection, size):
    """As much of a body as comes, up to this size."""
    received = bytearray()
    while len(received) < size and (data := connection.recv(min(size - len(received), 1 << 20))):
        received += data
    return bytes(received)


def answer(connection):
    """Status, header fields and body of the next answer."""
    status, fields = head(connection)
    return status, fields, body(connection, int(fields.get("content-length", 0)))


@pytest.fixture
def build():
    """Start a server with limits of its own."""
    built = []

    def start(threads=2, config=(), **limits):
        built.append(House(threads, Limits(**{"body_bytes": 4 << 20} | limits), **dict(config)))
        return built[-1]

    yield start
    for one in built:
        one.stop()
