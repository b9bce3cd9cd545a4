"""Webhooks and their deliveries: what follows from how a try ended, and how long it is kept."""

import time

import pytest
from peewee import SQL

from models import Event, Webhook, WebhookDelivery, database
from models.background import sweep
from models.core import NotFound, ids
from models.events import Outcome
from models.events.delivery import _FIRST_OF_EACH
from models.events.webhook import FAILING_MS, OVERLAP_MS
from operations import verification
from tests.models.events.test_event import DAY_MS, told

GOOD, BAD, GONE = Outcome(1, 204, ""), Outcome(1, 500, "oh"), Outcome(1, 410, "")


@pytest.fixture
def hook(alice):
    return Webhook.register(
        alice.id, "https://hook.example/", ("webhook.test", "webhook.disabled")
    ).row


def pending(hook):
    Event.record(hook.owner_id, "webhook.test", {})
    (newest, *_), _ = hook.deliveries(1, None)
    return newest


def again(hook):
    return Webhook.one_of(hook.owner_id, hook.id)


def state(hook):
    (newest, *_), _ = hook.deliveries(1, None)
    return newest.state


def test_five_days_of_nothing_but_failures_disable_a_webhook(alice, hook, clock):
    one = pending(hook)
    hook.record_outcome(one, BAD, ids.now())
    clock(FAILING_MS - 1000)
    hook.record_outcome(one, BAD, ids.now())
    assert again(hook).disabled_at is None
    clock(FAILING_MS)
    hook.record_outcome(one, BAD, ids.now())

    assert again(hook).disabled_reason == "failing"
    assert state(hook) == "failed"
    assert told(alice)[1:] == ["webhook.disabled"]


def test_the_last_ten_attempts_are_kept_also_when_it_is_sent_again(hook):
    one = pending(hook)
    hook.record_outcome(one, BAD, ids.now())
    hook.redeliver(one.id)
    ((sent,), _) = hook.deliveries(1, None)
    assert [attempt.status for attempt in sent.history] == [500]
    hook.record_outcome(sent, Outcome(7, error="The name is not known."), ids.now())
    hook.record_outcome(sent, GOOD, None)
    ((sent,), _) = hook.deliveries(1, None)
    assert [attempt[1:] for attempt in sent.history] == [
        (500, 1, None),
        (None, 7, "The name is not known."),
        (204, 1, None),
    ]
    for _ in range(12):
        hook.record_outcome(sent, BAD, ids.now())
    ((sent,), _) = hook.deliveries(1, None)
    assert len(sent.history) == 10


def test_one_success_in_five_days_keeps_it(hook, clock):
    one = pending(hook)
    hook.record_outcome(one, BAD, ids.now())
    clock(FAILING_MS - 1000)
    hook.record_outcome(pending(hook), GOOD, None)
    clock(FAILING_MS + 1000)
    hook.record_outcome(one, BAD, ids.now())
    assert again(hook).disabled_at is None


def test_a_try_that_ends_after_its_webhook_was_disabled_is_not_repeated(hook):
    one = pending(hook)
    hook.edit(enabled=False)
    hook.record_outcome(one, BAD, ids.now())
    assert state(hook) == "failed"


def test_a_webhook_is_disabled_once(alice, hook):
    one = pending(hook)
    hook.edit(enabled=False)
    hook.edit(enabled=False)
    hook.record_outcome(one, GONE, None)
    assert told(alice).count("webhook.disabled") == 1
    assert again(hook).disabled_reason == "owner"


def test_an_edit_that_races_another_loses_nothing(hook):
    stale = again(hook)
    hook.edit(description="one")
    stale.edit(url="https://other.example/")
    assert (again(hook).url, again(hook).description) == ("https://other.example/", "one")


def test_the_old_secret_signs_for_a_day(hook, clock):
    old = hook.sign("evt_1", 1, b"{}")
    new = hook.rotate_secret()
    assert new.sign("evt_1", 1, b"{}").split()[1] == old
    clock(OVERLAP_MS + 1000)
    assert len(new.sign("evt_1", 1, b"{}").split()) == 1
    assert again(hook).old_secret_until is None


def test_a_second_rotation_ends_the_first_secret(hook):
    first = hook.sign("evt_1", 1, b"{}")
    hook.rotate_secret()
    hook.rotate_secret()
    signatures = again(hook).sign("evt_1", 1, b"{}").split()
    assert (len(signatures), first in signatures) == (2, False)


def test_old_deliveries_are_forgotten_but_what_is_pending_and_its_event_stay(alice, hook, clock):
    done, waiting = pending(hook), pending(hook)
    hook.record_outcome(done, GOOD, None)
    clock(100 * DAY_MS)
    sweep()
    assert [one.id for one in hook.deliveries(9, None)[0]] == [waiting.id]
    assert [one.id for one in Event.feed(alice.id, 9, None)[0]] == [waiting.event_id]


def test_an_event_that_is_forgotten_is_not_sent_again(alice, hook, clock):
    done = pending(hook)
    hook.record_outcome(done, GOOD, None)
    Event.delete().execute()
    with pytest.raises(NotFound):
        hook.redeliver(done.id)


def test_deliveries_of_one_millisecond_are_sent_in_order_whichever_process_queued_them(
    alice, hook, monkeypatch
):
    moment = time.time_ns()
    monkeypatch.setattr(time, "time_ns", lambda: moment)
    for _ in range(20):
        ids.forget_last_id()  # as in another process
        Event.record(alice.id, "webhook.test", {})
    sent = []
    while due := WebhookDelivery.next_due_per_webhook():
        sent.append(due[0].event_id)
        hook.record_outcome(due[0], GOOD, None)

    assert sent == [event.id for event in Event.feed(alice.id, 99, None)[0]]


def test_the_look_for_what_is_due_reads_one_row_of_each_webhook(hook):
    query, _ = WebhookDelivery.select().where(SQL(_FIRST_OF_EACH)).sql()
    plan = [row[-1] for row in database.execute_sql(f"EXPLAIN QUERY PLAN {query}")]
    assert not [
        line
        for line in plan
        if "SCAN t1" in line or "SCAN delivery" in line or "TEMP B-TREE" in line
    ]


def test_a_webhook_that_was_altered_is_named_and_does_not_hide_the_others(alice, bob, hook):
    other = Webhook.register(bob.id, "https://example.org/other").row
    with database.atomic():
        database.execute_sql("UPDATE webhook SET owner_id = ? WHERE id = ?", (bob.id, hook.id))
    assert [one.id for one in Webhook.page(bob.id, 10, None)[0]] == [other.id]
    assert Webhook.find(hook.id) is None
    assert [line.split()[0] for line in verification.check_rows()] == [hook.id]


def test_an_event_takes_as_many_statements_whatever_number_of_webhooks_want_it(
    alice, hook, monkeypatch
):
    asked = []
    execute = database.obj.execute_sql

    def counted(sql, params=None):
        asked.append(sql)
        return execute(sql, params)

    monkeypatch.setattr(database.obj, "execute_sql", counted)

    def statements():
        asked.clear()
        Event.record(alice.id, "webhook.test", {})
        return len(asked)

    of_one = statements()
    for number in range(5):
        Webhook.register(alice.id, f"https://hook{number}.example/", ("webhook.test",))
    assert statements() == of_one
    assert WebhookDelivery.select().count() == 1 + 6
