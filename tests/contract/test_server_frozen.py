"""A PostgreSQL server that stands still, as by a stalled disk or a paused machine, and a network
that swallows what goes over the connections that it has: neither closes a connection.
"""

import os
import re
import signal
import socket
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from app import ANSWER_SECONDS
from tests import postgres
from tests.people import Person
from tests.problems import refused
from tests.waiting import start_threads, until

pytestmark = pytest.mark.slow
CLIENTS = 30
SLACK_SECONDS = 8  # for a busy machine, and an attempt to connect


@pytest.fixture(scope="module")
def own_server(postgres_server):
    """A server that the tests here stop."""
    server = postgres.PostgresServer()
    yield server
    server.remove()


@contextmanager
def frozen(server):
    """Let all processes of a server stand still."""
    (first, *_) = (server.folder / "data/postmaster.pid").read_text().split()
    processes = [int(first), *_children(int(first))]
    for process in processes:
        os.kill(process, signal.SIGSTOP)
    try:
        yield
    finally:
        for process in processes:
            os.kill(process, signal.SIGCONT)


def _children(parent):
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            status = (folder / "status").read_text()
        except OSError:  # it has ended meanwhile
            continue
        if re.search(rf"^PPid:\t{parent}$", status, re.M):
            yield int(folder.name)


def timed(call):
    began = time.monotonic()
    answer = call()
    return answer, time.monotonic() - began


def test_a_server_that_stands_still_is_away_after_ten_seconds(start_service, own_server):
    node = start_service(DATABASE=own_server.new_database(), RATE_LIMITS="off")
    person = node.register()
    document = person.upload()
    calls = (
        lambda: person.get("/v1/auth/me", errors=[503]),
        lambda: person.get(f"/v1/documents/{document['id']}/content", errors=[503]),
        lambda: person.post("/v1/api-keys", json={}, errors=[503]),
    )
    with ThreadPoolExecutor(CLIENTS) as clients, frozen(own_server):
        asked = [clients.submit(timed, calls[n % len(calls)]) for n in range(CLIENTS)]
        for _ in range(20):  # while all workers wait
            health, seconds = timed(lambda: Person(node).get("/healthz"))
            assert health.status == 200
            assert seconds < 2
        for one in asked:
            answer, seconds = one.result()
            refused(answer, 503, "busy")
            assert int(answer.headers["Retry-After"]) > 0
            assert seconds < ANSWER_SECONDS + SLACK_SECONDS
        answer, seconds = timed(lambda: Person(node).get("/readyz", errors=[503]))
        refused(answer, 503, "key_unavailable")
        assert seconds < ANSWER_SECONDS

    until(lambda: Person(node).get("/readyz", errors=[503]).status == 200, seconds=10)
    assert person.get(f"/v1/documents/{document['id']}/content").body == b"a document"
    said = [line for line in node.stderr().splitlines() if "database server" in line]
    assert "does not answer" in said[0]
    assert "answers again" in said[-1]
    assert len(said) < 6


def test_a_service_ends_while_its_server_stands_still(start_service, own_server):
    node = start_service(DATABASE=own_server.new_database(), RATE_LIMITS="off")
    person = node.register()
    with frozen(own_server):
        with ThreadPoolExecutor(4) as clients:
            asked = [
                clients.submit(lambda: person.get("/v1/auth/me", errors=[503])) for _ in range(4)
            ]
            node.process.terminate()
            assert all(one.result().status == 503 for one in asked)
        began = time.monotonic()
        assert node.process.wait(60) == 0
        assert time.monotonic() - began < ANSWER_SECONDS + 2 * SLACK_SECONDS


class Swallower:
    """A place before a server whose connections can be made to answer no more; new ones do."""

    def __init__(self, server):
        self.folder = tempfile.TemporaryDirectory(prefix="sw-")
        name = ".s.PGSQL.5432"
        self._server = str(server.folder / name)
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(f"{self.folder.name}/{name}")
        self._listener.listen()
        self._swallows = threading.Event()  # for the connections of now
        start_threads(self._accept)

    def swallow(self):
        self._swallows.set()
        self._swallows = threading.Event()

    def close(self):
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self.folder.cleanup()

    def _accept(self):
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:  # it was closed
                return
            server = socket.socket(socket.AF_UNIX)
            server.connect(self._server)
            swallows = self._swallows
            start_threads(
                lambda c=client, s=server, w=swallows: self._relay(c, s, w),
                lambda c=client, s=server, w=swallows: self._relay(s, c, w),
            )

    @staticmethod
    def _relay(source, target, swallows):
        with source, suppress(OSError):
            while data := source.recv(65536):
                if not swallows.is_set():
                    target.sendall(data)
            target.shutdown(socket.SHUT_RDWR)


def test_connections_that_answer_no_more_are_replaced(start_service, own_server):
    swallower = Swallower(own_server)
    url = own_server.new_database().replace(str(own_server.folder), swallower.folder.name)
    node = start_service(DATABASE=url, RATE_LIMITS="off")
    person = node.register()
    with ThreadPoolExecutor(12) as clients:
        for _ in range(3):  # some connections wait in the pool
            list(clients.map(lambda _: person.get("/v1/auth/me"), range(12)))
        swallower.swallow()
        asked = [
            clients.submit(timed, lambda: person.get("/v1/auth/me", errors=[503]))
            for _ in range(12)
        ]
        for one in asked:
            answer, seconds = one.result()
            assert answer.status in {200, 503}  # 200 over a connection that was made just now
            assert seconds < ANSWER_SECONDS + SLACK_SECONDS
        assert 503 in [one.result()[0].status for one in asked]

    until(lambda: Person(node).get("/readyz", errors=[503]).status == 200, seconds=10)
    for _ in range(20):
        assert person.get("/v1/auth/me").status == 200
    node.stop()
    swallower.close()
