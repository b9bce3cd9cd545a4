"""What is due is attempted once, without a dispatcher."""

from dataclasses import replace
from ipaddress import ip_network

import pytest

from models import Event, Webhook, WebhookDelivery
from models.events import SmtpClient
from settings import read_settings
from tests.mailbox import BASE, Mailbox
from webhooks import SafeHttpClient, send_due

HERE = (ip_network("127.0.0.0/8"),)
CLIENT = SafeHttpClient(HERE)


@pytest.fixture
def webhook(alice, runtime, receiver):
    """A webhook on this machine."""
    runtime.settings = replace(runtime.settings, webhook_allow=HERE)
    return Webhook.register(alice.id, receiver.url())


def spend(owner, count):
    for number in range(count):
        Event.record(owner.id, "token.spent", {"token_id": f"tok_{number}"})


def test_every_delivery_that_is_due_is_attempted_in_the_order_of_events(alice, webhook, receiver):
    spend(alice, 3)

    assert send_due(CLIENT) == 3
    assert send_due(CLIENT) == 0

    sent = [request.headers["webhook-id"] for request in receiver.requests]
    assert sent == sorted(sent)
    assert len(sent) == 3
    assert {one.state for one in webhook.deliveries(100, None)[0]} == {"delivered"}


def test_what_fails_is_attempted_once_and_keeps_nothing_else_waiting(alice, webhook, receiver):
    receiver.answers = [(500, "not now")]
    spend(alice, 2)

    assert send_due(CLIENT) == 2

    assert len(receiver.requests) == 2
    states = sorted(one.state for one in webhook.deliveries(100, None)[0])
    assert states == ["delivered", "pending"]


def test_the_pass_ends_though_no_outcome_can_be_stored(alice, webhook, monkeypatch):
    spend(alice, 2)

    def fail(*_, **__):
        raise OSError("The disk is full.")

    monkeypatch.setattr(Webhook, "record_outcome", fail)
    monkeypatch.setattr(WebhookDelivery, "record_failure", fail)

    assert send_due(CLIENT) == 1


def test_mail_and_notices_are_sent_if_there_is_a_mail_server(alice, runtime, instance):
    with Mailbox() as box:
        config = {"SMTP_URL": box.url(), "BASE_URL": BASE}
        server = read_settings({}, config, instance).smtp_url
        runtime.settings = replace(runtime.settings, smtp_url=server, base_url=BASE)
        mailer = SmtpClient(server)
        webhook = Webhook.register(alice.id, "mailto:ada@example.org")
        assert send_due(CLIENT) == 0
        assert send_due(CLIENT, mailer) == 1  # asks whether the address wants them
        webhook.answer(wanted=True)
        spend(alice, 1)
        send_due(CLIENT, mailer)

        assert len(box.mails) >= 2
        assert "A link has ended" in "".join(mail.text for mail in box.mails)
