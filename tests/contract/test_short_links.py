"""Short links: `/s` opens what a link opens, as a page or as JSON, by its token or a ticket."""

import re
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import quote

import pytest

from tests.contract.requests import AS_JSON, AS_PAGE
from tests.people import at
from tests.problems import refused, refused_query

SECRET = "hunter22"


def short(link, call=""):
    """The path of a link's short address, or of a call below it."""
    return f"/s{call}?token={link['token']}"


def on_short(anonymous, link, **more):
    return anonymous.post(short(link), **more)


def comparable(answer):
    """Headers and body, without what each answer has of its own: ids, nonces, tickets and tags."""
    own = rb"(ticket=|nonce[=-]\"?|requestId\":\")[\w.%-]+"
    headers = {name: value.partition("'nonce")[0] for name, value in answer.headers.items()}
    for name in ("X-Request-Id", "Date", "X-Robots-Tag"):
        headers.pop(name, None)
    if headers.get("ETag", "").startswith('"v4.local.'):
        headers["ETag"] = "of this view"
    return answer.status, headers, re.sub(own, b"", answer.body)


def test_every_answer_that_shows_a_secret_has_a_short_address(alice, document):
    uploaded = alice.upload()["token"]
    for link in (uploaded, alice.share(document)):
        assert link["shortUrl"] == f"{alice.service.url}/s?token={link['token']}"
    assert all("shortUrl" not in link for link in alice.links(document))


@pytest.mark.parametrize(
    ("call", "long"), [("", "view"), ("/content", "content"), ("/download", "download")]
)
@pytest.mark.parametrize("terms", [{}, {"password": SECRET}, {"maxViews": 9}])
def test_a_short_link_answers_as_the_documents_own_address(
    call, long, terms, alice, anonymous, document
):
    link = alice.share(document, **terms)
    for headers in ({}, AS_PAGE, {"Range": "bytes=1-2"}):
        of_short = anonymous.get(short(link, call), headers=headers)
        of_long = alice.open(link[f"{long}Url"], headers=headers)
        assert comparable(of_short) == comparable(of_long)


def test_a_short_link_is_one_view_and_one_event_of_its_link(alice, anonymous, document):
    link = alice.share(document, maxViews=2)
    assert anonymous.get(short(link)).status == 200
    assert alice.views(document, link) == 0
    assert on_short(anonymous, link, form={}).status == 200
    assert anonymous.get(short(link, "/content")).status == 200
    assert alice.views(document, link) == 2
    query = f"&documentId={document['id']}"
    found = [one["type"] for one in alice.events(query) if one["data"].get("tokenId") == link["id"]]
    assert found == ["token.created", "document.viewed", "document.downloaded", "token.spent"]


def test_one_of_fifty_clients_on_all_addresses_gets_the_last_view(alice, anonymous, document):
    link = alice.share(document, maxViews=1)
    ways = [
        lambda: on_short(anonymous, link, form={}),
        lambda: anonymous.get(short(link, "/content")),
        lambda: alice.submit(link),
        lambda: on_short(anonymous, link, json={}),
        lambda: alice.open(link["contentUrl"]),
    ]
    with ThreadPoolExecutor(50) as pool:
        answers = list(pool.map(lambda number: ways[number % 5]().status, range(50)))
    assert sorted(answers) == [200] + [410] * 49


def test_json_tells_what_a_link_opens_and_uses_no_view(alice, anonymous, document):
    link = alice.share(document)
    found = anonymous.get(short(link), headers=AS_JSON).json
    assert (found["kind"], found["title"], found["note"]) == ("document", "kept.txt", None)
    assert (found["permissions"], found["hasPassword"]) == (["view", "download"], False)
    assert (found["expiresAt"], found["viewsLeft"]) == (link["expiresAt"], None)
    (record,) = found["documents"]
    shown = ("id", "name", "contentType", "size", "sha256")
    assert [record[name] for name in shown] == [document[name] for name in shown]
    assert record["viewUrl"] == link["viewUrl"]
    assert record["contentUrl"] == link["contentUrl"]
    assert alice.views(document, link) == 0


@pytest.mark.parametrize(
    ("permission", "forbidden"), [("view", "contentUrl"), ("download", "viewUrl")]
)
def test_an_address_that_the_permissions_forbid_is_null(
    permission, forbidden, alice, anonymous, document
):
    link = alice.share(document, permissions=[permission])
    (record,) = anonymous.get(short(link), headers=AS_JSON).json["documents"]
    assert [name for name in ("viewUrl", "contentUrl") if record[name] is None] == [forbidden]
    assert anonymous.get(short(link)).status == (200 if permission == "view" else 403)


@pytest.mark.parametrize("terms", [{"password": SECRET}, {"maxViews": 1}])
def test_json_behind_a_prompt_names_nothing_until_it_is_opened_once(
    terms, alice, anonymous, document
):
    link = alice.share(document, **terms)
    closed = anonymous.get(short(link), headers=AS_JSON).json
    assert (closed["title"], closed["note"], closed["documents"]) == (None, None, None)
    assert (closed["hasPassword"], closed["viewsLeft"]) == (
        "password" in terms,
        terms.get("maxViews"),
    )

    opened = on_short(anonymous, link, json={"password": terms.get("password")}).json

    (record,) = opened["documents"]
    assert (opened["title"], closed["viewsLeft"] and opened["viewsLeft"]) == (
        document["name"],
        0 if "maxViews" in terms else None,
    )
    assert alice.views(document, link) == 1
    assert link["token"] not in str(opened)
    for _ in range(2):
        assert 'id="document"' in alice.open(record["viewUrl"]).text
        assert alice.open(record["contentUrl"]).text == "what Alice keeps"
    assert alice.views(document, link) == 1


def test_a_wrong_password_is_a_problem_to_a_program_and_the_form_to_a_person(
    alice, anonymous, document
):
    link = alice.share(document, password=SECRET)
    refused(on_short(anonymous, link, json={"password": "no"}), 401, "wrong_credentials")
    page = on_short(anonymous, link, form={"password": "no"})
    assert (page.status, page.kind, "not the password" in page.text) == (401, "text/html", True)
    assert on_short(anonymous, link, form={"password": SECRET}).status == 200


def test_what_a_program_sends_is_answered_by_json_unless_it_prefers_a_page(
    alice, anonymous, document
):
    link = alice.share(document)
    answers = [
        on_short(anonymous, link, json={}),
        on_short(anonymous, link, json={}, headers=AS_PAGE),
        on_short(anonymous, link, form={}),
        on_short(anonymous, link, form={}, headers=AS_JSON),
    ]
    kinds = [answer.kind.partition("/")[2] for answer in answers]
    assert kinds == ["json", "html", "html", "json"]


def test_only_a_link_opens_a_short_address(alice, anonymous, document):
    for call in ("", "/content", "/download"):
        for person in (alice, alice.create_api_key()):
            refused(person.get(f"/s{call}"), 403, "scope_missing")
        refused(anonymous.get(f"/s{call}"), 401, "not_authenticated")
        refused(anonymous.get(f"/s{call}?token=dt_short"), 401, "not_authenticated")
        cookie = {"Cookie": f"session={alice.secret}"}
        refused(anonymous.get(f"/s{call}", headers=cookie), 401, "not_authenticated")


def test_a_form_from_another_site_opens_a_link_and_a_cookie_changes_nothing(
    alice, anonymous, document
):
    link = alice.share(document, maxViews=1)
    headers = {"Sec-Fetch-Site": "cross-site", "Cookie": f"session={alice.secret}"}
    answer = on_short(anonymous, link, form={}, headers=headers)
    assert answer.status == 200
    assert "Set-Cookie" not in answer.headers


def test_a_link_to_a_document_takes_no_files(alice, anonymous, document):
    data = b'--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nb\r\n--x--\r\n'
    headers = {"Content-Type": "multipart/form-data; boundary=x"}
    answer = on_short(anonymous, alice.share(document), data=data, headers=headers)
    refused(answer, 403, "scope_missing")


def test_a_short_link_that_ended_is_a_page_that_says_so(alice, anonymous, document):
    link = alice.share(document)
    alice.revoke(document, link)
    for call in ("", "/content", "/download"):
        page = anonymous.get(short(link, call), headers=AS_PAGE)
        assert (page.status, page.kind) == (410, "text/html")
        assert "This link is off" in page.text
        refused(anonymous.get(short(link, call)), 410, "token_spent")


def test_no_answer_at_a_short_address_is_indexed(alice, anonymous, document):
    for link in (alice.share(document), alice.share(document, maxViews=3)):
        for headers in (AS_JSON, AS_PAGE):
            answer = anonymous.get(short(link), headers=headers)
            assert answer.headers["X-Robots-Tag"] == "noindex, nofollow"
            assert answer.headers["Referrer-Policy"] == "no-referrer"


def test_a_page_opened_by_ticket_passes_the_ticket_on(alice, anonymous):
    film = alice.upload(bytes(9 << 20), "video/mp4", name="film.mp4")
    link = alice.share(film, maxViews=1)
    (record,) = on_short(anonymous, link, json={}).json["documents"]
    ticket = record["viewUrl"].partition("ticket=")[2]

    page = alice.open(record["viewUrl"]).text

    assert set(re.findall(r"ticket=(v4\.local\.[\w.-]+)", page)) == {ticket}
    for path in (at(film, "/download"), "/s/download"):
        refused(anonymous.get(f"{path}?ticket={ticket}"), 403, "scope_missing")


def test_oembed_takes_a_short_link_and_no_other_address_with_its_token(alice, document):
    link = alice.share(document)
    rich = alice.get(f"/oembed?format=json&url={quote(link['shortUrl'], safe='')}").json
    assert (rich["title"], f"{link['shortUrl']}&amp;embed=1" in rich["html"]) == ("kept.txt", True)
    for url in (link["contentUrl"], link["shortUrl"].replace("/s?", "//s?")):
        answer = alice.get(f"/oembed?format=json&url={quote(url, safe='')}")
        refused(answer, 404, "not_found")


def test_what_is_asked_for_is_judged_wherever_a_link_is_opened(alice, document):
    link = alice.share(document, maxViews=2)
    for method, sent in (("GET", {}), ("POST", {"json": {}})):
        for address in (link["viewUrl"], link["shortUrl"]):
            answer = alice.open(f"{address}&as=AAA", method, **sent)
            refused_query(answer)
            assert alice.open(f"{address}&as=pages&utm_source=mail", method, **sent).status == 200
    assert alice.views(document, link) == 2
