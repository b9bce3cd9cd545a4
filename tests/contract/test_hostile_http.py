"""HTTP that two readers could take for two different things, or that is made to break one.

Every line goes over a raw socket. What is unclear is answered with one problem and the connection
is closed, whatever else was sent behind it; nothing is ever a fault, or another's data.
"""

import json
import socket
import time

import pytest

from tests.people import b64

H = b"Host: a\r\n"
GET = b"GET /v1/auth/me HTTP/1.1\r\n" + H
NEXT = b"GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n"
POST = b"POST /v1/auth/login HTTP/1.1\r\n" + H
CHUNKED = POST + b"Transfer-Encoding: chunked\r\n\r\n"
LAST = b"0\r\n\r\n"
KIND = b"Content-Type: application/json\r\n"


def talk(service, *sent, linger=False):
    """All that the service answers until it closes the connection."""
    with socket.create_connection(("127.0.0.1", service.port), timeout=20) as connection:
        try:
            for part in sent:
                connection.sendall(part)
            if linger:
                connection.shutdown(socket.SHUT_WR)
        except (BrokenPipeError, ConnectionResetError):
            pass
        received = b""
        while data := connection.recv(65_536):
            received += data
    return received


def answers(received):
    """The answers in a row, as (status, head, body)."""
    while received:
        head, _, rest = received.partition(b"\r\n\r\n")
        fields = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:])
        size = int(fields[b"content-length"])
        yield int(head.split()[1]), fields, rest[:size]
        received = rest[size:]


def is_problem(status, fields, body):
    assert 400 <= status < 500, (status, body)
    assert fields[b"content-type"] == b"application/problem+json"
    problem = json.loads(body)
    assert {"type", "title", "status", "detail", "code", "requestId"} <= problem.keys()
    assert problem["status"] == status
    assert problem["requestId"].encode() == fields[b"x-request-id"]


UNCLEAR = {
    "no Host": b"GET /v1/auth/me HTTP/1.1\r\n\r\n",
    "two Hosts": GET + b"Host: b\r\n\r\n",
    "two equal Hosts": GET + H + b"\r\n",
    "a Host with a path": b"GET /healthz HTTP/1.1\r\nHost: a/b\r\n\r\n",
    "a Host with a user": b"GET /healthz HTTP/1.1\r\nHost: b@a\r\n\r\n",
    "an empty Host": b"GET /healthz HTTP/1.1\r\nHost:\r\n\r\n",
    "a length and chunks": POST + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n" + LAST,
    "chunks and a length": POST + b"Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n" + LAST,
    "chunks told twice": POST + b"Transfer-Encoding: chunked\r\n" * 2 + b"\r\n" + LAST,
    "chunks of chunks": POST + b"Transfer-Encoding: chunked, chunked\r\n\r\n" + LAST,
    "an empty coding": POST + b"Transfer-Encoding:\r\n\r\n" + LAST,
    "an empty coding in a list": POST + b"Transfer-Encoding: , chunked\r\n\r\n" + LAST,
    "an unknown coding": POST + b"Transfer-Encoding: xchunked\r\n\r\n" + LAST,
    "a coding before chunks": POST + b"Transfer-Encoding: identity, chunked\r\n\r\n" + LAST,
    "chunks and a tab": POST + b"Transfer-Encoding: \x0bchunked\r\n\r\n" + LAST,
    "a quoted coding": POST + b'Transfer-Encoding: "chunked"\r\n\r\n' + LAST,
    "a space before the colon": POST + b"Transfer-Encoding : chunked\r\n\r\n" + LAST,
    "chunks in HTTP/1.0": b"POST /v1/auth/login HTTP/1.0\r\nConnection: keep-alive\r\n"
    b"Transfer-Encoding: chunked\r\n\r\n" + LAST,
    "a folded coding": POST + b"Transfer-Encoding:\r\n chunked\r\n\r\n" + LAST,
    "a folded header": GET + b"X-Foo: a\r\n b\r\n\r\n",
    "a fold before any header": b"GET /healthz HTTP/1.1\r\n X: a\r\nHost: a\r\n\r\n",
    "two lengths": POST + b"Content-Length: 2\r\nContent-Length: 7\r\n\r\n{}",
    "two equal lengths": POST + b"Content-Length: 2\r\n" * 2 + b"\r\n{}",
    "a list of lengths": POST + b"Content-Length: 2, 2\r\n\r\n{}",
    "a length with a plus": POST + b"Content-Length: +2\r\n\r\n{}",
    "a length below nothing": POST + b"Content-Length: -2\r\n\r\n{}",
    "a length in hex": POST + b"Content-Length: 0x2\r\n\r\n{}",
    "a length with an underscore": POST + b"Content-Length: 1_0\r\n\r\n{}",
    "an empty length": POST + b"Content-Length:\r\n\r\n{}",
    "a length of other digits": POST + b"Content-Length: \xb2\r\n\r\n{}",
    "a length of 5000 digits": POST + b"Content-Length: " + b"9" * 5000 + b"\r\n\r\n{}",
    "no chunk size": CHUNKED + b"\r\n" + LAST,
    "a chunk size in words": CHUNKED + b"two\r\n{}\r\n" + LAST,
    "a chunk size with 0x": CHUNKED + b"0x2\r\n{}\r\n" + LAST,
    "a chunk size with a sign": CHUNKED + b"+2\r\n{}\r\n" + LAST,
    "a chunk size with a space": CHUNKED + b"2 \r\n{}\r\n" + LAST,
    "a space before a chunk size": CHUNKED + b" 2\r\n{}\r\n" + LAST,
    "a chunk size of 17 digits": CHUNKED + b"1" + b"0" * 16 + b"\r\n{}",
    "a chunk longer than told": CHUNKED + b"2\r\n{}{}\r\n" + LAST,
    "a chunk shorter than told": CHUNKED + b"9\r\n{}\r\n" + LAST + b"\r\n\r\n",
    "a chunk size with a bare LF": CHUNKED + b"2\n{}\r\n" + LAST,
    "a chunk's end with a bare LF": CHUNKED + b"2\r\n{}\n" + LAST,
    "an extension with a bare LF": CHUNKED + b"2;a=b\n{}\r\n" + LAST,
    "an extension that is no token": CHUNKED + b"2;a=\x01\r\n{}\r\n" + LAST,
    "an endless extension": CHUNKED + b"2;" + b"a" * 9000,
    "a trailer without a colon": CHUNKED + b"2\r\n{}\r\n0\r\nnonsense\r\n\r\n",
    "a trailer with a bare LF": CHUNKED + b"2\r\n{}\r\n0\r\nX: a\n\r\n",
    "endless trailers": CHUNKED + b"2\r\n{}\r\n0\r\n" + b"X: a\r\n" * 2000,
    "bare LFs": b"GET /healthz HTTP/1.1\nHost: a\n\n",
    "one bare LF": GET + b"X-Foo: a\nX-Bar: b\r\n\r\n",
    "a bare CR": GET + b"X-Foo: a\rX-Bar: b\r\n\r\n",
    "a NUL in a header": GET + b"X-Foo: a\x00b\r\n\r\n",
    "a NUL in a name": GET + b"X-\x00: b\r\n\r\n",
    "a header without a colon": GET + b"nonsense\r\n\r\n",
    "a header without a name": GET + b": nonsense\r\n\r\n",
    "two spaces in the first line": b"GET  /healthz HTTP/1.1\r\n" + H + b"\r\n",
    "a tab in the first line": b"GET\t/healthz HTTP/1.1\r\n" + H + b"\r\n",
    "a space in the target": b"GET /a b HTTP/1.1\r\n" + H + b"\r\n",
    "a fragment in the target": b"GET /healthz#a HTTP/1.1\r\n" + H + b"\r\n",
    "a raw NUL in the target": b"GET /healthz\x00 HTTP/1.1\r\n" + H + b"\r\n",
    "raw bytes in the target": b"GET /\xff\xfe HTTP/1.1\r\n" + H + b"\r\n",
    "no version": b"GET /healthz\r\n\r\n",
    "another version": b"GET /healthz HTTP/1.2\r\n" + H + b"\r\n",
    "HTTP/2": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "TLS": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
    "a method in lower case": b"get /healthz HTTP/1.1\r\n" + H + b"\r\n",
    "an authority": b"CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n",
    "an authority with GET": b"GET a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n",
    "an asterisk": b"OPTIONS * HTTP/1.1\r\n" + H + b"\r\n",
    "an address elsewhere": b"GET http://b/healthz HTTP/1.1\r\n" + H + b"\r\n",
    "an address with a user": b"GET http://b@a/healthz HTTP/1.1\r\n" + H + b"\r\n",
    "an address of nobody": b"GET http:///healthz HTTP/1.1\r\n" + H + b"\r\n",
    "an address of a file": b"GET file:///healthz HTTP/1.1\r\n" + H + b"\r\n",
    "a half bracket": b"GET http://[a/healthz HTTP/1.1\r\nHost: [a\r\n\r\n",
    "1 MiB of address": b"GET /" + b"a" * (1 << 20) + b" HTTP/1.1\r\n" + H + b"\r\n",
    "1 MiB of query": b"GET /healthz?" + b"a" * (1 << 20) + b" HTTP/1.1\r\n" + H + b"\r\n",
    "1 MiB of one header": GET + b"X-Foo: " + b"a" * (1 << 20) + b"\r\n\r\n",
    "1 MiB without a line": b"a" * (1 << 20),
    "a header too many": GET + b"".join(b"X-%d: a\r\n" % n for n in range(101)) + b"\r\n",
}


@pytest.mark.parametrize("message", UNCLEAR.values(), ids=UNCLEAR)
def test_an_unclear_message_is_one_problem_and_the_end_of_the_connection(message, service):
    [(status, fields, body)] = answers(talk(service, message, NEXT, NEXT))

    is_problem(status, fields, body)
    assert fields[b"connection"] == b"close"


@pytest.mark.parametrize(
    "what", ["chunks told twice", "a length and chunks", "two Hosts", "bare LFs"]
)
def test_it_is_the_same_when_it_comes_in_two_parts_behind_a_clear_one(what, service):
    message = UNCLEAR[what]
    first, second = answers(talk(service, NEXT + message[:30], message[30:] + NEXT))

    assert first[0] == 200
    is_problem(*second)


def test_a_head_with_bare_line_feeds_is_refused_without_waiting_for_more(service):
    began = time.monotonic()
    [answer] = answers(talk(service, UNCLEAR["bare LFs"]))

    is_problem(*answer)
    assert time.monotonic() - began < 5


CLEAR = {
    "a target with an authority": b"GET http://a/healthz HTTP/1.1\r\n" + H,
    "one in capitals": b"GET http://A/healthz HTTP/1.1\r\n" + H,
    "a Host with a port": b"GET /healthz HTTP/1.1\r\nHost: a:80\r\n",
    "an IPv6 address": b"GET /healthz HTTP/1.1\r\nHost: [::1]:80\r\n",
    "an empty line before": b"\r\nGET /healthz HTTP/1.1\r\n" + H,
    "HTTP/1.0 without a Host": b"GET /healthz HTTP/1.0\r\n",
    "a header with an underscore": b"GET /healthz HTTP/1.1\r\nContent_Length: 5\r\n" + H,
    "100 headers": b"GET /healthz HTTP/1.1\r\n" + H + b"X-Foo: a\r\n" * 98,
}


@pytest.mark.parametrize("message", CLEAR.values(), ids=CLEAR)
def test_what_is_clear_is_answered(message, service):
    [(status, _, _)] = answers(talk(service, message + b"Connection: close\r\n\r\n"))

    assert status == 200


def test_chunks_with_extensions_and_trailers_are_read(service, alice):
    body = json.dumps({"email": alice.record["email"], "password": alice.password}).encode()
    chunks = b"".join(b'1;a;b=c;d="e f"\r\n%c\r\n' % byte for byte in body)
    sent = POST + KIND + b"transfer-encoding: Chunked\r\n\r\n" + chunks + b"0\r\nX: y\r\n\r\n"

    (status, _, _), second = answers(talk(service, sent, NEXT, linger=True))

    assert (status, second[0]) == (200, 200)


def test_what_stands_in_a_body_is_no_request(service):
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
        is_problem(status, fields, body)
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


@pytest.mark.parametrize("name", ["Authorization", "X-API-Key", "Cookie", "Content-Type", "Range"])
def test_a_header_sent_twice_opens_nothing_it_would_not_open_alone(name, service):
    fields = f"{name}: a\r\n{name}: b\r\n".encode()
    [(status, _, _)] = answers(talk(service, GET + fields + b"\r\n", linger=True))

    assert status in (400, 401)


def test_a_refused_body_is_read_to_its_end_so_that_its_sender_reads_why(service):
    with socket.create_connection(("127.0.0.1", service.port), timeout=20) as connection:
        connection.sendall(UNCLEAR["two lengths"])
        time.sleep(0.2)
        connection.sendall(b64(bytes(12 << 20)).encode())
        [answer] = answers(b"".join(iter(lambda: connection.recv(65_536), b"")))

    is_problem(*answer)


@pytest.mark.parametrize(
    "told", ["close", "Close", "close, X-Foo", "X-Foo, close", "keep-alive, close"]
)
def test_connection_close_is_heard_in_any_list(told, service):
    asked = b"GET /healthz HTTP/1.1\r\n" + H + f"Connection: {told}\r\n\r\n".encode()

    [(status, fields, _)] = answers(talk(service, asked))

    assert (status, fields[b"connection"]) == (200, b"close")
