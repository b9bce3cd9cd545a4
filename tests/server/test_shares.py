"""Shares of the workers: one caller never has more than half of them."""

from dataclasses import dataclass

from server.lines import By, Lines
from server.shares import Shares


@dataclass(eq=False)
class Request:
    caller: tuple[str, ...]
    counted: tuple[str, ...] = ()
    is_refused: bool = False


class Served:
    """Shares of 16 workers, and the requests that were let in after they had waited."""

    def __init__(self, most_waiting=10):
        self.later = []
        self.shares = Shares(16, Lines(most_waiting), self.later.append)

    def ask(self, *caller):
        request = Request(caller)
        return request, self.shares.enter_or_wait(request)

    def fill(self, *caller):
        """Ask until one waits; return those that are served."""
        served = []
        while True:
            request, is_counted = self.ask(*caller)
            if not is_counted:
                return served
            served.append(request)


def test_one_caller_has_half_of_the_workers_and_another_one_the_others():
    served = Served()
    assert len(served.fill("alice")) == 8
    assert len(served.fill("bob")) == 8


def test_one_link_leaves_a_quarter_of_the_share_of_its_owner():
    served = Served()
    assert len(served.fill("alice", "link")) == 6
    assert len(served.fill("alice", "another link")) == 2
    assert len(served.fill("alice")) == 0


def test_a_request_that_waits_is_served_when_one_of_its_caller_ends():
    served = Served()
    first, *others = served.fill("alice")
    waiting = served.shares._lines._lines[By.CALLER, "alice"][0][1]
    served.shares.leave(first)
    assert served.later == [waiting]
    assert waiting.counted == ("alice",)
    assert len(others) == 7


def test_a_request_that_waits_is_not_overtaken_by_one_of_the_same_caller():
    served = Served()
    first, *_ = served.fill("alice")
    served.shares.leave(first)
    _, is_counted = served.ask("alice")
    assert not is_counted


def test_the_end_of_a_request_by_one_link_lets_one_of_another_link_in():
    served = Served()
    by_link = served.fill("alice", "link")  # and one waits
    served.fill("alice", "other")  # so does one of these
    served.shares.leave(by_link[0])
    assert [one.caller for one in served.later] == [("alice", "link")]
    served.shares.leave(by_link[1])
    assert [one.caller for one in served.later][1:] == [("alice", "other")]


def test_too_many_waiting_requests_of_one_caller_are_refused():
    served = Served(most_waiting=3)
    served.fill("alice")
    waiting = [served.ask("alice")[0] for _ in range(4)]
    assert [one.is_refused for one in waiting] == [False, False, True, True]
    assert served.later == waiting[2:]
    assert served.ask("bob")[1]


def test_a_request_of_another_caller_takes_the_place_of_the_newest_of_the_longest_line():
    served = Served(most_waiting=5)
    served.fill("alice")
    of_alice = [served.ask("alice")[0] for _ in range(4)]
    served.fill("bob")  # and one waits
    assert [one.is_refused for one in of_alice] == [False, False, False, True]
    of_bob, _ = served.ask("bob")
    assert not of_bob.is_refused
    assert [one.is_refused for one in of_alice] == [False, False, True, True]
    assert served.later == [of_alice[3], of_alice[2]]


def test_a_caller_without_requests_is_forgotten():
    served = Served()
    for request in served.fill("alice", "link"):
        served.shares.leave(request)
    while served.later:
        served.shares.leave(served.later.pop())
    assert not served.shares._serving
    assert len(served.shares._lines) == 0


def test_a_server_of_one_worker_serves_everybody():
    shares = Shares(1, Lines(10), lambda _: None)
    request = Request(("alice", "link"))
    assert shares.enter(request)
