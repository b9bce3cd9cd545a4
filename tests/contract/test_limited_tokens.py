"""Links with a password or a number of views, tickets, downloads with a password, embedding."""

import re
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import quote, urlencode

import pytest

from tests.people import Person
from tests.problems import refused, refused_field

FORM = {"Content-Type": "application/x-www-form-urlencoded"}


def opening(person, document, link, way="view", **fields):
    """Send the form of the page that asks for a password or shows a button."""
    data = urlencode({"token": link["token"], **fields}).encode()
    return person.post(f"/v1/documents/{document['id']}/{way}", data=data, headers=FORM)


def views(alice, document, link):
    tokens = alice.get(f"/v1/documents/{document['id']}/tokens").json["tokens"]
    return next(one["views"] for one in tokens if one["id"] == link["id"])


def test_opening_a_limited_link_shows_a_button_and_uses_no_view(
    alice, anonymous, temporary_document
):
    link = alice.share(temporary_document, maxViews=1)
    for _ in range(5):
        page = anonymous.open(link["viewUrl"])
        assert (page.status, page.kind) == (200, "text/html")
        assert '<form method="post"' in page.text
        assert "what Alice may lose" not in page.text
        assert temporary_document["name"] not in page.text

    assert views(alice, temporary_document, link) == 0


def test_one_of_fifty_concurrent_clients_gets_the_last_view(alice, anonymous, temporary_document):
    link = alice.share(temporary_document, maxViews=1)

    with ThreadPoolExecutor(50) as pool:
        answers = list(
            pool.map(lambda _: opening(anonymous, temporary_document, link).status, range(50))
        )

    assert sorted(answers) == [200] + [410] * 49
    assert views(alice, temporary_document, link) == 1
    refused(anonymous.open(link["viewUrl"]), 410, "token_spent")


def test_every_view_is_counted(alice, anonymous, temporary_document):
    link = alice.share(temporary_document, maxViews=3)
    for number in (1, 2, 3):
        assert opening(anonymous, temporary_document, link).status == 200
        assert views(alice, temporary_document, link) == number

    refused(opening(anonymous, temporary_document, link), 410, "token_spent")


def test_views_of_an_unlimited_link_are_counted_except_head(alice, anonymous, temporary_document):
    link = alice.share(temporary_document)
    anonymous.open(link["viewUrl"])
    anonymous.head(link["viewUrl"].removeprefix(anonymous.service.url))

    assert views(alice, temporary_document, link) == 1


def test_a_link_with_a_password_opens_only_with_that_password(alice, anonymous, temporary_document):
    link = alice.share(temporary_document, password="hunter22")
    assert link["hasPassword"] is True

    wrong = opening(anonymous, temporary_document, link, password="hunter23")
    right = opening(anonymous, temporary_document, link, password="hunter22")

    assert (wrong.status, wrong.kind) == (401, "text/html")
    assert "not the password" in wrong.text
    assert right.status == 200
    assert 'id="document"' in right.text
    assert opening(anonymous, temporary_document, link).status == 401


@pytest.mark.parametrize("body", [{"password": "no"}, {"password": None}, {}])
def test_a_wrong_or_missing_password_sent_as_json_is_a_problem(
    body, alice, anonymous, temporary_document
):
    link = alice.share(temporary_document, password="hunter22")
    holder = anonymous.with_token(link["token"])

    answer = holder.post(f"/v1/documents/{temporary_document['id']}/view", json=body)

    refused(answer, 401, "wrong_credentials")


def test_wrong_passwords_of_a_link_are_limited_by_address(start_service):
    service = start_service()
    alice = service.register()
    document = alice.upload()
    link = alice.share(document, password="hunter22")

    answers = [opening(Person(service), document, link, password="x") for _ in range(11)]

    assert [one.status for one in answers] == [401] * 10 + [429]
    assert int(answers[-1].headers["Retry-After"]) > 0
    elsewhere = Person(service, address="127.0.0.2")
    assert opening(elsewhere, document, link, password="hunter22").status == 200


def test_head_of_a_limited_links_content_says_nothing_and_uses_no_view(
    alice, anonymous, temporary_document
):
    link = alice.share(temporary_document, maxViews=1)
    path = link["contentUrl"].removeprefix(anonymous.service.url)

    answer = anonymous.head(path)

    assert answer.status == 200
    assert answer.kind == "application/octet-stream"
    assert not {"Content-Disposition", "ETag", "Content-Length"} & set(answer.headers.keys())
    assert views(alice, temporary_document, link) == 0


@pytest.mark.parametrize(
    ("status", "header"),
    [(304, 'If-None-Match: "{}"'), (416, "Range: bytes=999-"), (206, "Range: bytes=1-2")],
)
def test_every_get_of_a_limited_links_content_is_counted(
    status, header, alice, anonymous, temporary_document
):
    link = alice.share(temporary_document, maxViews=1)
    path = link["contentUrl"].removeprefix(anonymous.service.url)
    name, value = header.format(temporary_document["id"]).split(": ")

    assert anonymous.exchange("GET", path, [(name, value)]).status == status
    assert views(alice, temporary_document, link) == 1
    refused(anonymous.get(path), 410, "token_spent")


def test_a_link_with_a_password_gives_no_content_without_it(alice, anonymous, temporary_document):
    link = alice.share(temporary_document, password="hunter22")

    refused(anonymous.open(link["contentUrl"]), 403, "scope_missing")
    assert "what Alice may lose" not in anonymous.open(link["downloadUrl"]).text
    saved = opening(anonymous, temporary_document, link, "download", password="hunter22")
    assert "attachment" in saved.headers["Content-Disposition"]


def test_the_hash_of_a_links_password_is_sealed(service, alice, temporary_document):
    alice.share(temporary_document, password="hunter22-of-the-link")

    stored = b"".join(service.files().values())
    assert b"hunter22-of-the-link" not in stored
    assert b"$argon2" not in stored


class TestTickets:
    @pytest.fixture
    def large(self, alice):
        return alice.upload(bytes(9 << 20), "video/mp4", name="film.mp4")

    def ticketed(self, page):
        return re.search(r'(/v1/documents/[^"]*ticket=v4\.local\.[\w.-]+)', page.text)[1]

    def test_requests_with_a_ticket_are_not_counted_as_views(self, alice, anonymous, large):
        link = alice.share(large, maxViews=1)
        path = self.ticketed(opening(anonymous, large, link))

        for _ in range(3):
            assert anonymous.get(path, headers={"Range": "bytes=0-99"}).status == 206

        assert views(alice, large, link) == 1

    @pytest.mark.parametrize("limit", [{"maxViews": 1}, {}])
    def test_what_a_ticket_loads_is_one_download_by_its_link(self, limit, alice, anonymous, large):
        link = alice.share(large, **limit)
        path = self.ticketed(opening(anonymous, large, link))
        head = anonymous.head(path)
        known = anonymous.get(path, headers={"If-None-Match": head.headers["ETag"]})

        assert (head.status, known.status) == (200, 304)
        assert self.downloads(alice, large) == []
        address, _, ticket = path.partition("?")
        assert anonymous.get(address, data=ticket.encode(), headers=FORM).status == 200
        for asked in ("bytes=1-", "bytes=0-", "bytes=9-99"):
            assert anonymous.get(path, headers={"Range": asked}).status == 206
        assert anonymous.get(path).status == 200
        alice.share(large)  # an event of the document records what was merged
        (event,) = self.downloads(alice, large)
        assert (event["tokenId"], event["count"]) == (link["id"], 1)

    def downloads(self, alice, document):
        filters = f"?documentId={document['id']}&type=document.downloaded"
        return [one["data"] for one in alice.get(f"/v1/events{filters}").json["events"]]

    def test_a_ticket_ends_with_its_token_and_its_document(self, alice, anonymous, large):
        link = alice.share(large)
        path = self.ticketed(anonymous.open(link["viewUrl"]))
        other = self.ticketed(anonymous.open(large["token"]["viewUrl"]))

        alice.delete(f"/v1/documents/{large['id']}/tokens/{link['id']}")
        refused(anonymous.get(path), 410, "token_spent")
        alice.delete(f"/v1/documents/{large['id']}")
        refused(anonymous.get(other), 410, "token_spent")

    def test_a_ticket_opens_content_and_nothing_else(self, anonymous, large, document):
        path = self.ticketed(anonymous.open(large["token"]["viewUrl"]))

        for way in ("view", "download"):
            assert anonymous.get(path.replace("/content", f"/{way}")).status == 403
        assert anonymous.get(path.replace(large["id"], document["id"])).status == 404
        assert anonymous.get(path.replace("ticket=v4", "ticket=v3")).status == 401

    def test_a_session_token_is_not_accepted_as_a_ticket(self, alice, anonymous, document):
        path = f"/v1/documents/{document['id']}/content?ticket={alice.secret}"

        refused(anonymous.get(path), 401, "not_authenticated")


def test_a_download_with_a_password_contains_nothing_in_clear(alice, document):
    answer = alice.post(
        f"/v1/documents/{document['id']}/download", json={"password": "for the file"}
    )

    assert answer.status == 200
    assert "attachment" in answer.headers["Content-Disposition"]
    assert len(answer.body) == int(answer.headers["Content-Length"])
    assert b"what Alice keeps" not in answer.body
    assert b"for the file" not in answer.body


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({}, "#/password"),
        ({"password": None}, "#/password"),
        ({"pdfPassword": None}, "#/pdfPassword"),
    ],
)
def test_a_download_without_any_password_is_refused(body, pointer, alice, document):
    refused_field(alice.post(f"/v1/documents/{document['id']}/download", json=body), pointer)


@pytest.mark.parametrize("wrong", [{"maxViews": 0}, {"maxViews": 1.5}, {"password": ""}])
def test_an_invalid_limit_is_refused(wrong, alice, document):
    answer = alice.post(f"/v1/documents/{document['id']}/tokens", json=wrong)

    refused_field(answer, f"#/{next(iter(wrong))}")


class TestEmbedding:
    def test_allowed_origins_become_frame_ancestors_of_the_button_page_too(
        self, alice, anonymous, temporary_document
    ):
        link = alice.share(temporary_document, maxViews=1, allowedOrigins=["https://a.example"])

        assert anonymous.open(link["viewUrl"]).policy["frame-ancestors"] == ["https://a.example"]

    def test_oembed_returns_the_html_that_embeds_a_link(self, anonymous, document):
        view = document["token"]["viewUrl"]

        answer = anonymous.get(f"/oembed?format=json&maxwidth=400&url={quote(view, safe='')}")

        rich = answer.json
        assert (rich["version"], rich["type"], rich["title"]) == ("1.0", "rich", "kept.txt")
        assert rich["width"] == 400
        assert view in rich["html"]

    def test_the_viewer_page_has_the_oembed_link(self, anonymous, document):
        page = anonymous.open(document["token"]["viewUrl"])

        assert 'type="application/json+oembed"' in page.text

    @pytest.mark.parametrize("url", ["https://elsewhere.example/", "x", "/v1/documents"])
    def test_oembed_of_anything_else_is_404(self, anonymous, url):
        refused(anonymous.get(f"/oembed?url={quote(url, safe='')}"), 404, "not_found")

    def test_oembed_does_not_name_a_document_that_has_a_password(self, alice, anonymous, document):
        link = alice.share(document, password="hunter22")

        answer = anonymous.get(f"/oembed?url={quote(link['viewUrl'], safe='')}")

        assert answer.json["title"] == "Document"

    def test_any_site_may_load_and_cache_the_embed_script(self, anonymous):
        answer = anonymous.get("/embed.js")

        assert answer.kind == "text/javascript"
        assert answer.headers["Cache-Control"].startswith("public")
        assert answer.headers["Cross-Origin-Resource-Policy"] == "cross-origin"
