"""Which connections stay open, which are closed, and what a disconnect frees."""

import contextlib
import errno
import json
import os
import select
import socket
import struct
import threading
from pathlib import Path

import pytest

from tests.waiting import until

from .conftest import PIECE, PIECES, answer, ask, body, head, is_ended

LENGTH = PIECES * len(PIECE)
KEY = "X-API-Key: any"
DESCRIPTORS = Path("/proc/self/fd")


def descriptors():
    return len(os.listdir(DESCRIPTORS))


def reset(connection):
    """Disconnect with a TCP reset."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


def test_a_connection_stays_open_after_every_kind_of_response(build):
    setup = build()
    asked = [("/quick", "GET"), ("/quick", "HEAD"), ("/empty", "DELETE"), ("/unchanged", "GET")]
    asked += [("/large", "HEAD"), ("/chunked", "HEAD"), ("/quick", "GET")]

    with setup.connected() as connection:
        for path, method in asked:
            connection.sendall(ask(path, method))
            status, fields = head(connection)
            assert "connection" not in fields
            assert status == {"/empty": 204, "/unchanged": 304}.get(path, 200)
            assert body(connection, 5 if (path, method) == ("/quick", "GET") else 0) in (
                b"",
                b"quick",
            )


def test_a_connection_stays_open_after_a_chunked_response(build):
    setup = build()
    chunk = b"%X\r\n%b\r\n" % (len(PIECE), PIECE)
    with setup.connected(ask("/chunked") + ask("/quick")) as connection:
        assert head(connection)[1]["transfer-encoding"] == "chunked"
        assert body(connection, len(chunk) * PIECES) == chunk * PIECES
        assert body(connection, 5) == b"0\r\n\r\n"
        assert answer(connection)[2] == b"quick"


def test_http_1_0_gets_no_chunks_and_stays_open_only_on_request(build):
    setup = build()

    with setup.connected(b"GET /chunked HTTP/1.0\r\n\r\n") as connection:
        assert head(connection)[1]["connection"] == "close"
        assert body(connection, LENGTH + 1) == PIECE * PIECES
    with setup.connected(
        b"GET /quick HTTP/1.0\r\nConnection: keep-alive\r\n\r\n" * 2
    ) as connection:
        assert answer(connection)[1]["connection"] == "keep-alive"
        assert answer(connection)[2] == b"quick"


def test_pipelined_requests_behind_a_suspended_response_are_answered_in_order(build):
    setup = build()
    paths = ["/large", "/quick", "/large", "/empty", "/quick"]

    with setup.connected(b"".join(map(ask, paths)), small=True) as connection:
        until(lambda: any(one.is_suspended for one in setup.connections))
        for path in paths:
            status, _, content = answer(connection)
            assert status == (204 if path == "/empty" else 200)
            assert content == {"/large": PIECE * PIECES, "/quick": b"quick"}.get(path, b"")
            assert setup.serves_others()
    assert setup.application.ended == 2


@pytest.mark.parametrize("before", [b"", ask("/large")])
def test_expect_100_continue_is_answered_also_behind_a_suspended_response(before, build):
    setup = build()
    asked = ask("/body", "POST", "Content-Length: 3", "Expect: 100-continue")
    with setup.connected(before + asked, small=True) as connection:
        if before:
            until(lambda: any(one.is_suspended for one in setup.connections))
            assert answer(connection)[2] == PIECE * PIECES
        assert head(connection)[0] == 100
        connection.sendall(b"abc")
        assert answer(connection)[2] == b"3"


def test_http_1_0_gets_no_100_continue(build):
    setup = build()
    asked = b"POST /body HTTP/1.0\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n"
    with setup.connected(asked + b"abc") as connection:
        assert answer(connection)[0] == 200


def test_a_body_that_is_too_large_is_refused_before_it_is_sent(build):
    setup = build()
    asked = ask("/body", "POST", f"Content-Length: {5 << 20}", "Expect: 100-continue", KEY)
    with setup.connected(asked) as connection:
        status, fields = head(connection)
        assert (status, fields["connection"]) == (200, "close")  # here, the application's response


@pytest.mark.parametrize("path", ["/damaged", "/damaged-and-chunked"])
@pytest.mark.parametrize("slow", [False, True])
def test_a_stream_that_fails_ends_the_connection_even_after_a_suspension(path, slow, build):
    setup = build()
    with setup.connected(ask(path) + ask("/quick"), small=slow) as connection:
        until(lambda: not slow or any(one.is_suspended for one in setup.connections))
        assert head(connection)[0] == 200
        received = body(connection, LENGTH * 2)
    assert received == PIECE * (PIECES - 1)
    assert setup.application.ended == 1
    assert setup.serves_others()


def test_a_response_shorter_than_its_content_length_ends_the_connection(build):
    setup = build()
    with setup.connected(ask("/short") + ask("/quick")) as connection:
        assert head(connection)[0] == 200
        assert body(connection, 100) == b"short"


def test_an_exception_before_the_head_is_answered_500_and_ends_the_connection(build):
    setup = build()
    with setup.connected(ask("/fault")) as connection:
        status, fields, content = answer(connection)
        assert (status, json.loads(content)["code"]) == (500, "internal_error")
        assert fields["content-type"] == "application/problem+json"
        assert is_ended(connection)


@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_an_error_of_the_server_is_reported_before_it_is_sent_with_what_is_sent(method, build):
    reports = []

    def report(_id, status, sent_body_bytes):
        reports.append((status, sent_body_bytes, select.select([connection], [], [], 0)[0]))

    setup = build(options={"on_rejected": report})
    with setup.connected() as connection:
        connection.sendall(ask("/fault", method))
        length = int(head(connection)[1]["content-length"])
        sent = body(connection, length)  # up to the end of the connection
        assert len(sent) == (length if method == "GET" else 0)
        assert reports == [(500, len(sent), [])]  # nothing had arrived


@pytest.mark.parametrize("disconnect", [reset, socket.socket.close])
@pytest.mark.parametrize("when_suspended", [False, True])
def test_disconnecting_during_a_download_closes_the_response(disconnect, when_suspended, build):
    setup = build(threads=1)
    with setup.connected(ask("/large"), small=True) as connection:
        until(lambda: setup.application.made)
        until(lambda: not when_suspended or setup.connections[0].is_suspended)
        disconnect(connection)
        until(lambda: setup.application.ended == 1)
    assert setup.application.made < PIECES
    assert setup.serves_others()


@pytest.mark.skipif(not DESCRIPTORS.is_dir(), reason="there is no /proc here")
@pytest.mark.parametrize("disconnect", [reset, socket.socket.close])
@pytest.mark.parametrize("field", [f"Content-Length: {3 << 20}", "Transfer-Encoding: chunked"])
def test_disconnecting_during_an_upload_frees_its_body(disconnect, field, build):
    setup = build(threads=1)
    assert setup.serves_others()
    until(lambda: not setup.connections)
    before = descriptors()

    with setup.connected(ask("/body", "POST", field, KEY) + b"100000\r\n" + PIECE) as connection:
        until(lambda: setup.connections and setup.connections[0].is_busy())
        disconnect(connection)
        until(lambda: not setup.connections)

    until(lambda: descriptors() <= before)
    assert setup.application.bodies == []
    assert setup.serves_others()


@pytest.mark.skipif(not DESCRIPTORS.is_dir(), reason="there is no /proc here")
def test_connections_opened_and_dropped_leave_no_descriptor(build):
    setup = build()
    before = descriptors()
    kinds = [
        b"",
        b"GET /qu",
        ask("/quick"),
        ask("/large"),
        ask("/body", "POST", "Content-Length: 9"),
    ]

    for number in range(500):
        with contextlib.suppress(OSError), setup.connected(kinds[number % 5]) as connection:
            reset(connection) if number % 2 else connection.close()

    assert setup.serves_others()
    until(lambda: descriptors() <= before)
    assert setup.application.begun == setup.application.ended


@pytest.mark.slow
def test_many_concurrent_clients_get_their_own_responses(build):
    setup = build(threads=4)
    wrong = []

    def use_connections(seed):
        for number in range(15):
            with setup.connected(small=bool(seed % 2)) as connection:
                sent = bytes([seed]) * (1000 + number)
                connection.sendall(ask("/body", "POST", f"Content-Length: {len(sent)}") + sent)
                if answer(connection)[2] != str(len(sent)).encode():
                    wrong.append(seed)
                connection.sendall(ask("/large"))
                body(connection, number * 100_000)

    threads = [threading.Thread(target=use_connections, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert wrong == []
    until(lambda: setup.application.begun == setup.application.ended)
    until(lambda: not setup.connections)


def test_large_bodies_beyond_the_memory_budget_are_answered_503(build):
    setup = build(concurrent_bodies=1)
    large = 3 << 20
    asked = ask("/body", "POST", f"Content-Length: {large}", KEY)

    with setup.connected(asked + bytes(large - 1)) as first:
        until(lambda: setup.connections)
        [connection] = setup.connections
        until(lambda: received(connection) == large - 1)
        for _ in range(2):
            with setup.connected(asked + bytes(large)) as second:
                status, fields, content = answer(second)
                assert (status, json.loads(content)["code"]) == (503, "busy")
                assert fields["retry-after"]
                assert is_ended(second)
        with setup.connected(ask("/body", "POST", "Content-Length: 9") + b"a small 1") as small:
            assert answer(small)[2] == b"9"
        first.sendall(b"a")
        assert answer(first)[2] == str(large).encode()
        for _ in range(3):
            first.sendall(asked + bytes(large))
            assert answer(first)[2] == str(large).encode()


def test_medium_bodies_share_the_memory_budget_as_well(build):
    setup = build(concurrent_bodies=1, body_bytes=2 << 20)
    medium = 1 << 20
    asked = ask("/body", "POST", f"Content-Length: {medium}", KEY)

    with setup.connected(asked + bytes(medium - 1)), setup.connected(asked + bytes(medium - 1)):
        until(lambda: len(setup.connections) == 2)
        until(lambda: all(received(one) == medium - 1 for one in setup.connections))
        with setup.connected(asked + bytes(medium)) as third:
            assert answer(third)[0] == 503
        with setup.connected(ask("/body", "POST", "Content-Length: 65536") + PIECE) as small:
            assert answer(small)[2] == b"65536"


def received(connection):
    """How many bytes of its current body a connection has received."""
    request = connection.request
    return len(request.body_rcv.buf) if request and request.body_rcv else 0


LONG = ["Content-Length: 3145728", "Content-Length: 10000000", "Transfer-Encoding: chunked"]


@pytest.mark.parametrize("field", LONG)
def test_a_long_body_is_not_received_with_a_credential_that_is_not_valid(field, build):
    asked = []
    refuse = {"admit_long_body": lambda _, __, headers: asked.append(headers["X_API_KEY"])}
    setup = build(options=refuse)

    with setup.connected(ask("/body", "POST", field, KEY)) as connection:
        status, fields, content = answer(connection)
        assert (status, fields["connection"], content) == (200, "close", b"0")
        for _ in range(48):
            connection.sendall(PIECE)
        connection.shutdown(socket.SHUT_WR)
        assert is_ended(connection)
    assert asked == ["any"]
    assert setup.application.bodies == [b""]


def test_the_rest_of_a_refused_body_is_discarded_while_it_progresses(build):
    setup = build(options={"admit_long_body": lambda *_: None})
    length = f"Content-Length: {3 << 20}"

    with setup.connected(ask("/body", "POST", length, KEY)) as connection:
        assert answer(connection)[0] == 200
        [open_one] = setup.connections
        for _ in range(4):
            moved = open_one._moved_bytes()
            connection.sendall(PIECE)
            until(lambda before=moved: open_one._moved_bytes() - before >= len(PIECE))
            setup.pass_time(4)
        assert open_one in setup.connections
        setup.pass_time(6)
        until(lambda: not setup.connections)


@pytest.mark.parametrize(("size", "received"), [(3, b"3"), (131_072, b"131072"), (131_073, b"0")])
def test_a_body_of_up_to_128_kib_is_received_with_any_credential(size, received, build):
    setup = build(options={"admit_long_body": lambda *_: None})
    asked = ask("/body", "POST", f"Content-Length: {size}", KEY)
    with setup.connected(asked + b"a" * size) as connection:
        assert answer(connection)[2] == received


@pytest.mark.parametrize("disconnect", [reset, socket.socket.close])
def test_a_client_that_disconnects_releases_its_memory(disconnect, build):
    setup = build(concurrent_bodies=1)
    large = 3 << 20
    asked = ask("/body", "POST", f"Content-Length: {large}", KEY)

    for _ in range(3):
        with setup.connected(asked + bytes(large - 1)) as one:
            disconnect(one)

    def is_accepted():
        with setup.connected(asked + bytes(large)) as another:
            return answer(another)[2] == str(large).encode()

    until(is_accepted)


def test_a_reset_while_the_last_bytes_are_sent_raises_nothing(build):
    setup = build()

    with setup.connected():
        until(lambda: setup.connections)
        (connection,) = setup.connections
        connection._unsent._client = ResetSocket()
        connection._unsent.write(b"the last bytes")
        connection._ends_when_sent = True
        connection.handle_event()

    assert connection.socket is None


class ResetSocket:
    """A connection that its client has just reset."""

    def send(self, _data):
        raise ConnectionResetError(errno.ECONNRESET, "reset")
