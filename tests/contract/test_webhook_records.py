"""Webhooks: created, listed, changed, deleted; each reached by its webhook_owner only."""

import base64

from tests.contract.webhooks import URL, create_webhook
from tests.formats import parse_time, time_from_now
from tests.problems import refused, refused_field, refused_query


def test_the_secret_of_a_webhook_is_shown_only_when_it_is_created(new_user):
    made = create_webhook(new_user, events=["document.created"], description="to the ledger")
    kind, _, random = made.pop("secret").partition("_")
    assert kind == "whsec"
    assert 24 <= len(base64.b64decode(random, validate=True)) <= 64
    assert parse_time(made["createdAt"]) <= parse_time(time_from_now())
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
    assert new_user.get(f"/v1/webhooks/{made['id']}").json == made
    assert new_user.get("/v1/webhooks").json == {"webhooks": [made], "nextCursor": None}


def test_a_webhook_without_events_subscribes_to_all(new_user):
    assert {"document.created", "webhook.disabled"} <= {*create_webhook(new_user)["events"]}


def test_webhooks_are_listed_newest_first_page_by_page(new_user):
    made = [create_webhook(new_user)["id"] for _ in range(3)]
    page = new_user.get("/v1/webhooks?limit=2").json
    rest = new_user.get(f"/v1/webhooks?limit=2&cursor={page['nextCursor']}").json
    assert [one["id"] for one in page["webhooks"] + rest["webhooks"]] == made[::-1]
    assert rest["nextCursor"] is None
    refused_query(new_user.get("/v1/webhooks?cursor=nonsense"))


def test_patch_changes_only_the_given_fields_of_a_webhook(new_user):
    made = create_webhook(new_user, description="old")
    path = f"/v1/webhooks/{made['id']}"
    changed = new_user.patch(path, json={"events": ["token.spent"]}).json
    assert (changed["events"], changed["description"]) == (["token.spent"], "old")
    changed = new_user.patch(path, json={"url": f"{URL}/2", "description": None}).json
    assert (changed["url"], changed["description"]) == (f"{URL}/2", None)
    assert "secret" not in changed
    assert new_user.get(path).json == changed
    refused_field(new_user.patch(path, json={"url": "https://10.0.0.1"}), "#/url")
    refused_field(new_user.patch(path, json={"enabled": "yes"}), "#/enabled")


def test_a_deleted_webhook_is_not_found(new_user):
    path = f"/v1/webhooks/{create_webhook(new_user)['id']}"
    assert new_user.delete(path).status == 204
    refused(new_user.get(path), 404, "not_found")
    refused(new_user.get(f"{path}/deliveries"), 404, "not_found")


def test_the_webhook_of_another_user_is_not_found(new_user, bob):
    path = f"/v1/webhooks/{create_webhook(new_user)['id']}"
    delivery = new_user.post(f"{path}/test").json["id"]
    refused(bob.get(path), 404, "not_found")
    refused(bob.patch(path, json={"enabled": False}), 404, "not_found")
    refused(bob.delete(path), 404, "not_found")
    refused(bob.get(f"{path}/deliveries"), 404, "not_found")
    for verb in ("test", "rotate-secret", f"deliveries/{delivery}/redeliver"):
        refused(bob.post(f"{path}/{verb}"), 404, "not_found")
    own = f"/v1/webhooks/{create_webhook(bob)['id']}"
    refused(bob.post(f"{own}/deliveries/{delivery}/redeliver"), 404, "not_found")


def test_an_api_key_may_not_manage_webhooks(new_user):
    machine = new_user.create_api_key()
    refused(machine.get("/v1/webhooks"), 403, "session_required")
    refused(machine.post("/v1/webhooks", json={"url": URL}), 403, "session_required")


def test_creating_a_webhook_again_with_the_same_key_creates_one(new_user):
    headers = {"Idempotency-Key": "once"}
    first, again = (
        new_user.post("/v1/webhooks", json={"url": URL}, headers=headers) for _ in range(2)
    )
    assert (again.json, again.headers["Idempotency-Replayed"]) == (first.json, "true")
    assert len(new_user.get("/v1/webhooks").json["webhooks"]) == 1


def test_a_user_has_at_most_twenty_webhooks(new_user):
    for _ in range(20):
        create_webhook(new_user)
    refused(new_user.post("/v1/webhooks", json={"url": URL}), 403, "quota_exceeded")


def test_an_unknown_type_of_event_is_refused(new_user):
    body = {"url": URL, "events": ["document.eaten"]}
    refused_field(new_user.post("/v1/webhooks", json=body), "#/events/0")
    refused_field(new_user.post("/v1/webhooks", json={"url": URL, "events": []}), "#/events")
