"""Links with a password or a number of views, tickets, downloads with a password, embedding."""

import re
from urllib.parse import quote

import pytest

from tests.formats import time_from_now
from tests.people import Person, at
from tests.problems import refused, refused_field
from tests.waiting import run_in_threads

LOST = "what Alice may lose"


def test_opening_a_limited_link_shows_a_button_and_uses_no_view(alice, temporary_document):
    origins = ["https://a.example"]
    link = alice.share(temporary_document, maxViews=1, allowedOrigins=origins)
    for _ in range(5):
        page = alice.open(link["viewUrl"])
        assert (page.status, page.kind) == (200, "text/html")
        assert '<form method="post"' in page.text
        assert LOST not in page.text
        assert temporary_document["name"] in page.text
        assert page.policy["frame-ancestors"] == origins
    assert alice.views(temporary_document, link) == 0


def test_the_prompt_says_until_when_and_how_often_it_opens_and_not_for_whom(alice):
    document = alice.upload(expiresAt=time_from_now(hours=5))
    for terms, words in (
        ({"maxViews": 1, "expiresAt": None}, "opened one more time"),
        ({"maxViews": 3}, "opened 3 more times"),
    ):
        page = alice.open(alice.share(document, label="for the auditor", **terms)["shortUrl"])
        assert words in page.text
        assert f"{document['expiresAt'][11:16]} UTC" in page.text
        assert "auditor" not in page.text


def test_the_form_of_a_prompt_goes_to_an_address_that_holds_the_token(alice, temporary_document):
    link = alice.share(temporary_document, password="hunter22")
    for page in (
        alice.open(link["viewUrl"] + "&embed=1"),
        alice.submit({**link, "viewUrl": link["viewUrl"].partition("?")[0]}, password="no"),
        alice.open(link["shortUrl"] + "&embed=1", "POST", form={"password": "no"}),
    ):
        more = "" if page.text.count("embed=1") == 0 else "&amp;embed=1"
        assert f'action="?token={link["token"]}{more}"' in page.text
        assert 'name="token"' not in page.text


def test_a_link_with_a_password_opens_only_with_that_password(alice, temporary_document):
    link = alice.share(temporary_document, password="hunter22")
    wrong = alice.submit(link, password="hunter23")
    right = alice.submit(link, password="hunter22")

    assert (wrong.status, wrong.kind, right.status) == (401, "text/html", 200)
    assert "not the password" in wrong.text
    assert 'id="document"' in right.text
    assert alice.submit(link).status == 401
    holder = alice.with_token(link["token"])
    for body in ({"password": "no"}, {"password": None}, {}):
        answer = holder.post(at(temporary_document, "/view"), json=body)
        refused(answer, 401, "wrong_credentials")


def test_a_link_with_a_password_gives_no_content_without_it(alice, temporary_document):
    link = alice.share(temporary_document, password="hunter22")
    refused(alice.open(link["contentUrl"]), 403, "scope_missing")
    assert LOST not in alice.open(link["downloadUrl"]).text
    saved = alice.submit(link, "download", password="hunter22")
    assert "attachment" in saved.headers["Content-Disposition"]


def test_wrong_passwords_of_a_link_are_limited_by_address(start_service):
    service = start_service()
    alice = service.register()
    link = alice.share(alice.upload(), password="hunter22")
    accept = {"Accept": "text/html"}

    answers = [alice.submit(link, headers=accept, password="x") for _ in range(11)]

    assert [answer.status for answer in answers] == [401] * 10 + [429]
    page = answers[-1]
    assert f"Wait {page.headers['Retry-After']} s" in page.text
    assert (page.kind, bool(page.headers["RateLimit"])) == ("text/html", True)
    back = f"?token={link['token']}"
    assert page.headers["Refresh"] == f"{page.headers['Retry-After']}; url={back}"
    assert f'href="{back}">Try again' in page.text
    assert "Ask the person" not in page.text
    elsewhere, form = Person(service, address="127.0.0.2"), {"token": link["token"]}
    path = link["viewUrl"].removeprefix(service.url).partition("?")[0]
    assert elsewhere.post(path, form=form | {"password": "hunter22"}).status == 200


def test_head_of_a_limited_links_content_says_nothing_and_uses_no_view(alice, temporary_document):
    link = alice.share(temporary_document, maxViews=1)
    answer = alice.open(link["contentUrl"], "HEAD")
    assert (answer.status, answer.kind) == (200, "application/octet-stream")
    assert not {"Content-Disposition", "ETag", "Content-Length"} & set(answer.headers.keys())
    assert alice.views(temporary_document, link) == 0


@pytest.mark.parametrize(
    ("status", "header"),
    [
        (304, "If-None-Match: *"),
        (200, 'If-None-Match: "{}"'),
        (416, "Range: bytes=999-"),
        (206, "Range: bytes=1-2"),
    ],
)
def test_every_get_of_a_limited_links_content_is_counted(status, header, alice, temporary_document):
    link = alice.share(temporary_document, maxViews=1)
    headers = [header.format(temporary_document["id"]).split(": ")]
    assert alice.open(link["contentUrl"], headers=headers).status == status
    assert alice.views(temporary_document, link) == 1
    refused(alice.open(link["contentUrl"]), 410, "token_spent")


# Transfers that break off


PART = "bytes=5-9"


def rest(person, link, tag, asked=PART, field="If-Range"):
    """The answer to a request for the rest of a transfer."""
    return person.open(link["contentUrl"], headers=[("Range", asked), (field, tag)])


@pytest.mark.parametrize("field", ["If-Range", "If-Match"])
def test_a_transfer_of_the_last_view_goes_on_as_often_as_it_breaks_off(
    field, alice, temporary_document
):
    link = alice.share(temporary_document, maxViews=1)
    first = alice.open(link["contentUrl"])
    tag = first.headers["ETag"]
    assert temporary_document["id"] not in tag
    for asked in ("bytes=5-", "bytes=5-9", "bytes=0-"):
        answer = rest(alice, link, tag, asked, field)
        start = int(asked[6:7])
        stop = 10 if asked.endswith("9") else None
        assert (answer.status, answer.body) == (206, first.body[start:stop])
        assert answer.headers["ETag"] == tag
    assert rest(alice, link, tag, "bytes=999-", field).status == 416
    assert alice.views(temporary_document, link) == 1
    assert len(downloads(alice, temporary_document)) == 1


def test_eight_requests_at_once_go_on_with_one_view(alice, temporary_document):
    link = alice.share(temporary_document, maxViews=1)
    tag = alice.open(link["contentUrl"]).headers["ETag"]
    statuses = []
    run_in_threads(*[lambda: statuses.append(rest(alice, link, tag).status)] * 8)
    assert statuses == [206] * 8
    assert alice.views(temporary_document, link) == 1


@pytest.mark.slow
@pytest.mark.parametrize("end", ["stop", "kill"])
def test_a_transfer_goes_on_after_the_service_was_started_again(end, start_service):
    service = start_service()
    alice = service.register()
    document = alice.upload()
    link = alice.share(document, maxViews=1)
    first = alice.open(link["contentUrl"])
    getattr(service, end)()
    service.start()
    answer = rest(alice, link, first.headers["ETag"], "bytes=3-")
    assert (answer.status, answer.body) == (206, first.body[3:])
    refused(rest(alice, link, f'"{document["id"]}"'), 410, "token_spent")
    assert alice.views(document, link) == 1


def test_without_the_tag_of_the_view_a_range_is_a_new_view(alice, temporary_document):
    link, other = (alice.share(temporary_document, maxViews=9) for _ in range(2))
    tag = alice.open(link["contentUrl"]).headers["ETag"]
    of_other = alice.open(other["contentUrl"]).headers["ETag"]
    for wrong in (f'"{temporary_document["id"]}"', of_other, f"W/{tag}", tag[:-2] + 'A"'):
        answer = rest(alice, link, wrong)
        assert answer.status == 200
        assert answer.headers["ETag"] not in (tag, of_other)
    assert alice.views(temporary_document, link) == 5
    assert alice.open(link["contentUrl"], headers=[("If-Range", tag)]).status == 200
    assert alice.open(link["contentUrl"], headers=[("Range", PART)]).status == 206
    assert alice.views(temporary_document, link) == 7


def test_fifty_clients_that_know_the_document_get_it_once_together(alice, temporary_document):
    link = alice.share(temporary_document, maxViews=1)
    known = f'"{temporary_document["id"]}"'
    statuses = []
    run_in_threads(*[lambda: statuses.append(rest(alice, link, known).status)] * 50)
    assert sorted(statuses) == [200] + [410] * 49


def test_a_tag_opens_nothing_else(alice, anonymous, temporary_document):
    other = alice.upload(b"another document")
    collection = alice.post(
        "/v1/collections",
        json={"title": "Two", "documentIds": [temporary_document["id"], other["id"]]},
    ).json
    shared = alice.post(
        f"/v1/collections/{collection['id']}/tokens",
        json={"permissions": ["view", "download"], "maxViews": 1},
    ).json
    secret = f"?token={shared['token']}"
    path = f"/v1/documents/{temporary_document['id']}/content{secret}"
    tag = anonymous.get(path).headers["ETag"]
    headers = {"Range": PART, "If-Range": tag}
    assert anonymous.get(path, headers=headers).status == 206
    for elsewhere in (
        f"/v1/documents/{other['id']}/content{secret}",
        f"/v1/documents/{other['id']}/view{secret}",
        f"/s/content{secret}",
    ):
        assert anonymous.get(elsewhere, headers=headers).status == 410, elsewhere
    ticket = tag.strip('"')
    by_ticket = anonymous.get(path.partition("?")[0] + f"?ticket={ticket}")
    refused(by_ticket, 401, "not_authenticated")


@pytest.mark.parametrize(
    "end",
    [
        lambda owner, path, _: owner.delete(path),
        lambda owner, path, _: owner.patch(path, json={"enabled": False}),
        lambda owner, _, document: owner.delete(at(document)),
    ],
    ids=["revoked", "off", "deleted"],
)
def test_a_link_that_ends_ends_its_transfers(end, alice, temporary_document):
    link = alice.share(temporary_document, maxViews=1)
    tag = alice.open(link["contentUrl"]).headers["ETag"]
    end(alice, f"/v1/tokens/{link['id']}", temporary_document)
    refused(rest(alice, link, tag), 410, "token_spent")


def test_a_tag_of_a_link_that_leads_elsewhere_goes_on_with_nothing(
    alice, anonymous, temporary_document
):
    link = alice.share(temporary_document, maxViews=2)
    path = f"/s/content?token={link['token']}"
    headers = {"Range": PART, "If-Range": anonymous.get(path).headers["ETag"]}
    assert anonymous.get(path, headers=headers).status == 206
    alice.patch(f"/v1/tokens/{link['id']}", json={"documentId": alice.upload(b"newer")["id"]})
    assert anonymous.get(path, headers=headers).body == b"newer"
    refused(anonymous.get(path, headers=headers), 410, "token_spent")


def test_a_link_that_counts_no_views_has_one_tag(alice, temporary_document):
    link = alice.share(temporary_document)
    tags = {alice.open(link["contentUrl"]).headers["ETag"] for _ in range(2)}
    assert tags == {f'"{temporary_document["id"]}"'}


def test_the_label_and_the_password_of_a_link_are_sealed(service, alice, temporary_document):
    secrets = {"label": "label-in-clear", "password": "password-in-clear"}
    alice.change(temporary_document, alice.share(temporary_document, **secrets), **secrets)
    stored = b"".join(service.files().values())
    assert b"in-clear" not in stored
    assert b"$argon2" not in stored


# Tickets: what an opened page loads the original by


@pytest.fixture
def film(alice):
    """A document whose page loads the original by a ticket."""
    return alice.upload(bytes(9 << 20), "video/mp4", name="film.mp4")


def ticketed(page):
    """The path with a ticket that a page loads."""
    return re.search(r'(/v1/documents/[^"]*ticket=v4\.local\.[\w.-]+)', page.text)[1]


def downloads(person, document):
    query = f"&documentId={document['id']}&type=document.downloaded"
    return [event["data"] for event in person.events(query)]


@pytest.mark.parametrize("limit", [{"maxViews": 1}, {}])
def test_what_a_ticket_loads_is_one_download_by_its_link_and_no_view(limit, alice, anonymous, film):
    link = alice.share(film, **limit)
    path = ticketed(alice.submit(link))
    head = anonymous.head(path)
    known = anonymous.get(path, headers={"If-None-Match": head.headers["ETag"]})

    assert (head.status, known.status) == (200, 304)
    assert downloads(alice, film) == []
    address, _, ticket = path.partition("?")
    assert anonymous.get(address, form={"ticket": ticket.partition("=")[2]}).status == 200
    for asked in ("bytes=1-", "bytes=0-", "bytes=9-99"):
        assert anonymous.get(path, headers={"Range": asked}).status == 206
    assert anonymous.get(path).status == 200
    alice.share(film)  # an event of the document records what was merged
    (event,) = downloads(alice, film)
    assert (event["tokenId"], event["count"]) == (link["id"], 1)
    assert alice.views(film, link) == 1


def test_a_ticket_ends_with_its_token_and_its_document(alice, anonymous, film):
    link = alice.share(film)
    path, other = (ticketed(alice.open(one["viewUrl"])) for one in (link, film["token"]))
    alice.revoke(film, link)
    refused(anonymous.get(path), 410, "token_spent")
    alice.delete(at(film))
    refused(anonymous.get(other), 410, "token_spent")


def test_a_ticket_opens_view_and_content_of_its_document_alone(alice, anonymous, film, document):
    path = ticketed(alice.open(film["token"]["viewUrl"]))
    assert anonymous.get(path.replace("/content", "/view")).status == 200
    assert anonymous.get(path.replace("/content", "/download")).status == 403
    assert anonymous.get(path.replace(film["id"], document["id"])).status == 404
    assert anonymous.get(path.replace("ticket=v4", "ticket=v3")).status == 401
    as_ticket = at(document, f"/content?ticket={alice.secret}")
    refused(anonymous.get(as_ticket), 401, "not_authenticated")


@pytest.mark.parametrize("narrower", [{"password": "new"}, {"permissions": ["download"]}])
def test_opened_pages_load_nothing_after_a_new_password_or_without_view(
    narrower, alice, anonymous, film
):
    link = alice.share(film)
    path = ticketed(alice.open(link["viewUrl"]))
    alice.change(film, link, **narrower)
    refused(anonymous.get(path), 401, "not_authenticated")


def test_opened_pages_go_on_after_any_other_change(alice, anonymous, film):
    link = alice.share(film, password="the word", maxViews=5)
    path = ticketed(alice.submit(link, password="the word"))
    alice.change(film, link, label="a", maxViews=1, expiresAt=None, permissions=["view"])
    assert anonymous.get(path, headers={"Range": "bytes=0-9"}).status == 206


# Downloads with a password


def test_a_download_with_a_password_contains_nothing_in_clear(alice, document):
    answer = alice.post(at(document, "/download"), json={"password": "for the file"})
    assert answer.status == 200
    assert "attachment" in answer.headers["Content-Disposition"]
    assert len(answer.body) == int(answer.headers["Content-Length"])
    assert b"what Alice keeps" not in answer.body
    assert b"for the file" not in answer.body


def test_a_download_without_any_password_is_refused(alice, document):
    for body in ({}, {"password": None}, {"pdfPassword": None}):
        pointer = f"#/{next(iter(body), 'password')}"
        refused_field(alice.post(at(document, "/download"), json=body), pointer)


# Embedding


def oembed(person, url, more=""):
    return person.get(f"/oembed?format=json{more}&url={quote(url, safe='')}")


def test_oembed_returns_the_html_that_embeds_a_link_and_its_page_names_it(alice, document):
    view = document["token"]["viewUrl"]
    rich = oembed(alice, view, "&maxwidth=400").json
    assert (rich["version"], rich["type"], rich["title"]) == ("1.0", "rich", "kept.txt")
    assert (rich["width"], view in rich["html"]) == (400, True)
    assert 'type="application/json+oembed"' in alice.open(view).text


def test_oembed_of_anything_else_is_404(anonymous):
    for url in ("https://elsewhere.example/", "x", "/v1/documents"):
        refused(oembed(anonymous, url), 404, "not_found")


def test_oembed_does_not_name_a_document_that_has_a_password(alice, anonymous, document):
    link = alice.share(document, password="hunter22")
    assert oembed(anonymous, link["viewUrl"]).json["title"] == "Document"


def test_any_site_may_load_and_cache_the_embed_script(anonymous):
    answer = anonymous.get("/embed.js")
    assert answer.kind == "text/javascript"
    assert answer.headers["Cache-Control"].startswith("public")
    assert answer.headers["Cross-Origin-Resource-Policy"] == "cross-origin"
