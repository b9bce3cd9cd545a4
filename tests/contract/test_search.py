"""Finding documents by a part of their name."""

from urllib.parse import urlencode

import pytest

NAMES = ["Report Q1.pdf", "REPORT q2.pdf", "minutes.md", "Straße.txt", "été.txt", "50% off_1.txt"]


@pytest.fixture(scope="module")
def owner(service):
    owner = service.register()
    for name in NAMES:
        owner.upload(b"", name=name, token=None)
    owner.upload(b"", "text/markdown", name="report.md", token=None)
    owner.upload(b"", "application/pdf", token=None)
    return owner


def search(person, **query):
    answer = person.get("/v1/documents?" + urlencode(query))
    assert answer.status == 200, answer
    return answer.json


def found(person, **query):
    return [one["name"] for one in search(person, **query)["documents"]]


@pytest.mark.parametrize("part", ["report", "REPORT", "ePoR"])
def test_a_part_of_the_name_is_found_in_any_case_newest_first(part, owner):
    assert found(owner, name=part) == ["report.md", "REPORT q2.pdf", "Report Q1.pdf"]


@pytest.mark.parametrize(
    ("part", "names"),
    [
        *[("STRASSE", ["Straße.txt"]), ("straße", ["Straße.txt"]), ("ÉTÉ", ["été.txt"])],
        *[("e\u0301te\u0301", ["été.txt"]), ("%", ["50% off_1.txt"]), ("f_1", ["50% off_1.txt"])],
        *[("Q1.pdf", ["Report Q1.pdf"]), ("nowhere", []), (" ", NAMES[5:] + NAMES[1::-1])],
    ],
)
def test_case_and_accents_are_those_of_unicode_and_nothing_is_a_wildcard(part, names, owner):
    assert found(owner, name=part) == names


def test_a_document_without_a_name_is_found_by_the_one_that_it_is_shown_with(owner):
    (name,) = found(owner, name="doc_")
    assert name.endswith(".pdf")


def test_a_name_narrows_the_other_filters(owner):
    assert found(owner, name="report", contentType="text/markdown") == ["report.md"]
    assert found(owner, name="report", createdAfter="2099-01-01T00:00:00Z") == []


@pytest.mark.parametrize("limit", [1, 2, 3])
def test_the_pages_of_a_search_together_have_each_document_once(limit, owner):
    names, page = [], {"nextCursor": ""}
    while page["nextCursor"] is not None:
        cursor = {"cursor": page["nextCursor"]} if page["nextCursor"] else {}
        page = search(owner, name="report", limit=limit, **cursor)
        assert page["documents"]
        names += [one["name"] for one in page["documents"]]

    assert names == ["report.md", "REPORT q2.pdf", "Report Q1.pdf"]


def test_documents_of_another_user_are_not_found(owner, new_user):
    assert found(new_user, name="report") == []


def test_a_new_name_is_found_and_the_former_one_is_not(new_user):
    document = new_user.upload(name="former.txt", token=None)
    new_user.patch(f"/v1/documents/{document['id']}", json={"name": "present.txt"})

    assert (found(new_user, name="former"), found(new_user, name="PRESENT")) == (
        [],
        ["present.txt"],
    )


@pytest.mark.parametrize("name", ["", "a" * 256, "a\0b"])
def test_a_name_that_no_document_can_have_is_refused(name, owner):
    answer = owner.get("/v1/documents?" + urlencode({"name": name}))
    assert (answer.status, answer.json["errors"][0]["pointer"]) == (422, "#/name")
