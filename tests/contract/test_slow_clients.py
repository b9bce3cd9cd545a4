"""Real documents and slow clients: how long each may take is told in tests/server."""

import contextlib
import hashlib
import os
import socket
import sqlite3
import struct
import time

import pytest

from tests.people import b64, until

SIZE = 24 << 20  # more than the system keeps for a client that does not read


@pytest.fixture(scope="module")
def narrow(start_service):
    """A service of two workers."""
    return start_service(RATE_LIMITS="off", THREADS=2)


@pytest.fixture(scope="module")
def owner(narrow):
    return narrow.register()


@pytest.fixture(scope="module")
def content():
    return os.urandom(SIZE)


@contextlib.contextmanager
def slow(person, method, path, *fields):
    """A connection with a request sent, whose answer has room for little that is not read."""
    with socket.socket() as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8192)
        connection.settimeout(15)
        connection.connect(("127.0.0.1", person.service.port))
        credential = f"Authorization: Bearer {person.secret}"
        lines = [f"{method} {path} HTTP/1.1", "Host: a", credential, *fields, "", ""]
        connection.sendall("\r\n".join(lines).encode())
        yield connection


def rest(connection):
    """The body of the answer, as far as it comes."""
    received = bytearray()
    while data := connection.recv(1 << 20):
        received += data
    return bytes(received.partition(b"\r\n\r\n")[2])


@pytest.mark.parametrize("call", ["content", "download"])
def test_sixteen_slow_readers_leave_two_workers_to_others_and_get_all_in_the_end(
    call, owner, content
):
    path = f"/v1/documents/{owner.upload(content, 'application/x-any')['id']}/{call}"
    whole = hashlib.sha256(owner.get(path).body).digest()

    with contextlib.ExitStack() as stack:
        readers = [
            stack.enter_context(slow(owner, "GET", path, "Connection: close")) for _ in range(16)
        ]
        time.sleep(1)
        for _ in range(20):
            began = time.monotonic()
            assert owner.get("/v1/auth/me").status == 200
            assert time.monotonic() - began < 2
        for reader in readers[:2]:
            assert hashlib.sha256(rest(reader)).digest() == whole


def test_damage_far_into_a_document_breaks_the_answer_off_also_after_it_waited(
    narrow, owner, content
):
    document = owner.upload(content, "application/x-any")
    path = next(path for path in narrow.files() if path.suffix == ".sqlite")
    change = "UPDATE piece SET sealed = zeroblob(length(sealed)) WHERE document_id = ? AND number ="
    late = SIZE // (192 << 10) - 2
    with contextlib.closing(sqlite3.connect(path, timeout=5)) as database, database:
        assert database.execute(f"{change} {late}", (document["id"],)).rowcount == 1

    with slow(owner, "GET", f"/v1/documents/{document['id']}/content") as connection:
        time.sleep(0.5)
        received = rest(connection)

    assert received == content[: late * (192 << 10)]
    assert owner.get("/v1/auth/me").status == 200


@pytest.mark.parametrize("reset", [False, True])
@pytest.mark.parametrize("field", ["Content-Length: 900000", "Transfer-Encoding: chunked"])
def test_hanging_up_in_the_middle_of_an_upload_stores_nothing(field, reset, owner):
    before = owner.get("/v1/documents").json
    body = b'{"contentType":"a/b","payload":"' + b64(bytes(300_000)).encode()
    sent = body if "Length" in field else b"%x\r\n%b\r\n" % (len(body), body)

    for _ in range(4):  # twice as many as there are workers
        kind = "Content-Type: application/json"
        with slow(owner, "POST", "/v1/documents", kind, field) as connection:
            connection.sendall(sent)
            if reset:
                linger = struct.pack("ii", 1, 0)
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)

    assert owner.get("/v1/documents").json == before


def test_hanging_up_in_the_middle_of_a_download_frees_the_worker(owner, content):
    path = f"/v1/documents/{owner.upload(content, 'application/x-any')['id']}/content"

    for _ in range(8):
        with slow(owner, "GET", path) as connection:
            assert connection.recv(100)

    until(lambda: owner.get(path).body == content)
