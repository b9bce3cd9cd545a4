"""The bin: what is deleted in the pages can be put back for a day."""

import re

import pytest

from tests.console.test_documents import rows
from tests.console.visitor import Visitor, forms_of
from tests.problems import assert_not_found, refused


@pytest.fixture
def found(member):
    return member.api.upload(b"# Hello", "text/markdown", name="hello.md", token=None)


def put_in_bin(member, *documents, **more):
    ids = [document["id"] for document in documents]
    return member.post("/app/documents", {"act": "bin", "id": ids, **more})


def put_back(member, *documents, **more):
    return member.post("/app/bin", {"id": [document["id"] for document in documents], **more})


def delete_now(member, document):
    return member.post(f"/app/bin/{document['id']}/delete")


def test_a_deleted_document_is_in_the_bin_and_its_notice_takes_that_back(member, found):
    page = member.get(f"/app/documents/{found['id']}")
    (form,) = (one for one in forms_of(page) if one["fields"].get("id") == found["id"])
    answer = member.post(form["action"], form["fields"] | {"act": "bin"})
    assert (answer.status, rows(member.get("/app/documents"))) == (303, [])
    notice = member.get(answer.headers["Location"])
    assert "“<bdi>hello.md</bdi>” is in the bin." in notice.text
    assert "hello.md" in member.get("/app/bin").text

    answer = member.submit(notice, "/app/bin")

    assert answer.status == 303
    assert "Restored, with its links." in member.get(answer.headers["Location"]).text
    assert rows(member.get("/app/documents")) == ["hello.md"]
    assert "The bin is empty." in member.get("/app/bin").text


def test_what_is_in_the_bin_is_not_there_to_the_api(member, found):
    api = member.api
    link = api.share(found, label="the auditor")
    put_in_bin(member, found)
    assert_not_found(api, found)
    for query in ("", "?name=hello", "?contentType=text/markdown"):
        assert api.get(f"/v1/documents{query}").json["documents"] == []
    assert api.get("/v1/tokens?state=live").json["tokens"] == []
    (listed,) = api.get("/v1/tokens?state=ended").json["tokens"]
    assert (listed["id"], listed["label"]) == (link["id"], None)


def test_what_is_in_the_bin_counts_as_stored_and_is_counted_by_itself(member, found):
    put_in_bin(member, found)
    stored = {"documentCount": 1, "size": found["size"], "binnedCount": 1}
    assert member.api.get("/v1/auth/me").json["stored"] == stored


def test_what_is_in_the_bin_is_not_there_in_the_pages(member, found):
    put_in_bin(member, found)
    for act in ("", "/view", "/content", "/download"):
        assert member.get(f"/app/documents/{found['id']}{act}").status == 404, act


def test_links_end_with_the_bin_and_open_again_when_it_is_put_back(member, found):
    link = member.api.share(found, maxViews=5)
    put_in_bin(member, found)
    for url in ("viewUrl", "downloadUrl", "contentUrl"):
        refused(member.api.open(link[url]), 410, "token_spent")
    path = link["viewUrl"].removeprefix(member.service.url)
    assert "This link is off" in Visitor(member.service).get(path, Accept="text/html").text
    (row,) = re.findall(r"<li.*?</li>", member.get("/app/links").text, re.S)
    assert "a deleted document" in row
    assert "live" not in row
    put_back(member, found)
    assert member.api.submit(link).status == 200
    (listed,) = member.api.get("/v1/tokens?state=live").json["tokens"]
    assert listed["id"] == link["id"]


def test_several_are_deleted_and_put_back_at_once(member):
    documents = [member.api.upload(b"x", name=f"{n}.txt", token=None) for n in range(3)]
    back = "/app/documents?type=Text&page=1"
    answer = put_in_bin(member, *documents[:2], back=back)
    assert answer.headers["Location"].startswith(back + "&done=binned")
    notice = member.get(answer.headers["Location"])
    assert "2 documents are in the bin." in notice.text
    assert rows(notice) == ["2.txt"]
    (form,) = (one for one in forms_of(notice) if one["action"] == "/app/bin")
    answer = put_back(member, *documents[:2], back=form["fields"]["back"])
    assert answer.headers["Location"] == back + "&done=restored"
    assert rows(member.get("/app/documents")) == ["2.txt", "1.txt", "0.txt"]


def test_deleting_and_putting_back_twice_does_it_once(member, found):
    for act in (put_in_bin, put_in_bin, put_back, put_back):
        assert act(member, found).status == 303
    types = ["document.created", "document.binned", "document.restored"]
    assert member.api.event_types() == types


def test_it_is_deleted_for_good_at_once_after_a_question(member, found):
    link = member.api.share(found)
    put_in_bin(member, found)
    assert "It can’t be restored then" in member.get("/app/bin").text
    assert delete_now(member, found).headers["Location"] == "/app/bin?done=deleted"
    assert put_back(member, found).status == 404
    assert delete_now(member, found).status == 404
    refused(member.api.open(link["viewUrl"]), 410, "token_spent")
    assert member.api.event_types()[2:] == ["document.binned", "document.deleted", "token.revoked"]


def test_what_is_not_in_the_bin_is_not_deleted_from_it(member, found):
    assert delete_now(member, found).status == 404
    assert rows(member.get("/app/documents")) == ["hello.md"]


def test_documents_of_others_are_neither_deleted_nor_put_back(member, found, service):
    other = Visitor(service).sign_up(f"other-{found['id']}@example.org")
    assert put_in_bin(other, found).status == 404
    put_in_bin(member, found)
    assert put_back(other, found).status == 404
    assert delete_now(other, found).status == 404
    notice = other.get(f"/app/documents?done=binned&id={found['id']}").text
    assert "hello.md" not in notice + other.get("/app/bin").text
    assert "hello.md" in member.get("/app/bin").text


def test_nothing_is_done_without_a_choice(member, found):
    for fields in {}, {"act": "bin"}, {"id": found["id"]}, {"id": found["id"], "act": "nonsense"}:
        answer = member.post("/app/documents", fields)
        assert (answer.status, "Select documents" in answer.text) == (422, True)
    assert rows(member.get("/app/documents")) == ["hello.md"]


def test_the_bin_counts_towards_the_quota(start_service):
    member = Visitor(start_service(QUOTA_DOCUMENTS="1")).sign_up("a@example.org")
    document = member.api.upload(b"x", token=None)
    put_in_bin(member, document)
    another = {"contentType": "text/plain", "payload": ""}
    refused(member.api.post("/v1/documents", json=another), 403, "quota_exceeded")
    assert 'with what is in <a href="/app/bin">the bin</a>' in member.get("/app/account").text
    delete_now(member, document)
    assert member.api.post("/v1/documents", json=another).status == 201


def test_the_list_says_what_is_in_the_bin(member, found):
    assert "/app/bin" not in member.get("/app/documents").text
    put_in_bin(member, found)
    assert ">Bin</a>: 1 document," in member.get("/app/documents").text


def test_the_bin_has_pages(member):
    documents = [member.api.upload(b"x", name=f"{n}.txt", token=None) for n in range(51)]
    for part in (documents[:1], documents[1:]):
        put_in_bin(member, *part)
    names = re.compile(r"<bdi id=[^>]+>([^<]+)<")
    pages = [names.findall(page.text) for page in member.older("/app/bin")]
    assert [len(page) for page in pages] == [50, 1]
    assert pages[1] == ["0.txt"]


def test_activity_tells_of_the_bin(member, found):
    put_in_bin(member, found)
    text = re.sub("<[^>]+>", "", member.get("/app/activity").text)
    assert "moved hello.md to the bin" in text
    put_back(member, found)
    text = re.sub("<[^>]+>", "", member.get("/app/activity").text)
    assert "restored hello.md" in text
