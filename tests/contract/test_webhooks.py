"""Webhooks: every fact sent once to whoever asked, signed, and again until it arrived."""

import base64
import hashlib
import hmac
import json
import time

import pytest

from tests.contract.test_events import feed
from tests.people import PASSWORD, in_query, instant, moment, pointed, refused, until
from tests.receiver import Receiver

URL = "https://hook.example/in"


@pytest.fixture(scope="module")
def sending(start_service):
    """A service whose webhooks may reach this machine."""
    return start_service(RATE_LIMITS="off", WEBHOOK_ALLOW="127.0.0.0/8")


@pytest.fixture
def owner(sending):
    return sending.register()


@pytest.fixture
def receiver():
    with Receiver() as one:
        yield one


def hooked(person, url=URL, **fields):
    answer = person.post("/v1/webhooks", json={"url": url, **fields})
    assert answer.status == 201, answer
    return answer.json


def deliveries(person, hook):
    return person.get(f"/v1/webhooks/{hook['id']}/deliveries?limit=100").json["deliveries"]


def settled(person, hook):
    """The deliveries, newest first, once none of them waits for its first try."""
    until(lambda: all(one["attempts"] for one in deliveries(person, hook)))
    return deliveries(person, hook)


def signature(secret, request):
    """By the published rule: Standard Webhooks 1.0."""
    key = base64.b64decode(secret.removeprefix("whsec_"))
    stamp = request.headers["webhook-timestamp"]
    signed = f"{request.headers['webhook-id']}.{stamp}.".encode() + request.body
    return "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()


# the record


def test_a_webhook_is_made_with_a_secret_that_is_shown_once(newcomer):
    made = hooked(newcomer, events=["document.created"], description="to the ledger")
    kind, _, random = made.pop("secret").partition("_")
    assert kind == "whsec"
    assert 24 <= len(base64.b64decode(random, validate=True)) <= 64
    assert instant(made["createdAt"]) <= instant(moment())
    assert made | {"id": 0, "createdAt": 0} == {
        "id": 0,
        "url": URL,
        "events": ["document.created"],
        "description": "to the ledger",
        "enabled": True,
        "createdAt": 0,
        "disabledAt": None,
        "disabledReason": None,
        "failingSince": None,
        "oldSecretUntil": None,
    }
    assert newcomer.get(f"/v1/webhooks/{made['id']}").json == made
    assert newcomer.get("/v1/webhooks").json == {"webhooks": [made], "nextCursor": None}


def test_without_events_all_of_them_are_sent(newcomer):
    assert {"document.created", "webhook.disabled"} <= {*hooked(newcomer)["events"]}


def test_webhooks_are_listed_newest_first_page_by_page(newcomer):
    made = [hooked(newcomer)["id"] for _ in range(3)]
    page = newcomer.get("/v1/webhooks?limit=2").json
    rest = newcomer.get(f"/v1/webhooks?limit=2&cursor={page['nextCursor']}").json
    assert [one["id"] for one in page["webhooks"] + rest["webhooks"]] == made[::-1]
    assert rest["nextCursor"] is None
    in_query(newcomer.get("/v1/webhooks?cursor=nonsense"))


def test_a_webhook_is_changed_field_by_field(newcomer):
    made = hooked(newcomer, description="old")
    path = f"/v1/webhooks/{made['id']}"
    changed = newcomer.patch(path, json={"events": ["token.spent"]}).json
    assert (changed["events"], changed["description"]) == (["token.spent"], "old")
    changed = newcomer.patch(path, json={"url": f"{URL}/2", "description": None}).json
    assert (changed["url"], changed["description"]) == (f"{URL}/2", None)
    assert "secret" not in changed
    assert newcomer.get(path).json == changed
    pointed(newcomer.patch(path, json={"url": "https://10.0.0.1"}), "#/url")
    pointed(newcomer.patch(path, json={"enabled": "yes"}), "#/enabled")


def test_a_deleted_webhook_is_gone(newcomer):
    path = f"/v1/webhooks/{hooked(newcomer)['id']}"
    assert newcomer.delete(path).status == 204
    refused(newcomer.get(path), 404, "not_found")
    refused(newcomer.get(f"{path}/deliveries"), 404, "not_found")


def test_another_ones_webhook_is_as_absent_as_none(newcomer, bob):
    path = f"/v1/webhooks/{hooked(newcomer)['id']}"
    delivery = newcomer.post(f"{path}/test").json["id"]
    refused(bob.get(path), 404, "not_found")
    refused(bob.patch(path, json={"enabled": False}), 404, "not_found")
    refused(bob.delete(path), 404, "not_found")
    refused(bob.get(f"{path}/deliveries"), 404, "not_found")
    for verb in ("test", "rotate-secret", f"deliveries/{delivery}/redeliver"):
        refused(bob.post(f"{path}/{verb}"), 404, "not_found")
    own = f"/v1/webhooks/{hooked(bob)['id']}"
    refused(bob.post(f"{own}/deliveries/{delivery}/redeliver"), 404, "not_found")


def test_an_api_key_does_not_reach_webhooks(newcomer):
    machine = newcomer.key()
    refused(machine.get("/v1/webhooks"), 403, "session_required")
    refused(machine.post("/v1/webhooks", json={"url": URL}), 403, "session_required")


def test_a_repeated_creation_is_done_once(newcomer):
    headers = {"Idempotency-Key": "once"}
    first, again = (
        newcomer.post("/v1/webhooks", json={"url": URL}, headers=headers) for _ in range(2)
    )
    assert (again.json, again.headers["Idempotency-Replayed"]) == (first.json, "true")
    assert len(newcomer.get("/v1/webhooks").json["webhooks"]) == 1


def test_there_are_at_most_twenty(newcomer):
    for _ in range(20):
        hooked(newcomer)
    refused(newcomer.post("/v1/webhooks", json={"url": URL}), 403, "quota_exceeded")


@pytest.mark.parametrize(
    "url",
    [
        "https://127.0.0.1/",
        "https://127.0.0.1./",
        "https://127.1/",
        "https://2130706433/",
        "https://0x7f000001/",
        "https://0x7f.0.0.1/",
        "https://0177.0.0.1/",
        "https://127.0.0.0x1/",
        "https://①②⑦.⓪.⓪.①/",
        "https://%31%32%37.0.0.1/",
        "https://localhost/",
        "https://LOCALHOST/",
        "https://localhost./",
        "https://a.localhost/",
        "https://intranet/",
        "https://printer.local/",
        "https://metadata.google.internal/",
        "https://0.0.0.0/",
        "https://10.0.0.1/",
        "https://100.64.0.1/",
        "https://169.254.169.254/latest/meta-data/",
        "https://172.16.0.1/",
        "https://192.168.1.1:8443/",
        "https://224.0.0.1/",
        "https://255.255.255.255/",
        "https://[::1]/",
        "https://[::]/",
        "https://[::ffff:127.0.0.1]/",
        "https://[::ffff:7f00:1]/",
        "https://[::127.0.0.1]/",
        "https://[64:ff9b::7f00:1]/",
        "https://[2002:7f00:1::]/",
        "https://[2001:0:7f00:1::]/",
        "https://[fe80::1]/",
        "https://[fe80::1%25eth0]/",
        "https://[fc00::1]/",
        "https://[fec0::1]/",
        "https://[ff02::1]/",
        "http://example.org/",
        "http://93.184.215.14/",
        "ftp://example.org/",
        "https://user:password@example.org/",
        "https://example.org@127.0.0.1/",
        "https://example.org\\@127.0.0.1/",
        "https://example.org/#part",
        "https://example.org:0/",
        "https://example.org:65536/",
        "https://example.org/ space",
        "https://example.org/\r\nX: y",
        "https:///path",
        "https://",
        "//example.org/",
        "example.org",
    ],
)
def test_an_address_that_is_private_or_none_is_refused(url, alice):
    pointed(alice.post("/v1/webhooks", json={"url": url}), "#/url")


@pytest.mark.parametrize(
    "url",
    [
        "https://example.org",
        "https://example.org:8443/a/b?c=d&e=%20",
        "https://hooks.example.org?c=d",
        "https://xn--bcher-kva.example/",
        "https://93.184.215.14/",
        "https://[2606:2800:21f:cb07:6820:80da:af6b:8b2c]/",
    ],
)
def test_a_public_address_is_taken(url, newcomer):
    assert hooked(newcomer, url)["url"] == url


def test_an_address_has_at_most_2048_characters(newcomer):
    assert hooked(newcomer, f"{URL}/".ljust(2048, "a"))
    pointed(newcomer.post("/v1/webhooks", json={"url": f"{URL}/".ljust(2049, "a")}), "#/url")


def test_an_unknown_type_of_events_is_refused(newcomer):
    body = {"url": URL, "events": ["document.eaten"]}
    pointed(newcomer.post("/v1/webhooks", json=body), "#/events/0")
    pointed(newcomer.post("/v1/webhooks", json={"url": URL, "events": []}), "#/events")


# what is sent


def test_a_delivery_is_signed_by_the_published_rule(owner, receiver):
    hook = hooked(owner, receiver.url("/in?x=1"), events=["document.created"])
    document = owner.upload(b"12345")
    (request,) = receiver.wait_for(1)
    assert (request.method, request.path) == ("POST", "/in?x=1")
    assert request.headers["Content-Type"] == "application/json"
    assert request.headers["Host"] == f"127.0.0.1:{receiver.port}"
    assert request.headers["webhook-signature"] == signature(hook["secret"], request)
    assert abs(int(request.headers["webhook-timestamp"]) - time.time()) < 60
    (event,) = feed(owner, "&type=document.created")
    assert request.headers["webhook-id"] == event["id"]
    assert json.loads(request.body) == {
        "type": "document.created",
        "timestamp": event["createdAt"],
        "data": event["data"],
    }
    assert event["data"]["documentId"] == document["id"]


def test_a_delivery_verifies_with_the_standardwebhooks_package(owner, receiver):
    package = pytest.importorskip("standardwebhooks")
    hook = hooked(owner, receiver.url())
    owner.upload()
    for request in receiver.wait_for(2):
        said = package.Webhook(hook["secret"]).verify(request.body.decode(), request.headers)
        assert said == json.loads(request.body)


def test_feed_and_deliveries_tell_the_same_events_each_once_in_order(owner, receiver):
    hook = hooked(owner, receiver.url())
    for _ in range(5):
        document = owner.upload(token={"maxViews": 1})
        owner.get(f"/v1/documents/{document['id']}/view")
        owner.delete(f"/v1/documents/{document['id']}")
    owner.key()
    events = list(feed(owner))
    assert len(events) == 26
    received = receiver.wait_for(26)
    listed = settled(owner, hook)
    assert [one.headers["webhook-id"] for one in received] == [one["id"] for one in events]
    assert [json.loads(one.body)["data"] for one in received] == [one["data"] for one in events]
    assert [one["eventId"] for one in listed[::-1]] == [one["id"] for one in events]
    assert {(one["state"], one["status"], one["attempts"]) for one in listed} == {
        ("delivered", 200, 1)
    }


def test_only_the_events_that_were_asked_for_are_sent(owner, receiver):
    hook = hooked(owner, receiver.url(), events=["document.deleted", "token.revoked"])
    document = owner.upload()
    owner.delete(f"/v1/documents/{document['id']}")
    receiver.wait_for(2)
    types = [one["type"] for one in settled(owner, hook)[::-1]]
    assert types == ["document.deleted", "token.revoked"]


def test_a_test_goes_to_this_webhook_alone_whatever_it_asked_for(owner, receiver):
    hook = hooked(owner, receiver.url(), events=["document.created"])
    other = hooked(owner, receiver.url("/other"))
    answer = owner.post(f"/v1/webhooks/{hook['id']}/test")
    assert answer.status == 202
    (request,) = receiver.wait_for(1)
    assert request.headers["webhook-id"] == answer.json["eventId"]
    assert json.loads(request.body)["type"] == "webhook.test"
    (delivery,) = settled(owner, hook)
    assert (delivery["id"], delivery["answer"]) == (answer.json["id"], "thanks")
    assert deliveries(owner, other) == []


def test_after_a_rotation_both_secrets_verify(owner, receiver):
    hook = hooked(owner, receiver.url())
    rotated = owner.post(f"/v1/webhooks/{hook['id']}/rotate-secret")
    assert rotated.status == 201
    assert instant(rotated.json["oldSecretUntil"]) > instant(moment(hours=23))
    owner.post(f"/v1/webhooks/{hook['id']}/test")
    (request,) = receiver.wait_for(1)
    secrets = [rotated.json["secret"], hook["secret"]]
    assert len({*secrets}) == 2
    assert request.headers["webhook-signature"] == " ".join(
        signature(secret, request) for secret in secrets
    )
    shown = owner.get(f"/v1/webhooks/{hook['id']}").json
    assert rotated.json["secret"] not in str(shown)


def test_a_redelivery_sends_the_same_event_again(owner, receiver):
    hook = hooked(owner, receiver.url())
    first = owner.post(f"/v1/webhooks/{hook['id']}/test").json
    receiver.wait_for(1)
    settled(owner, hook)
    path = f"/v1/webhooks/{hook['id']}/deliveries/{first['id']}/redeliver"
    again = owner.post(path)
    assert (again.status, again.json["state"]) == (202, "pending")
    one, two = receiver.wait_for(2)
    assert (one.body, one.headers["webhook-id"]) == (two.body, two.headers["webhook-id"])
    assert len(settled(owner, hook)) == 1


def test_a_failure_is_told_and_tried_again_with_the_first_kib_of_the_answer(owner, receiver):
    receiver.answers = [(500, "ü" * 2000)]
    hook = hooked(owner, receiver.url(), events=["document.created"])
    owner.upload()
    (delivery,) = settled(owner, hook)
    assert (delivery["state"], delivery["status"], delivery["attempts"]) == ("pending", 500, 1)
    assert (delivery["answer"], delivery["error"]) == ("ü" * 512, None)
    assert delivery["durationMs"] >= 0
    wait = instant(delivery["nextAttemptAt"]) - instant(delivery["attemptedAt"])
    assert 3 < wait.total_seconds() < 7
    assert owner.get(f"/v1/webhooks/{hook['id']}").json["failingSince"]


def test_a_redirect_is_a_failure_and_not_followed(owner, receiver):
    receiver.answers = [(302, "")]
    hook = hooked(owner, receiver.url(), events=["document.created"])
    owner.upload()
    (delivery,) = settled(owner, hook)
    assert (delivery["state"], delivery["status"]) == ("pending", 302)
    assert len(receiver.requests) == 1


def test_a_410_disables_at_once_and_tells_the_other_webhooks(owner, receiver):
    other = hooked(owner, receiver.url("/other"), events=["webhook.disabled"])
    receiver.answers = [(410, "")]
    hook = hooked(owner, receiver.url("/gone"), events=["document.created"])
    path = f"/v1/webhooks/{hook['id']}"
    owner.upload()
    until(lambda: not owner.get(path).json["enabled"])
    assert owner.get(path).json["disabledReason"] == "gone"
    assert [one["state"] for one in deliveries(owner, hook)] == ["failed"]
    told = json.loads(receiver.wait_for(2)[1].body)
    assert told["data"] == {"webhookId": hook["id"], "reason": "gone", "via": "service"}
    assert [one["type"] for one in deliveries(owner, other)] == ["webhook.disabled"]
    owner.upload()
    assert len(deliveries(owner, hook)) == 1
    refused(owner.post(f"{path}/test"), 409, "webhook_disabled")
    assert owner.patch(path, json={"enabled": True}).json["disabledAt"] is None
    owner.upload()
    receiver.wait_for(3)


def test_a_slow_receiver_does_not_hold_up_another(owner, receiver):
    with Receiver(hang=True) as slow:
        hooked(owner, slow.url(), events=["document.created"])
        hooked(owner, receiver.url(), events=["document.created"])
        for _ in range(3):
            owner.upload()
        receiver.wait_for(3, seconds=5)


def test_a_webhook_waits_for_the_answer_before_it_gets_the_next_event(owner):
    with Receiver(hang=True) as slow:
        hooked(owner, slow.url())
        owner.upload()
        slow.wait_for(1)
        owner.upload()
        time.sleep(0.3)
        assert len(slow.requests) == 1


def test_why_there_was_no_answer_is_told(owner):
    hook = hooked(owner, "http://127.0.0.1:1/")
    owner.post(f"/v1/webhooks/{hook['id']}/test")
    (delivery,) = settled(owner, hook)
    assert (delivery["status"], delivery["answer"], delivery["state"]) == (None, None, "pending")
    assert delivery["error"] == "The connection failed: ConnectionRefusedError."


def test_twenty_pending_events_survive_kill_9(start_service):
    service = start_service(RATE_LIMITS="off", WEBHOOK_ALLOW="127.0.0.1/32")
    owner = service.register()
    with Receiver(hang=True) as receiver:
        hooked(owner, receiver.url(), events=["document.created"])
        for _ in range(20):
            owner.upload()
        receiver.wait_for(1)
        service.kill()
        receiver.answer_all()
        service.start()
        until(lambda: len({one.headers["webhook-id"] for one in receiver.requests}) == 20)
    owner = service.log_in(owner.record["email"], PASSWORD)
    ids = [event["id"] for event in feed(owner, "&type=document.created")]
    assert {one.headers["webhook-id"] for one in receiver.requests} == {*ids}


def test_address_description_and_secret_are_sealed_at_rest(owner, sending, receiver):
    hook = hooked(owner, receiver.url("/nobody-reads-this"), description="nobody-reads-this")
    receiver.answers = [(200, "nobody-reads-this")]
    owner.post(f"/v1/webhooks/{hook['id']}/test")
    receiver.wait_for(1)
    assert settled(owner, hook)[0]["answer"] == "nobody-reads-this"
    for told in sending.files().values():
        assert b"nobody-reads-this" not in told
        assert hook["secret"].encode() not in told
        assert base64.b64decode(hook["secret"].removeprefix("whsec_")) not in told


def test_what_webhook_allow_cannot_mean_stops_the_start(start_service):
    with pytest.raises(Exception, match="WEBHOOK_ALLOW") as stopped:
        start_service(WEBHOOK_ALLOW="10.0.0.1/8")
    assert stopped.value.code == 1
