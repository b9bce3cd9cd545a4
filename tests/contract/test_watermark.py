"""Links whose pages carry who opened them, and when."""

import re
from dataclasses import replace

import pytest

from tests.contract.test_guarded_links import ACCEPTED, TEXT, ask_code, call
from tests.mailbox import BASE
from tests.people import Person, at
from tests.problems import refused, refused_field
from viewer.tests import samples

PDF = "application/pdf"
MARKED = {"permissions": ["view"], "watermark": True}
BOOK = samples.pdf(*(f"Chapter {n}" for n in range(1, 6)))


@pytest.fixture
def document(person):
    return person.upload(BOOK, PDF, token=None)


def pages_in(page):
    """The address by which an opened page loads pages, and the ticket in it."""
    return re.search(rf'data-pages="{BASE}([^"?]+)\?([^"]+)"', page.text).groups()


def picture(who, opening, number=1, data=BOOK, scale=2):
    """What the viewer draws for one opening."""
    moment = opening["openedAt"][:16].replace("T", " ")
    marked = replace(samples.original(data, "", PDF), watermark=f"{who}\n{moment} UTC")
    return marked.pages().one(number, 5, scale).picture


def newest_opening(person, document, link):
    return person.get(at(document, f"/tokens/{link['id']}/openings")).json["openings"][0]


def test_each_picture_carries_who_opened_the_link_and_when(mailing, box, email, person, document):
    links = [
        person.share(document, **MARKED, **more)
        for more in ({"recipients": [email], "agreement": TEXT}, {"agreement": TEXT}, {})
    ]
    code = ask_code(mailing, box, links[0], email)
    proofs = {"email": email, "code": code, **ACCEPTED}, ACCEPTED, {}
    whose = email, ACCEPTED["name"], links[2]["maskedToken"]
    for link, proof, who in zip(links, proofs, whose, strict=True):
        assert link["watermark"]
        page = call(mailing, link, **proof)
        opening = newest_opening(person, document, link)
        path, ticket = pages_in(page)
        assert picture(who, opening) in page.text
    reader = Person(mailing)
    for scale in (2, 4):
        drawn = reader.get(f"{path}/5?{ticket}&scale={scale}").json
        assert drawn["picture"] == picture(who, opening, 5, scale=scale)
        own = person.get(at(document, f"/pages/5?scale={scale}")).json
        assert own["picture"] != drawn["picture"]
        assert [run["text"] for run in own["text"]] == [run["text"] for run in drawn["text"]]
    assert picture(who, opening) in reader.get(f"{at(document, '/view')}?{ticket}").text


def test_pictures_of_one_reader_are_kept_for_an_hour(mailing, person, document):
    link = person.share(document, **MARKED)
    path, ticket = pages_in(call(mailing, link))
    kept = f"SELECT expires_at - created_at FROM preview WHERE document_id = '{document['id']}'"
    for _ in range(2):
        assert Person(mailing).get(f"{path}/2?{ticket}").status == 200
        lives = [life for (life,) in mailing.sql(kept)]
        assert len(lives) == 2
        assert all(3_590_000 < life <= 3_600_000 for life in lives)


def test_a_marked_link_gives_nothing_but_marked_pages(mailing, person, document):
    link = person.share(document, **MARKED)
    by_token = person.with_token(link["token"])
    _, ticket = pages_in(call(mailing, link))
    for path in ("/content", "/pages", "/pages/1", "/download"):
        refused(by_token.get(at(document, path)), 403, "scope_missing")
        if not path.startswith("/pages"):
            refused(Person(mailing).get(at(document, f"{path}?{ticket}")), 403, "scope_missing")
    for path in ("/s/content", "/s/download"):
        for reader, query in ((by_token, ""), (Person(mailing), f"?{ticket}")):
            refused(reader.get(path + query), 403, "scope_missing")
    saved = Person(mailing).post(at(document, f"/download?{ticket}"), json={"password": "12345678"})
    refused(saved, 403, "scope_missing")
    gate = by_token.get(at(document, "/view"))
    assert "Each page shows the link and the time." in gate.text
    assert "data:image" not in gate.text
    contents = call(mailing, {**link, "documentId": None}, headers={"Accept": "application/json"})
    (one,) = contents.json["documents"]
    assert one["contentUrl"] is None
    opening = newest_opening(person, document, link)
    viewed = Person(mailing).get(one["viewUrl"].removeprefix(BASE))
    assert picture(link["maskedToken"], opening) in viewed.text


def test_a_pdf_with_a_password_is_marked_once_it_is_typed(mailing, person):
    data = samples.encrypted_pdf("open sesame")
    document = person.upload(data, PDF, token=None)
    link = person.share(document, **MARKED)
    path, ticket = pages_in(call(mailing, link))
    typed = {"password": "open sesame"}
    drawn = Person(mailing).post(f"{path}/1?{ticket}", json=typed).json["picture"]
    own = person.post(at(document, "/pages/1"), json=typed).json["picture"]
    assert drawn.startswith("data:image/")
    assert drawn != own


def test_only_a_link_that_may_view_pages_alone_marks_them(mailing, person, document):
    text, collection = person.upload(token=None), person.collect(document)
    for target, permissions in (
        (document, ["view", "download"]),
        (document, ["download"]),
        (text, ["view"]),
        (collection, ["view"]),
        (collection, ["upload"]),
    ):
        terms = MARKED | {"permissions": permissions}
        refused_field(person.post(at(target, "/tokens"), json=terms), "#/watermark")
    upload = {"payload": "eA==", "contentType": "text/plain", "token": MARKED}
    before = len(person.get("/v1/documents").json["documents"])
    refused_field(person.post("/v1/documents", json=upload), "#/watermark")
    assert len(person.get("/v1/documents").json["documents"]) == before
    link = person.upload(BOOK, PDF, token=MARKED)["token"]
    assert person.get(f"/v1/tokens/{link['id']}").json["watermark"]


def test_a_marked_link_stays_one_for_viewing_pages(mailing, person, document):
    link = person.share(document, **MARKED)
    refused_field(person.change(document, link, permissions=["view", "download"]), "#/watermark")
    text = person.upload(token=None)
    for target in ({"documentId": text["id"]}, {"collectionId": person.collect(document)["id"]}):
        refused_field(person.patch(f"/v1/tokens/{link['id']}", json=target), "#/watermark")
    other = person.upload(BOOK, "application/octet-stream", token=None)
    moved = person.patch(f"/v1/tokens/{link['id']}", json={"documentId": other["id"]})
    assert moved.json["watermark"]
    page = call(mailing, {**link, "documentId": other["id"]})
    assert picture(link["maskedToken"], newest_opening(person, other, link)) in page.text
    _, ticket = pages_in(page)
    free = {"watermark": None, "permissions": ["view", "download"]}
    assert person.change(other, link, **free).json["watermark"] is False
    refused(Person(mailing).get(at(other, f"/pages/1?{ticket}")), 401, "not_authenticated")
    assert person.with_token(link["token"]).get(at(other, "/content")).body == BOOK
    changed = [one["data"]["changed"] for one in person.events("&type=token.updated")]
    assert changed[-1] == ["permissions", "watermark"]


def test_without_its_opening_a_page_draws_nothing_more(mailing, person, document):
    link = person.share(document, **MARKED)
    path, ticket = pages_in(call(mailing, link))
    mailing.sql(f"DELETE FROM opening WHERE document_id = '{document['id']}'")
    refused(Person(mailing).get(f"{path}/2?{ticket}"), 401, "not_authenticated")
