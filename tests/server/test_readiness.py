"""An event wakes one of the threads that wait, with epoll and without it."""

import contextlib
import os
import socket
import threading

import pytest

from server.readiness import Epoll, Turns

pytestmark = pytest.mark.parametrize("kind", [Epoll, Turns])


@pytest.fixture
def readiness(kind):
    one = kind()
    yield one
    one.close()


@pytest.fixture
def pair():
    ours, client = socket.socketpair()
    with ours, client:
        yield ours, client


def waiting(readiness, count, found):
    """Threads that each wait for one event, and append its descriptor."""
    threads = [
        threading.Thread(target=lambda: found.append(readiness.wait())) for _ in range(count)
    ]
    for thread in threads:
        thread.start()
    return threads


def test_what_came_before_it_was_expected_is_ready(readiness, pair):
    ours, client = pair
    client.sendall(b"a")

    readiness.expect(ours.fileno())

    assert readiness.wait() == ours.fileno()


def test_a_descriptor_is_ready_once_each_time_that_it_is_expected(readiness, pair):
    (ours, client), (reader, writer) = pair, os.pipe()
    client.sendall(b"never received")

    readiness.expect(ours.fileno())
    first = readiness.wait()
    os.write(writer, b"other")
    readiness.expect(reader)
    second = readiness.wait()
    readiness.expect(ours.fileno())

    assert (first, second, readiness.wait()) == (ours.fileno(), reader, ours.fileno())
    os.close(reader)
    os.close(writer)


def test_a_full_socket_is_ready_to_send_when_its_client_has_received(readiness, pair):
    ours, client = pair
    ours.setblocking(False)
    sent = 0
    with contextlib.suppress(BlockingIOError):
        while True:
            sent += ours.send(bytes(65_536))
    found = []
    threads = waiting(readiness, 1, found)

    readiness.expect(ours.fileno(), sending=True)
    assert found == []
    while sent:
        sent -= len(client.recv(65_536))

    threads[0].join()
    assert found == [ours.fileno()]


def test_each_of_two_events_wakes_another_thread(readiness, pair):
    ours, client = pair
    found = []
    threads = waiting(readiness, 2, found)

    readiness.expect(ours.fileno())
    readiness.expect(client.fileno())
    ours.sendall(b"a")
    client.sendall(b"a")

    for thread in threads:
        thread.join()
    assert sorted(found) == sorted([ours.fileno(), client.fileno()])


def test_a_closed_connection_is_ready(readiness, pair):
    ours, client = pair
    readiness.expect(ours.fileno())

    client.close()

    assert readiness.wait() == ours.fileno()
