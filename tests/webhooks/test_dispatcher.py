"""The courier: what is due is sent, in order, and again until it arrived or was given up."""

import ipaddress
import threading
import time

import pytest

from models import Event, Webhook, WebhookDelivery, connected
from models.delivery import Outcome
from models.records.ids import now
from models.request_activity import traffic
from tests.people import until
from tests.receiver import Receiver
from webhooks import SafeHttpClient, WebhookDispatcher
from webhooks import dispatcher as courier

HERE = (ipaddress.ip_network("127.0.0.0/8"),)
SOON = (0.01,) * 9


@pytest.fixture
def send(instance, monkeypatch):
    """Starts a courier; it is stopped in the end."""
    monkeypatch.setattr(Webhook, "allowed", HERE)
    running = []

    def start(guard=None, retries_seconds=SOON):
        running.append(WebhookDispatcher(guard or SafeHttpClient(HERE), retries_seconds))
        return running[-1]

    yield start
    for one in running:
        one.stop()


class Answers:
    """A guard that says what it is told to, and remembers what it was asked to send."""

    def __init__(self, *statuses, **more):
        self.statuses, self.more, self.sent = list(statuses), more, []

    def post(self, _url, headers, _body):
        self.sent.append(headers["webhook-id"])
        status = self.statuses.pop(0) if self.statuses else 200
        return Outcome(1, status, "", **self.more)


class Silent:
    """A guard whose slow receivers take long once, then don't answer until they are released."""

    def __init__(self):
        self.held, self.released, self._tried = 0, threading.Event(), set()

    def post(self, url, _headers, _body):
        if "slow" not in url:
            return Outcome(1, 200, "")
        if url in self._tried:
            self.held += 1
            self.released.wait(20)
        self._tried.add(url)
        return Outcome(15_000, None, error="There was no answer within 15 s.")


def rows(hook):
    found, _ = hook.deliveries(100, None)
    return found[::-1]


def hooked(owner, url="https://hook.example/", types=("webhook.test",)):
    return Webhook.register(owner.id, url, types)


def tell(owner):
    return Event.tell(owner.id, "webhook.test", {}).id


def test_a_delivery_is_tried_ten_times_and_then_given_up(alice, send):
    hook, guard = hooked(alice), Answers(*[500] * 99)
    id = tell(alice)
    send(guard)

    until(lambda: rows(hook)[0].state == "failed")
    assert guard.sent == [id] * 10
    assert rows(hook)[0].attempts == 10


def test_ten_tries_take_about_three_days():
    assert len(courier.RETRIES_SECONDS) == 9
    assert 3 * 86_400 < sum(courier.RETRIES_SECONDS) < 3.5 * 86_400


def test_what_failed_waits_while_later_events_go_on(alice, send):
    hook, guard = hooked(alice), Answers(500)
    ids = [tell(alice) for _ in range(3)]
    send(guard, (0.5,) * 9)

    until(lambda: all(one.state == "delivered" for one in rows(hook)))
    assert guard.sent == [*ids, ids[0]]


def test_waits_are_longer_and_shorter_by_chance(alice, send):
    hook = hooked(alice)
    for _ in range(8):
        tell(alice)
    send(Answers(*[500] * 8), (100,) * 9)

    until(lambda: all(one.attempts for one in rows(hook)))
    waits = [one.due_at - one.attempted_at for one in rows(hook)]
    assert max(waits) - min(waits) > 1000
    assert all(79_000 < wait < 121_000 for wait in waits)


@pytest.mark.parametrize(("asked", "given"), [(600, 600), (10**8, 86_400)])
def test_a_receiver_may_ask_for_a_longer_wait_within_reason(asked, given, alice, send):
    hook = hooked(alice)
    tell(alice)
    send(Answers(503, retry_after_seconds=asked))

    until(lambda: rows(hook)[0].attempts)
    wait = rows(hook)[0].due_at - rows(hook)[0].attempted_at
    assert given * 1000 - 1000 < wait < given * 1000 + 1000


def test_what_was_pending_at_a_stop_is_sent_after_the_next_start(alice, send):
    hook = hooked(alice)
    first = send(Answers(*[500] * 99), (1000,) * 9)
    tell(alice)
    until(lambda: rows(hook)[0].attempts)
    first.stop()
    id = tell(alice)
    guard = Answers()
    send(guard)

    until(lambda: guard.sent == [id])


def test_a_hanging_receiver_holds_up_nobody_else_and_not_the_stop_for_long(
    alice, send, receiver, monkeypatch
):
    monkeypatch.setattr(courier, "DRAIN_SECONDS", 0.2)
    with Receiver(hang=True) as slow:
        hooked(alice, slow.url())
        hooked(alice, receiver.url())
        running = send(SafeHttpClient(HERE))
        tell(alice)
        tell(alice)
        receiver.wait_for(2)
        began = time.monotonic()
        running.stop()
        assert time.monotonic() - began < 3
        assert len(slow.requests) == 1


def test_a_delivery_that_ends_while_others_are_handed_out_is_not_sent_twice(alice, send):
    hooks = [hooked(alice) for _ in range(4)]
    guard = Answers()
    send(guard)
    ids = [tell(alice) for _ in range(50)]

    until(lambda: all(one.state == "delivered" for hook in hooks for one in rows(hook)))
    assert sorted(guard.sent) == sorted(ids * 4)


def test_what_cannot_be_noted_is_sent_again_after_a_rest(alice, send, monkeypatch, caplog):
    monkeypatch.setattr(courier, "REST_SECONDS", 0.05)
    note, broken = Webhook.note, [OSError("no room"), OSError("no room")]

    def noted(*args):
        if broken:
            raise broken.pop()
        note(*args)

    monkeypatch.setattr(Webhook, "note", noted)
    hook, guard = hooked(alice), Answers()
    id = tell(alice)
    began = time.monotonic()
    send(guard)

    until(lambda: rows(hook)[0].state == "delivered")
    assert guard.sent == [id] * 3
    assert time.monotonic() - began >= 0.1
    assert "failed" in caplog.text


def test_a_webhook_deleted_meanwhile_gets_nothing_more(alice, send):
    hook = hooked(alice)
    tell(alice)
    hook.remove()
    guard = Answers()
    send(guard)
    other = hooked(alice)
    id = tell(alice)

    until(lambda: rows(other)[0].state == "delivered")
    assert guard.sent == [id]


def test_what_was_handed_out_before_its_webhook_was_disabled_is_not_sent(alice, send):
    hook, guard = hooked(alice), Answers()
    tell(alice)
    (waiting,) = WebhookDelivery.next_due_per_webhook()
    hook.edit(enabled=False)
    send(guard)._try(waiting)

    assert guard.sent == []


def test_what_belongs_to_a_user_who_is_shut_out_waits(alice, bob, send):
    hook, other = hooked(alice), hooked(bob)
    alice.change(disabled_at=now())
    withheld, id = tell(alice), tell(bob)
    guard = Answers()
    send(guard)
    until(lambda: rows(other)[0].state == "delivered")
    assert guard.sent == [id]
    alice.change(disabled_at=None)
    tell(bob)
    until(lambda: rows(hook)[0].state == "delivered")
    assert withheld in guard.sent


def test_a_delivery_gives_way_to_requests_but_not_for_ever(alice, send):
    hook = hooked(alice)
    traffic.enter()
    try:
        send(Answers())
        tell(alice)
        until(lambda: rows(hook)[0].state == "delivered", 5)
    finally:
        traffic.leave()


def test_receivers_that_take_long_leave_threads_to_a_quick_one(alice, send, monkeypatch):
    monkeypatch.setattr(courier, "THREADS", 4)
    for n in range(4):
        hooked(alice, f"https://slow.example/{n}")
    silent = Silent()
    try:
        tell(alice)
        send(silent, (0,) * 9)
        until(lambda: silent.held == 2)  # each has been slow once; now half of the threads wait
        quick = hooked(alice)
        tell(alice)
        until(lambda: any(one.state == "delivered" for one in rows(quick)), 5)
        assert silent.held == 2
    finally:
        silent.released.set()


def test_what_is_late_gives_way_no_more(alice, send, monkeypatch):
    monkeypatch.setattr(courier, "GIVE_WAY_SECONDS", 5)
    hook = hooked(alice)
    tell(alice)
    WebhookDelivery.update(due_at=now() - 61_000).execute()
    traffic.enter()
    try:
        send(Answers())
        until(lambda: rows(hook)[0].state == "delivered", 2)
    finally:
        traffic.leave()


def test_what_was_written_under_a_wrong_clock_is_not_waited_for(alice, send):
    hook = hooked(alice)
    tell(alice)
    far = now() + 400 * 86_400_000
    WebhookDelivery.update(due_at=far).execute()
    send(Answers())

    until(lambda: rows(hook)[0].state == "delivered")


def test_a_commit_wakes_the_courier_at_once(alice, send):
    hook = hooked(alice)
    send(Answers())
    time.sleep(0.1)
    told = threading.Thread(target=lambda: _tell_connected(alice))
    told.start()
    told.join()

    until(lambda: rows(hook)[0].state == "delivered", 1)


def _tell_connected(owner):
    with connected():
        tell(owner)
