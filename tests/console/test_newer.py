"""A newer file in place of a document, and links that are led elsewhere."""

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
    assert "1 active link will open the new file; its address stays." in words(page)
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
    assert "Delete the old version" in page.text
    member.post("/app/documents", {"act": "bin", "id": document["id"]})
    assert "Delete the old version" not in member.get(first.headers["Location"]).text


def test_nothing_changes_if_the_newer_file_is_refused(member, document):
    link = member.api.share(document)
    path = f"/app/documents/{document['id']}/newer"
    refused = member.request("POST", path, MULTIPART, b"--b--\r\n")
    assert refused.status == 422
    assert field_of(refused, "file")
    assert member.api.get(f"/v1/tokens/{link['id']}").json["documentId"] == document["id"]
    assert member.get("/app/documents/doc_0/newer").status == 404


def test_a_link_that_is_led_elsewhere_tells_what_it_opens_and_has_opened(member, document):
    collection = member.api.collect(document, title="Papers of Ada")
    link = member.api.share(document)
    member.api.open(link["contentUrl"])
    path = f"/app/links/{link['id']}"
    assert "opens: offer.txt" in words(member.get(path))
    member.api.patch(f"/v1/tokens/{link['id']}", json={"collectionId": collection["id"]})
    page = words(member.get(path))
    assert "opens 1 document: Papers of Ada" in page
    assert "saved offer.txt" in page


def test_the_page_of_a_link_that_takes_files_says_where_they_come(member):
    link = member.api.share(member.api.collect(title="Inbox"), permissions=["upload"])
    assert "receives: Inbox" in words(member.get(f"/app/links/{link['id']}"))


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
    member.api.patch(f"/v1/tokens/{link['id']}", json={"collectionId": collection["id"]})
    page = open_browser()
    member.enter(page)
    for one in (path, f"/app/documents/{document['id']}/newer"):
        page.goto(service.url + one)
        check(page, one)


def test_openings_of_the_old_file_are_not_told_of_the_new_one(member):
    found = member.api.upload(b"one", name="offer.txt", token={})
    member.api.open(found["token"]["viewUrl"])
    member.api.open(found["token"]["viewUrl"])
    answer = send(member, f"/app/documents/{found['id']}/newer?key=newer")
    page = words(member.get(answer.headers["Location"].partition("?")[0]))
    assert "opened 2 times before it was replaced" in page
    assert "Nobody has opened the new file yet." in page
    assert "Nothing is known of its openings" not in page
    assert "new file not opened yet" in words(member.get("/app/documents"))
    links = words(member.get("/app/links"))
    assert "opened 2 times before it was replaced" in links
    member.api.open(found["token"]["shortUrl"])
    assert "Opened 20" in words(member.get("/app/documents"))
    assert "before it was replaced" not in words(member.get("/app/links"))
