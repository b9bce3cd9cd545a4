"""A client may be slow; it costs a connection for some time, and never a worker."""

import contextlib
import socket
import threading
import time

import pytest

from server.connection import HEAD_RECV_BYTES, Channel
from tests.people import until

from .conftest import PIECE, PIECES, answer, ask, body, head, is_ended

LENGTH = PIECES * len(PIECE)
KEY = "X-API-Key: any"


def drip(connection, data, seconds):
    """Send byte by byte until the connection is ended, or the time is over."""
    deadline = time.monotonic() + seconds
    with contextlib.suppress(OSError):
        while time.monotonic() < deadline:
            connection.sendall(data)
            connection.settimeout(0.05)
            with contextlib.suppress(TimeoutError):
                if not connection.recv(1000):
                    return True
        return False
    return True


@pytest.mark.parametrize("sent", [b"", b"GET /quick HT", b"\r\n\r\n"])
def test_a_head_that_does_not_come_in_time_ends_the_connection(sent, build):
    setup = build(head_seconds=0.3)

    with setup.connected(sent) as connection:
        assert is_ended(connection)


def test_a_head_that_drips_ends_the_connection(build):
    setup = build(head_seconds=0.3)

    with setup.connected(b"GET /quick HTTP/1.1\r\nX: ") as connection:
        assert drip(connection, b"a", 5)


@pytest.mark.parametrize("field", ["Content-Length: 200000", "Transfer-Encoding: chunked"])
def test_a_body_that_drips_ends_the_connection(field, build):
    setup = build(pace_seconds=0.5)
    byte = b"a" if "Length" in field else b"1\r\na\r\n"

    with setup.connected(ask("/body", "POST", field, KEY)) as connection:
        assert drip(connection, byte, 5)
    assert setup.application.bodies == []


def test_a_body_that_moves_on_is_taken(build):
    setup = build(pace_seconds=0.5, pace_bytes=100)

    with setup.connected(ask("/body", "POST", "Content-Length: 5000")) as connection:
        for _ in range(15):
            connection.sendall(b"a" * 300)
            time.sleep(0.1)
        connection.sendall(b"a" * 500)
        assert answer(connection)[2] == b"5000"


def test_an_idle_connection_is_ended_and_one_in_use_is_not(build):
    setup = build(idle_seconds=0.6)

    with setup.connected() as connection:
        for _ in range(5):
            connection.sendall(ask("/quick"))
            assert answer(connection)[2] == b"quick"
            time.sleep(0.2)
        assert is_ended(connection)


def test_a_reader_who_takes_nothing_is_given_up_and_the_answer_let_go(build):
    setup = build(pace_seconds=0.5)

    with setup.connected(ask("/large"), small=True):
        until(lambda: setup.application.ended == 1)
    assert setup.application.made < PIECES / 2


def test_a_reader_who_takes_too_little_is_given_up(build):
    setup = build(pace_seconds=0.5)

    with setup.connected(ask("/large"), small=True) as connection:
        until(lambda: setup.application.made)
        while not setup.application.ended:
            connection.recv(100)
            time.sleep(0.02)


@pytest.mark.parametrize("path", ["/large", "/chunked"])
def test_a_slow_reader_who_moves_on_gets_everything_from_whichever_worker(path, build):
    setup = build(pace_seconds=2)

    with setup.connected(ask(path), small=True) as connection:
        until(lambda: setup.application.made)
        time.sleep(0.5)
        assert setup.application.made < PIECES / 2  # it was left
        received = body(connection, LENGTH // 2)
        time.sleep(0.5)
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


def test_sixteen_slow_readers_of_a_long_answer_hold_none_of_two_workers(build):
    setup = build(threads=2)

    with contextlib.ExitStack() as stack:
        for _ in range(16):
            stack.enter_context(setup.connected(ask("/large"), small=True))
        until(lambda: setup.application.begun == 16)
        assert all(setup.is_quick() for _ in range(20))
        assert setup.application.made < 16 * PIECES / 2
        assert setup.application.ended == 0


def test_an_answer_that_is_not_taken_waits_within_its_bound(build):
    setup = build(waiting_bytes=256 << 10)

    with setup.connected(ask("/large"), small=True):
        until(lambda: setup.application.made)
        [channel] = setup.server._channels()
        until(lambda: channel.lags)
        assert channel.total_outbufs_len <= (256 << 10) + 2 * len(PIECE)
        waits = channel.total_outbufs_len
        time.sleep(0.3)
        assert (channel.total_outbufs_len, channel.lags) == (waits, True)


def test_slow_ones_of_all_kinds_leave_others_quick(build):
    setup = build(threads=2)
    kinds = [b"", b"GET / HT", ask("/body", "POST", "Content-Length: 9"), ask("/large")]

    with contextlib.ExitStack() as stack:
        for _ in range(10):
            for sent in kinds:
                stack.enter_context(setup.connected(sent, small=True))
        until(lambda: setup.application.begun == 10)
        assert all(setup.is_quick() for _ in range(20))


def test_when_all_connections_are_taken_room_is_made_for_others(build):
    setup = build(connections=20, newcomer_seconds=0.2)

    with contextlib.ExitStack() as stack:
        for _ in range(60):
            stack.enter_context(setup.connected(b"GET / HT"))
        assert setup.is_quick()


def test_one_who_came_a_moment_ago_is_not_given_up_for_another(build):
    setup = build(connections=12, newcomer_seconds=30)

    with contextlib.ExitStack() as stack:
        early = [stack.enter_context(setup.connected()) for _ in range(10)]
        late = [stack.enter_context(setup.connected()) for _ in range(5)]
        time.sleep(0.5)
        for connection in early:
            connection.sendall(ask("/quick"))
            assert answer(connection)[0] == 200
        early[0].close()
        late[0].sendall(ask("/quick"))
        assert answer(late[0])[0] == 200


@pytest.mark.parametrize("proxy", ["127.0.0.1", "*"])
def test_behind_a_proxy_only_what_is_idle_is_given_up(proxy, build):
    setup = build(connections=12, newcomer_seconds=0.2, config={"TRUSTED_PROXY": proxy})

    with contextlib.ExitStack() as stack:
        busy = [stack.enter_context(setup.connected(b"GET /quick HT")) for _ in range(8)]
        for _ in range(5):
            stack.enter_context(setup.connected())
        assert setup.is_quick()
        for connection in busy:
            connection.sendall(b"TP/1.1\r\nHost: a\r\n\r\n")
            assert answer(connection)[0] == 200


def test_a_client_that_does_not_read_why_it_was_refused_is_ended_too(build):
    setup = build(linger_seconds=0.3)

    with setup.connected(b"nonsense\r\n\r\n") as connection:
        assert head(connection)[0] == 400
        drip(connection, b"a" * 1000, 0.1)
        until(lambda: not setup.server._channels())


def test_a_stop_ends_those_who_take_nothing_and_serves_those_who_do(build):
    setup = build(pace_seconds=1)

    with setup.connected(ask("/large"), small=True), setup.connected(ask("/large")) as reader:
        until(lambda: setup.application.begun == 2)
        setup.server.stop()
        assert head(reader)[0] == 200
        assert body(reader, LENGTH) == PIECE * PIECES
        assert setup.stop() < 10
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", setup.port))


def test_a_body_in_very_short_chunks_is_read_in_turns_with_others(build, monkeypatch):
    lengths, received = [], Channel.received

    def noted(channel, data):
        lengths.append(len(data))
        received(channel, data)

    setup = build()
    monkeypatch.setattr(Channel, "received", noted)
    with setup.connected(ask("/large"), small=True) as connection:
        sender = threading.Thread(target=send_short_chunks, args=(connection,))
        sender.start()
        time.sleep(0.5)  # meanwhile the system keeps them
        body(connection, LENGTH)
        until(lambda: len(lengths) > 9)
        connection.shutdown(socket.SHUT_RDWR)
        sender.join()

    assert max(lengths) <= HEAD_RECV_BYTES


def send_short_chunks(connection):
    with contextlib.suppress(OSError):
        connection.sendall(ask("/body", "POST", KEY, "Transfer-Encoding: chunked"))
        connection.sendall(b"1\r\na\r\n" * (1 << 20))
