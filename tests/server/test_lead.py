"""The worker that leads: one at a time, and another one where it waits or works for long."""

import contextlib
import threading

import pytest

from server.lead import Lead
from tests.server.conftest import ask, head
from tests.waiting import until

AN_HOUR = 3600
A_MOMENT = 0.1


@pytest.fixture
def lead_of():
    """Return a lead that is lost after these seconds of work on one thing."""
    leads = []

    def start(seconds):
        lead = Lead(seconds)
        lead.start()
        leads.append(lead)
        return lead

    yield start
    for lead in leads:
        lead.close()


class Worker:
    """A thread that takes the lead, says so, and calls each function that it is given."""

    def __init__(self, lead):
        self.leads = threading.Event()
        self._lead = lead
        self._may_call = threading.Semaphore(0)
        self._calls = []
        threading.Thread(target=self._run, daemon=True).start()

    def call(self, function):
        """Return what the function returns on this worker's thread."""
        returned = []
        self._calls.append(lambda: returned.append(function()))
        self._may_call.release()
        until(lambda: returned)
        return returned[0]

    def _run(self):
        self._lead.take()
        self.leads.set()
        while self._may_call.acquire():
            self._calls.pop(0)()


def leader(lead):
    worker = Worker(lead)
    assert worker.leads.wait(30)
    return worker


def test_of_those_that_wait_the_last_one_gets_the_lead(lead_of):
    lead = lead_of(AN_HOUR)
    first = leader(lead)
    waiting = []
    for count in (1, 2, 3):
        waiting.append(Worker(lead))
        until(lambda count=count: len(lead._waiting) == count)

    first.call(lead.give_away)

    assert waiting[2].leads.wait(30)
    assert [one.leads.is_set() for one in waiting[:2]] == [False, False]
    assert len(lead._waiting) == 2


def test_one_thread_at_a_time_leads_until_it_gives_the_lead_away(lead_of):
    lead = lead_of(AN_HOUR)
    first = leader(lead)
    second = Worker(lead)
    assert first.call(lead.is_mine)
    assert not second.leads.wait(A_MOMENT)
    first.call(lead.give_away)
    assert second.leads.wait(30)
    assert not first.call(lead.is_mine)


def test_a_leader_that_works_on_one_thing_for_too_long_loses_the_lead(lead_of):
    lead = lead_of(0.001)
    first = leader(lead)
    first.call(lead.begin)
    assert leader(lead).call(lead.is_mine)
    assert not first.call(lead.is_mine)


def test_each_leader_that_works_for_too_long_loses_the_lead(lead_of):
    lead = lead_of(0.001)
    for _ in range(5):
        leader(lead).call(lead.begin)
    leader(lead)


def test_a_former_leader_takes_the_lead_from_nobody(lead_of):
    lead = lead_of(AN_HOUR)
    first = leader(lead)
    first.call(lead.give_away)
    second = leader(lead)
    assert first.call(lead.rest) is False
    first.call(lead.begin)
    first.call(lead.give_away)
    assert second.call(lead.is_mine)


def test_a_former_leader_does_not_have_the_lead_taken_from_one_that_waits_for_events(lead_of):
    lead = lead_of(0.001)
    first = leader(lead)
    first.call(lead.give_away)
    second = leader(lead)
    second.call(lead.rest)
    first.call(lead.begin)
    assert not Worker(lead).leads.wait(A_MOMENT)


def test_a_leader_that_waits_for_events_keeps_the_lead(lead_of):
    lead = lead_of(0.001)
    first = leader(lead)
    assert first.call(lead.rest) is True
    assert not Worker(lead).leads.wait(A_MOMENT)


def test_a_leader_is_at_rest_until_it_begins_to_work(lead_of):
    lead = lead_of(AN_HOUR)
    assert not lead.is_at_rest()
    first = leader(lead)
    first.call(lead.rest)
    assert lead.is_at_rest()
    first.call(lead.begin)
    assert not lead.is_at_rest()


def test_many_short_pieces_of_work_are_no_long_one(lead_of, monkeypatch):
    now = [0.0]
    monkeypatch.setattr("server.lead.time.monotonic", lambda: now[0])
    monkeypatch.setattr("server.lead.time.sleep", lambda _: None)
    lead = lead_of(10)
    worker = leader(lead)
    other = Worker(lead)
    for _ in range(20):
        worker.call(lead.begin)
        now[0] += 9
    assert not other.leads.wait(A_MOMENT)
    now[0] += 1
    assert other.leads.wait(30)


def test_a_thread_that_never_led_gives_nothing_away(lead_of):
    lead = lead_of(AN_HOUR)
    lead.give_away()
    leader(lead)
    lead.give_away()
    assert not Worker(lead).leads.wait(A_MOMENT)


def test_the_lead_goes_round_while_many_threads_give_it_away_or_lose_it(lead_of):
    lead = lead_of(0.0001)
    done = []

    def work():
        for _ in range(100):
            lead.take()
            lead.rest()
            lead.begin()
            lead.give_away()
        done.append(True)

    for _ in range(8):
        threading.Thread(target=work, daemon=True).start()
    until(lambda: len(done) == 8)


def test_a_request_that_says_it_will_wait_keeps_nobody_out(build, monkeypatch):
    setup = build(threads=2, working_seconds=AN_HOUR)
    held = setup.application.released.wait

    def wait():
        setup.server.let_others_in()
        return held()

    monkeypatch.setattr(setup.application.released, "wait", wait)
    with setup.held():
        assert setup.serves_others()


def test_a_request_that_does_not_say_so_keeps_others_out_for_a_moment(build):
    with build(threads=2).held() as setup:
        assert setup.serves_others()


def test_a_former_leader_leaves_what_has_come_to_the_leader_that_works(build, monkeypatch):
    setup = build(threads=3, working_seconds=AN_HOUR)
    application = setup.application
    threads, may_end = [], [threading.Event() for _ in range(3)]
    may_begin = threading.Event()

    def wait():
        number = len(threads)
        threads.append(threading.get_ident())
        if number == 0:
            may_begin.wait()
            setup.server.let_others_in()
        may_end[number].wait()

    monkeypatch.setattr(application.released, "wait", wait)
    with contextlib.ExitStack() as stack:
        first = stack.enter_context(setup.connected(ask("/held", "HEAD")))
        until(lambda: len(threads) == 1)
        others = [stack.enter_context(setup.connected(ask("/held", "HEAD"))) for _ in range(2)]
        may_begin.set()
        until(lambda: len(threads) == 2)  # the second worker has both requests
        may_end[0].set()
        assert head(first)[0] == 200
        may_end[1].set()
        may_end[2].set()
        assert [head(one)[0] for one in others] == [200, 200]
    assert threads[1] == threads[2] != threads[0]
