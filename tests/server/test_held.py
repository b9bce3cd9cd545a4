"""Responses are held until a sync, which one thread makes for many of them."""

import contextlib
import threading

import pytest

from server import workers
from server.workers import Epoll, Selector
from tests.waiting import until

from .conftest import answer, ask, is_ended

AN_HOUR = 3600


class Disk:
    """Counts syncs, which end when they may; `fails` is what they raise."""

    def __init__(self):
        self.began = self.ended = 0
        self._counting = threading.Lock()
        self.may_end = threading.Event()
        self.may_end.set()
        self.fails = None

    def sync(self):
        with self._counting:
            self.began += 1
        self.may_end.wait(60)
        if self.fails:
            raise self.fails
        with self._counting:
            self.ended += 1


class Storing:
    """An application that has its responses to `/store` held; all else is answered at once.

    The pieces of the one to `/stream`, which is held as well, are made when they may. `confirm` is
    what is called behind the sync.
    """

    def __init__(self, disk):
        self.disk = disk
        self.asked = 0
        self.closed = 0
        self.synced_before_confirming = []
        self.other = None
        self.may_stream = threading.Event()

    def __call__(self, environ, start):
        self.asked += 1
        start("200 OK", [("Content-Length", "6")])
        path = environ["PATH_INFO"]
        if path not in ("/store", "/stream"):
            return [b"at hand"[:6]]
        environ["server.response"].hold(self._confirm, is_streamed=path == "/stream")
        return self._streamed() if path == "/stream" else self._pieces()

    def _confirm(self):
        self.synced_before_confirming.append(self.disk.ended)
        return self.other() if self.other else None

    def _streamed(self):
        assert self.may_stream.wait(60)
        yield b"stream"

    def _pieces(self):
        try:
            yield b"stored"
        finally:
            self.closed += 1


@pytest.fixture(params=[Epoll, Selector])
def readiness(request, monkeypatch):
    monkeypatch.setattr(workers, "Readiness", request.param)


@pytest.fixture
def serve(build):
    """Starts a server of `Storing`, whose disk is its attribute `disk`."""

    def start(**limits):
        disk = Disk()
        application = Storing(disk)
        options = {"sync": disk.sync, "application": application}
        setup = build(threads=2, options=options, **limits)
        setup.disk = disk
        return setup

    return start


@pytest.fixture
def beside(serve):
    """A server to which a client is connected that asks for nothing."""
    setup = serve(working_seconds=AN_HOUR)
    with setup.connected():
        until(lambda: len(setup.connections) == 1)
        yield setup


def test_a_response_is_sent_behind_one_sync(serve):
    setup = serve()
    with setup.connected(ask("/store")) as connection:
        assert answer(connection)[2] == b"stored"
    assert setup.disk.ended == 1
    assert setup.application.synced_before_confirming == [1]
    assert setup.application.closed == 1


def test_what_is_not_held_needs_no_sync(serve):
    setup = serve()
    with setup.connected(ask("/read")) as connection:
        assert answer(connection)[0] == 200
    assert setup.disk.began == 0


@pytest.mark.usefixtures("readiness")
def test_while_others_are_connected_a_thread_syncs_and_they_are_served(beside):
    disk = beside.disk
    disk.may_end.clear()
    with beside.connected(ask("/store")) as connection:
        until(lambda: disk.began == 1)
        assert beside.serves_others()
        assert beside.application.synced_before_confirming == []
        disk.may_end.set()
        assert answer(connection)[2] == b"stored"
    assert beside.application.synced_before_confirming == [1]


@pytest.mark.usefixtures("readiness")
def test_one_sync_releases_all_that_were_held_before_it_began(beside):
    disk = beside.disk
    disk.may_end.clear()
    with contextlib.ExitStack() as stack:
        connections = [stack.enter_context(beside.connected(ask("/store")))]
        until(lambda: disk.began == 1)
        connections += [stack.enter_context(beside.connected(ask("/store"))) for _ in range(9)]
        until(lambda: len(beside.server._workers._held._waiting) == 9)
        disk.may_end.set()
        assert [answer(one)[2] for one in connections] == [b"stored"] * 10
    assert beside.application.synced_before_confirming[1:] == [2] * 9
    assert disk.ended == 2


def test_a_client_that_is_alone_needs_no_other_thread(serve):
    setup = serve(working_seconds=AN_HOUR)
    threads = []
    sync = setup.disk.sync

    def noted():
        threads.append(setup.server._workers.lead.is_mine())
        sync()

    setup.disk.sync = noted
    setup.server._context.sync = noted
    with setup.connected(ask("/store")) as connection:
        assert answer(connection)[2] == b"stored"
    assert threads == [True]


def test_a_client_that_connects_during_the_sync_of_another_one_is_served(serve):
    setup = serve()
    setup.disk.may_end.clear()
    with setup.connected(ask("/store")) as connection:
        until(lambda: setup.disk.began == 1)
        assert setup.serves_others()  # the lead is taken from the worker that syncs
        setup.disk.may_end.set()
        assert answer(connection)[2] == b"stored"


def test_a_sync_begins_though_others_are_served_all_the_time(serve):
    setup = serve(held_seconds=0)
    application = setup.application
    is_over = threading.Event()

    def read_again_and_again():
        with setup.connected() as connection:
            while not is_over.is_set():
                connection.sendall(ask("/read") * 20)
                assert [answer(connection)[0] for _ in range(20)] == [200] * 20

    readers = [threading.Thread(target=read_again_and_again) for _ in range(4)]
    for reader in readers:
        reader.start()
    try:
        until(lambda: application.asked > 100)
        with setup.connected(ask("/store")) as connection:
            assert answer(connection)[2] == b"stored"
    finally:
        is_over.set()
        for reader in readers:
            reader.join(60)


def test_another_response_may_be_sent_behind_the_sync(serve):
    setup = serve()
    fields = [("Content-Length", "4"), ("X-Why", "disk")]
    setup.application.other = lambda: ("507 Insufficient Storage", fields, [b"full"])
    with setup.connected(ask("/store") * 2) as connection:
        for _ in range(2):
            status, given, sent = answer(connection)
            assert (status, given["x-why"], sent) == (507, "disk", b"full")
    assert setup.application.closed == 0  # no piece of the first response was ever made


def test_what_fails_behind_the_sync_is_answered_with_500(serve):
    setup = serve()
    setup.application.other = lambda: 1 / 0
    with setup.connected(ask("/store")) as connection:
        assert answer(connection)[0] == 500
        assert is_ended(connection)


def test_an_application_that_fails_when_it_has_held_its_response_is_called_once(serve):
    setup = serve()
    calls = []

    def application(environ, _start):
        calls.append(environ["PATH_INFO"])
        environ["server.response"].hold(lambda: None)
        raise ZeroDivisionError

    setup.server._context.application = application
    with setup.connected(ask("/store")) as connection:
        assert answer(connection)[0] == 500
        assert is_ended(connection)
    assert calls == ["/store"]


@pytest.mark.parametrize("others", [0, 1])
def test_a_sync_that_raises_an_error_closes_the_connection_and_others_are_served(
    serve, others, caplog
):
    setup = serve()
    setup.disk.fails = RuntimeError("a fault of the service")
    with contextlib.ExitStack() as stack:
        for _ in range(others):
            stack.enter_context(setup.connected())
        until(lambda: len(setup.connections) == others)
        assert is_ended(stack.enter_context(setup.connected(ask("/store"))))
        until(lambda: "their sync was not made" in caplog.text)
        setup.disk.fails = None
        connection = stack.enter_context(setup.connected(ask("/store")))
        assert answer(connection)[2] == b"stored"


def test_requests_behind_a_held_response_are_answered_in_their_order(beside):
    with beside.connected(ask("/store") + ask("/read") + ask("/store")) as connection:
        found = [answer(connection)[2] for _ in range(3)]
    assert found == [b"stored", b"at han", b"stored"]


def test_a_client_that_has_gone_meanwhile_disturbs_nobody(beside):
    beside.disk.may_end.clear()
    with beside.connected(ask("/store")):
        until(lambda: beside.disk.began == 1)
    beside.disk.may_end.set()
    until(lambda: len(beside.connections) == 1)
    until(lambda: beside.application.closed == 1)
    assert beside.serves_others()


def test_the_server_stops_behind_the_responses_that_it_holds(beside):
    beside.disk.may_end.clear()
    with beside.connected(ask("/store")) as connection:
        until(lambda: beside.disk.began == 1)
        beside.server.stop()
        beside.disk.may_end.set()
        assert answer(connection)[2] == b"stored"


def test_many_clients_get_each_response_behind_its_own_sync(serve):
    """Each response names how many syncs had begun when it was made: a later one has ended."""
    setup = serve()
    made_at = {}
    broken = []

    def application(environ, start):
        name = environ["PATH_INFO"]
        start("200 OK", [("Content-Length", "2")])
        environ["server.response"].hold(lambda: confirm(name))
        made_at[name] = setup.disk.began
        return [b"ok"]

    def confirm(name):
        if setup.disk.ended <= made_at[name]:
            broken.append(name)

    setup.server._context.application = application

    def store(client):
        with setup.connected() as connection:
            for number in range(50):
                connection.sendall(ask(f"/{client}/{number}"))
                assert answer(connection)[2] == b"ok"

    clients = [threading.Thread(target=store, args=(number,)) for number in range(16)]
    for client in clients:
        client.start()
    for client in clients:
        client.join(60)
    assert len(made_at) == 800
    assert broken == []
    assert setup.disk.ended <= 800


def test_a_response_that_is_streamed_delays_no_other_that_is_held(beside):
    disk, application = beside.disk, beside.application
    disk.may_end.clear()
    with beside.connected(ask("/stream")) as streaming, beside.connected() as storing:
        until(lambda: disk.began == 1)
        storing.sendall(ask("/store"))
        until(lambda: application.asked == 2)
        disk.may_end.set()
        try:
            assert answer(storing)[2] == b"stored"
        finally:
            application.may_stream.set()
        assert answer(streaming)[2] == b"stream"
    assert len(application.synced_before_confirming) == 2


@pytest.mark.parametrize("others", [0, 1])
def test_a_worker_that_waits_for_the_sync_is_counted(serve, others):
    setup = serve()
    setup.application.may_stream.set()
    setup.disk.may_end.clear()
    with contextlib.ExitStack() as stack:
        for _ in range(others):
            stack.enter_context(setup.connected())
        until(lambda: len(setup.connections) == others)
        connection = stack.enter_context(setup.connected(ask("/stream")))
        until(lambda: setup.disk.began == 1)
        assert setup.server._workers._serving == 1
        assert setup.serves_others()
        setup.disk.may_end.set()
        assert answer(connection)[2] == b"stream"


def test_workers_wait_for_the_responses_that_are_too_many_to_be_held(serve):
    """So the disk that does not answer has no more connections than the workers and the lines."""
    setup = serve(held=3)
    disk, held = setup.disk, setup.server._workers._held
    disk.may_end.clear()
    with contextlib.ExitStack() as stack:
        stack.enter_context(setup.connected())
        until(lambda: len(setup.connections) == 1)
        connections = [stack.enter_context(setup.connected(ask("/store")))]
        until(lambda: disk.began == 1)
        connections += [stack.enter_context(setup.connected(ask("/store"))) for _ in range(8)]
        until(lambda: setup.server._workers._serving == 2)
        assert len(held._waiting) == 3
        assert setup.application.asked == 6
        disk.may_end.set()
        assert [answer(one)[2] for one in connections] == [b"stored"] * 9


def test_a_server_without_a_sync_says_that_it_holds_nothing(build):
    said = []

    def application(environ, start):
        said.append(environ["server.response"].can_be_held)
        start("200 OK", [("Content-Length", "0")])
        return []

    setup = build(options={"application": application})
    with setup.connected(ask("/store")) as connection:
        assert answer(connection)[0] == 200
    assert said == [False]


class Unending:
    """The pieces of a response whose end raises an error."""

    def __iter__(self):
        return iter([b"stored"])

    def close(self):
        raise ZeroDivisionError


def test_a_response_that_cannot_be_ended_stops_no_other_sync(beside, caplog):
    disk, application = beside.disk, beside.application
    application._pieces = Unending
    disk.fails = RuntimeError("a fault of the service")
    with beside.connected(ask("/store")) as connection:
        assert is_ended(connection)
    until(lambda: "a response could not be ended" in caplog.text)
    del application._pieces
    disk.fails = None
    with beside.connected(ask("/store")) as connection:
        assert answer(connection)[2] == b"stored"
