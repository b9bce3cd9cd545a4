"""Programs that fetch a link's page ahead of a person: nothing is shown, and nothing counts."""

import pytest

from tests.console.visitor import words
from tests.contract.requests import AS_JSON
from tests.people import at

PAYLOAD = b"<p>The words of the document</p>"
AGENTS = (
    "Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)",
    "Slack-ImgProxy (+https://api.slack.com/robots)",
    "Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)",
    "TelegramBot (like TwitterBot)",
    "WhatsApp/2.23.20.0",
    "facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)",
    "facebookcatalog/1.0",
    "Mozilla/5.0 (compatible; Yandex.Crawler/1.0)",
    "Baiduspider-render/2.0",
    "Mozilla/5.0 (Windows NT 6.1) SkypeUriPreview Preview/0.5",
    "Embedly/0.2",
    "Iframely/1.3.1",
    "Mozilla/5.0 (compatible; vkShare; +http://vk.com/dev/Share)",
    "Mozilla/5.0 (X11; Linux x86_64) Chrome/118 (compatible; Google-Read-Aloud)",
    "Mozilla/5.0 AppleWebKit/537.36 (compatible; ChatGPT-User/1.0)",
    "GOOGLEBOT",
)
AHEAD = [
    *({"User-Agent": agent} for agent in AGENTS),
    {"Sec-Purpose": "prefetch"},
    {"Sec-Purpose": "prefetch;prerender"},
    {"Sec-Purpose": "prefetch;anonymous-client-ip"},
    {"Purpose": "prefetch"},
    {"X-Purpose": "preview"},
    {"X-Moz": "prefetch"},
]
READERS = [
    {},
    {"User-Agent": "curl/8.5.0"},
    {"User-Agent": "Mozilla/5.0 (Linux; Android 12; CUBOT NOTE 30) Chrome/120 Mobile Safari/537"},
    {"User-Agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"},
    {"Sec-Purpose": ""},
    {"Purpose": "none"},
]
WAYS = ("short", "view", "collection", "member of a collection", "empty collection")


@pytest.fixture
def shared(new_user):
    """A person with a document, and a collection that holds it."""
    new_user.document = new_user.upload(PAYLOAD, "text/html", name="Offer.html", token=None)
    body = {"title": "Papers", "documentIds": [new_user.document["id"]]}
    new_user.collection = new_user.post("/v1/collections", json=body).json
    return new_user


def link_by(person, way):
    """A plain link, what it leads to, and the address of its page."""
    if way == "empty collection":
        target = person.post("/v1/collections", json={"title": "Nothing yet"}).json
    else:
        target = person.document if way in {"short", "view"} else person.collection
    link = person.share(target)
    if way == "member of a collection":
        page = f"{person.service.url}{at(person.document, '/view')}?token={link['token']}"
    else:
        page = link["viewUrl"] if way == "view" else link["shortUrl"]
    return link, target, page


def facts_of(person, link):
    record = person.get(f"/v1/tokens/{link['id']}").json
    return record["views"], record["lastUsedAt"], list(person.events())


@pytest.mark.parametrize("way", WAYS)
def test_what_is_fetched_ahead_shows_and_counts_nothing(way, shared):
    link, _, page = link_by(shared, way)
    before = facts_of(shared, link)
    for headers in AHEAD:
        for method in "GET", "HEAD":
            answer = shared.open(page, method, headers=headers)
            assert (answer.status, answer.kind) == (200, "text/html"), headers
            assert PAYLOAD not in answer.body
            assert b"<iframe" not in answer.body
        answer = shared.open(page, headers=headers)
        assert answer.text.count('<button class="button">') == 1, headers
        assert "no-store" in answer.headers["Cache-Control"]
    assert facts_of(shared, link) == before


@pytest.mark.parametrize("way", WAYS)
def test_the_page_is_the_one_of_a_link_with_a_limit(way, shared):
    link, target, page = link_by(shared, way)
    ahead = shared.open(page, headers=AHEAD[0])
    shared.change(target, link, maxViews=7)
    limited = words(shared.open(page))
    footer = " It can be opened 7 more times."
    assert footer in limited
    assert words(ahead) == limited.replace(footer, "")


@pytest.mark.parametrize("way", WAYS)
def test_a_person_who_gets_the_page_of_a_prefetch_presses_its_button(way, shared):
    link, _, page = link_by(shared, way)
    answer = shared.open(page, "POST", form={})
    assert answer.status == 200
    assert facts_of(shared, link)[0] == 1
    shown = {"short", "view", "member of a collection"}
    assert (b"The words of the document" in answer.body) == (way in shown)


@pytest.mark.parametrize("way", WAYS)
def test_a_reader_counts_as_before(way, shared):
    link, _, page = link_by(shared, way)
    for number, headers in enumerate(READERS, 1):
        assert shared.open(page, headers=headers).status == 200
        assert facts_of(shared, link)[0] == number, headers


def test_files_and_json_are_sent_to_every_program(shared):
    link, _, _ = link_by(shared, "short")
    for headers in AHEAD:
        assert shared.open(link["contentUrl"], headers=headers).body == PAYLOAD
        saved = shared.open(link["downloadUrl"], headers=headers)
        assert "Offer.html" in saved.headers["Content-Disposition"]
    assert "document.downloaded" in shared.event_types()
    answer = shared.open(link["shortUrl"], headers=AHEAD[0] | AS_JSON)
    assert answer.json["documents"][0]["name"] == "Offer.html"


def test_a_hidden_name_is_not_told_to_a_preview(shared):
    link = shared.share(shared.document, hideName=True)
    assert "Offer" not in shared.open(link["shortUrl"], headers=AHEAD[0]).text


def test_an_owner_who_prefetches_sees_the_document(shared):
    answer = shared.get(at(shared.document, "/view"), headers={"Sec-Purpose": "prefetch"})
    assert b"The words of the document" in answer.body


def test_a_page_that_was_opened_is_shown_whatever_asks_for_it(shared):
    shared.collection = shared.post(
        "/v1/collections",
        json={"title": "Limited", "documentIds": [shared.document["id"]]},
    ).json
    link = shared.share(shared.collection, maxViews=1)
    opened = shared.open(link["shortUrl"], "POST", headers=AS_JSON, json={}).json
    page = shared.open(opened["documents"][0]["viewUrl"], headers={"Sec-Purpose": "prefetch"})
    assert b"The words of the document" in page.body
