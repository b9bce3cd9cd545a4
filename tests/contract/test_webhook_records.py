"""Webhooks: created, listed, changed, deleted; the addresses they may have."""

import base64

import pytest

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


def test_a_user_has_at_most_twenty_webhooks(new_user):
    for _ in range(20):
        create_webhook(new_user)
    refused(new_user.post("/v1/webhooks", json={"url": URL}), 403, "quota_exceeded")


def test_an_unknown_type_of_event_is_refused(new_user):
    body = {"url": URL, "events": ["document.eaten"]}
    refused_field(new_user.post("/v1/webhooks", json=body), "#/events/0")
    refused_field(new_user.post("/v1/webhooks", json={"url": URL, "events": []}), "#/events")


PRIVATE_OR_INVALID = [
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
    "https://169.254.169.254/latest/meta-data/",
    "https://192.168.1.1:8443/",
    "https://[::1]/",
    "https://[::ffff:127.0.0.1]/",
    "https://[fe80::1%25eth0]/",
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
]


PUBLIC = [
    "https://example.org",
    "https://example.org:8443/a/b?c=d&e=%20",
    "https://hooks.example.org?c=d",
    "https://xn--bcher-kva.example/",
    "https://93.184.215.14/",
    "https://[2606:2800:21f:cb07:6820:80da:af6b:8b2c]/",
]


def test_a_private_or_invalid_address_is_refused(alice):
    for url in PRIVATE_OR_INVALID:
        refused_field(alice.post("/v1/webhooks", json={"url": url}), "#/url", url)


def test_a_public_address_is_accepted(new_user):
    for url in PUBLIC:
        assert create_webhook(new_user, url)["url"] == url


def test_an_address_has_at_most_2048_characters(new_user):
    assert create_webhook(new_user, f"{URL}/".ljust(2048, "a"))
    refused_field(new_user.post("/v1/webhooks", json={"url": f"{URL}/".ljust(2049, "a")}), "#/url")


def test_an_invalid_webhook_allow_stops_the_start(start_service):
    with pytest.raises(Exception, match="WEBHOOK_ALLOW") as stopped:
        start_service(WEBHOOK_ALLOW="10.0.0.1/8")
    assert stopped.value.exit_code == 1
