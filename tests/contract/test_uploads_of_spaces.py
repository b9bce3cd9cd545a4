"""Uploads in pieces: which credential may see, continue and end them."""

import pytest

from tests.problems import refused
from tests.tus import Upload, begin


@pytest.fixture
def mia(service):
    return service.register()


@pytest.fixture
def space(service, mia):
    """A space that Mia manages, in which Will and Rob write and Rea reads."""
    space = mia.post("/v1/spaces", json={"name": "Accounting"}).json
    people = {"mia": mia}
    for name, role in (("will", "write"), ("rob", "write"), ("rea", "read")):
        people[name] = service.register()
        member = {"email": people[name].record["email"], "role": role}
        assert mia.post(f"/v1/spaces/{space['id']}/members", json=member).status == 201
    return {name: acting(person, space) for name, person in people.items()}


def acting(person, space):
    """The person with a session of the space."""
    answer = person.post(f"/v1/spaces/{space['id']}/sessions")
    return person.with_token(answer.json["accessToken"])


def test_any_session_or_key_of_a_person_continues(mia, service):
    upload = Upload.begin(mia, 6)
    again = service.log_in(mia.record["email"])
    key = mia.create_api_key(scopes=["documents:write"])
    assert upload.send(b"ab", 0, by=again).status == 204
    assert upload.send(b"cd", 2, by=key).status == 204
    assert upload.send(b"ef", 4).status == 204
    assert upload.content() == b"abcdef"


def test_the_name_and_the_link_are_for_the_credential_that_began(mia):
    writer = mia.create_api_key(scopes=["documents:write"])
    other = mia.create_api_key(scopes=["documents:write"])
    upload = Upload.begin(writer, 3, b"a", filename="a.txt")
    assert upload.get().json["name"] == "a.txt"
    assert upload.get(by=other).json["name"] is None
    assert upload.get(by=mia).json["name"] == "a.txt"
    assert "Upload-Metadata" in upload.head().headers
    assert "Upload-Metadata" not in upload.head(by=other).headers
    upload.send(b"bc", 1)
    assert upload.get().json["document"]["token"]["token"].startswith("dt_")
    assert upload.get().json["document"]["name"] == "a.txt"
    assert upload.get(by=mia).json["document"]["token"] is None
    assert upload.get(by=mia).json["document"]["name"] == "a.txt"
    hidden = upload.get(by=other).json["document"]
    assert (hidden["token"], hidden["sha256"]) == (None, "")
    assert hidden["name"] == f"{hidden['id']}.txt"  # as of a document without a name


def test_the_terms_of_a_link_are_for_the_credential_that_began(mia):
    key = mia.create_api_key()
    upload = Upload.begin(mia, 3, token='{"password": "a word"}')
    assert "Upload-Metadata" in upload.head().headers
    assert "Upload-Metadata" not in upload.head(by=key).headers


def test_scopes_of_keys_are_judged(mia):
    reader = mia.create_api_key(scopes=["documents:read", "documents:delete"])
    writer = mia.create_api_key(scopes=["documents:write"])
    upload = Upload.begin(mia, 3)
    refused(begin(reader, 3), 403, "scope_missing")
    refused(upload.send(b"a", 0, by=reader), 403, "scope_missing")
    assert upload.head(by=reader).status == 403
    refused(upload.get(by=reader), 403, "scope_missing")
    assert len(reader.get("/v1/uploads").json["uploads"]) == 1
    refused(writer.get("/v1/uploads"), 403, "scope_missing")
    collection = mia.collect()
    refused(begin(writer, 3, collectionId=collection["id"]), 403, "scope_missing")


def test_to_end_what_another_credential_began_takes_the_scope_to_delete(mia):
    writer = mia.create_api_key(scopes=["documents:write"])
    own = Upload.begin(writer, 3)
    of_another = Upload.begin(mia, 3)
    refused(of_another.end(by=writer), 403, "scope_missing")
    assert of_another.offset() == 0
    assert own.end().status == 204
    deleter = mia.create_api_key(scopes=["documents:write", "documents:delete"])
    assert of_another.end(by=deleter).status == 204


def test_a_revoked_key_sends_no_more(mia):
    key = mia.create_api_key()
    upload = Upload.begin(key, 3, b"a")
    mia.delete(f"/v1/api-keys/{key.record['id']}")
    refused(upload.send(b"b", 1), 401, "key_revoked")
    assert upload.send(b"bc", 1, by=mia).status == 204


def test_in_a_space_only_the_member_who_began_sends_more(space):
    upload = Upload.begin(space["will"], 3, b"a", filename="a.txt")
    refused(upload.send(b"b", 1, by=space["rob"]), 404, "not_found")
    assert upload.head(by=space["rob"]).status == 404
    refused(upload.get(by=space["rob"]), 404, "not_found")
    refused(upload.end(by=space["rob"]), 404, "not_found")
    refused(upload.send(b"b", 1, by=space["mia"]), 404, "not_found")
    assert upload.offset(by=space["mia"]) == 1
    assert upload.send(b"bc", 1).status == 204
    assert upload.get().json["document"]["name"] == "a.txt"


def test_members_see_their_own_and_managers_all(space):
    of_will = Upload.begin(space["will"], 3)
    of_rob = Upload.begin(space["rob"], 3)
    key = space["mia"].create_api_key()
    of_key = Upload.begin(key, 3)

    def seen(person):
        return [one["id"] for one in person.get("/v1/uploads").json["uploads"]]

    assert seen(space["will"]) == [of_will.id]
    assert seen(space["rob"]) == [of_rob.id]
    assert seen(space["rea"]) == []
    assert seen(key) == [of_key.id]
    assert seen(space["mia"]) == [of_key.id, of_rob.id, of_will.id]
    assert of_will.end(by=space["mia"]).status == 204
    assert of_rob.end().status == 204
    assert of_key.end(by=space["mia"]).status == 204


def test_every_key_of_a_space_continues_what_a_key_began(space):
    first, second = (space["mia"].create_api_key() for _ in range(2))
    upload = Upload.begin(first, 3)
    assert upload.send(b"abc", 0, by=second).status == 204
    of_member = Upload.begin(space["will"], 3)
    refused(of_member.send(b"a", 0, by=first), 404, "not_found")


def test_a_reader_begins_nothing(space):
    refused(begin(space["rea"], 3), 403, "scope_missing")


def test_a_member_who_was_removed_sends_no_more(service, mia):
    space = mia.post("/v1/spaces", json={"name": "Accounting"}).json
    will = service.register()
    member = {"email": will.record["email"], "role": "write"}
    mia.post(f"/v1/spaces/{space['id']}/members", json=member)
    upload = Upload.begin(acting(will, space), 3, b"a")
    mia.delete(f"/v1/spaces/{space['id']}/members/{will.record['id']}")
    refused(upload.send(b"bc", 1), 401, "session_expired")
    manager = acting(mia, space)
    assert manager.get("/v1/documents").json["documents"] == []
    assert upload.end(by=manager).status == 204
