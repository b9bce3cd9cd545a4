"""A slow client costs a connection for a limited time, and never a worker."""

import contextlib
import select
import socket
from ipaddress import ip_network

import pytest

from server import TrustedProxy
from server.connection import HEAD_RECV_BYTES, Connection
from tests.waiting import until

from .conftest import PIECE, PIECES, answer, ask, body, head, is_ended

LENGTH = PIECES * len(PIECE)
KEY = "X-API-Key: any"
FOR_EVER = 10**9


def suspended(setup, count=1):
    return sum(one.is_suspended for one in setup.connections) == count


def is_readable(connection):
    return bool(select.select([connection], [], [], 0)[0])


@pytest.mark.parametrize("sent", [b"", b"GET /quick HT", b"\r\n\r\n"])
def test_a_connection_without_a_complete_head_is_closed_after_head_seconds(sent, build):
    setup = build()
    with setup.connected(sent) as connection:
        setup.receive(len(sent))
        setup.pass_time(0)
        setup.pass_time(9)
        assert not is_readable(connection)
        setup.pass_time(1)
        assert is_ended(connection)


def test_a_head_that_arrives_byte_by_byte_gets_no_more_time(build):
    setup = build()
    with setup.connected(b"GET /quick HTTP/1.1\r\nX: ") as connection:
        setup.serves_others()
        for _ in range(4):
            connection.sendall(b"a")
            setup.pass_time(4)
        assert is_ended(connection)


@pytest.mark.parametrize("field", ["Content-Length: 200000", "Transfer-Encoding: chunked"])
def test_a_body_that_arrives_byte_by_byte_ends_the_connection(field, build):
    setup = build()
    byte = b"a" if "Length" in field else b"1\r\na\r\n"

    with setup.connected(ask("/body", "POST", field, KEY)) as connection:
        setup.serves_others()
        for _ in range(4):
            connection.sendall(byte)
            setup.pass_time(5)
        assert is_ended(connection)
    assert setup.application.bodies == []


def test_a_body_that_keeps_the_pace_is_received(build):
    setup = build(pace_bytes=100)

    request = ask("/body", "POST", "Content-Length: 5000")
    with setup.connected(request) as connection:
        for number in range(9):
            connection.sendall(b"a" * 500)
            setup.receive(len(request) + 500 * (number + 1))
            setup.pass_time(14)
        connection.sendall(b"a" * 500)
        assert answer(connection)[2] == b"5000"


class Hurried:
    """The admission of a body of which so many bytes have to come while others wait."""

    def __init__(self):
        self.asked = 0
        self.has_ended = False

    def end(self):
        self.has_ended = True

    def pace_bytes(self):
        return self.asked


def test_a_body_whose_place_others_wait_for_has_to_keep_a_higher_pace(build):
    admissions = [Hurried(), Hurried()]
    waiting = iter(admissions)
    options = {"admit_long_body": lambda *_: next(waiting)}
    setup = build(options=options, pace_bytes=100, unverified_body_bytes=1000)
    request = ask("/body", "POST", "Content-Length: 3000", KEY)
    with setup.connected(request) as connection:
        for number in range(3):
            setup.pass_time(14 if number else 0)
            connection.sendall(b"a" * 500)
            setup.receive(len(request) + 500 * (number + 1))
            setup.pass_time(0)  # from now on the client owes the next bytes
        admissions[0].asked = 1000
        for number in range(3, 5):
            connection.sendall(b"a" * 400)
            setup.receive(len(request) + 1500 + 400 * (number - 2))
            setup.pass_time(7)
        setup.pass_time(2)
        assert is_ended(connection)
    until(lambda: admissions[0].has_ended)
    admissions[1].asked = 1000
    with setup.connected(request) as connection:
        for number in range(2):
            connection.sendall(b"a" * 1000)
            setup.receive(len(request) + 1000 * (number + 1))
            setup.pass_time(0)
            setup.pass_time(14)
        connection.sendall(b"a" * 1000)
        assert answer(connection)[2] == b"3000"


def test_an_idle_connection_is_closed_and_one_in_use_is_not(build):
    setup = build()

    with setup.connected() as connection:
        for _ in range(5):
            connection.sendall(ask("/quick"))
            assert answer(connection)[2] == b"quick"
            until(lambda: not setup.connections[0].is_busy())
            setup.pass_time(40)
        setup.pass_time(60)
        assert is_ended(connection)


def test_a_client_that_reads_nothing_is_disconnected_and_its_response_closed(build):
    setup = build()
    with setup.connected(ask("/large"), small=True):
        until(lambda: suspended(setup))
        setup.pass_time_until(lambda: setup.application.ended == 1)
    assert setup.application.made < PIECES / 2


def test_a_client_that_reads_less_than_the_pace_is_disconnected(build):
    setup = build()
    with setup.connected(ask("/large"), small=True) as connection:
        until(lambda: suspended(setup))
        for _ in range(5):
            connection.recv(100)
            setup.pass_time(5)
        assert setup.application.ended == 1


@pytest.mark.parametrize("path", ["/large", "/chunked"])
def test_a_client_that_pauses_within_the_pace_gets_the_whole_response(path, build):
    setup = build()

    with setup.connected(ask(path), small=True) as connection:
        until(lambda: suspended(setup))
        assert setup.application.made < PIECES / 2
        setup.pass_time(14)
        received = body(connection, LENGTH // 2)
        setup.pass_time(14)
        connection.sendall(ask("/quick"))
        received += body(connection, LENGTH // 2)
        while not received.endswith(b"\r\n\r\nquick"):
            received += connection.recv(65_536)

    if path == "/large":
        assert PIECE * PIECES in received
    else:
        chunk = b"%X\r\n%b\r\n" % (len(PIECE), PIECE)
        assert chunk * PIECES + b"0\r\n\r\nHTTP/1.1 200 OK\r\n" in received
    assert (setup.application.begun, setup.application.ended) == (1, 1)


def test_sixteen_slow_readers_hold_none_of_two_workers(build):
    setup = build(threads=2)
    with contextlib.ExitStack() as stack:
        for _ in range(16):
            stack.enter_context(setup.connected(ask("/large"), small=True))
        until(lambda: suspended(setup, 16))
        assert all(setup.serves_others() for _ in range(20))
        assert setup.application.made < 16 * PIECES / 2
        assert (setup.application.begun, setup.application.ended) == (16, 0)


def test_a_suspended_response_is_bounded_by_the_send_buffer(build):
    setup = build(send_buffer_bytes=256 << 10)
    with setup.connected(ask("/large"), small=True):
        until(lambda: suspended(setup))
        (connection,) = setup.connections
        waiting = len(connection._unsent)
        assert waiting <= (256 << 10) + 2 * len(PIECE)
        setup.pass_time(1)
        assert (len(connection._unsent), connection.is_suspended) == (waiting, True)


def test_slow_clients_of_every_kind_hold_none_of_two_workers(build):
    setup = build(threads=2)
    kinds = [b"", b"GET / HT", ask("/body", "POST", "Content-Length: 9"), ask("/large")]
    with contextlib.ExitStack() as stack:
        for _ in range(10):
            for sent in kinds:
                stack.enter_context(setup.connected(sent, small=True))
        until(lambda: suspended(setup, 10))
        assert all(setup.serves_others() for _ in range(20))


def test_when_all_connections_are_taken_waiting_ones_are_closed_for_new_ones(build):
    setup = build(connections=20, head_seconds=FOR_EVER)
    with contextlib.ExitStack() as stack:
        for _ in range(60):
            stack.enter_context(setup.connected(b"GET / HT"))
        last = stack.enter_context(setup.connected(ask("/quick")))
        setup.pass_time_until(lambda: is_readable(last))
        assert answer(last)[2] == b"quick"


def test_a_new_connection_is_not_closed_for_another(build):
    setup = build(connections=10, evictable_after_seconds=30, head_seconds=FOR_EVER)

    with contextlib.ExitStack() as stack:
        early = [stack.enter_context(setup.connected()) for _ in range(10)]
        late = [stack.enter_context(setup.connected()) for _ in range(5)]
        until(lambda: len(setup.connections) == 10)
        setup.now += 29
        for connection in early:
            connection.sendall(ask("/quick"))
            assert answer(connection)[0] == 200
        early[0].close()
        late[0].sendall(ask("/quick"))
        assert answer(late[0])[0] == 200


def test_behind_a_proxy_only_idle_connections_are_closed_for_new_ones(build):
    options = {"proxy": TrustedProxy((ip_network("127.0.0.0/8"),))}
    setup = build(connections=12, head_seconds=FOR_EVER, options=options)

    with contextlib.ExitStack() as stack:
        busy = [stack.enter_context(setup.connected(b"GET /quick HT")) for _ in range(8)]
        for _ in range(5):
            stack.enter_context(setup.connected())
        last = stack.enter_context(setup.connected(ask("/quick")))
        setup.pass_time_until(lambda: is_readable(last))
        for connection in busy:
            connection.sendall(b"TP/1.1\r\nHost: a\r\n\r\n")
            assert answer(connection)[0] == 200


def test_a_client_that_does_not_close_after_an_error_is_disconnected(build):
    setup = build()
    with setup.connected(b"nonsense\r\n\r\n") as connection:
        assert head(connection)[0] == 400
        connection.sendall(b"a" * 1000)
        setup.pass_time_until(lambda: not setup.connections)


def test_a_stop_serves_readers_and_disconnects_clients_that_read_nothing(build, monkeypatch):
    monkeypatch.setattr("server.server.DRAIN_SECONDS", 3600)
    setup = build()
    port = setup.port

    with setup.connected(ask("/large"), small=True), setup.connected(ask("/large")) as reader:
        until(lambda: setup.application.begun == 2)
        setup.server.stop()
        assert head(reader)[0] == 200
        assert body(reader, LENGTH) == PIECE * PIECES
        setup.pass_time_until(lambda: setup.application.ended == 2)
        setup.stop()
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port))


def test_a_body_in_very_short_chunks_is_read_in_small_portions(build, monkeypatch):
    lengths, parse = [], Connection._parse

    def recorded(connection, data):
        lengths.append(len(data))
        parse(connection, data)

    setup = build()
    monkeypatch.setattr(Connection, "_parse", recorded)
    with setup.connected(ask("/large"), small=True) as connection:
        until(lambda: suspended(setup))  # while a response waits, the kernel holds what is sent
        connection.sendall(ask("/body", "POST", KEY, "Transfer-Encoding: chunked"))
        connection.setblocking(False)
        with contextlib.suppress(BlockingIOError):
            while True:
                connection.sendall(b"1\r\na\r\n" * 1000)
        connection.settimeout(60)
        body(connection, LENGTH)
        until(lambda: len(lengths) > 9)

    assert max(lengths) <= HEAD_RECV_BYTES
