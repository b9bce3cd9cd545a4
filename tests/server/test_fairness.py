"""Who is served when many want to be: shares of callers, long responses, memory of responses."""

import contextlib
import threading
from ipaddress import ip_network

from server import TrustedProxy
from tests.server.conftest import PIECE, PIECES, answer, ask, body, head
from tests.waiting import until

MIB = 1 << 20


@contextlib.contextmanager
def asking(setup, count, request):
    """So many connections, each of which has sent the request."""
    with contextlib.ExitStack() as stack:
        yield [stack.enter_context(setup.connected(request)) for _ in range(count)]


def test_one_caller_holds_at_most_half_of_the_workers(build):
    setup = build(threads=4)
    with asking(setup, 10, ask("/held", "GET", "X-Caller: alice")) as connections:
        until(lambda: setup.application.asked == 10)
        assert setup.application.holding == 2
        with setup.connected(ask("/quick", "GET", "X-Caller: bob")) as other:
            assert answer(other)[0] == 200
        setup.application.released.set()
        assert [answer(connection)[0] for connection in connections] == [200] * 10


def test_a_request_that_waited_is_begun_again_with_its_whole_body(build):
    setup = build(threads=2)
    with setup.connected(ask("/held", "GET", "X-Caller: alice")) as first:
        until(lambda: setup.application.holding == 1)
        request = ask("/body", "POST", "X-Caller: alice", "Content-Length: 9") + b"some text"
        with setup.connected(request) as second:
            until(lambda: setup.application.asked == 2)
            assert setup.application.bodies == []
            setup.application.released.set()
            assert answer(second)[2] == b"9"
        assert answer(first)[0] == 200
    assert setup.application.bodies == [b"some text"]


def test_too_many_waiting_requests_of_one_caller_are_answered_503(build):
    setup = build(threads=2, waiting=1)
    request = ask("/held", "GET", "X-Caller: alice")
    with asking(setup, 2, request) as served:
        until(lambda: setup.application.asked == 2)
        with setup.connected(request) as refused:
            status, fields, _ = answer(refused)
        assert status == 503
        assert fields["retry-after"] == "5"
        setup.application.released.set()
        assert [answer(connection)[0] for connection in served] == [200, 200]


def test_a_response_that_has_begun_is_not_refused(build):
    setup = build(threads=2, waiting=0)
    caller = "X-Caller: alice"
    with setup.connected(ask("/long", "GET", caller), small=True) as reader:
        until(lambda: [one.is_suspended for one in setup.connections] == [True])
        with setup.connected(ask("/held", "GET", caller)) as other:
            until(lambda: setup.application.holding == 1)
            assert head(reader)[0] == 200
            assert body(reader, PIECES * len(PIECE)) == PIECE * PIECES
            setup.application.released.set()
            assert answer(other)[0] == 200


def test_a_client_that_disconnects_while_it_waits_holds_up_nobody(build):
    setup = build(threads=2)
    request = ask("/held", "GET", "X-Caller: alice")
    with setup.connected(request) as first:
        until(lambda: setup.application.holding == 1)
        with setup.connected(request):
            until(lambda: setup.application.asked == 2)
        with setup.connected(request) as third:
            until(lambda: setup.application.asked == 3)
            setup.application.released.set()
            assert answer(first)[0] == 200
            assert answer(third)[0] == 200


def test_a_long_response_lets_others_in(build):
    setup = build(threads=1, uninterrupted_seconds=0)
    with setup.connected(ask("/long")) as long:
        assert head(long)[0] == 200
        received = []
        reader = threading.Thread(
            target=lambda: received.append(body(long, PIECES * len(PIECE))), daemon=True
        )
        with setup.connected(ask("/quick")) as quick:
            reader.start()
            assert answer(quick)[0] == 200
            assert setup.application.made < PIECES
        reader.join(60)
        assert received == [PIECE * PIECES]


def test_responses_hold_no_more_memory_than_their_budget(build):
    setup = build(response_bytes=3 * MIB)
    two = ask("/long", "GET", f"X-Holds: {2 * MIB}")
    with setup.connected(two, small=True) as first:
        assert head(first)[0] == 200
        with setup.connected(two) as second:
            assert answer(second)[0] == 503
        with setup.connected(ask("/quick", "GET", f"X-Holds: {MIB - 1}")) as small:
            assert answer(small)[0] == 200
    until(lambda: setup.application.ended == 1)
    with setup.connected(two, small=True) as third:
        assert head(third)[0] == 200


def test_a_response_larger_than_the_budget_is_sent_alone(build):
    setup = build(response_bytes=3 * MIB)
    with setup.connected(ask("/quick", "GET", f"X-Holds: {9 * MIB}")) as connection:
        assert answer(connection)[0] == 200


def test_memory_is_free_again_after_the_application_has_failed(build):
    setup = build(response_bytes=3 * MIB)
    for _ in range(2):
        with setup.connected(ask("/fault", "GET", f"X-Holds: {2 * MIB}")) as connection:
            assert answer(connection)[0] == 500


def test_requests_that_wait_while_all_workers_are_held_leave_connections_to_others(build):
    setup = build(
        threads=4,
        connections=40,
        waiting=20,
        options={"needs_no_worker": lambda path, *_: path == "/quick"},
    )
    callers = [ask("/held", "GET", f"X-Caller: {name}") for name in ("alice", "bob")]
    with asking(setup, 2, callers[0]) as of_alice, asking(setup, 2, callers[1]) as of_bob:
        until(lambda: setup.application.holding == 4)
        with asking(setup, 15, callers[0]) as more, asking(setup, 15, callers[1]) as others:
            refused = [answer(one) for one in others[5:]]
            assert [status for status, _, _ in refused] == [503] * 10
            assert all(fields["retry-after"] == "5" for _, fields, _ in refused)
            assert setup.serves_others()
            setup.application.released.set()
            waited = [*of_alice, *of_bob, *more, *others[:5]]
            assert [answer(one)[0] for one in waited] == [200] * 24


def test_a_client_does_not_wait_for_all_requests_of_another_network(build):
    proxy = TrustedProxy(networks=(ip_network("127.0.0.0/8"),))
    setup = build(threads=1, options={"proxy": proxy})

    def of(address):
        return ask("/quick", "GET", f"X-Forwarded-For: {address}")

    with setup.held(), asking(setup, 12, of("192.0.2.1")) as flood:
        with setup.connected(of("192.0.2.2")) as other:
            until(lambda: len(setup.server._context.requested._lines) == 13)
            setup.application.released.set()
            assert answer(other)[0] == 200
        assert [answer(one)[0] for one in flood] == [200] * 12
    assert setup.application.addresses.index("192.0.2.2") <= 2  # the first one was held


def test_a_line_is_that_of_a_network_as_the_application_has_it(build):
    proxy = TrustedProxy(networks=(ip_network("127.0.0.0/8"),))
    network_of = {"2001:db8::1": "one", "2001:db8::2": "one"}.__getitem__
    setup = build(threads=1, options={"proxy": proxy, "network_of": network_of})
    with setup.held():
        lines = setup.server._context.requested._lines
        with (
            setup.connected(ask("/quick", "GET", "X-Forwarded-For: 2001:db8::1")) as first,
            setup.connected(ask("/quick", "GET", "X-Forwarded-For: 2001:db8::2")) as second,
        ):
            until(lambda: len(lines) == 2)
            assert [name for _, name in lines._lines] == ["one"]
            setup.application.released.set()
            assert [answer(first)[0], answer(second)[0]] == [200, 200]
