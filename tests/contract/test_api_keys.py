"""API keys."""

import re
import time

import pytest

from tests.people import checksums, instant, moment, over, pointed, refused

SCOPES = ["documents:read", "documents:write", "documents:delete", "events:read"]
RECORD = {"id", "name", "maskedKey", "scopes", "createdAt", "expiresAt", "lastUsedAt", "revokedAt"}


def create(person, **fields):
    return person.post("/v1/api-keys", json=fields)


def test_create_answers_the_record_with_the_key(alice):
    later = moment(days=30)
    answer = create(alice, name="laptop", scopes=["documents:read"], expiresAt=later)
    assert answer.status == 201
    record = answer.json
    assert record.keys() == RECORD | {"key"}
    assert (record["name"], record["scopes"]) == ("laptop", ["documents:read"])
    assert record["expiresAt"] == later
    assert record["lastUsedAt"] is None
    assert record["revokedAt"] is None


def test_everything_of_a_key_is_optional(alice):
    record = create(alice).json
    assert sorted(record["scopes"]) == sorted(SCOPES)
    assert record["expiresAt"] is None


def test_the_form_of_a_key_is_prefix_random_and_checksum(alice):
    key = create(alice).json["key"]
    assert re.fullmatch(r"pk_live_[0-9A-Za-z]{38}", key)
    assert key[-6:] in checksums(key[:-6])


def test_the_mask_shows_the_first_and_last_four(alice):
    record = create(alice).json
    bare = record["key"].removeprefix("pk_live_")
    assert record["maskedKey"] == f"pk_live_{bare[:4]}…{bare[-4:]}"


def test_the_list_has_the_same_record_without_the_key(newcomer):
    record = create(newcomer, name="listed").json
    answer = newcomer.get("/v1/api-keys")
    key = record.pop("key")
    assert answer.json == {"apiKeys": [record], "nextCursor": None}
    assert key not in answer.text


def test_a_key_tells_when_it_was_last_used(alice):
    machine = alice.key()
    machine.get("/v1/documents")
    record = alice.get("/v1/api-keys?limit=1").json["apiKeys"][0]
    assert record["id"] == machine.record["id"]
    assert instant(record["lastUsedAt"]) >= instant(record["createdAt"])


def test_a_revoked_key_is_dead_at_once_and_stays_listed(newcomer):
    machine = newcomer.key()
    path = f"/v1/api-keys/{machine.record['id']}"
    answer = newcomer.delete(path)
    assert (answer.status, answer.body) == (204, b"")
    refused(machine.get("/v1/documents"), 401, "key_revoked")
    (record,) = newcomer.get("/v1/api-keys").json["apiKeys"]
    assert instant(record["revokedAt"]) >= instant(record["createdAt"])
    assert newcomer.delete(path).status == 204
    assert newcomer.get("/v1/api-keys").json["apiKeys"] == [record]


def test_a_key_that_never_was_is_404(alice):
    refused(alice.delete("/v1/api-keys/key_nothing"), 404, "not_found")
    refused(alice.post("/v1/api-keys/key_nothing/rotate", json={}), 404, "not_found")


def test_a_key_ends_when_it_expires(alice):
    machine = alice.key(expiresAt=moment(seconds=0.4))
    answer = over(lambda: machine.get("/v1/documents"), machine.record["expiresAt"])
    refused(answer, 401, "key_revoked")


@pytest.mark.parametrize("scopes", [["documents"], ["documents:read", "x"], "documents:read", [1]])
def test_bad_scopes_are_pointed_at(scopes, alice):
    problem = refused(create(alice, scopes=scopes), 422, "invalid_request")
    assert problem["errors"][0]["pointer"].startswith("#/scopes")


BAD_TIMES = [
    *(
        "",
        "tomorrow",
        "2099-01-01",
        "2099-01-01T00:00:00",
        "2099-13-01T00:00:00.000Z",
        4_070_908_800,
    ),
    *(
        "2099-02-30T00:00:00.000Z",
        "2000-01-01T00:00:00.000Z",
        "99999-01-01T00:00:00.000Z",
        "9999-12-31T23:59:59-14:00",  # in UTC it lies in a year of five digits
        True,
        [],
    ),
]


@pytest.mark.parametrize("time_then", BAD_TIMES)
def test_a_bad_or_past_time_is_pointed_at(time_then, alice, document):
    upload = {"payload": "", "contentType": "text/plain", "expiresAt": time_then}
    for path, body in {
        "/v1/api-keys": {"expiresAt": time_then},
        "/v1/documents": upload,
        f"/v1/documents/{document['id']}/tokens": {"expiresAt": time_then},
    }.items():
        pointed(alice.post(path, json=body), "#/expiresAt")
    path = f"/v1/documents/{document['id']}"
    pointed(alice.patch(path, json={"expiresAt": time_then}), "#/expiresAt")


@pytest.mark.parametrize("spelled", ["2099-01-01T00:00:00Z", "2099-01-01T02:00:00.5+02:00"])
def test_another_spelling_of_a_time_is_refused_or_brought_into_form(spelled, alice):
    answer = create(alice, expiresAt=spelled)
    assert answer.status in (201, 422)
    if answer.status == 201:
        assert instant(answer.json["expiresAt"]).year in (2098, 2099)


# Rotate


def rotate(person, machine, **fields):
    return person.post(f"/v1/api-keys/{machine.record['id']}/rotate", json=fields)


def test_rotate_answers_a_new_key_of_the_same_name_scopes_and_expiry(alice):
    machine = alice.key(name="ci", scopes=["documents:read"], expiresAt=moment(days=1))
    answer = rotate(alice, machine)
    assert answer.status == 201
    new = answer.json
    assert new.keys() == RECORD | {"key"}
    assert all(new[name] == machine.record[name] for name in ("name", "scopes", "expiresAt"))
    assert new["id"] != machine.record["id"]
    assert new["key"] != machine.secret
    assert alice.holding(new["key"]).get("/v1/documents").status == 200


def test_without_an_overlap_the_old_key_ends_at_once(alice):
    machine = alice.key()
    rotate(alice, machine)
    refused(machine.get("/v1/documents"), 401, "key_revoked")


def test_with_an_overlap_the_old_key_ends_after_it(alice):
    machine = alice.key()
    began = time.monotonic()
    assert rotate(alice, machine, overlapSeconds=1).status == 201
    while (answer := machine.get("/v1/documents")).status == 200:
        assert time.monotonic() - began < 5
        time.sleep(0.02)
    refused(answer, 401, "key_revoked")
    assert time.monotonic() - began > 0.8


def test_an_overlap_does_not_lengthen_a_keys_life(alice):
    machine = alice.key(expiresAt=moment(seconds=0.5))
    rotate(alice, machine, overlapSeconds=604_800)
    time.sleep(0.6)
    refused(machine.get("/v1/documents"), 401, "key_revoked")


@pytest.mark.parametrize("seconds", [-1, 604_801, 1.5, "60", True, [], 10**30])
def test_a_bad_overlap_is_pointed_at(seconds, alice):
    machine = alice.key()
    pointed(rotate(alice, machine, overlapSeconds=seconds), "#/overlapSeconds")
    assert machine.get("/v1/documents").status == 200


def test_a_revoked_key_is_not_rotated_back_to_life(alice):
    machine = alice.key()
    alice.delete(f"/v1/api-keys/{machine.record['id']}")
    assert rotate(alice, machine).status in (404, 409, 410, 422)
