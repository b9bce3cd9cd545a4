"""What an API key with few scopes can do: `documents:write` neither reads nor destroys."""

import pytest

from tests.formats import b64, time_from_now
from tests.people import at
from tests.problems import refused

CONTENT = b"what only readers know"


@pytest.fixture
def writer(new_user):
    return new_user.create_api_key(scopes=["documents:write"])


@pytest.fixture
def document(new_user):
    return new_user.upload(CONTENT, name="secret.txt", metadata={"project": "secret"})


def test_a_key_that_only_writes_opens_what_it_uploaded_by_the_link_of_the_response(writer):
    document = writer.upload(CONTENT)
    assert writer.open(document["token"]["contentUrl"]).body == CONTENT
    refused(writer.get(at(document)), 403, "scope_missing")


def test_a_key_that_only_writes_gets_the_same_link_for_an_upload_sent_again(writer):
    body, key = {"payload": b64(CONTENT), "contentType": "text/plain"}, {"Idempotency-Key": "1"}
    first, again = (writer.post("/v1/documents", json=body, headers=key) for _ in range(2))
    assert again.json == first.json
    assert again.headers["Idempotency-Replayed"] == "true"


def test_a_key_that_only_writes_makes_no_link_to_what_is_there(writer, document, new_user):
    refused(writer.post(at(document, "/tokens"), json={}), 403, "scope_missing")
    assert len(new_user.get(at(document, "/tokens")).json["tokens"]) == 1


def test_a_link_that_was_made_is_not_given_again_to_a_key_that_may_not_make_it(
    writer, document, new_user
):
    key = {"Idempotency-Key": "link"}
    assert new_user.post(at(document, "/tokens"), json={}, headers=key).status == 201
    again = writer.post(at(document, "/tokens"), json={}, headers=key)
    refused(again, 403, "scope_missing")


def test_a_key_that_only_writes_changes_name_and_metadata(writer, document, new_user):
    change = {"name": "new.txt", "metadata": {"a": "b"}}
    answer = writer.patch(at(document), json=change)
    assert answer.json | change == answer.json
    assert new_user.get(at(document)).json | change == new_user.get(at(document)).json


@pytest.mark.parametrize("change", [{}, {"metadata": None}, {"name": None}])
def test_the_record_after_a_change_shows_a_key_that_only_writes_nothing_it_did_not_send(
    change, writer, document
):
    answer = writer.patch(at(document), json=change)
    assert answer.status == 200
    assert "secret" not in answer.text
    assert document["sha256"] not in answer.text


def test_the_record_after_a_change_is_whole_for_a_key_that_reads(document, new_user):
    machine = new_user.create_api_key(scopes=["documents:read", "documents:write"])
    record = machine.patch(at(document), json={"name": "new.txt"}).json
    assert record == new_user.get(at(document)).json
    assert record["metadata"] == {"project": "secret"}


def test_an_earlier_end_needs_the_scope_to_delete(writer, document, new_user):
    soon, later = time_from_now(days=1), time_from_now(days=2)
    destroyer = new_user.create_api_key(scopes=["documents:write", "documents:delete"])
    problem = refused(writer.patch(at(document), json={"expiresAt": later}), 403, "scope_missing")
    assert "documents:delete" in problem["detail"]
    assert destroyer.patch(at(document), json={"expiresAt": later}).json["expiresAt"] == later
    refused(writer.patch(at(document), json={"expiresAt": soon}), 403, "scope_missing")
    assert new_user.get(at(document)).json["expiresAt"] == later
    assert destroyer.patch(at(document), json={"expiresAt": soon}).json["expiresAt"] == soon


def test_a_refused_end_changes_nothing_else(writer, document, new_user):
    change = {"name": "new.txt", "expiresAt": time_from_now(days=1)}
    refused(writer.patch(at(document), json=change), 403, "scope_missing")
    assert new_user.get(at(document)).json["name"] == "secret.txt"


def test_the_same_or_a_later_end_needs_only_the_scope_to_write(writer, new_user):
    until = time_from_now(days=2)
    document = new_user.upload(expiresAt=until)
    for end in (until, time_from_now(days=3), None):
        assert writer.patch(at(document), json={"expiresAt": end}).json["expiresAt"] == end


def test_an_upload_has_any_end_with_the_scope_to_write_alone(writer):
    until = time_from_now(days=1)
    assert writer.upload(expiresAt=until)["expiresAt"] == until


def test_a_rotated_key_has_no_more_scopes_than_before(writer, document, new_user):
    rotated = new_user.post(f"/v1/api-keys/{writer.record['id']}/rotate", json={}).json
    machine = new_user.with_api_key(rotated["key"])
    assert rotated["scopes"] == ["documents:write"]
    refused(machine.get(at(document)), 403, "scope_missing")
    refused(machine.post(at(document, "/tokens"), json={}), 403, "scope_missing")
