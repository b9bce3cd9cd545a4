"""The pages of a PDF: their text, and each as a picture."""

import re
import struct
from base64 import b64decode, b64encode

import pytest

from tests.people import Person, at
from tests.problems import refused
from viewer.tests.samples import encrypted_pdf, linked_pdf, pdf

NUMBERS = range(1, 141)


@pytest.fixture(scope="module")
def book(alice):
    """A PDF of 140 pages."""
    return alice.upload(pdf(*(f"Chapter {n}" for n in NUMBERS)), "application/pdf")


@pytest.fixture(scope="module")
def locked(alice):
    return alice.upload(encrypted_pdf("open sesame"), "application/pdf")


def pages_of(document, *further):
    return "/".join((at(document, "/pages"), *map(str, further)))


def ticket_in(page):
    """The address that an opened page loads pages from, without the host."""
    return re.search(r'data-pages="https?://[^/]+([^"]+)"', page.text)[1]


def test_pages_are_listed_with_size_and_text(alice, book):
    first = alice.get(pages_of(book)).json
    second = alice.get(f"{pages_of(book)}?cursor={first['nextCursor']}").json

    listed = first["pages"] + second["pages"]
    assert first["total"] == 140
    assert second["nextCursor"] is None
    assert [(one["number"], one["text"]) for one in listed] == [
        (n, f"Chapter {n}") for n in NUMBERS
    ]
    assert {(one["width"], one["height"]) for one in listed} == {(300, 200)}


def test_the_first_part_of_the_list_has_the_outline(alice):
    document = alice.upload(linked_pdf(title="Results"), "application/pdf")
    assert alice.get(pages_of(document)).json["outline"] == [
        {"depth": 0, "title": "Results", "page": 2, "top": 0}
    ]


def test_any_page_is_a_picture_with_text_and_links(alice):
    data = linked_pdf(2, "https://example.org/", view="XYZ 0 150 0")
    document = alice.upload(data, "application/pdf")
    page = alice.get(pages_of(document, 1)).json

    kind, _, picture = page["picture"].partition(";base64,")
    assert kind == "data:image/png"
    assert b64decode(picture).startswith(b"\x89PNG")
    assert [run["text"] for run in page["text"]] == ["One"]
    assert [(one["page"], one["top"], one["url"]) for one in page["links"]] == [
        (2, 50, None),
        (None, 0, "https://example.org/"),
    ]


def test_a_page_is_drawn_with_as_many_pixels_as_are_asked_for(alice, book, locked):
    def width(answer):
        return struct.unpack(">I", b64decode(answer.json["picture"].partition(",")[2])[16:20])[0]

    for scale in (2, 3, 4):
        assert width(alice.get(f"{pages_of(book, 1)}?scale={scale}")) == 300 * scale
    password = {"password": "open sesame"}
    assert width(alice.post(f"{pages_of(locked, 1)}?scale=4", json=password)) == 1200
    for scale in ("1", "5", "2.5", "x"):
        assert alice.get(f"{pages_of(book, 1)}?scale={scale}").status == 422, scale


@pytest.mark.parametrize("number", ["0", "141", "-1", "x", "1.0", "01", "9" * 30])
def test_a_page_that_is_not_there_is_404(alice, book, number):
    assert alice.get(pages_of(book, number)).json["code"] == "not_found"


@pytest.mark.parametrize("cursor", ["0", "x", "-1", "9" * 30])
def test_a_cursor_that_no_list_gave_is_refused(alice, book, cursor):
    assert alice.get(f"{pages_of(book)}?cursor={cursor}").status == 422


def test_a_document_that_is_no_pdf_has_no_pages(alice, document):
    assert alice.get(pages_of(document)).status == 404
    assert alice.get(pages_of(document, 1)).status == 404


def test_a_pdf_that_cannot_be_read_has_no_pages(alice):
    broken = alice.upload(b"%PDF-1.7 nonsense", "application/pdf")
    assert alice.get(pages_of(broken)).status == 404


def test_a_page_opened_by_a_link_loads_pages_and_counts_no_view(service, alice, book):
    link = alice.share(book, maxViews=1)
    path, _, ticket = ticket_in(alice.submit(link)).partition("?")
    for number in (3, 40):
        assert Person(service).get(f"{path}/{number}?{ticket}").json["number"] == number
    assert len(Person(service).get(f"{path}?{ticket}").json["pages"]) == 128
    assert alice.views(book, link) == 1


def test_a_page_opened_by_its_owner_loads_pages_of_this_document_only(service, alice, book, locked):
    path, _, ticket = ticket_in(alice.get(at(book, "/view"))).partition("?")
    assert Person(service).get(f"{path}/2?{ticket}").status == 200
    assert Person(service).get(f"{pages_of(locked)}?{ticket}").status == 404
    assert Person(service).get(f"/v1/documents/{book['id']}?{ticket}").status in (401, 403)


@pytest.mark.parametrize("ended", ["session", "key"])
def test_the_ticket_of_an_owner_ends_with_the_credential(service, alice, ended):
    owner = service.register()
    reader = owner.create_api_key() if ended == "key" else service.log_in(owner.record["email"])
    document = owner.upload(pdf("One"), "application/pdf")
    path, _, ticket = ticket_in(reader.get(at(document, "/view"))).partition("?")
    assert Person(service).get(f"{path}/1?{ticket}").status == 200

    if ended == "key":
        owner.delete(f"/v1/api-keys/{reader.record['id']}")
    else:
        reader.post("/v1/auth/logout")
    assert Person(service).get(f"{path}/1?{ticket}").status == 401


def test_the_ticket_of_a_link_ends_with_the_link(service, alice, book):
    link = alice.share(book)
    path, _, ticket = ticket_in(alice.open(link["viewUrl"])).partition("?")
    alice.revoke(book, link)
    assert Person(service).get(f"{path}/1?{ticket}").status == 410


@pytest.mark.parametrize("fields", [{"maxViews": 3}, {"password": "a word"}])
def test_a_link_that_opens_by_a_button_gives_no_pages_before(service, alice, book, fields):
    link = alice.share(book, **fields)
    answer = Person(service).with_token(link["token"]).get(pages_of(book, 1))
    assert answer.json["code"] == "scope_missing"


def test_a_link_without_permission_to_view_gives_no_pages(service, alice, book):
    link = alice.share(book, permissions=["download"])
    assert Person(service).with_token(link["token"]).get(pages_of(book)).status == 403


def test_every_answer_may_be_read_by_a_page_without_an_origin(service, alice, book):
    for answer in (alice.get(pages_of(book)), Person(service).get(pages_of(book, 1))):
        assert answer.headers["Access-Control-Allow-Origin"] == "*"


def test_the_password_of_a_pdf_opens_its_pages(alice, locked):
    password = {"password": "open sesame"}
    assert alice.get(pages_of(locked)).json["code"] == "wrong_credentials"
    listed = alice.post(pages_of(locked), json=password).json
    assert [one["text"] for one in listed["pages"]] == ["Secret"]
    assert alice.post(pages_of(locked, 1), json=password).json["text"][0]["text"] == "Secret"


def test_a_form_holds_the_password_as_well(alice, locked):
    assert alice.post(pages_of(locked, 1), form={"password": "open sesame"}).status == 200


def test_the_password_of_a_pdf_makes_a_file_that_shows_its_pages(alice, locked):
    path = at(locked, "/download")

    assert "Secret" not in alice.get(path).text
    opened = alice.post(path, json={"pdfPassword": "open sesame"})
    assert opened.status == 200
    assert 'alt="Secret "' in opened.text
    assert 'id="copy"' not in opened.text  # it holds the locked file, which asks for the password
    sealed = alice.post(path, json={"pdfPassword": "open sesame", "password": "my own"})
    assert b"PBKDF2" in sealed.body
    assert alice.post(path, json={"pdfPassword": "wrong"}).json["code"] == "wrong_credentials"
    assert alice.post(path, json={}).status == 422


@pytest.mark.parametrize("limit", [{}, {"maxViews": 1, "password": "a word"}])
def test_a_link_that_permits_to_view_only_never_gives_the_original(limit, service, alice):
    fields = {"password": limit.get("password", "")}
    for size in (0, 2 << 20):  # small enough to be in a page from which it may be saved; larger
        original = pdf("One", extra=f"% {'x' * size}\n")
        document = alice.upload(original, "application/pdf")
        link = alice.share(document, permissions=["view"], **limit)
        page = alice.submit(link, **fields)
        path, _, ticket = ticket_in(page).partition("?")
        content = f"/v1/documents/{document['id']}/content?{ticket}"

        assert b64encode(original[:300]) not in page.body, size
        assert "/content" not in page.text, size
        assert Person(service).get(f"{path}/1?{ticket}").status == 200, size
        for headers in ({}, {"Range": "bytes=0-9"}, {"If-None-Match": f'"{document["id"]}"'}):
            refused(Person(service).get(content, headers=headers), 403, "scope_missing")
        assert Person(service).head(content).status == 403, size


def test_a_ticket_loses_the_original_when_the_link_loses_the_permission(service, alice, book):
    link = alice.share(book)
    path, _, ticket = ticket_in(alice.open(link["viewUrl"])).partition("?")
    content = f"/v1/documents/{book['id']}/content?{ticket}"
    assert Person(service).get(content).status == 200
    alice.change(book, link, permissions=["view"])
    refused(Person(service).get(content), 403, "scope_missing")
    assert Person(service).get(f"{path}/1?{ticket}").status == 200


def save_by_ticket(service, locked, ticket, password="open sesame"):
    path = at(locked, f"/download?{ticket}")
    return Person(service).post(path, form={"password": password})


def test_a_page_that_a_link_opened_makes_the_file_and_counts_no_view(service, alice, locked):
    link = alice.share(locked, maxViews=1, password="a word")
    ticket = ticket_in(alice.submit(link, password="a word")).partition("?")[2]
    saved = save_by_ticket(service, locked, ticket)

    assert saved.status == 200
    assert 'alt="Secret "' in saved.text
    assert saved.headers["Access-Control-Allow-Origin"] == "*"
    wrong = save_by_ticket(service, locked, ticket, "a word")
    assert wrong.json["code"] == "wrong_credentials"
    assert wrong.headers["Access-Control-Allow-Origin"] == "*"
    assert alice.views(locked, link) == 1


def test_a_page_makes_no_file_by_a_link_that_permits_to_view_only(service, alice, locked):
    page = alice.open(alice.share(locked, permissions=["view"])["viewUrl"])
    saved = save_by_ticket(service, locked, ticket_in(page).partition("?")[2])
    assert saved.json["code"] == "scope_missing"


def test_a_saved_file_holds_the_pdf_once_and_little_beside_it(alice, book):
    saved = alice.get(at(book, "/download"))
    assert saved.headers["Content-Length"] == str(len(saved.body))
    assert len(saved.body) <= book["size"] * 4 / 3 + 36_000
    assert saved.body.count(b"<img") == 1


def test_wrong_passwords_of_a_pdf_are_limited(start_service):
    limited = start_service()
    owner = limited.register()
    document = owner.upload(encrypted_pdf("open sesame"), "application/pdf")

    def tried(password):
        return owner.post(pages_of(document), json={"password": password}).status

    assert [tried(f"guess {n}") for n in range(11)] == [401] * 10 + [429]


def test_the_policy_of_the_page_names_the_pages_of_this_document_alone(service, alice, book):
    page = alice.open(alice.share(book)["viewUrl"])
    here = f"{service.url}{pages_of(book)}"
    file = here.removesuffix("/pages") + "/download"
    assert page.policy["connect-src"] == [here, f"{here}/", file]


def test_pages_of_a_deleted_document_are_gone(alice):
    document = alice.upload(pdf("One"), "application/pdf")
    assert alice.get(pages_of(document, 1)).status == 200
    alice.delete(at(document))
    assert alice.get(pages_of(document, 1)).status == 404
