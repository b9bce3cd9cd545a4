"""Deliveries of webhooks: content, signature, order; failures and interruptions."""

import base64
import json
import time
from datetime import UTC, datetime

import pytest

from tests.contract.webhooks import attempted_deliveries, create_webhook, deliveries, signature
from tests.formats import parse_time, time_from_now
from tests.people import PASSWORD
from tests.problems import refused
from tests.receiver import Receiver
from tests.waiting import until


def test_a_delivery_is_signed_as_standard_webhooks_prescribes(webhook_owner, receiver):
    webhook = create_webhook(webhook_owner, receiver.url("/in?x=1"), events=["document.created"])
    document = webhook_owner.upload(b"12345")
    (request,) = receiver.wait_for(1)
    assert (request.method, request.path) == ("POST", "/in?x=1")
    assert request.headers["Content-Type"] == "application/json"
    assert request.headers["Host"] == f"127.0.0.1:{receiver.port}"
    assert request.headers["webhook-signature"] == signature(webhook["secret"], request)
    assert abs(int(request.headers["webhook-timestamp"]) - time.time()) < 60
    (event,) = webhook_owner.events("&type=document.created")
    assert request.headers["webhook-id"] == event["id"]
    assert json.loads(request.body) == {
        "type": "document.created",
        "timestamp": event["createdAt"],
        "data": event["data"],
        "sequence": event["sequence"],
        "hash": event["hash"],
    }
    assert event["data"]["documentId"] == document["id"]


def test_a_delivery_verifies_with_the_standardwebhooks_package(webhook_owner, receiver):
    package = pytest.importorskip("standardwebhooks")
    webhook = create_webhook(webhook_owner, receiver.url())
    webhook_owner.upload()
    for request in receiver.wait_for(2):
        verified = package.Webhook(webhook["secret"]).verify(request.body.decode(), request.headers)
        assert verified == json.loads(request.body)


def test_the_feed_and_the_deliveries_have_the_same_events_in_order(webhook_owner, receiver):
    webhook = create_webhook(webhook_owner, receiver.url())
    for _ in range(5):
        document = webhook_owner.upload(token={"maxViews": 1})
        webhook_owner.get(f"/v1/documents/{document['id']}/view")
        webhook_owner.delete(f"/v1/documents/{document['id']}")
    webhook_owner.create_api_key()
    events = list(webhook_owner.events())
    assert len(events) == 26
    received = receiver.wait_for(26)
    listed = attempted_deliveries(webhook_owner, webhook)
    assert [one.headers["webhook-id"] for one in received] == [one["id"] for one in events]
    assert [json.loads(one.body)["data"] for one in received] == [one["data"] for one in events]
    assert [one["eventId"] for one in listed[::-1]] == [one["id"] for one in events]
    assert {(one["state"], one["status"], one["attempts"]) for one in listed} == {
        ("delivered", 200, 1)
    }


def test_only_events_that_a_webhook_subscribes_to_are_sent(webhook_owner, receiver):
    webhook = create_webhook(
        webhook_owner, receiver.url(), events=["document.deleted", "token.revoked"]
    )
    document = webhook_owner.upload()
    webhook_owner.delete(f"/v1/documents/{document['id']}")
    receiver.wait_for(2)
    types = [one["type"] for one in attempted_deliveries(webhook_owner, webhook)[::-1]]
    assert types == ["document.deleted", "token.revoked"]


def test_a_test_event_is_sent_to_its_webhook_only(webhook_owner, receiver):
    webhook = create_webhook(webhook_owner, receiver.url(), events=["document.created"])
    other = create_webhook(webhook_owner, receiver.url("/other"))
    answer = webhook_owner.post(f"/v1/webhooks/{webhook['id']}/test")
    assert answer.status == 202
    (request,) = receiver.wait_for(1)
    assert request.headers["webhook-id"] == answer.json["eventId"]
    assert json.loads(request.body)["type"] == "webhook.test"
    (delivery,) = attempted_deliveries(webhook_owner, webhook)
    assert (delivery["id"], delivery["answer"]) == (answer.json["id"], "thanks")
    assert deliveries(webhook_owner, other) == []


def test_after_a_rotation_both_secrets_verify(webhook_owner, receiver):
    webhook = create_webhook(webhook_owner, receiver.url())
    rotated = webhook_owner.post(f"/v1/webhooks/{webhook['id']}/rotate-secret")
    assert rotated.status == 201
    assert parse_time(rotated.json["oldSecretUntil"]) > parse_time(time_from_now(hours=23))
    webhook_owner.post(f"/v1/webhooks/{webhook['id']}/test")
    (request,) = receiver.wait_for(1)
    secrets = [rotated.json["secret"], webhook["secret"]]
    assert len({*secrets}) == 2
    assert request.headers["webhook-signature"] == " ".join(
        signature(secret, request) for secret in secrets
    )
    shown = webhook_owner.get(f"/v1/webhooks/{webhook['id']}").json
    assert rotated.json["secret"] not in str(shown)


def test_a_redelivery_sends_the_same_event_again(webhook_owner, receiver):
    webhook = create_webhook(webhook_owner, receiver.url())
    first = webhook_owner.post(f"/v1/webhooks/{webhook['id']}/test").json
    receiver.wait_for(1)
    attempted_deliveries(webhook_owner, webhook)
    path = f"/v1/webhooks/{webhook['id']}/deliveries/{first['id']}/redeliver"
    again = webhook_owner.post(path)
    assert (again.status, again.json["state"]) == (202, "pending")
    one, two = receiver.wait_for(2)
    assert (one.body, one.headers["webhook-id"]) == (two.body, two.headers["webhook-id"])
    assert len(attempted_deliveries(webhook_owner, webhook)) == 1


def test_address_description_and_secret_are_sealed_at_rest(
    webhook_owner, webhook_service, receiver
):
    webhook = create_webhook(
        webhook_owner, receiver.url("/in-clear-nowhere"), description="in-clear-nowhere"
    )
    receiver.answers = [(200, "in-clear-nowhere")]
    webhook_owner.post(f"/v1/webhooks/{webhook['id']}/test")
    receiver.wait_for(1)
    assert attempted_deliveries(webhook_owner, webhook)[0]["answer"] == "in-clear-nowhere"
    for stored in webhook_service.files().values():
        assert b"in-clear-nowhere" not in stored
        assert webhook["secret"].encode() not in stored
        assert base64.b64decode(webhook["secret"].removeprefix("whsec_")) not in stored


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
    receiver.answers = [(302, "")] * 9
    webhook = create_webhook(webhook_owner, receiver.url(), events=["document.created"])
    webhook_owner.upload()
    (delivery,) = attempted_deliveries(webhook_owner, webhook)
    assert (delivery["state"], delivery["status"]) == ("pending", 302)
    assert {one.path for one in receiver.requests} == {"/hook"}


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


def test_a_failed_connection_is_reported_in_the_delivery(webhook_owner):
    webhook = create_webhook(webhook_owner, "http://127.0.0.1:1/")
    webhook_owner.post(f"/v1/webhooks/{webhook['id']}/test")
    (delivery,) = attempted_deliveries(webhook_owner, webhook)
    assert (delivery["status"], delivery["answer"], delivery["state"]) == (None, None, "pending")
    assert delivery["error"] == "The connection was refused."


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
