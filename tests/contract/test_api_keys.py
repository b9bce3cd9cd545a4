"""API keys."""

import re

from tests.formats import checksums, parse_time, time_from_now
from tests.problems import refused, refused_field

SCOPES = ["documents:read", "documents:write", "documents:delete", "events:read"]
RECORD = {"id", "name", "maskedKey", "scopes", "createdAt", "expiresAt", "lastUsedAt", "revokedAt"}


def create(person, **fields):
    return person.post("/v1/api-keys", json=fields)


def test_creating_a_key_returns_its_record_and_the_key(alice):
    later = time_from_now(days=30)
    answer = create(alice, name="laptop", scopes=["documents:read"], expiresAt=later)
    assert answer.status == 201
    record = answer.json
    assert record.keys() == RECORD | {"key"}
    assert (record["name"], record["scopes"]) == ("laptop", ["documents:read"])
    assert record["expiresAt"] == later
    assert record["lastUsedAt"] is None
    assert record["revokedAt"] is None


def test_every_field_of_a_new_key_is_optional(alice):
    record = create(alice).json
    assert sorted(record["scopes"]) == sorted(SCOPES)
    assert record["expiresAt"] is None


def test_a_key_is_a_prefix_random_characters_and_a_checksum(alice):
    key = create(alice).json["key"]
    assert re.fullmatch(r"pk_live_[0-9A-Za-z]{38}", key)
    assert key[-6:] in checksums(key[:-6])


def test_a_masked_key_shows_its_first_and_last_four_characters(alice):
    record = create(alice).json
    bare = record["key"].removeprefix("pk_live_")
    assert record["maskedKey"] == f"pk_live_{bare[:4]}…{bare[-4:]}"


def test_the_list_has_the_record_without_the_key(new_user):
    record = create(new_user, name="listed").json
    answer = new_user.get("/v1/api-keys")
    key = record.pop("key")
    assert answer.json == {"apiKeys": [record], "nextCursor": None}
    assert key not in answer.text


def test_a_key_has_the_time_of_its_last_use(alice):
    machine = alice.create_api_key()
    machine.get("/v1/documents")
    record = alice.get("/v1/api-keys?limit=1").json["apiKeys"][0]
    assert record["id"] == machine.record["id"]
    assert parse_time(record["lastUsedAt"]) >= parse_time(record["createdAt"])


def test_a_revoked_key_is_refused_at_once_and_stays_listed(new_user):
    machine = new_user.create_api_key()
    path = f"/v1/api-keys/{machine.record['id']}"
    answer = new_user.delete(path)
    assert (answer.status, answer.body) == (204, b"")
    refused(machine.get("/v1/documents"), 401, "key_revoked")
    (record,) = new_user.get("/v1/api-keys").json["apiKeys"]
    assert parse_time(record["revokedAt"]) >= parse_time(record["createdAt"])
    assert new_user.delete(path).status == 204
    assert new_user.get("/v1/api-keys").json["apiKeys"] == [record]


def test_invalid_scopes_are_refused(alice):
    for scopes in (["documents"], ["documents:read", "x"], "documents:read", [1]):
        problem = refused(create(alice, scopes=scopes), 422, "invalid_request", scopes)
        assert problem["errors"][0]["pointer"].startswith("#/scopes")


BAD_TIMES = [
    "",
    "tomorrow",
    "2099-01-01",
    "2099-01-01T00:00:00",
    "2099-13-01T00:00:00.000Z",
    "2099-02-30T00:00:00.000Z",
    "2000-01-01T00:00:00.000Z",
    "99999-01-01T00:00:00.000Z",
    "9999-12-31T23:59:59-14:00",  # in UTC it lies in a year of five digits
    4_070_908_800,
    True,
    [],
]


def test_an_invalid_or_past_expiry_is_refused(alice, document):
    for expires_at in BAD_TIMES:
        given = {"expiresAt": expires_at}
        for path, body in {
            "/v1/api-keys": given,
            "/v1/documents": {"payload": "", "contentType": "text/plain", **given},
            f"/v1/documents/{document['id']}/tokens": given,
        }.items():
            refused_field(alice.post(path, json=body), "#/expiresAt", expires_at)
        answer = alice.patch(f"/v1/documents/{document['id']}", json=given)
        refused_field(answer, "#/expiresAt", expires_at)


def test_another_format_of_a_time_is_refused_or_normalised(alice):
    for spelled in ("2099-01-01T00:00:00Z", "2099-01-01T02:00:00.5+02:00"):
        answer = create(alice, expiresAt=spelled)
        assert answer.status in (201, 422)
        if answer.status == 201:
            assert parse_time(answer.json["expiresAt"]).year in (2098, 2099), spelled


# Rotate


def rotate(person, machine, **fields):
    return person.post(f"/v1/api-keys/{machine.record['id']}/rotate", json=fields)


def test_rotating_returns_a_new_key_with_the_same_name_scopes_and_expiry(alice):
    machine = alice.create_api_key(
        name="ci", scopes=["documents:read"], expiresAt=time_from_now(days=1)
    )
    answer = rotate(alice, machine)
    assert answer.status == 201
    new = answer.json
    assert new.keys() == RECORD | {"key"}
    assert all(new[name] == machine.record[name] for name in ("name", "scopes", "expiresAt"))
    assert new["id"] != machine.record["id"]
    assert new["key"] != machine.secret
    assert alice.with_api_key(new["key"]).get("/v1/documents").status == 200


def test_the_old_key_is_refused_at_once_without_an_overlap(alice):
    machine = alice.create_api_key()
    rotate(alice, machine)
    refused(machine.get("/v1/documents"), 401, "key_revoked")


def test_an_invalid_overlap_is_refused(alice):
    machine = alice.create_api_key()
    for seconds in (-1, 604_801, 1.5, "60", True, [], 10**30):
        answer = rotate(alice, machine, overlapSeconds=seconds)
        refused_field(answer, "#/overlapSeconds", seconds)
    assert machine.get("/v1/documents").status == 200


def test_a_revoked_key_cannot_be_rotated(alice):
    machine = alice.create_api_key()
    alice.delete(f"/v1/api-keys/{machine.record['id']}")
    assert rotate(alice, machine).status in (404, 409, 410, 422)
