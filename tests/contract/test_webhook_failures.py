"""Deliveries of webhooks that fail, are slow, or are interrupted."""

import json
from datetime import UTC, datetime

from tests.contract.webhooks import attempted_deliveries, create_webhook, deliveries
from tests.formats import parse_time
from tests.people import PASSWORD
from tests.problems import refused
from tests.receiver import Receiver
from tests.waiting import until


def test_a_failed_delivery_is_retried_and_keeps_the_first_kib_of_the_answer(
    webhook_owner, receiver
):
    receiver.answers = [(500, "ü" * 2000)]
    webhook = create_webhook(webhook_owner, receiver.url(), events=["document.created"])
    before = datetime.now(UTC)
    webhook_owner.upload()
    (delivery,) = attempted_deliveries(webhook_owner, webhook)
    assert (delivery["state"], delivery["status"], delivery["attempts"]) == ("pending", 500, 1)
    assert (delivery["answer"], delivery["error"]) == ("ü" * 512, None)
    assert delivery["durationMs"] >= 0
    wait = parse_time(delivery["nextAttemptAt"]) - parse_time(delivery["attemptedAt"])
    assert wait.total_seconds() < 7
    assert (parse_time(delivery["nextAttemptAt"]) - before).total_seconds() > 3
    assert webhook_owner.get(f"/v1/webhooks/{webhook['id']}").json["failingSince"]


def test_a_redirect_is_a_failure_and_not_followed(webhook_owner, receiver):
    receiver.answers = [(302, "")]
    webhook = create_webhook(webhook_owner, receiver.url(), events=["document.created"])
    webhook_owner.upload()
    (delivery,) = attempted_deliveries(webhook_owner, webhook)
    assert (delivery["state"], delivery["status"]) == ("pending", 302)
    assert len(receiver.requests) == 1


def test_a_410_disables_the_webhook_and_notifies_the_others(webhook_owner, receiver):
    other = create_webhook(webhook_owner, receiver.url("/other"), events=["webhook.disabled"])
    receiver.answers = [(410, "")]
    webhook = create_webhook(webhook_owner, receiver.url("/gone"), events=["document.created"])
    path = f"/v1/webhooks/{webhook['id']}"
    webhook_owner.upload()
    until(lambda: not webhook_owner.get(path).json["enabled"])
    assert webhook_owner.get(path).json["disabledReason"] == "gone"
    assert [one["state"] for one in deliveries(webhook_owner, webhook)] == ["failed"]
    body = json.loads(receiver.wait_for(2)[1].body)
    assert body["data"] == {"webhookId": webhook["id"], "reason": "gone", "via": "service"}
    assert [one["type"] for one in deliveries(webhook_owner, other)] == ["webhook.disabled"]
    webhook_owner.upload()
    assert len(deliveries(webhook_owner, webhook)) == 1
    refused(webhook_owner.post(f"{path}/test"), 409, "webhook_disabled")
    assert webhook_owner.patch(path, json={"enabled": True}).json["disabledAt"] is None
    webhook_owner.upload()
    receiver.wait_for(3)


def test_a_slow_receiver_does_not_delay_another(webhook_owner, receiver):
    with Receiver(hang=True) as slow:
        waiting = create_webhook(webhook_owner, slow.url(), events=["document.created"])
        create_webhook(webhook_owner, receiver.url(), events=["document.created"])
        for _ in range(3):
            webhook_owner.upload()
        receiver.wait_for(3)
        assert not any(one["attempts"] for one in deliveries(webhook_owner, waiting))


def test_a_webhook_gets_the_next_event_only_after_it_has_answered(webhook_owner, receiver):
    with Receiver(hang=True) as slow:
        create_webhook(webhook_owner, slow.url(), events=["document.created"])
        create_webhook(webhook_owner, receiver.url(), events=["document.created"])
        webhook_owner.upload()
        slow.wait_for(1)
        for _ in range(3):
            webhook_owner.upload()
        receiver.wait_for(4)
        assert len(slow.requests) == 1


def test_a_failed_connection_is_reported_in_the_delivery(webhook_owner):
    webhook = create_webhook(webhook_owner, "http://127.0.0.1:1/")
    webhook_owner.post(f"/v1/webhooks/{webhook['id']}/test")
    (delivery,) = attempted_deliveries(webhook_owner, webhook)
    assert (delivery["status"], delivery["answer"], delivery["state"]) == (None, None, "pending")
    assert delivery["error"] == "The connection failed: ConnectionRefusedError."


def test_twenty_pending_events_survive_kill_9(start_service):
    service = start_service(RATE_LIMITS="off", WEBHOOK_ALLOW="127.0.0.1/32")
    webhook_owner = service.register()
    with Receiver(hang=True) as receiver:
        create_webhook(webhook_owner, receiver.url(), events=["document.created"])
        for _ in range(20):
            webhook_owner.upload()
        receiver.wait_for(1)
        service.kill()
        receiver.answer_all()
        service.start()
        until(lambda: len({one.headers["webhook-id"] for one in receiver.requests}) == 20)
    webhook_owner = service.log_in(webhook_owner.record["email"], PASSWORD)
    ids = [event["id"] for event in webhook_owner.events("&type=document.created")]
    assert {one.headers["webhook-id"] for one in receiver.requests} == {*ids}
