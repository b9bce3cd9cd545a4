"""A server on a real socket, with a clock that the test sets and a small application."""

import contextlib
import json
import socket
import threading

import pytest

from server import Limits, Server
from tests.waiting import until

PIECE = bytes(range(256)) * 256  # 64 KiB
FAULTS = {"/fault": ZeroDivisionError, "/exit": SystemExit}
WITHOUT_BODY = {"/empty": "204 No Content", "/unchanged": "304 Not Modified"}
PIECES = 512  # 32 MiB, more than the kernel buffers for a client


class Application:
    """Responds by path; counts the streamed responses and pieces that were begun and closed.

    `X-Caller` names the caller, perhaps with a part behind a slash; `X-Holds` the bytes that the
    response holds.
    """

    def __init__(self):
        self.asked = self.made = self.begun = self.ended = self.holding = 0
        self.bodies = []
        self.addresses = []  # of the clients, in the order in which they were served
        self.released = threading.Event()  # lets requests to /held go on
        self.steps, self.stored = [], []  # of bodies to /steps, which are served in steps
        self.status_of = lambda _step: "200 OK"

    def __call__(self, environ, start):
        path, method = environ["PATH_INFO"], environ["REQUEST_METHOD"]
        self.asked += 1
        self.addresses.append(environ["REMOTE_ADDR"])
        if caller := environ.get("HTTP_X_CALLER"):
            environ["server.response"].serve_for(*caller.split("/"))
        held_bytes = int(environ.get("HTTP_X_HOLDS", 0))
        if not environ["server.response"].reserve_memory(held_bytes):
            start("503 Service Unavailable", [("Content-Length", "0")])
            return []
        if path in FAULTS:
            raise FAULTS[path]
        if path == "/held":
            self.holding += 1
            self.released.wait()
        if path in WITHOUT_BODY:
            start(WITHOUT_BODY[path], [])
            return []
        if path == "/short":
            start("200 OK", [("Content-Length", "10")])
            return [b"short"]
        if path == "/body":
            self.bodies.append(environ["wsgi.input"].read())
            return self._small(start, str(len(self.bodies[-1])).encode())
        if path == "/steps":
            return self._step(environ, start)
        if path == "/seen":
            names = ("REMOTE_ADDR", "HTTP_HOST", "wsgi.url_scheme")
            return self._small(start, json.dumps({name: environ[name] for name in names}).encode())
        if path in ("/quick", "/held", "/host"):
            host = environ.get("HTTP_HOST")
            body = {"/quick": "quick", "/held": "", "/host": host}[path]
            return self._small(start, b"" if method == "HEAD" else body.encode())
        fields = [("Content-Length", str(PIECES * len(PIECE)))] if path != "/chunked" else []
        start("200 OK", fields)
        return [] if method == "HEAD" else self._pieces(fails="damaged" in path)

    def _step(self, environ, start):
        """Store a step; answer how many bytes are stored."""
        step, data = environ["server.step"], environ["wsgi.input"].read()
        assert (len(data), environ["CONTENT_LENGTH"]) == (step.length, str(step.length))
        status = self.status_of(step)
        self.steps.append(step)
        self.stored.append(data)
        body = str(sum(map(len, self.stored))).encode()
        start(status, [("Content-Length", str(len(body)))])
        return [body]

    def _small(self, start, body):
        start("200 OK", [("Content-Length", str(len(body) or 5))])
        return [body] if body else []

    def _pieces(self, *, fails):
        self.begun += 1
        try:
            for _ in range(PIECES - fails):
                self.made += 1
                yield PIECE
            if fails:
                raise ZeroDivisionError
        finally:
            self.ended += 1


class RunningServer:
    """A server in a thread, its application, its clock, and connections to it."""

    def __init__(self, threads, limits, **options):
        self.application = options.pop("application", None) or Application()
        self.now, self._checks = 0.0, 0
        options = {"listen": "127.0.0.1:0", "threads": threads} | options
        self._thread = None
        self.server = Server(self.application, limits, clock=self._clock, **options)
        self._thread = threading.Thread(target=self.server.serve)
        self._thread.start()

    def _clock(self):
        """The server's own thread reads it once for each check of all time limits."""
        self._checks += threading.current_thread() is self._thread
        return self.now

    @property
    def port(self):
        return self.server.port

    @property
    def connections(self):
        return self.server.connections

    def pass_time(self, seconds):
        """Set the clock forward; returns when the server has checked all time limits since."""
        self.now += seconds
        wanted = self._checks + 2  # one may have begun before
        until(lambda: self._checks >= wanted)

    def receive(self, size):
        """Wait until the server has received so many bytes from its only client."""
        until(lambda: [one._moved_bytes() for one in self.connections] == [size])

    def pass_time_until(self, happened):
        """Set the clock forward, second by second, until something has happened."""

        def after_a_second():
            self.now += 1
            return happened()

        until(after_a_second)

    def stop(self):
        self.server.stop()
        self._thread.join(60)
        assert not self._thread.is_alive()

    @contextlib.contextmanager
    def connected(self, sent=b"", *, small=False):
        """A connection; a small one buffers little of what its client does not read."""
        with socket.socket() as connection:
            if small:
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8192)
            connection.settimeout(60)
            connection.connect(("127.0.0.1", self.port))
            connection.sendall(sent)
            yield connection

    @contextlib.contextmanager
    def held(self):
        """A request that does not end is served meanwhile."""
        with self.connected(ask("/held")):
            until(lambda: self.application.holding == 1)
            yield self
            self.application.released.set()

    def serves_others(self):
        """Whether another client gets a response: some worker is free."""
        with self.connected(ask("/quick")) as connection:
            return answer(connection)[0] == 200


def ask(path, method="GET", *more):
    """The head of a request."""
    return "\r\n".join([f"{method} {path} HTTP/1.1", "Host: a", *more, "", ""]).encode()


def is_ended(connection):
    """Whether the server closes the connection; what it sends before that is ignored."""
    with contextlib.suppress(ConnectionResetError):
        while connection.recv(65_536):
            pass
    return True


def head(connection):
    """Status and header fields of the next response."""
    lines = b""
    while not lines.endswith(b"\r\n\r\n"):
        byte = connection.recv(1)
        assert byte, lines
        lines += byte
    first, *rest = lines.decode().removesuffix("\r\n\r\n").split("\r\n")
    return int(first.split()[1]), dict(line.lower().split(": ", 1) for line in rest)


def body(connection, size):
    """The next bytes of a body, fewer than `size` only if the connection ends."""
    received = bytearray()
    while len(received) < size and (data := connection.recv(min(size - len(received), 1 << 20))):
        received += data
    return bytes(received)


def answer(connection):
    """Status, header fields and body of the next response."""
    status, fields = head(connection)
    return status, fields, body(connection, int(fields.get("content-length", 0)))


@pytest.fixture
def build(monkeypatch):
    """Starts a server with the given limits; it checks them often."""
    monkeypatch.setattr("server.server.CHECK_SECONDS", 0.01)
    running = []

    def start(threads=2, options=(), **limits):
        limits = Limits(**{"body_bytes": 4 << 20} | limits)
        running.append(RunningServer(threads, limits, **dict(options)))
        return running[-1]

    yield start
    for one in running:
        one.stop()
