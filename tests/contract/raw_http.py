"""Send bytes over a raw socket, and parse the answers."""

import json
import socket

H = b"Host: a\r\n"
GET = b"GET /v1/auth/me HTTP/1.1\r\n" + H
NEXT = b"GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n"
POST = b"POST /v1/auth/login HTTP/1.1\r\n" + H
CHUNKED = POST + b"Transfer-Encoding: chunked\r\n\r\n"
LAST = b"0\r\n\r\n"


def talk(service, *parts, linger=False):
    """Send these bytes, and return all that the service sends until it closes the connection.

    With `linger`, tell it that nothing more follows.
    """
    with socket.create_connection(("127.0.0.1", service.port), timeout=60) as connection:
        try:
            for part in parts:
                connection.sendall(part)
            if linger:
                connection.shutdown(socket.SHUT_WR)
        except (BrokenPipeError, ConnectionResetError):
            pass
        return read_all(connection)


def read_all(connection):
    return b"".join(iter(lambda: connection.recv(65_536), b""))


def answers(received):
    """Yield the answers in these bytes as (status, headers, body)."""
    while received:
        head, _, rest = received.partition(b"\r\n\r\n")
        fields = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:])
        size = int(fields[b"content-length"])
        yield int(head.split()[1]), fields, rest[:size]
        received = rest[size:]


def assert_problem(status, fields, body):
    assert 400 <= status < 500, (status, body)
    assert fields[b"content-type"] == b"application/problem+json"
    problem = json.loads(body)
    assert {"type", "title", "status", "detail", "code", "requestId"} <= problem.keys()
    assert problem["status"] == status
    assert problem["requestId"].encode() == fields[b"x-request-id"]
