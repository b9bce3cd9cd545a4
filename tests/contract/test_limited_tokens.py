"""API.md, sections 5 and 6: links that open by POST, tickets, files under a password, embedding."""

import re
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import quote, urlencode

import pytest

from tests.people import pointed, refused

FORM = {"Content-Type": "application/x-www-form-urlencoded"}


def opening(person, document, link, way="view", **fields):
    """What the button of the small page sends."""
    data = urlencode({"token": link["token"], **fields}).encode()
    return person.post(f"/v1/documents/{document['id']}/{way}", data=data, headers=FORM)


def views(alice, document, link):
    tokens = alice.get(f"/v1/documents/{document['id']}/tokens").json["tokens"]
    return next(one["views"] for one in tokens if one["id"] == link["id"])


def test_looking_at_a_limited_link_shows_a_button_and_spends_nothing(alice, anyone, disposable):
    link = alice.share(disposable, maxViews=1)
    for _ in range(5):
        page = anyone.open(link["viewUrl"])
        assert (page.status, page.kind) == (200, "text/html")
        assert '<form method="post"' in page.text
        assert "what Alice may lose" not in page.text
        assert disposable["name"] not in page.text

    assert views(alice, disposable, link) == 0


def test_fifty_clients_at_once_on_one_view_give_exactly_one_200_and_49_410(
    alice, anyone, disposable
):
    link = alice.share(disposable, maxViews=1)

    with ThreadPoolExecutor(50) as pool:
        answers = list(pool.map(lambda _: opening(anyone, disposable, link).status, range(50)))

    assert sorted(answers) == [200] + [410] * 49
    assert views(alice, disposable, link) == 1
    refused(anyone.open(link["viewUrl"]), 410, "token_spent")


def test_a_view_is_counted_when_the_document_is_shown(alice, anyone, disposable):
    link = alice.share(disposable, maxViews=3)
    for number in (1, 2, 3):
        assert opening(anyone, disposable, link).status == 200
        assert views(alice, disposable, link) == number

    refused(opening(anyone, disposable, link), 410, "token_spent")


def test_views_of_an_unlimited_link_are_counted_but_not_those_of_a_head(alice, anyone, disposable):
    link = alice.share(disposable)
    anyone.open(link["viewUrl"])
    anyone.head(link["viewUrl"].removeprefix(anyone.service.url))

    assert views(alice, disposable, link) == 1


def test_a_password_opens_its_link_and_a_wrong_one_is_told(alice, anyone, disposable):
    link = alice.share(disposable, password="hunter22")
    assert link["hasPassword"] is True

    wrong = opening(anyone, disposable, link, password="hunter23")
    right = opening(anyone, disposable, link, password="hunter22")

    assert (wrong.status, wrong.kind) == (401, "text/html")
    assert "not the password" in wrong.text
    assert right.status == 200
    assert 'id="document"' in right.text
    assert opening(anyone, disposable, link).status == 401


def test_a_wrong_password_of_a_program_is_a_problem(alice, anyone, disposable):
    link = alice.share(disposable, password="hunter22")
    holder = anyone.bearing(link["token"])

    answer = holder.post(f"/v1/documents/{disposable['id']}/view", json={"password": "no"})

    refused(answer, 401, "wrong_credentials")


def test_wrong_passwords_of_a_link_are_slowed(start_service):
    service = start_service()
    alice = service.register()
    document = alice.upload()
    link = alice.share(document, password="hunter22")
    from tests.people import Person  # noqa: PLC0415

    answers = [opening(Person(service), document, link, password="x") for _ in range(11)]

    assert [one.status for one in answers] == [401] * 10 + [429]
    assert int(answers[-1].headers["Retry-After"]) > 0
    elsewhere = Person(service, address="127.0.0.2")
    assert opening(elsewhere, document, link, password="hunter22").status == 200


def test_a_locked_link_gives_its_content_to_nobody_who_has_not_opened_it(alice, anyone, disposable):
    link = alice.share(disposable, password="hunter22")

    refused(anyone.open(link["contentUrl"]), 403, "scope_missing")
    assert "what Alice may lose" not in anyone.open(link["downloadUrl"]).text
    saved = opening(anyone, disposable, link, "download", password="hunter22")
    assert "attachment" in saved.headers["Content-Disposition"]


def test_the_hash_of_a_links_password_is_sealed(service, alice, disposable):
    alice.share(disposable, password="hunter22-of-the-link")

    stored = b"".join(service.files().values())
    assert b"hunter22-of-the-link" not in stored
    assert b"$argon2" not in stored


class TestTickets:
    @pytest.fixture
    def large(self, alice):
        return alice.upload(bytes(9 << 20), "video/mp4", name="film.mp4")

    def ticketed(self, page):
        return re.search(r'(/v1/documents/[^"]*ticket=v4\.local\.[\w.-]+)', page.text)[1]

    def test_a_large_original_is_loaded_by_ranges_that_do_not_count_again(
        self, alice, anyone, large
    ):
        link = alice.share(large, maxViews=1)
        path = self.ticketed(opening(anyone, large, link))

        for _ in range(3):
            assert anyone.get(path, headers={"Range": "bytes=0-99"}).status == 206

        assert views(alice, large, link) == 1

    def test_a_ticket_dies_with_its_token_and_with_its_document(self, alice, anyone, large):
        link = alice.share(large)
        path = self.ticketed(anyone.open(link["viewUrl"]))
        other = self.ticketed(anyone.open(large["token"]["viewUrl"]))

        alice.delete(f"/v1/documents/{large['id']}/tokens/{link['id']}")
        refused(anyone.get(path), 410, "token_spent")
        alice.delete(f"/v1/documents/{large['id']}")
        refused(anyone.get(other), 410, "token_spent")

    def test_a_ticket_opens_content_and_nothing_else(self, anyone, large, document):
        path = self.ticketed(anyone.open(large["token"]["viewUrl"]))

        for way in ("view", "download"):
            assert anyone.get(path.replace("/content", f"/{way}")).status == 403
        assert anyone.get(path.replace(large["id"], document["id"])).status == 404
        assert anyone.get(path.replace("ticket=v4", "ticket=v3")).status == 401

    def test_a_session_token_is_no_ticket(self, alice, anyone, document):
        path = f"/v1/documents/{document['id']}/content?ticket={alice.secret}"

        refused(anyone.get(path), 401, "not_authenticated")


def test_a_file_under_a_password_holds_nothing_in_clear(alice, document):
    answer = alice.post(
        f"/v1/documents/{document['id']}/download", json={"password": "for the file"}
    )

    assert answer.status == 200
    assert "attachment" in answer.headers["Content-Disposition"]
    assert len(answer.body) == int(answer.headers["Content-Length"])
    assert b"what Alice keeps" not in answer.body
    assert b"for the file" not in answer.body
    pointed(alice.post(f"/v1/documents/{document['id']}/download", json={}), "#/password")


@pytest.mark.parametrize("wrong", [{"maxViews": 0}, {"maxViews": 1.5}, {"password": ""}])
def test_a_limit_that_makes_no_sense_is_refused(wrong, alice, document):
    answer = alice.post(f"/v1/documents/{document['id']}/tokens", json=wrong)

    pointed(answer, f"#/{next(iter(wrong))}")


class TestEmbedding:
    def test_allowed_origins_become_frame_ancestors_of_the_button_page_too(
        self, alice, anyone, disposable
    ):
        link = alice.share(disposable, maxViews=1, allowedOrigins=["https://a.example"])

        assert anyone.open(link["viewUrl"]).policy["frame-ancestors"] == ["https://a.example"]

    def test_oembed_tells_how_to_embed_a_link(self, anyone, document):
        view = document["token"]["viewUrl"]

        answer = anyone.get(f"/oembed?format=json&maxwidth=400&url={quote(view, safe='')}")

        rich = answer.json
        assert (rich["version"], rich["type"], rich["title"]) == ("1.0", "rich", "kept.txt")
        assert rich["width"] == 400
        assert view in rich["html"]

    def test_the_viewer_page_carries_its_discovery_link(self, anyone, document):
        page = anyone.open(document["token"]["viewUrl"])

        assert 'type="application/json+oembed"' in page.text

    @pytest.mark.parametrize("url", ["https://elsewhere.example/", "x", "/v1/documents"])
    def test_oembed_of_anything_else_is_404(self, anyone, url):
        refused(anyone.get(f"/oembed?url={quote(url, safe='')}"), 404, "not_found")

    def test_oembed_does_not_name_a_document_that_has_a_password(self, alice, anyone, document):
        link = alice.share(document, password="hunter22")

        answer = anyone.get(f"/oembed?url={quote(link['viewUrl'], safe='')}")

        assert answer.json["title"] == "Document"

    def test_the_script_may_be_loaded_by_any_site_and_kept(self, anyone):
        answer = anyone.get("/embed.js")

        assert answer.kind == "text/javascript"
        assert answer.headers["Cache-Control"].startswith("public")
        assert answer.headers["Cross-Origin-Resource-Policy"] == "cross-origin"
