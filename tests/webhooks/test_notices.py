"""Notices gather for a minute, are tried as other deliveries are, and given up by a 5xx."""

from dataclasses import replace

import pytest

from models import Event, Webhook, WebhookDelivery, database
from models.core import now
from models.events import SmtpClient, notices
from settings import read_settings
from tests.mailbox import BASE, Mailbox
from tests.models.conftest import clock
from tests.waiting import until
from webhooks import Dispatcher, DispatcherLimits, SafeHttpClient

__all__ = ["clock"]
ADA = "ada@example.org"


@pytest.fixture
def box():
    with Mailbox() as box:
        yield box


@pytest.fixture
def dispatcher(instance, runtime, box):
    config = {"SMTP_URL": box.url(), "BASE_URL": BASE}
    server = read_settings({}, config, instance).smtp_url
    runtime.settings = replace(runtime.settings, smtp_url=server, base_url=BASE)
    limits = DispatcherLimits(retries_seconds=(0.01,) * 9, poll_seconds=0.01)
    running = Dispatcher(SafeHttpClient(), limits, SmtpClient(server))
    yield running
    running.stop()


def confirmed(owner, box):
    """A webhook that sends mail to Ada; the question has gone."""
    webhook = Webhook.register(owner.id, f"mailto:{ADA}")
    box.wait_for(1)
    webhook.answer(wanted=True)
    until(lambda: len(box.mails))
    box.mails.clear()
    return Webhook.find(webhook.id)


def states(webhook):
    return {one.state for one in webhook.deliveries(100, None)[0]}


def all_wait(webhook):
    """Whether each delivery has been made, or waits for a later moment: none is being attempted."""
    deliveries, _further = webhook.deliveries(100, None)
    return all(one.delivered_at or (one.due_at or 0) > now() for one in deliveries)


def spend(owner, count=1):
    for number in range(count):
        Event.record(owner.id, "token.spent", {"token_id": f"tok_{number}"})


def test_what_happens_within_a_minute_is_one_mail_of_at_most_50_lines(
    alice, bob, dispatcher, box, clock
):
    webhook = confirmed(alice, box)
    spend(alice)
    (first,) = box.wait_for(1)
    spend(alice, 60)
    until(lambda: all_wait(webhook))
    assert (states(webhook), box.mails) == ({"pending", "delivered"}, [first])
    clock(61_000)
    second = box.wait_for(2)[1]
    until(lambda: all_wait(webhook))
    clock(122_000)
    third = box.wait_for(3)[2]
    until(lambda: states(webhook) == {"delivered"})
    counts = [mail.text.count("A link has ended") for mail in box.mails]
    assert counts == [1, 50, 10]
    assert second.headers["Subject"] == "50 notices"
    lines = [line for mail in (first, second, third) for line in mail.text.splitlines()]
    assert [line.rpartition("_")[2] for line in lines if "/app/links/" in line] == [
        "0",
        *map(str, range(60)),
    ]


def test_two_webhooks_to_one_address_share_its_minute(alice, bob, dispatcher, box, clock):
    mine, theirs = confirmed(alice, box), confirmed(bob, box)
    spend(alice)
    until(lambda: states(mine) == {"delivered"})
    spend(bob)
    until(
        lambda: (
            theirs.deliveries(1, None)[0][0].due_at > theirs.deliveries(1, None)[0][0].created_at
        )
    )
    assert len(box.mails) == 1
    clock(61_000)
    until(lambda: states(theirs) == {"delivered"})
    assert len(box.mails) == 2


def test_a_notice_that_is_refused_for_now_is_the_same_message_later(alice, dispatcher, box, clock):
    webhook = confirmed(alice, box)
    box.answers, box.at = ["451 later"], "DATA"
    spend(alice)
    first = box.wait_for(1)[0]
    until(lambda: webhook.deliveries(1, None)[0][0].attempts == 1)
    clock(61_000)
    second = box.wait_for(2)[1]
    assert first.headers["Message-ID"] == second.headers["Message-ID"]
    assert webhook.deliveries(1, None)[0][0].attempts == 2 or until(
        lambda: states(webhook) == {"delivered"}
    )


def test_a_notice_that_is_refused_for_good_is_not_tried_again(alice, dispatcher, box):
    webhook = confirmed(alice, box)
    box.answers = ["550 no such mailbox"]
    spend(alice)
    until(lambda: states(webhook) == {"failed"})
    (delivery,), _ = webhook.deliveries(1, None)
    assert (delivery.status, delivery.attempts) == (550, 1)
    assert delivery.answer == "no such mailbox"


def test_an_event_that_cannot_be_told_keeps_no_other_notice_back(
    alice, dispatcher, box, monkeypatch, runtime
):
    page_about = notices._page_about

    def fail_for_one(event):
        if event.data["tokenId"] == "tok_1":
            raise ValueError("this cannot be told")
        return page_about(event)

    monkeypatch.setattr(notices, "_page_about", fail_for_one)
    webhook = confirmed(alice, box)
    with database.atomic():
        spend(alice, 3)
    (mail,) = box.wait_for(1)
    until(lambda: [one.state for one in webhook.deliveries(9, None)[0]].count("delivered") == 2)
    assert ("/tok_0" in mail.text, "/tok_1" in mail.text, "/tok_2" in mail.text) == (
        True,
        False,
        True,
    )
    (waiting,) = [one for one in webhook.deliveries(9, None)[0] if one.state == "pending"]
    assert (waiting.attempts, waiting.due_at > now()) == (1, True)
    assert runtime.failures.failed()["notices"] == 1


def test_a_notice_that_was_written_under_a_wrong_clock_is_sent(alice, dispatcher, box):
    webhook = confirmed(alice, box)
    with database.atomic():
        spend(alice)
        WebhookDelivery.update(due_at=now() + 400 * 86_400_000).execute()
    box.wait_for(1)
    until(lambda: states(webhook) == {"delivered"})
