"""Requests that create, repeated with an Idempotency-Key."""

import pytest

from tests.contract.webhooks import URL
from tests.formats import b64
from tests.people import Person
from tests.problems import refused
from tests.waiting import run_in_threads

CREATE = {
    "/v1/documents": {"payload": b64(b"once"), "contentType": "text/plain"},
    "/v1/api-keys": {"name": "once"},
    "/v1/documents/<document>/tokens": {"label": "once"},
    "/v1/api-keys/<key>/rotate": {"overlapSeconds": 60},
    "/v1/webhooks": {"url": URL},
}


@pytest.fixture
def creating(alice, document):
    """Send a POST that creates, with an idempotency key."""
    key = alice.create_api_key().record["id"]

    def create(path, body, name, person=alice):
        path = path.replace("<document>", document["id"]).replace("<key>", key)
        return person.post(path, json=body, headers={"Idempotency-Key": name})

    return create


@pytest.mark.parametrize("path", CREATE)
def test_the_same_key_and_body_get_the_first_answer_again(path, creating):
    name = f"again {path}".replace(" ", "-")
    first, again = creating(path, CREATE[path], name), creating(path, CREATE[path], name)
    assert (first.status, again.status) == (201, 201)
    assert again.json == first.json
    assert again.headers["Location"] == first.headers["Location"]
    assert first.headers["Idempotency-Replayed"] is None
    assert again.headers["Idempotency-Replayed"] == "true"
    assert again.headers["X-Request-Id"] != first.headers["X-Request-Id"]


def test_a_registration_can_be_repeated_with_its_key(anonymous):
    body = {"email": "again@example.org", "password": "long enough"}
    headers = {"Idempotency-Key": "registration"}
    first, again = (anonymous.post("/v1/auth/register", json=body, headers=headers) for _ in "12")
    assert (first.status, again.status) == (201, 201)
    assert again.json == first.json


def test_a_registration_key_of_another_address_neither_replays_nor_refuses(service):
    for number in (1, 2):
        person = Person(service, address=f"127.0.0.{number}")
        body = {"email": f"address-{number}@example.org", "password": "long enough"}
        answer = person.post("/v1/auth/register", json=body, headers={"Idempotency-Key": "shared"})
        assert (answer.status, answer.headers["Idempotency-Replayed"]) == (201, None)


@pytest.mark.parametrize("path", ["/v1/documents", "/v1/documents/<document>/tokens"])
def test_the_answer_about_a_deleted_document_is_not_given_again(path, alice):
    document = alice.upload()
    path, body = path.replace("<document>", document["id"]), CREATE[path]
    headers = {"Idempotency-Key": f"deleted-{path}"}
    first = alice.post(path, json=body, headers=headers)
    deleted = document if "tokens" in path else first.json
    assert alice.delete(f"/v1/documents/{deleted['id']}").status == 204
    refused(alice.post(path, json=body, headers=headers), 404, "not_found")


def test_the_answer_about_a_deleted_webhook_is_not_given_again(alice):
    headers = {"Idempotency-Key": "deleted-webhook"}
    first = alice.post("/v1/webhooks", json={"url": URL}, headers=headers)
    assert first.headers["Location"].endswith(f"/v1/webhooks/{first.json['id']}")
    again = alice.post("/v1/webhooks", json={"url": URL}, headers=headers)
    assert (again.json, again.headers["Location"]) == (first.json, first.headers["Location"])
    assert alice.delete(f"/v1/webhooks/{first.json['id']}").status == 204
    refused(alice.post("/v1/webhooks", json={"url": URL}, headers=headers), 404, "not_found")


def test_the_same_key_creates_once(creating, new_user):
    for path, records in (("/v1/documents", "documents"), ("/v1/webhooks", "webhooks")):
        for _ in range(3):
            creating(path, CREATE[path], "only-once-" + records, new_user)
        assert len(new_user.get(path).json[records]) == 1


@pytest.mark.parametrize("path", CREATE)
def test_the_same_key_with_another_body_is_a_mismatch(path, creating):
    name = f"mismatch-{path}"
    assert creating(path, CREATE[path], name).status == 201
    others = {"/v1/documents": CREATE[path] | {"payload": b64(b"twice")}}
    others["/v1/webhooks"] = {"url": f"{URL}/other"}
    refused(creating(path, others.get(path, {}), name), 422, "idempotency_mismatch")


def test_a_key_of_another_user_replays_nothing(creating, alice, bob):
    body = CREATE["/v1/documents"]
    mine = creating("/v1/documents", body, "shared-name", alice)
    theirs = creating("/v1/documents", body, "shared-name", bob)
    assert (theirs.status, theirs.headers["Idempotency-Replayed"]) == (201, None)
    assert theirs.json["id"] != mine.json["id"]


def test_a_key_on_another_path_replays_nothing(creating):
    creating("/v1/documents", CREATE["/v1/documents"], "another-path")
    answer = creating("/v1/api-keys", CREATE["/v1/api-keys"], "another-path")
    assert answer.status in (201, 422)
    assert answer.status == 422 or answer.json["id"].startswith("key_")


def test_a_key_is_1_to_255_visible_ascii(creating):
    for name in ("!", "~" * 255, "7f9c-4e/5:a=\"'"):
        assert creating("/v1/documents", CREATE["/v1/documents"], name).status == 201, name
    for name in ("", "a" * 256, "a b", "\xe9", "a\tb", "\x7f"):
        answer = creating("/v1/documents", CREATE["/v1/documents"], name)
        assert answer.status in (400, 422), name


def test_two_keys_in_one_request_are_refused(alice):
    headers = [("Idempotency-Key", "one"), ("Idempotency-Key", "two")]
    answer = alice.post("/v1/documents", json=CREATE["/v1/documents"], headers=headers)
    assert answer.status in (400, 422)


def test_concurrent_requests_with_one_key_create_one_document(creating, new_user):
    body = {"payload": b64(bytes(2 << 20)), "contentType": "text/plain"}
    answers = []

    def upload():
        answers.append(creating("/v1/documents", body, "at-once", new_user))

    run_in_threads(*[upload] * 6)
    assert {answer.status for answer in answers} <= {201, 409}
    for answer in answers:
        if answer.status == 409:
            refused(answer, 409, "idempotency_in_progress")
    assert len({answer.json["id"] for answer in answers if answer.status == 201}) == 1
    assert len(new_user.get("/v1/documents").json["documents"]) == 1


def test_a_stored_answer_keeps_no_secret_in_clear(service, creating):
    key = creating("/v1/api-keys", {"name": "kept"}, "secret-key").json["key"]
    token = creating("/v1/documents", CREATE["/v1/documents"], "secret-token").json["token"]
    for path, stored in service.files().items():
        for secret in (key, token["token"], token["token"].removeprefix("dt_")):
            assert secret.encode() not in stored, path.name
