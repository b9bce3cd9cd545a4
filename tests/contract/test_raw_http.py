"""HTTP over raw sockets: bodies, paths and kept connections."""

import contextlib
import json
import socket

import pytest

from tests.contract.raw_http import (
    CHUNKED,
    LAST,
    NEXT,
    POST,
    H,
    answers,
    assert_problem,
    read_all,
    talk,
)
from tests.contract.requests import JSON
from tests.formats import b64

KIND = b"Content-Type: application/json\r\n"


def test_chunks_with_extensions_and_trailers_are_read(service, alice):
    body = json.dumps({"email": alice.record["email"], "password": alice.password}).encode()
    chunks = b"".join(b'1;a;b=c;d="e f"\r\n%c\r\n' % byte for byte in body)
    sent = POST + KIND + b"transfer-encoding: Chunked\r\n\r\n" + chunks + b"0\r\nX: y\r\n\r\n"
    (status, _, _), second = answers(talk(service, sent, NEXT, linger=True))
    assert (status, second[0]) == (200, 200)


def test_a_request_inside_a_body_is_not_executed(service):
    inner = b"GET /readyz HTTP/1.1\r\nHost: a\r\n\r\n"
    chunk = b"%x\r\n%b\r\n" % (len(inner), inner)
    length = b"Content-Length: %d\r\n\r\n" % len(inner)
    received = talk(service, CHUNKED + chunk + LAST, POST + length + inner, NEXT, linger=True)
    assert [status for status, _, _ in answers(received)] == [415, 415, 200]


PATHS = [
    "/v1/../v1/documents/{id}",
    "/v1/documents/../documents/{id}",
    "/v1/%2e%2e/v1/documents/{id}",
    "/v1/documents/{id}/%2e",
    "/v1/documents/{id}/.",
    "/v1/documents%2F{id}",
    "/v1%2fdocuments/{id}",
    "/v1/documents/{id}%00",
    "/v1/documents/{id}%00/content",
    "/v1/documents/{id}%2Fcontent",
    "/v1/documents/%252e%252e",
    "/v1/documents/{id};a",
    "/v1/documents/{id}%0d%0aX: a",
    "/v1/documents/..%2f..%2fetc%2fpasswd",
    "/v1/documents/%ff%fe",
    "/v1/documents/%zz",
    "//v1/documents/{id}",
    "http://a//v1/documents/{id}",
    "/v1\\documents\\{id}",
    "/%2e%2e/%2e%2e/etc/passwd",
    "/../../etc/passwd",
]


@pytest.mark.parametrize("path", PATHS)
def test_a_path_has_one_spelling_and_another_opens_nothing(path, service, alice, bob):
    id = alice.upload(b"what Alice keeps")["id"]
    target = path.format(id=id).replace(" ", "%20").encode()
    for person in (alice, bob):
        token = b"Authorization: Bearer " + person.secret.encode() + b"\r\n"
        sent = b"GET " + target + b" HTTP/1.1\r\n" + H + token + b"\r\n"
        [(status, fields, body)] = answers(talk(service, sent, linger=True))
        assert_problem(status, fields, body)
        assert status in (400, 404)
        assert b"keeps" not in body


def test_nobody_gets_anothers_answer_on_a_shared_connection(service, alice, bob):
    mine, theirs = alice.upload(b"Alice's"), bob.upload(b"Bob's")

    def ask(person, document):
        path = f"/v1/documents/{document['id']}/content".encode()
        token = b"Authorization: Bearer " + person.secret.encode()
        return b"GET " + path + b" HTTP/1.1\r\n" + H + token + b"\r\n\r\n"

    requests = [ask(alice, mine), ask(bob, mine), ask(bob, theirs), ask(alice, theirs), NEXT]
    got = [(status, body) for status, _, body in answers(talk(service, *requests, linger=True))]

    assert got[0] == (200, b"Alice's")
    assert got[2] == (200, b"Bob's")
    assert [status for status, _ in got] == [200, 404, 200, 404, 200]


def test_a_refused_body_is_read_to_its_end_so_that_the_client_receives_the_answer(service):
    with socket.create_connection(("127.0.0.1", service.port), timeout=60) as connection:
        connection.sendall(POST + b"Content-Length: 2\r\nContent-Length: 7\r\n\r\n{}")
        assert connection.recv(1, socket.MSG_PEEK)  # the refusal is there before the rest is sent
        connection.sendall(b64(bytes(12 << 20)).encode())
        [answer] = answers(read_all(connection))
    assert_problem(*answer)


@pytest.mark.parametrize(
    "value", ["close", "Close", "close, X-Foo", "X-Foo, close", "keep-alive, close"]
)
def test_connection_close_is_found_in_any_list(value, service):
    request = b"GET /healthz HTTP/1.1\r\n" + H + f"Connection: {value}\r\n\r\n".encode()
    [(status, fields, _)] = answers(talk(service, request))
    assert (status, fields[b"connection"]) == (200, b"close")


def test_the_rest_of_a_refused_body_is_not_taken_as_a_request(service, anonymous):
    with contextlib.closing(anonymous.connect()) as connection:
        for path in ("/v1/documents", "/v1/nothing", "/v1/auth/login"):
            body = b"GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n" * 2000
            connection.request("POST", path, body, JSON)
            refusal = connection.getresponse()
            assert refusal.read()
            assert refusal.status in (400, 401, 404, 413)
            connection.request("GET", "/v1/auth/me")
            assert json.loads(connection.getresponse().read())["status"] == 401
