"""What workers do with the events of many connections."""

import contextlib
import errno
import os
import socket
import threading
from ipaddress import ip_network

import pytest

from server import Limits, Server, TrustedProxy, workers
from server.workers import Epoll, Selector
from tests.waiting import until

from .conftest import PIECE, PIECES, Application, answer, ask, body, head, is_ended

LENGTH = PIECES * len(PIECE)


@pytest.fixture(params=[Epoll, Selector])
def held(request, build, monkeypatch):
    """A server whose only place to serve is taken by a request to `/held`."""
    monkeypatch.setattr(workers, "Readiness", request.param)
    with build(threads=1).held() as setup:
        yield setup


@pytest.mark.parametrize("readiness_class", [Epoll, Selector])
def test_a_descriptor_is_ready_once_each_time_that_it_is_expected(readiness_class):
    readiness = readiness_class()
    (ours, client), (reader, writer) = socket.socketpair(), os.pipe()
    client.sendall(b"never received")

    readiness.expect(ours.fileno())
    first = readiness.wait()
    os.write(writer, b"other")
    readiness.expect(reader)
    second = readiness.wait()
    readiness.expect(ours.fileno())

    assert (first, second, readiness.wait()) == (ours.fileno(), reader, ours.fileno())
    readiness.close()
    for descriptor in (reader, writer):
        os.close(descriptor)
    for connection in (ours, client):
        connection.close()


def test_a_descriptor_may_be_expected_while_another_thread_takes_it(monkeypatch):
    readiness = Selector()
    inner = readiness._selector
    reader, writer = os.pipe()
    os.write(writer, b"x")
    is_forgotten, is_expected = threading.Event(), threading.Event()
    forget = type(inner).unregister

    def forget_late(descriptor):
        mapping = inner._fd_to_key
        key = mapping.pop(descriptor)  # the first half of `unregister`
        is_forgotten.set()
        is_expected.wait(timeout=0.2)  # the other thread is free to come between, or waits
        mapping[descriptor] = key
        return forget(inner, descriptor)

    monkeypatch.setattr(inner, "unregister", forget_late)
    readiness.expect(reader)

    def expect_again():
        is_forgotten.wait()
        readiness.expect(reader)
        is_expected.set()

    other = threading.Thread(target=expect_again)
    other.start()
    first = readiness.wait()
    other.join()
    monkeypatch.undo()

    assert first == reader
    assert reader in inner.get_map()
    readiness.close()
    os.close(reader)
    os.close(writer)


def test_a_body_is_received_while_all_workers_that_may_serve_do_so(held):
    request = ask("/body", "POST", "Content-Length: 4", "X-API-Key: any")
    with held.connected(request + b"abc") as connection:
        until(lambda: len(request) + 3 in [one._moved_bytes() for one in held.connections])
        connection.sendall(b"d")
        until(lambda: len(request) + 4 in [one._moved_bytes() for one in held.connections])
        assert held.application.bodies == []
        held.application.released.set()
        assert answer(connection)[2] == b"4"


def test_requests_that_wait_are_served_in_their_order(held):
    with contextlib.ExitStack() as stack:
        waiting = []
        for size in range(1, 6):
            sent = ask("/body", "POST", f"Content-Length: {size}", "X-API-Key: a") + b"a" * size
            waiting.append(stack.enter_context(held.connected(sent)))
            until(lambda count=size: sum(bool(one.requests) for one in held.connections) > count)
        held.application.released.set()
        assert [answer(one)[2] for one in waiting] == [b"1", b"2", b"3", b"4", b"5"]
    assert list(map(len, held.application.bodies)) == [1, 2, 3, 4, 5]


def test_a_slow_connection_is_closed_while_all_workers_that_may_serve_do_so(held):
    with held.connected(b"GET /quick HT") as slow:
        until(lambda: len(held.connections) == 2)
        held.pass_time_until(lambda: len(held.connections) == 1)
        assert is_ended(slow)


def test_a_request_that_does_not_end_delays_the_stop_by_the_drain_only(held, monkeypatch):
    monkeypatch.setattr("server.server.DRAIN_SECONDS", 0.2)
    held.stop()
    assert held.application.holding == 1


def test_an_application_that_exits_ends_its_connection_only(build, caplog):
    setup = build(threads=1)
    for _ in range(3):
        with setup.connected(ask("/exit")) as connection:
            assert is_ended(connection)
    assert setup.serves_others()
    assert caplog.text.count("a connection was closed because of an error") == 3


def test_a_connection_that_cannot_be_accepted_is_logged_and_accepted_later(
    build, caplog, monkeypatch
):
    accept, failures = workers.accept, [OSError(errno.EMFILE, "Too many open files")]

    def fails_once(listener):
        if failures:
            raise failures.pop()
        return accept(listener)

    monkeypatch.setattr(workers, "accept", fails_once)
    setup = build()

    assert setup.serves_others()
    assert "a connection was not accepted: [Errno 24] Too many open files" in caplog.text


@pytest.mark.slow
def test_without_epoll_connections_are_served_as_well(build, monkeypatch):
    monkeypatch.setattr(workers, "Readiness", Selector)
    monkeypatch.setattr("server.server.DRAIN_SECONDS", 3600)
    setup = build(threads=2)

    with contextlib.ExitStack() as stack:
        slow = [stack.enter_context(setup.connected(ask("/large"), small=True)) for _ in range(4)]
        until(lambda: sum(one.is_suspended for one in setup.connections) == 4)
        kept = stack.enter_context(setup.connected())
        for _ in range(20):
            kept.sendall(ask("/quick") + ask("/quick"))
            assert [answer(kept)[2], answer(kept)[2]] == [b"quick", b"quick"]
            assert setup.serves_others()
        for one in slow:
            assert head(one)[0] == 200
            assert body(one, LENGTH) == PIECE * PIECES
        setup.stop()


def test_connections_that_wait_are_accepted_at_once(monkeypatch):
    """One for each event would keep new clients waiting for all the others."""
    events = []
    accept_waiting = workers.Workers._accept

    def counted(self, descriptor):
        events.append(descriptor)
        accept_waiting(self, descriptor)

    monkeypatch.setattr(workers.Workers, "_accept", counted)
    server = Server(lambda *_: [], Limits(1 << 20), listen="127.0.0.1:0", threads=1)
    with contextlib.ExitStack() as stack:
        for _ in range(10):
            stack.enter_context(socket.create_connection(("127.0.0.1", server.port)))
        serving = threading.Thread(target=server.serve)
        serving.start()
        until(lambda: len(server.connections) == 10)
        assert len(events) == 1
        server.stop()
        serving.join(60)


def test_it_is_known_who_waits_before_one_of_them_is_served():
    application = Application()
    proxy = TrustedProxy(networks=(ip_network("127.0.0.0/8"),))
    limits = Limits(4 << 20, uninterrupted_seconds=60)
    server = Server(application, limits, listen="127.0.0.1:0", threads=4, proxy=proxy)
    its = server._workers
    its._listeners = {one.fileno(): one for one in server._listeners}
    for descriptor in its._listeners:
        its._readiness.expect(descriptor)
    its.lead.take()
    with contextlib.ExitStack() as stack:
        stack.callback(lambda: [one.close() for one in server.connections])
        stack.callback(its.close_listeners)
        address = "127.0.0.1", server.port
        clients = [stack.enter_context(socket.create_connection(address)) for _ in range(13)]
        while len(server.connections) < len(clients):
            its._work()
        for number, client in enumerate(clients):
            network = "192.0.2.2" if number == 12 else "192.0.2.1"
            client.sendall(ask("/quick", "GET", f"X-Forwarded-For: {network}"))
        for _ in range(2):
            its._work()

    assert application.addresses == ["192.0.2.2", "192.0.2.1"]
