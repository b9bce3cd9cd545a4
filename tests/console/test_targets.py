"""A newer file in place of a document, and links that are led elsewhere in the pages."""

import re

import pytest

from tests.console.visitor import field_of, words
from tests.people import at

MULTIPART = {"Content-Type": "multipart/form-data; boundary=b", "Sec-Fetch-Site": "same-origin"}


@pytest.fixture
def document(member):
    return member.api.upload(b"first", name="offer.txt", token=None, metadata={"for": "Ada"})


def send(member, path, content=b"second"):
    head = b'--b\r\nContent-Disposition: form-data; name="file"; filename="offer 2.txt"\r\n'
    body = head + b"Content-Type: text/plain\r\n\r\n" + content + b"\r\n--b--\r\n"
    return member.request("POST", path, MULTIPART, body)


def test_a_newer_file_takes_over_links_and_places_and_the_former_stays(member, document):
    other = member.api.upload(b"x", name="other.txt", token=None)
    collection = member.api.collect(document, other, title="Offers")
    live = member.api.share(document, label="Ada", password="hunter22", maxViews=1)
    ended = member.api.share(document, maxViews=1)
    member.api.open(ended["contentUrl"])
    revoked = member.api.share(document)
    member.api.delete(f"/v1/tokens/{revoked['id']}")
    path = f"/app/documents/{document['id']}/newer"
    page = member.get(path)
    assert "1 live link opens the newer file" in words(page)
    assert "in 1 collection" in words(page)
    (action,) = re.findall(rf'action="({path}\?key=[^"]+)"', page.text)
    first, again = (send(member, action) for _ in range(2))
    assert (first.status, first.headers["Location"]) == (303, again.headers["Location"])
    newer = re.search(r"doc_\w+", first.headers["Location"])[0]
    record = member.api.get(f"/v1/documents/{newer}").json
    assert (record["name"], record["metadata"]) == ("offer 2.txt", {"for": "Ada"})
    targets = [
        member.api.get(f"/v1/tokens/{one['id']}").json["documentId"]
        for one in (live, ended, revoked)
    ]
    assert targets == [newer, newer, document["id"]]
    inside = member.api.get(at(collection)).json["documents"]
    assert [one["id"] for one in inside] == [newer, other["id"]]
    opened = member.api.open(live["shortUrl"], "POST", form={"password": "hunter22"})
    assert "second" in opened.text
    page = member.get(first.headers["Location"])
    assert "Delete the former file" in page.text
    member.post("/app/documents", {"act": "bin", "id": document["id"]})
    assert "Delete the former file" not in member.get(first.headers["Location"]).text


def test_nothing_changes_if_the_newer_file_is_refused(member, document):
    link = member.api.share(document)
    path = f"/app/documents/{document['id']}/newer"
    refused = member.request("POST", path, MULTIPART, b"--b--\r\n")
    assert refused.status == 422
    assert field_of(refused, "file")
    assert member.api.get(f"/v1/tokens/{link['id']}").json["documentId"] == document["id"]
    assert member.get("/app/documents/doc_0/newer").status == 404


def test_what_a_link_opens_is_changed_found_by_name_and_remembered(member, document):
    collection = member.api.collect(document, title="Papers of Ada")
    link = member.api.share(document)
    member.api.open(link["contentUrl"])
    path = f"/app/links/{link['id']}"
    assert "opens: offer.txt" in words(member.get(path))
    found = member.get(f"{path}/target?find=papers")
    changed = member.post(f"{path}/target", {"collectionId": collection["id"]})
    assert collection["id"] in found.text
    assert document["id"] not in found.text.partition("Something else")[2]
    assert changed.headers["Location"] == f"{path}?done=led"
    page = words(member.get(path))
    assert "opens 1 document: Papers of Ada" in page
    assert "saved offer.txt" in page
    member.post(f"{path}/target", {"documentId": document["id"]})
    history = words(member.get(f"{path}/target"))
    assert history.index("Papers of Ada") < history.index("offer.txt", history.index("Until"))
    assert member.post(f"{path}/target", {}).status == 422
    assert member.post(f"{path}/target", {"documentId": "doc_0"}).status in (404, 422)


def test_a_link_that_takes_files_is_offered_collections_alone(member, document):
    inbox, other = member.api.collect(title="Inbox"), member.api.collect(title="Other")
    link = member.api.share(inbox, permissions=["upload"])
    path = f"/app/links/{link['id']}"
    assert "receives: Inbox" in words(member.get(path))
    page = member.get(f"{path}/target")
    assert other["id"] in page.text
    assert document["id"] not in page.text
    assert member.post(f"{path}/target", {"documentId": document["id"]}).status == 422
    member.post(f"{path}/target", {"collectionId": other["id"]})
    assert "receives: Other" in words(member.get(path))


def test_the_empty_list_of_collections_leads_to_requesting_files(member):
    page = member.get("/app/collections")
    assert "Request files" in page.text
    answer = member.submit(page, "/app/collections", title="Papers", act="request")
    assert answer.headers["Location"].partition("?")[0].endswith("/requests")


def test_the_pages_are_accessible_and_long_names_are_not_cut_off(
    member, open_browser, check, service
):
    document = member.api.upload(b"x", name="long name " * 20, token=None)
    link = member.api.share(document)
    member.api.open(link["contentUrl"])
    path = f"/app/links/{link['id']}"
    collection = member.api.collect(document, title="long title " * 18)
    member.post(f"{path}/target", {"collectionId": collection["id"]})
    page = open_browser()
    member.enter(page)
    for one in (path, f"{path}/target", f"/app/documents/{document['id']}/newer"):
        page.goto(service.url + one)
        check(page, one)
