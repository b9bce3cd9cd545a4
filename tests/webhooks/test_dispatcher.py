"""The dispatcher sends due deliveries in order, and retries them until they succeed or fail."""

import ipaddress
import threading
import time
from dataclasses import replace

import pytest

from models import Event, User, Webhook, WebhookDelivery, database
from models.core import now
from models.events import Mail, Outcome, delivery_queued
from operations import verification
from settings import read_settings
from tests.mailbox import BASE
from tests.receiver import Receiver
from tests.waiting import until
from webhooks import Dispatcher, DispatcherLimits, SafeHttpClient

HERE = (ipaddress.ip_network("127.0.0.0/8"),)
AT_ONCE = (0.01,) * 9
ADA = "ada@example.org"


@pytest.fixture
def send(instance, runtime):
    """Starts a dispatcher with the given client and limits."""
    runtime.settings = replace(runtime.settings, webhook_allow=HERE)
    running = []

    def start(client, retries_seconds=AT_ONCE, mailer=None, **limits):
        limits = DispatcherLimits(retries_seconds=retries_seconds, **limits)
        running.append(Dispatcher(client, limits, mailer))
        return running[-1]

    yield start
    for one in running:
        one.stop()


class FakeClient:
    """Returns the given statuses, then 200; records the ids of the events it was given."""

    def __init__(self, *statuses, **more):
        self.statuses, self.more, self.sent = list(statuses), more, []
        self.moments = []  # of each attempt, in milliseconds

    def post(self, _url, headers, _body):
        self.sent.append(headers["webhook-id"])
        self.moments.append(now())
        status = self.statuses.pop(0) if self.statuses else 200
        return Outcome(1, status, "", **self.more)


class HangingClient:
    """Its slow receivers take long once, then do not respond until they are released."""

    def __init__(self):
        self.held, self.released, self._tried = 0, threading.Event(), set()

    def post(self, url, _headers, _body):
        if "slow" not in url:
            return Outcome(1, 200, "")
        if url in self._tried:
            self.held += 1
            self.released.wait()
        self._tried.add(url)
        return Outcome(15_000, None, error="There was no answer within 15 s.")


def rows(hook):
    found, _ = hook.deliveries(100, None)
    return found[::-1]


def hooked(owner, url="https://hook.example/", types=("webhook.test",)):
    return Webhook.register(owner.id, url, types).row


def emit(owner):
    return Event.record(owner.id, "webhook.test", {}).id


def test_a_delivery_fails_after_ten_attempts(alice, send):
    hook, client = hooked(alice), FakeClient(*[500] * 99)
    id = emit(alice)
    send(client)
    until(lambda: rows(hook)[0].state == "failed")
    assert client.sent == [id] * 10
    assert rows(hook)[0].attempts == 10


ALTERED = {
    "its event's text": "UPDATE event SET body = REPLACE(body, 'webhook.test', 'token.spent')",
    "its event's type": "UPDATE event SET type = 'document.deleted'",
    "its event's hash": "UPDATE event SET hash = x'00'",
    "the delivery's event": "UPDATE delivery SET event_id = (SELECT MIN(id) FROM event)",
    "the delivery's text": "UPDATE delivery SET sealed = NULL",
    "no event at all": "DELETE FROM event",
}


def test_nothing_that_was_altered_in_the_database_is_signed_and_sent(alice, send):
    Event.record(alice.id, "webhook.test", {"before": 1})
    hook, client = hooked(alice), FakeClient()
    running = send(client)
    for what, statement in ALTERED.items():
        running.stop()
        id = emit(alice)
        database.execute_sql(f"{statement} WHERE id = :id", {"id": id} | _delivery(statement, id))
        running = send(client)
        until(lambda: newest_as_stored(hook).state == "failed")

        assert client.sent == [], what
        assert (newest_as_stored(hook).id in "".join(verification.check_rows())) == (
            "no event" not in what
        ), what


def newest_as_stored(hook):
    """The newest delivery of a webhook, also if it does not open."""
    of_hook = WebhookDelivery.select().where(WebhookDelivery.webhook_id == hook.id)
    return WebhookDelivery.rows_as_stored(of_hook.order_by(WebhookDelivery.id.desc()))[0]


def _delivery(statement, event_id):
    """The id of the delivery of this event, for a statement that changes deliveries."""
    if "UPDATE delivery" not in statement:
        return {}
    query = WebhookDelivery.select(WebhookDelivery.id)
    return {"id": query.where(WebhookDelivery.event_id == event_id).scalar()}


def test_ten_attempts_take_about_three_days():
    retries_seconds = DispatcherLimits().retries_seconds
    assert len(retries_seconds) == 9
    assert 3 * 86_400 < sum(retries_seconds) < 3.5 * 86_400


def test_a_failed_delivery_waits_while_later_events_are_sent(alice, send):
    hook, client = hooked(alice), FakeClient(500)
    ids = [emit(alice) for _ in range(3)]
    send(client, (1000,) * 9)
    until(lambda: [one.state for one in rows(hook)] == ["pending", "delivered", "delivered"])
    assert client.sent == ids

    WebhookDelivery.update(due_at=now()).where(WebhookDelivery.due_at.is_null(False)).execute()
    delivery_queued.set()

    until(lambda: all(one.state == "delivered" for one in rows(hook)))
    assert client.sent == [*ids, ids[0]]


def test_retries_have_random_jitter(alice, send):
    hook = hooked(alice)
    for _ in range(8):
        emit(alice)
    client = FakeClient(*[500] * 8)
    send(client, (100,) * 9)

    until(lambda: all(one.attempts for one in rows(hook)))
    waits = [one.due_at - one.attempted_at for one in rows(hook)]
    assert max(waits) - min(waits) > 1000
    assert max(waits) <= 120_000
    for one, moment in zip(rows(hook), client.moments, strict=True):
        assert one.due_at - moment >= 80_000


@pytest.mark.parametrize(("asked", "given"), [(600, 600), (10**8, 86_400)])
def test_retry_after_is_respected_up_to_a_day(asked, given, alice, send):
    hook = hooked(alice)
    emit(alice)
    client = FakeClient(503, retry_after_seconds=asked)
    send(client)
    until(lambda: rows(hook)[0].attempts)
    (delivery,), (moment,) = rows(hook), client.moments
    assert delivery.due_at - delivery.attempted_at <= given * 1000 <= delivery.due_at - moment


def test_a_delivery_pending_at_a_stop_is_sent_after_the_next_start(alice, send):
    hook = hooked(alice)
    first = send(FakeClient(*[500] * 99), (1000,) * 9)
    emit(alice)
    until(lambda: rows(hook)[0].attempts)
    first.stop()
    id = emit(alice)
    client = FakeClient()
    send(client)

    until(lambda: client.sent == [id])


def test_a_hanging_receiver_delays_neither_other_deliveries_nor_the_stop(alice, send, receiver):
    with Receiver(hang=True) as slow:
        hung = hooked(alice, slow.url())
        hooked(alice, receiver.url())
        running = send(SafeHttpClient(HERE, deadline_seconds=600), drain_seconds=0.2)
        emit(alice)
        emit(alice)
        receiver.wait_for(2)
        running.stop()
        assert [one.attempts for one in rows(hung)] == [0, 0]  # the first has not ended
        assert len(slow.requests) == 1


def test_a_stop_is_noticed_at_any_moment(send, monkeypatch):
    stopped = threading.Event()

    class Interrupted(threading.Event):
        def clear(self):
            if running and not stopped.is_set():
                stopped.set()
                running[0]._stopped.set()
                self.set()
            super().clear()

    running, queued = [], Interrupted()
    monkeypatch.setattr("webhooks.dispatcher.delivery_queued", queued)
    running.append(send(FakeClient(), poll_seconds=3600))
    queued.set()
    running[0]._dispatcher.join(60)
    assert not running[0]._dispatcher.is_alive()


def test_a_delivery_that_ends_while_others_are_dispatched_is_not_sent_twice(alice, send):
    hooks = [hooked(alice) for _ in range(4)]
    client = FakeClient()
    send(client)
    ids = [emit(alice) for _ in range(50)]
    until(lambda: all(one.state == "delivered" for hook in hooks for one in rows(hook)))
    assert sorted(client.sent) == sorted(ids * 4)


def test_a_delivery_that_cannot_be_recorded_is_sent_again_after_a_pause(
    alice, send, monkeypatch, caplog
):
    record, errors = Webhook.record_outcome, [OSError("disk full"), OSError("disk full")]

    def fail_twice(*args):
        if errors:
            raise errors.pop()
        record(*args)

    monkeypatch.setattr(Webhook, "record_outcome", fail_twice)
    hook, client = hooked(alice), FakeClient()
    id = emit(alice)
    began = time.monotonic()
    send(client, backoff_seconds=0.05)

    until(lambda: rows(hook)[0].state == "delivered")
    assert client.sent == [id] * 3
    assert time.monotonic() - began >= 0.1
    assert "failed" in caplog.text


class RaisingClient(FakeClient):
    """Raises an error for each receiver whose address has `bad` in it."""

    def post(self, url, headers, body):
        if "bad" in url:
            raise RuntimeError("this cannot be sent")
        return super().post(url, headers, body)


def test_a_delivery_that_raises_an_error_is_given_up_after_ten_attempts(
    alice, runtime, send, caplog
):
    bad, good = hooked(alice, "https://bad.example/"), hooked(alice)
    emit(alice)
    send(RaisingClient(), backoff_seconds=0)
    until(lambda: rows(bad)[0].state == "failed")
    assert (rows(bad)[0].attempts, rows(good)[0].state) == (10, "delivered")
    assert runtime.failures.failed()["deliveries"] == 10
    assert runtime.failures.given_up()["deliveries"] == 1
    assert f"{rows(bad)[0].id} (deliveries) is given up" in caplog.text


def test_deliveries_that_raise_errors_hold_no_thread_while_they_wait(alice, send):
    bad = [hooked(alice, f"https://bad.example/{n}") for n in range(4)]
    emit(alice)
    client = RaisingClient()
    send(client, threads=2, backoff_seconds=3600)
    until(lambda: all(rows(one)[0].attempts for one in bad))
    good = hooked(alice)
    emit(alice)
    until(lambda: is_delivered(good))
    assert {rows(one)[0].attempts for one in bad} == {1}
    assert min(rows(one)[0].due_at for one in bad) > now() + 3_000_000


def test_a_failure_that_cannot_be_recorded_lets_its_lane_rest_and_no_other(
    alice, send, monkeypatch
):
    def fail(*_):
        raise OSError("disk full")

    monkeypatch.setattr(WebhookDelivery, "record_failure", fail)
    bad, client = hooked(alice, "https://bad.example/"), RaisingClient()
    emit(alice)
    send(client, threads=2, backoff_seconds=3600)
    good = hooked(alice)
    emit(alice)
    until(lambda: is_delivered(good))
    assert {one.attempts for one in rows(bad)} == {0}


def test_a_delivery_to_a_webhook_that_was_altered_in_the_database_is_not_due_for_ever(alice, send):
    hook, other = hooked(alice), hooked(alice)
    emit(alice)
    database.execute_sql("UPDATE webhook SET sealed = x'00' WHERE id = ?", (hook.id,))
    client = FakeClient()
    send(client)
    until(lambda: not WebhookDelivery.select().where(*WebhookDelivery.pending_of(hook.id)).count())
    until(lambda: is_delivered(other))
    assert len(client.sent) == 1


class HangingMailer:
    """Takes no mail until it is released."""

    def __init__(self):
        self.held, self.released = 0, threading.Event()

    def send(self, _message):
        self.held += 1
        self.released.wait()
        return Outcome(15_000, None, error="There was no answer within 15 s.")


@pytest.fixture
def mail_setting(runtime):
    config = {"SMTP_URL": "smtp://localhost?from=docs@example.org&tls=off", "BASE_URL": BASE}
    server = read_settings({}, config, runtime.settings.instance_path).smtp_url
    runtime.settings = replace(runtime.settings, smtp_url=server, base_url=BASE)


def test_a_mail_server_that_hangs_delays_no_webhook(alice, send, mail_setting):
    mailer = HangingMailer()
    try:
        for number in range(6):
            assert Mail.enqueue(f"usr_{number}", "invitation", ADA, "Hello", "you")
        notified = Webhook.register(alice.id, f"mailto:{ADA}", ("webhook.test",))
        notified.answer(wanted=True)
        send(FakeClient(), threads=4, mailer=mailer)
        until(lambda: mailer.held >= 4)
        hook = hooked(alice)
        emit(alice)
        until(lambda: is_delivered(hook))
    finally:
        mailer.released.set()


def test_webhooks_that_hang_delay_no_mail(alice, blocked, send, mail_setting):
    mailer = HangingMailer()
    try:
        hanging(alice, 4)
        emit(alice)
        send(blocked, threads=2, mailer=mailer)
        until(lambda: blocked.held)
        assert Mail.enqueue("usr_another", "invitation", ADA, "Hello", "you")
        until(lambda: mailer.held == 1)
    finally:
        mailer.released.set()


def test_deliveries_that_cannot_be_read_keep_no_mail_back(alice, send, mail_setting, monkeypatch):
    def fail():
        raise OSError("this cannot be read")

    monkeypatch.setattr(WebhookDelivery, "next_due_per_webhook", fail)
    mailer = HangingMailer()
    try:
        assert Mail.enqueue("usr_another", "invitation", ADA, "Hello", "you")
        send(FakeClient(), mailer=mailer)
        until(lambda: mailer.held == 1)
    finally:
        mailer.released.set()


def test_a_deleted_webhook_gets_no_deliveries(alice, send):
    hook = hooked(alice)
    emit(alice)
    hook.remove()
    client = FakeClient()
    send(client)
    other = hooked(alice)
    id = emit(alice)

    until(lambda: rows(other)[0].state == "delivered")
    assert client.sent == [id]


def test_a_queued_delivery_is_not_sent_after_its_webhook_was_disabled(alice, send):
    hook, client = hooked(alice), FakeClient()
    emit(alice)
    (waiting,) = WebhookDelivery.next_due_per_webhook()
    hook.edit(enabled=False)
    send(client).deliveries.send(waiting)
    assert client.sent == []


def test_deliveries_of_a_disabled_user_wait_until_the_user_is_enabled(alice, bob, send):
    hook, other = hooked(alice), hooked(bob)
    alice.change(disabled_at=now())
    withheld, id = emit(alice), emit(bob)
    client = FakeClient()
    send(client)
    until(lambda: rows(other)[0].state == "delivered")
    assert client.sent == [id]
    alice.change(disabled_at=None)
    emit(bob)
    until(lambda: rows(hook)[0].state == "delivered")
    assert withheld in client.sent


def test_slow_receivers_leave_threads_to_fast_ones(alice, send):
    for n in range(4):
        hooked(alice, f"https://slow.example/{n}")
    client = HangingClient()
    try:
        emit(alice)
        send(client, (0,) * 9, threads=4)
        until(lambda: client.held == 2)  # each has been slow once; now half of the threads wait
        fast = hooked(alice)
        emit(alice)
        until(lambda: any(one.state == "delivered" for one in rows(fast)))
        assert client.held == 2
    finally:
        client.released.set()


def test_a_due_time_far_in_the_future_is_ignored(alice, send):
    hook = hooked(alice)
    emit(alice)
    far = now() + 400 * 86_400_000
    WebhookDelivery.update(due_at=far).execute()
    send(FakeClient())
    until(lambda: rows(hook)[0].state == "delivered")


def test_a_commit_wakes_the_dispatcher(alice, send):
    first, hook = hooked(alice), hooked(alice)
    emit(alice)
    send(FakeClient(), poll_seconds=3600)
    until(lambda: all(rows(one)[0].state == "delivered" for one in (first, hook)))
    emit(alice)
    until(lambda: rows(hook)[-1].state == "delivered")


class BlockedClient:
    """Receivers whose address has `hang` in it do not respond until they are released."""

    def __init__(self):
        self.sent, self.held, self.released = [], [], threading.Event()
        self.next = threading.Semaphore(0)  # each release of it lets one receiver go

    def post(self, url, _headers, _body):
        self.sent.append(url)
        if "hang" not in url:
            return Outcome(1, 200, "")
        self.held.append(url)
        while not self.released.is_set() and not self.next.acquire(timeout=0.01):
            pass
        self.held.remove(url)
        return Outcome(15_000, None, error="There was no answer within 15 s.")


@pytest.fixture
def blocked(send):
    """Is released before the dispatcher is stopped."""
    client = BlockedClient()
    yield client
    client.released.set()


@pytest.fixture
def people(alice):
    """A dozen further users."""
    return [
        User.register(f"{n}@example.com", "correct horse battery", None, "open") for n in range(12)
    ]


def hanging(owner, number):
    return [hooked(owner, f"https://hang.example/{owner.id}/{n}") for n in range(number)]


def is_delivered(hook):
    return rows(hook)[-1].state == "delivered"


def test_new_hanging_webhooks_of_three_users_leave_threads_to_others(alice, people, blocked, send):
    for owner in people[:3]:
        hanging(owner, 20)
        emit(owner)
    send(blocked)
    until(lambda: len(blocked.held) == 3 * 3)

    hook = hooked(alice)
    emit(alice)

    until(lambda: is_delivered(hook))
    assert len(blocked.held) == 3 * 3


def test_four_users_who_create_hanging_webhooks_again_delay_nobody(alice, people, blocked, send):
    send(blocked)
    for _ in range(3):
        for owner in people[:4]:
            hanging(owner, 20)
            emit(owner)
            until(lambda: sum(owner.id in url for url in blocked.held) == 3)  # noqa: B023
            Webhook.delete().where(Webhook.owner_id == owner.id).execute()

    hook = hooked(alice)
    emit(alice)

    until(lambda: is_delivered(hook))


def test_after_a_restart_the_last_attempt_still_tells_which_webhook_is_fast(
    alice, people, blocked, send
):
    hook = hooked(alice)
    first = send(blocked)
    emit(alice)
    until(lambda: is_delivered(hook))
    first.stop()
    assert blocked.held == []
    for owner in people:
        hanging(owner, 4)
        emit(owner)
    send(blocked)
    until(lambda: len(blocked.held) == 36)

    emit(alice)

    until(lambda: len(rows(hook)) == 2 and is_delivered(hook))


@pytest.fixture
def passes(monkeypatch):
    """The webhooks that were found to have something due, for each look at the database."""
    found, look = [], WebhookDelivery.next_due_per_webhook

    def remember():
        due = look()
        found.append({one.webhook_id for one in due})
        return due

    monkeypatch.setattr(WebhookDelivery, "next_due_per_webhook", remember)
    return found


def test_whoever_holds_fewer_threads_is_next(alice, people, blocked, send, passes):
    for owner in people:
        hanging(owner, 4)
        emit(owner)
    send(blocked)
    until(lambda: len(blocked.held) == 36)
    hook = hooked(alice)
    emit(alice)  # is the youngest: twelve others wait
    until(lambda: hook.id in passes[-1])
    known = len(passes)
    delivery_queued.set()
    until(lambda: len(passes) > known)  # no earlier pass goes on

    assert not is_delivered(hook)
    blocked.next.release()

    until(lambda: is_delivered(hook))
    assert blocked.sent[36] == hook.url


def test_a_user_holds_at_most_a_share_of_all_threads(alice, people, blocked, send, monkeypatch):
    monkeypatch.setattr(WebhookDelivery, "last_duration_ms", lambda _id: 1)  # all are proven
    hanging(alice, 20)
    emit(alice)
    hook = hooked(people[0])
    send(blocked)
    until(lambda: len(blocked.held) == 8)

    emit(people[0])

    until(lambda: is_delivered(hook))
    assert len(blocked.held) == 8
