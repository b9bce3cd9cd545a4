"""A body of any length is served in steps while it is received."""

import contextlib
import json
import os
import socket
import threading

import pytest

from server import connection as connection_module
from tests.waiting import until

from .conftest import answer, ask, head, is_ended

KEY = "X-API-Key: any"
STEP = 100_000
CONTENT = os.urandom(1_000_000)


@pytest.fixture
def serve(build):
    """Starts a server that serves the bodies to /steps in steps of 100,000 bytes."""

    def start(threads=2, options=(), **limits):
        def is_stepped(method, path):
            return (method, path) == ("PATCH", "/steps")

        options = {"is_stepped": is_stepped} | dict(options)
        return build(threads, options, **{"step_bytes": STEP} | limits)

    return start


def send(length, *more):
    return ask("/steps", "PATCH", f"Content-Length: {length}", KEY, *more)


def chunked(content, size=33_333):
    pieces = (content[at : at + size] for at in range(0, len(content), size))
    return b"".join(b"%X\r\n%b\r\n" % (len(piece), piece) for piece in pieces)


def stored(setup):
    return b"".join(setup.application.stored)


def spans(setup):
    """Where each step begins and ends; each one begins where the one before has ended."""
    steps = setup.application.steps
    found = [(step.start, step.start + step.length) for step in steps]
    assert [start for start, _ in found] == [0, *(end for _, end in found[:-1])]
    return found


def test_a_long_body_is_served_in_steps_and_only_its_end_is_answered(serve):
    setup = serve()
    with setup.connected(send(len(CONTENT)) + CONTENT) as connection:
        status, fields, content = answer(connection)
        assert (status, content) == (200, b"1000000")
        assert "connection" not in fields
        connection.sendall(ask("/quick"))
        assert answer(connection)[2] == b"quick"
    steps = setup.application.steps
    assert stored(setup) == CONTENT
    assert spans(setup)[-1][1] == len(CONTENT)
    assert all(STEP <= step.length < STEP + (16 << 10) for step in steps[:-1])
    assert {step.body_length for step in steps} == {len(CONTENT)}
    assert [step.is_last for step in steps] == [False] * (len(steps) - 1) + [True]
    assert not any(step.is_cut or step.gives_way for step in steps)


@pytest.mark.parametrize("length", [1, STEP])
def test_a_body_that_fits_into_one_step_is_one(length, serve):
    setup = serve()
    with setup.connected(send(length)) as connection:
        connection.sendall(CONTENT[:length])
        assert answer(connection)[2] == str(length).encode()
    [step] = setup.application.steps
    assert (step.start, step.length, step.body_length) == (0, length, length)
    assert step.is_last


def test_a_chunked_body_is_served_in_steps_as_well(serve):
    setup = serve()
    request = ask("/steps", "PATCH", "Transfer-Encoding: chunked", KEY)
    end = b"0\r\n\r\n"
    with setup.connected(request + chunked(CONTENT) + end + ask("/quick")) as connection:
        assert answer(connection)[2] == b"1000000"
        assert answer(connection)[2] == b"quick"
        assert stored(setup) == CONTENT
        spans(setup)
        connection.sendall(request + end)
        assert answer(connection)[2] == b"1000000"
    assert {step.body_length for step in setup.application.steps} == {None}
    assert sum(step.is_last for step in setup.application.steps) == 2
    assert (setup.application.steps[-1].length, setup.application.stored[-1]) == (0, b"")


def test_the_end_of_a_chunked_body_may_be_a_step_without_a_byte(serve):
    setup = serve()
    with setup.connected(ask("/steps", "PATCH", "Transfer-Encoding: chunked", KEY)) as connection:
        connection.sendall(chunked(CONTENT[:STEP]))
        until(lambda: setup.application.steps)
        connection.sendall(b"0\r\n\r\n")
        assert answer(connection)[2] == b"100000"
    assert [step.length for step in setup.application.steps] == [STEP, 0]


def test_the_steps_of_one_body_share_what_the_application_keeps(serve):
    setup = serve()

    def add_length(step):
        step.shared["length"] = step.shared.get("length", 0) + step.length
        return "200 OK"

    setup.application.status_of = add_length
    with setup.connected() as connection:
        for _ in range(2):
            connection.sendall(send(len(CONTENT)) + CONTENT)
            answer(connection)
    shared = {id(step.shared): step.shared for step in setup.application.steps}
    assert list(shared.values()) == [{"length": len(CONTENT)}] * 2


def test_nothing_is_received_while_a_step_is_served(serve):
    setup = serve()
    setup.application.status_of = lambda _step: setup.application.released.wait() and "200 OK"
    with setup.connected(send(4 << 20)) as connection:
        sending = threading.Thread(target=connection.sendall, args=(bytes(4 << 20),))
        sending.start()
        until(lambda: setup.connections and setup.connections[0].requests)
        [one] = setup.connections
        at_first = one._moved_bytes()
        assert setup.serves_others()
        assert one._moved_bytes() == at_first < STEP + (32 << 10)
        setup.application.released.set()
        sending.join(60)
        assert answer(connection)[2] == str(4 << 20).encode()


def test_a_body_beyond_all_memory_for_bodies_takes_the_memory_of_one_step(serve):
    setup = serve(body_bytes=STEP, concurrent_bodies=2)
    length = 20 << 20
    with setup.connected(send(length) + bytes(STEP)) as waiting:
        until(lambda: setup.application.steps)
        with setup.connected(send(length) + bytes(length)) as connection:
            assert answer(connection)[0] == 200
        waiting.sendall(bytes(length - STEP))
        assert answer(waiting)[0] == 200
    budget = setup.server._context.body_memory
    until(lambda: budget._free_bytes == 2 * STEP)


def test_a_body_that_waits_for_bytes_holds_no_memory_of_its_former_step(serve):
    step = 2 << 20
    setup = serve(body_bytes=step, step_bytes=step)
    budget = setup.server._context.body_memory
    free = budget._free_bytes
    rest = CONTENT.ljust(2 * step, b"a")
    with setup.connected(send(3 * step) + bytes(step)) as connection:
        until(lambda: setup.application.steps and budget._free_bytes == free)
        (body,) = [one.request.body_rcv.buf for one in setup.connections]
        assert os.fstat(body._file.fileno()).st_size == 0
        connection.sendall(rest)
        assert answer(connection)[2] == str(3 * step).encode()
    assert stored(setup) == bytes(step) + rest


@pytest.mark.parametrize("is_chunked", [False, True])
def test_a_body_that_ends_its_turn_within_a_step_holds_no_memory_of_the_former_one(
    is_chunked, serve, monkeypatch
):
    monkeypatch.setattr(connection_module, "RECVS_AT_ONCE", 1 << is_chunked)
    step = 2 << 20
    setup = serve(body_bytes=step, step_bytes=step)
    setup.application.status_of = lambda _step: setup.application.released.wait() and "200 OK"
    budget = setup.server._context.body_memory
    free = budget._free_bytes
    first, second = bytes(step), bytes(1000)
    if is_chunked:
        request = ask("/steps", "PATCH", "Transfer-Encoding: chunked", KEY)
        first, second = (b"%X\r\n%b\r\n" % (len(one), one) for one in (first, second))
    else:
        request = send(2 * step)
    with setup.connected(request + first) as connection:
        until(lambda: setup.connections and setup.connections[0].requests)
        connection.sendall(second)
        setup.application.released.set()
        until(lambda: setup.connections[0].request and not setup.connections[0].requests)
        until(lambda: budget._free_bytes == free)


def test_a_short_step_has_nothing_of_the_longer_one_before_it(serve):
    step = 2 << 20
    setup = serve(body_bytes=step, step_bytes=step)
    content = CONTENT[:step].ljust(step, b"a") + b"short"
    with setup.connected(send(len(content)) + content) as connection:
        assert answer(connection)[2] == str(len(content)).encode()
    assert setup.application.stored == [content[:step], b"short"]


def test_a_step_for_which_there_is_no_memory_ends_its_body_and_the_steps_before_stay(serve):
    large = 1 << 20
    setup = serve(body_bytes=large, step_bytes=large, concurrent_bodies=1)
    budget = setup.server._context.body_memory
    free = budget._free_bytes
    with setup.connected(send(3 * large) + bytes(large)) as one:
        until(lambda: setup.application.steps and budget._free_bytes == free)
        with setup.connected(send(large) + bytes(large - 1)) as other:
            until(lambda: budget._free_bytes < large // 2)
            one.sendall(bytes(2 * large))
            status, fields, content = answer(one)
            assert (status, json.loads(content)["code"]) == (503, "busy")
            assert fields["connection"] == "close"
            other.sendall(b"a")
            assert answer(other)[0] == 200
    assert [step.start for step in setup.application.steps] == [0, 0]


def test_a_body_of_more_than_4_gib_is_received_in_steps_and_no_other_one_is(serve):
    setup = serve()
    with setup.connected(send(5 << 40) + bytes(STEP)):
        until(lambda: setup.application.steps)
    assert setup.application.steps[0].body_length == 5 << 40
    for request in (send(1 << 50), ask("/body", "PATCH", f"Content-Length: {5 << 40}", KEY)):
        with setup.connected(request) as connection:
            assert answer(connection)[0] == 413


def test_a_body_without_a_credential_is_not_served_in_steps(serve):
    setup = serve()
    request = ask("/body", "PATCH", "Content-Length: 200000")
    setup.server._context.is_stepped = lambda *_: True
    with setup.connected(request + bytes(200_000)) as connection:
        assert answer(connection)[2] == b"0"  # more than 64 KiB is discarded


def test_a_body_that_is_not_admitted_is_not_received(serve):
    setup = serve(options={"admit_long_body": lambda *_: None}, unverified_body_bytes=1000)
    request = ask("/body", "PATCH", "Content-Length: 200000", KEY)
    setup.server._context.is_stepped = lambda *_: True
    with setup.connected(request) as connection:
        status, fields, content = answer(connection)
        assert (status, fields["connection"], content) == (200, "close", b"0")


@pytest.mark.parametrize("status", ["409 Conflict", "302 Found", "507 Insufficient Storage"])
def test_a_refused_step_ends_the_body_and_the_client_can_read_why(status, serve):
    setup = serve()
    setup.application.status_of = lambda step: status if step.start > 300_000 else "200 OK"
    with setup.connected(send(len(CONTENT)) + CONTENT) as connection:
        received, fields, content = answer(connection)
        assert (received, fields["connection"]) == (int(status[:3]), "close")
        assert int(content) == sum(step.length for step in setup.application.steps)
        assert is_ended(connection)
    assert len(setup.application.steps) == 4
    until(lambda: not setup.connections)


def test_what_comes_behind_a_refused_step_is_discarded(serve):
    setup = serve()
    setup.application.status_of = lambda _step: "409 Conflict"
    with setup.connected(send(len(CONTENT)) + CONTENT[: 2 * STEP]) as connection:
        assert answer(connection)[0] == 409
        assert connection.recv(1) == b""
        assert not setup.connections[0].is_busy()
        connection.sendall(CONTENT[2 * STEP :] + ask("/quick"))
        connection.shutdown(socket.SHUT_WR)
        until(lambda: not setup.connections)
    assert len(setup.application.steps) == 1
    assert setup.application.asked == 1


def test_an_exception_ends_the_body(serve):
    failures = []
    setup = serve(options={"on_failure": lambda path, _error: failures.append(path)})
    setup.application.status_of = lambda step: "200 OK" if step.start == 0 else 1 / 0
    with setup.connected(send(len(CONTENT)) + CONTENT) as connection:
        status, fields, _ = answer(connection)
        assert (status, fields["connection"]) == (500, "close")
    assert failures == ["/steps"]


def test_chunks_that_are_wrong_end_the_body_behind_the_steps_before(serve):
    setup = serve()
    with setup.connected(ask("/steps", "PATCH", "Transfer-Encoding: chunked", KEY)) as connection:
        connection.sendall(chunked(CONTENT[:STEP]))
        until(lambda: setup.application.steps)
        connection.sendall(chunked(CONTENT[STEP : STEP + 10]) + b"nonsense\r\n")
        assert answer(connection)[0] == 400
    assert stored(setup) == CONTENT[:STEP]


def leave(connection):
    connection.shutdown(socket.SHUT_WR)


@pytest.mark.parametrize("disconnect", [leave, socket.socket.close])
@pytest.mark.parametrize("length", [1, STEP - 1, 250_000])
def test_a_broken_line_loses_nothing_that_arrived(length, disconnect, serve):
    setup = serve()
    with setup.connected(send(len(CONTENT)) + CONTENT[:length]) as connection:
        disconnect(connection)
        until(lambda: any(step.is_cut for step in setup.application.steps))
        until(lambda: not setup.connections)
    assert stored(setup) == CONTENT[:length]
    *before, last = setup.application.steps
    assert (last.is_cut, last.is_last) == (True, False)
    assert not any(step.is_cut for step in before)
    assert setup.serves_others()


def test_a_chunked_body_keeps_what_arrived_of_a_chunk(serve):
    setup = serve()
    request = ask("/steps", "PATCH", "Transfer-Encoding: chunked", KEY)
    with setup.connected(request + chunked(CONTENT[:30_000]) + b"100\r\n" + b"abc") as connection:
        connection.close()
        until(lambda: setup.application.steps)
    assert stored(setup) == CONTENT[:30_000] + b"abc"


def test_a_line_that_breaks_at_the_end_of_a_step_ends_the_body_by_a_step_without_a_byte(serve):
    setup = serve()
    with setup.connected(send(len(CONTENT))) as connection:
        connection.sendall(CONTENT[:STEP])
        until(lambda: len(setup.application.steps) == 1)
        connection.close()
        until(lambda: len(setup.application.steps) == 2)
    assert [(step.length, step.is_cut) for step in setup.application.steps] == [
        (STEP, False),
        (0, True),
    ]


def test_a_line_that_breaks_before_the_first_byte_calls_nobody(serve):
    setup = serve()
    with setup.connected(send(len(CONTENT))) as connection:
        until(lambda: setup.connections and setup.connections[0].request)
        connection.close()
        until(lambda: not setup.connections)
    assert setup.application.asked == 0


@pytest.mark.parametrize("status", ["200 OK", "409 Conflict"])
def test_the_response_to_a_cut_body_is_not_sent(status, serve):
    setup = serve()
    setup.application.status_of = lambda _step: status
    with setup.connected(send(len(CONTENT)) + CONTENT[:1000]) as connection:
        leave(connection)
        assert connection.recv(1) == b""
    assert len(setup.application.steps) == 1


def test_what_came_of_a_body_that_is_too_slow_is_kept(serve):
    setup = serve()
    request = send(len(CONTENT)) + CONTENT[:50_000]
    with setup.connected(request) as connection:
        setup.receive(len(request))
        setup.pass_time(0)
        for number in range(1, 4):
            connection.sendall(b"a")
            setup.receive(len(request) + number)
            setup.pass_time(5)
        assert is_ended(connection)
    until(lambda: setup.application.steps)
    [step] = setup.application.steps
    assert (step.length, step.is_cut) == (50_003, True)
    assert stored(setup) == CONTENT[:50_000] + b"aaa"
    until(lambda: not setup.connections)


def test_a_body_that_keeps_the_pace_has_no_other_time_limit(serve):
    setup = serve(pace_bytes=100)
    with setup.connected(send(10_000)) as connection:
        until(lambda: setup.connections and setup.connections[0].request)
        moved = setup.connections[0]._moved_bytes()
        for number in range(1, 11):
            connection.sendall(bytes(1000))
            if number < 10:
                setup.receive(moved + number * 1000)
            setup.pass_time(14)
        assert answer(connection)[2] == b"10000"


def test_a_body_that_waits_for_bytes_holds_no_worker(serve):
    setup = serve(threads=1)
    with contextlib.ExitStack() as stack:
        for _ in range(5):
            stack.enter_context(setup.connected(send(len(CONTENT)) + CONTENT[: STEP + 10]))
        until(lambda: len(setup.application.steps) == 5)
        assert setup.serves_others()


def test_requests_before_and_behind_a_body_in_steps_are_answered_in_order(serve):
    setup = serve()
    requests = [ask("/quick"), send(len(CONTENT)) + CONTENT, ask("/host"), send(3) + b"abc"]
    with setup.connected(b"".join(requests)) as connection:
        contents = [answer(connection)[2] for _ in requests]
    assert contents == [b"quick", b"1000000", b"a", b"1000003"]


@pytest.mark.parametrize("asked", ["HTTP/1.1", "HTTP/1.0"])
def test_the_last_request_of_a_connection_may_have_a_body_in_steps(asked, serve):
    setup = serve()
    fields = f"Content-Length: {len(CONTENT)}\r\n{KEY}\r\nConnection: close\r\n\r\n"
    with setup.connected(f"PATCH /steps {asked}\r\nHost: a\r\n{fields}".encode()) as connection:
        connection.sendall(CONTENT)
        status, answered, content = answer(connection)
        assert (status, answered["connection"], content) == (200, "close", b"1000000")
        assert is_ended(connection)


def test_a_client_that_waits_for_100_continue_is_told_once(serve):
    setup = serve()
    with setup.connected(send(len(CONTENT), "Expect: 100-continue")) as connection:
        assert head(connection)[0] == 100
        connection.sendall(CONTENT)
        assert answer(connection)[::2] == (200, b"1000000")
    assert stored(setup) == CONTENT


def test_bodies_beside_each_other_are_not_mixed(serve):
    setup = serve()
    with setup.connected(send(3 * STEP)) as one, setup.connected(send(3 * STEP)) as other:
        for number in range(3):
            one.sendall(b"a" * STEP)
            other.sendall(b"b" * STEP)
            until(lambda before=number: len(setup.application.steps) == 2 * before + 2)
        assert [answer(connection)[0] for connection in (one, other)] == [200, 200]
    assert sorted(set(setup.application.stored)) == [b"a" * STEP, b"b" * STEP]
    shared = {id(step.shared): step.start for step in setup.application.steps}
    assert len(shared) == 2


def test_a_step_that_waits_for_a_share_of_the_workers_keeps_its_bytes(serve):
    setup = serve(threads=2)
    with setup.connected(ask("/held", "GET", "X-Caller: alice")) as first:
        until(lambda: setup.application.holding == 1)
        with setup.connected(send(len(CONTENT), "X-Caller: alice") + CONTENT) as connection:
            until(lambda: setup.application.asked == 2)
            assert setup.serves_others()
            assert setup.application.steps == []
            setup.application.released.set()
            assert answer(connection)[2] == b"1000000"
        assert answer(first)[0] == 200
    assert stored(setup) == CONTENT


def test_a_cut_step_waits_for_a_share_of_the_workers_as_well(serve):
    setup = serve(threads=2)
    with setup.connected(ask("/held", "GET", "X-Caller: alice")):
        until(lambda: setup.application.holding == 1)
        with setup.connected(send(len(CONTENT), "X-Caller: alice") + b"abc") as connection:
            connection.close()
            until(lambda: setup.application.asked == 2)
        assert setup.application.steps == []
        setup.application.released.set()
        until(lambda: setup.application.steps)
    assert stored(setup) == b"abc"


def test_a_further_step_is_not_displaced_by_new_requests(serve):
    setup = serve(threads=2, waiting=1)
    with contextlib.ExitStack() as stack:
        body = stack.enter_context(setup.connected(send(2 * STEP) + CONTENT[:STEP]))
        until(lambda: setup.application.steps)
        for caller in "ab":
            stack.enter_context(setup.connected(ask("/held", "GET", f"X-Caller: {caller}")))
        until(lambda: setup.application.holding == 2)
        body.sendall(CONTENT[STEP : 2 * STEP])
        until(lambda: any(one.has_request() and one.was_served() for one in setup.connections))
        waiting = [stack.enter_context(setup.connected(ask("/quick"))) for _ in range(3)]
        statuses = {answer(waiting[-1])[0]}
        setup.application.released.set()
        statuses |= {answer(one)[0] for one in waiting[:-1]}
        assert statuses == {200, 503}
        assert answer(body)[0] == 200


def test_a_body_that_stands_in_the_way_of_others_ends_by_what_has_come(serve):
    class Admission:
        asked = []

        def end(self):
            pass

        def pace_bytes(self):
            return 0

        def gives_way(self, received_bytes):
            self.asked.append(received_bytes)
            return received_bytes > STEP + 10

    admission = Admission()
    setup = serve(options={"admit_long_body": lambda *_: admission}, unverified_body_bytes=1000)
    setup.application.status_of = lambda step: "503 Busy" if step.gives_way else "200 OK"
    with setup.connected(send(len(CONTENT))) as connection:
        until(lambda: setup.connections and setup.connections[0].request)
        for end in (10, STEP, STEP + 10, STEP + 20):
            connection.sendall(CONTENT[received_bytes(setup) : end])
            until(lambda end=end: admission.asked and admission.asked[-1] == end)
        assert answer(connection)[0] == 503
    assert spans(setup) == [(0, STEP), (STEP, STEP + 20)]
    assert stored(setup) == CONTENT[: STEP + 20]
    with setup.connected(send(2000) + bytes(2000)) as connection:
        assert answer(connection)[0] == 200
    assert 2000 not in admission.asked  # all of it has come
    with setup.connected(send(len(CONTENT)) + CONTENT[: 2 * STEP]) as connection:
        connection.sendall(CONTENT[2 * STEP :])
        assert answer(connection)[0] == 503
        assert is_ended(connection)


@pytest.mark.parametrize("sent", [STEP + 10, STEP])
def test_a_server_that_stops_keeps_what_has_come_of_a_long_body(sent, serve):
    setup = serve()
    with setup.connected(send(len(CONTENT)) + CONTENT[:STEP]) as connection:
        until(lambda: setup.application.steps)
        connection.sendall(CONTENT[STEP:sent])
        until(lambda: received_bytes(setup) == sent)
        setup.stop()
        assert is_ended(connection)
    assert stored(setup) == CONTENT[:sent]
    assert setup.application.steps[-1].is_cut


def received_bytes(setup):
    """How many bytes of the body to its only connection a server has received."""
    [one] = setup.connections
    return one._moved_bytes() - len(send(len(CONTENT)))


def test_a_server_that_stops_waits_for_a_body_of_one_step_and_for_a_step_that_is_served(serve):
    setup = serve()
    setup.application.status_of = lambda _step: setup.application.released.wait() and "200 OK"
    with (
        setup.connected(send(9) + b"a short ") as short,
        setup.connected(send(len(CONTENT)) + CONTENT[:STEP]) as long,
    ):
        until(lambda: any(one.requests for one in setup.connections))
        until(lambda: any(one.request and not one.requests for one in setup.connections))
        setup.server.stop()
        until(lambda: not setup.server._workers._listeners)
        setup.application.released.set()
        assert is_ended(long)
        short.sendall(b"1")
        assert answer(short)[0] == 200
    setup.stop()
    assert sorted(map(len, setup.application.stored)) == [0, 9, STEP]
