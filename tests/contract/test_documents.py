"""Records of documents: listed, filtered, changed, deleted."""

import pytest

from tests.formats import time_from_now
from tests.people import at
from tests.problems import refused, refused_field, refused_query
from tests.waiting import until

RECORD = {"id", "name", "contentType", "size", "sha256", "createdAt", "expiresAt", "metadata"}


def assert_not_found(person, document):
    """Assert that no request finds anything of this document."""
    for path in ("", "/view", "/download", "/content", "/tokens"):
        refused(person.get(at(document, path)), 404, "not_found")
    refused(person.patch(at(document), json={"name": "x"}), 404, "not_found")
    refused(person.post(at(document, "/tokens"), json={}), 404, "not_found")
    refused(person.delete(at(document)), 404, "not_found")
    assert document["id"] not in person.get("/v1/documents").text


@pytest.fixture(scope="module")
def shelf(service):
    """A person with documents of three types, and these documents, oldest first.

    No two were created in the same millisecond.
    """
    person = service.register()
    kinds = ["text/plain", "application/pdf", "image/png", "text/plain"]
    documents = []
    for kind in kinds:
        documents.append(person.upload(content_type=kind, token=None))
        until(lambda: time_from_now() > documents[-1]["createdAt"])
    return person, documents


def ids(answer):
    assert answer.status == 200, answer
    return [document["id"] for document in answer.json["documents"]]


def test_the_list_holds_records_without_payload_or_token(shelf):
    person, documents = shelf
    listed = person.get("/v1/documents").json["documents"]
    assert [set(record) for record in listed] == [RECORD] * 4
    assert listed[0] == {name: documents[3][name] for name in RECORD}


def test_the_list_is_filtered_by_content_type(shelf):
    person, documents = shelf
    answer = person.get("/v1/documents?contentType=text/plain")
    assert ids(answer) == [documents[3]["id"], documents[0]["id"]]
    assert ids(person.get("/v1/documents?contentType=video/mp4")) == []


def test_the_list_is_filtered_by_time(shelf):
    person, documents = shelf
    when = documents[1]["createdAt"]
    later = ids(person.get(f"/v1/documents?createdAfter={when}"))
    earlier = ids(person.get(f"/v1/documents?createdBefore={when}"))
    assert {documents[2]["id"], documents[3]["id"]} <= set(later)
    assert documents[0]["id"] in earlier
    assert not {documents[0]["id"]} & set(later)
    assert not {documents[2]["id"], documents[3]["id"]} & set(earlier)
    assert ids(person.get(f"/v1/documents?createdAfter={time_from_now(days=1)}")) == []
    assert len(ids(person.get(f"/v1/documents?createdBefore={time_from_now(days=1)}"))) == 4


def test_filters_and_pages_combine(shelf):
    person, documents = shelf
    query = "/v1/documents?limit=1&contentType=text/plain"
    first = person.get(query).json
    assert first["documents"][0]["id"] == documents[3]["id"]
    assert ids(person.get(f"{query}&cursor={first['nextCursor']}")) == [documents[0]["id"]]


@pytest.mark.parametrize(
    "query",
    [
        *("createdAfter=yesterday", "createdBefore=2026-01-01", "createdAfter=", "createdBefore=1"),
        *("contentType=", "contentType=nonsense", "contentType=%00", "title=a", "createdafter=x"),
    ],
)
def test_a_bad_filter_is_refused(query, alice):
    refused_query(alice.get(f"/v1/documents?{query}"))


def test_get_returns_the_record(alice, document):
    answer = alice.get(at(document))
    assert answer.json == {name: document[name] for name in RECORD}


def test_patch_changes_name_metadata_and_expiry(alice, temporary_document):
    change = {"name": "new name.txt", "metadata": {"a": "b"}, "expiresAt": time_from_now(days=2)}
    answer = alice.patch(at(temporary_document), json=change)
    assert answer.status == 200
    assert answer.json == {name: temporary_document[name] for name in RECORD} | change
    assert alice.get(at(temporary_document)).json == answer.json


@pytest.mark.parametrize(
    "change", [{"name": "only.txt"}, {"metadata": {"only": "this"}}, {"expiresAt": None}, {}]
)
def test_patch_leaves_the_other_fields_unchanged(change, alice):
    full = {"name": "a.txt", "metadata": {"a": "b", "c": "d"}, "expiresAt": time_from_now(days=1)}
    document = alice.upload(**full)
    answer = alice.patch(at(document), json=change)
    assert answer.status == 200 or not change
    kept = {name: document[name] for name in RECORD} | change
    assert alice.get(at(document)).json == kept


@pytest.mark.parametrize("field", ["id", "contentType", "payload", "size", "sha256", "createdAt"])
def test_patch_refuses_fields_that_never_change(field, alice, document):
    refused_field(alice.patch(at(document), json={field: document.get(field, "")}), f"#/{field}")


def test_a_refused_patch_changes_nothing(alice, temporary_document):
    answer = alice.patch(at(temporary_document), json={"name": "new", "metadata": {"a": 1}})
    assert answer.status == 422
    assert alice.get(at(temporary_document)).json["name"] == "lost.txt"


def test_delete_removes_the_document_and_its_tokens_at_once(alice, temporary_document):
    answer = alice.delete(at(temporary_document))
    assert (answer.status, answer.body) == (204, b"")
    assert_not_found(alice, temporary_document)
    for link in ("viewUrl", "downloadUrl", "contentUrl"):
        assert alice.open(temporary_document["token"][link]).status in (401, 404, 410)


def test_a_second_delete_is_404(alice, temporary_document):
    statuses = [alice.delete(at(temporary_document)).status for _ in range(3)]
    assert statuses == [204, 404, 404]
