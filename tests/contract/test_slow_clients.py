"""Clients that read or send slowly, or disconnect; tests/server has the time limits."""

import contextlib
import os
import socket
import struct

import pytest

from tests.contract.requests import alter, flipped
from tests.formats import b64

SIZE = 24 << 20  # more than the system keeps for a client that does not read


@pytest.fixture(scope="module")
def two_workers(start_service):
    """A service of two workers."""
    return start_service(RATE_LIMITS="off", THREADS=2)


@pytest.fixture(scope="module")
def owner(two_workers):
    return two_workers.register()


@pytest.fixture(scope="module")
def content():
    return os.urandom(SIZE)


@contextlib.contextmanager
def slow(person, method, path, *fields):
    """Send a request on a connection whose receive buffer is small."""
    with socket.socket() as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8192)
        connection.settimeout(60)
        connection.connect(("127.0.0.1", person.service.port))
        credential = f"Authorization: Bearer {person.secret}"
        lines = [f"{method} {path} HTTP/1.1", "Host: a", credential, *fields, "", ""]
        connection.sendall("\r\n".join(lines).encode())
        yield connection


def rest(connection):
    """Return the body of the answer, as far as it arrives."""
    received = bytearray()
    while data := connection.recv(1 << 20):
        received += data
    return bytes(received.partition(b"\r\n\r\n")[2])


@pytest.mark.slow
@pytest.mark.logs_traceback("crypto.sealing.DecryptionError")
def test_damage_cuts_off_an_answer_that_waited_for_its_reader(two_workers, owner, content):
    document = owner.upload(content, "application/x-any")
    late = SIZE // (192 << 10) - 2
    of_piece = "document_id = :id AND number = :number"
    alter(two_workers, "piece", "sealed", of_piece, flipped, id=document["id"], number=late)

    with slow(owner, "GET", f"/v1/documents/{document['id']}/content") as connection:
        assert connection.recv(1, socket.MSG_PEEK)  # it has begun, and waits for its reader
        received = rest(connection)

    assert received == content[: late * (192 << 10)]
    assert owner.get("/v1/auth/me").status == 200


@pytest.mark.parametrize("reset", [False, True])
@pytest.mark.parametrize("field", ["Content-Length: 900000", "Transfer-Encoding: chunked"])
def test_a_connection_closed_during_an_upload_stores_nothing(field, reset, owner):
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
