"""Records of documents: uploaded, listed, found, changed, deleted."""

from urllib.parse import urlencode

import pytest

from tests.contract.requests import RECORD
from tests.formats import time_from_now
from tests.people import at
from tests.problems import assert_not_found, refused_field, refused_query
from tests.waiting import until


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


BAD_FILTERS = [
    "createdAfter=yesterday",
    "createdBefore=2026-01-01",
    "createdAfter=",
    "createdBefore=1",
    "contentType=",
    "contentType=nonsense",
    "contentType=%00",
    "title=a",
    "createdafter=x",
]


def test_a_bad_filter_is_refused(alice):
    for query in BAD_FILTERS:
        refused_query(alice.get(f"/v1/documents?{query}"), query)


def test_patch_changes_name_metadata_and_expiry(alice, temporary_document):
    change = {"name": "new name.txt", "metadata": {"a": "b"}, "expiresAt": time_from_now(days=2)}
    answer = alice.patch(at(temporary_document), json=change)
    assert answer.status == 200
    assert answer.json == {name: temporary_document[name] for name in RECORD} | change
    assert alice.get(at(temporary_document)).json == answer.json


def test_patch_leaves_the_other_fields_unchanged(alice):
    full = {"name": "a.txt", "metadata": {"a": "b", "c": "d"}, "expiresAt": time_from_now(days=1)}
    for change in ({"name": "only.txt"}, {"metadata": {"only": "this"}}, {"expiresAt": None}, {}):
        document = alice.upload(**full)
        answer = alice.patch(at(document), json=change)
        assert answer.status == 200 or not change
        kept = {name: document[name] for name in RECORD} | change
        assert alice.get(at(document)).json == kept


def test_patch_refuses_fields_that_never_change(alice, document):
    for field in ("id", "contentType", "payload", "size", "sha256", "createdAt"):
        answer = alice.patch(at(document), json={field: document.get(field, "")})
        refused_field(answer, f"#/{field}")


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


NAMES = ["Report Q1.pdf", "REPORT q2.pdf", "minutes.md", "Straße.txt", "été.txt", "50% off_1.txt"]


@pytest.fixture(scope="module")
def librarian(service):
    librarian = service.register()
    for name in NAMES:
        librarian.upload(b"", name=name, token=None)
    librarian.upload(b"", "text/markdown", name="report.md", token=None)
    librarian.upload(b"", "application/pdf", token=None)
    return librarian


def search(person, **query):
    answer = person.get("/v1/documents?" + urlencode(query))
    assert answer.status == 200, answer
    return answer.json


def found(person, **query):
    return [one["name"] for one in search(person, **query)["documents"]]


PARTS = {
    **dict.fromkeys(("STRASSE", "straße"), ["Straße.txt"]),
    **dict.fromkeys(("ÉTÉ", "e\u0301te\u0301"), ["été.txt"]),
    **dict.fromkeys(("%", "f_1"), ["50% off_1.txt"]),
    "Q1.pdf": ["Report Q1.pdf"],
    "nowhere": [],
    " ": NAMES[5:] + NAMES[1::-1],
}


def test_a_part_of_the_name_is_found_in_any_case_newest_first(librarian):
    for part in ("report", "REPORT", "ePoR"):
        assert found(librarian, name=part) == ["report.md", "REPORT q2.pdf", "Report Q1.pdf"]


def test_case_and_accents_are_those_of_unicode_and_nothing_is_a_wildcard(librarian):
    for part, names in PARTS.items():
        assert found(librarian, name=part) == names, part


def test_a_document_without_a_name_is_found_by_the_one_that_it_is_shown_with(librarian):
    (name,) = found(librarian, name="doc_")
    assert name.endswith(".pdf")


def test_a_name_narrows_the_other_filters(librarian):
    assert found(librarian, name="report", contentType="text/markdown") == ["report.md"]
    assert found(librarian, name="report", createdAfter="2099-01-01T00:00:00Z") == []


def test_the_pages_of_a_search_together_have_each_document_once(librarian):
    for limit in (1, 2, 3):
        pages = list(librarian.pages(f"/v1/documents?name=report&limit={limit}"))
        assert all(pages)
        names = [document["name"] for page in pages for document in page]
        assert names == ["report.md", "REPORT q2.pdf", "Report Q1.pdf"], limit


def test_documents_of_another_user_are_not_found(librarian, new_user):
    assert found(new_user, name="report") == []


def test_a_new_name_is_found_and_the_former_one_is_not(new_user):
    document = new_user.upload(name="former.txt", token=None)
    new_user.patch(f"/v1/documents/{document['id']}", json={"name": "present.txt"})
    assert (found(new_user, name="former"), found(new_user, name="PRESENT")) == (
        [],
        ["present.txt"],
    )


def test_a_name_that_no_document_can_have_is_refused(librarian):
    for name in ("", "a" * 256, "a\0b"):
        answer = librarian.get("/v1/documents?" + urlencode({"name": name}))
        assert (answer.status, answer.json["errors"][0]["pointer"]) == (422, "#/name")
