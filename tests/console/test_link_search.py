"""Links among many: found by words, and listed by their state in parts."""

import re
from html import unescape

import pytest

from models import DocumentToken, User, connected
from models.documents import search as document_search
from models.links import LinkOptions, lists
from tests.in_process import LOGIN, application
from tests.uploads import upload

LABELS = ("the auditor", "Ben", "Ana", "the notary")
FORM = {"Sec-Fetch-Site": "same-origin"}
NOUNS = ("contract", "receipt", "minutes")
NOTHING = "No link found"


@pytest.fixture(scope="module")
def app(tmp_path_factory):
    """Twelve links, of which the newest five are off; the oldest is for one address."""
    with application(tmp_path_factory.mktemp("links")) as (app, app_key):
        app.key = app_key
        with connected():
            user = User.find_by_email(LOGIN["email"])
            for number in range(12):
                document = upload(user, name=f"{NOUNS[number % 3]} {number}.txt")
                recipients = () if number else ("cleo@example.org",)
                options = LinkOptions(LABELS[number % 4], recipients=recipients)
                link = DocumentToken.issue(document, options, with_upload=True).row
                if number > 6:
                    link.revoke()
        yield app


@pytest.fixture
def get(app, monkeypatch):
    """Return a page to somebody who is logged in."""
    monkeypatch.setattr(document_search, "MOST_SCANNED", 6)
    monkeypatch.setattr(document_search, "_BATCH", 4)
    client = app.test_client()
    client.post("/app/login", data=LOGIN, headers=FORM)
    return lambda query, **headers: client.get(f"/app/links{query}", headers=FORM | headers)


def targets(page):
    return re.findall(r'title="(\w+ \d+\.txt)"', page.text)


def words(page):
    return re.sub(r"\s+", " ", unescape(re.sub("<[^>]*>", " ", page.text)))


def older(page):
    found = re.search(r'rel="next" href="([^"]*)"', page.text)
    return unescape(found[1]) if found else None


def all_parts(get, query):
    while query:
        page = get(query)
        yield page
        query = older(page)


def test_links_are_found_by_label_and_document_and_recipient_in_any_order(get):
    for text, found in (
        ("AUDITOR", [8, 4, 0]),
        ("contract auditor", [0]),
        ("minutes", [11, 8, 5, 2]),
        ("notary 7", [7]),
        ("cleo@", [0]),
        ("nobody", []),
    ):
        pages = list(all_parts(get, f"?name={text}"))
        listed = [int(re.search(r"\d+", one)[0]) for page in pages for one in targets(page)]
        assert listed == found, text


def test_a_search_of_links_says_which_it_has_looked_at_and_goes_on(get):
    pages = list(all_parts(get, "?name=cleo"))
    assert "No link found among the newest 6 links." in words(pages[0])
    assert "Search older ones" in words(pages[0])
    assert "Found among the oldest 6 links." in words(pages[1])
    assert len(pages) == 2


def test_nothing_is_found_when_all_links_were_looked_at(get, monkeypatch):
    monkeypatch.setattr(document_search, "MOST_SCANNED", 100)
    page = get("?name=zebra")
    assert f"{NOTHING}." in words(page)
    assert older(page) is None


def test_a_search_of_links_keeps_what_was_typed(get):
    assert 'name="name" value="&lt;b&gt;"' in get("?name=<b>").text


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_no_other_site_has_a_browser_search_links(get, site):
    answer = get("?name=x", **{"Sec-Fetch-Site": site})
    assert (answer.status_code, answer.location) == (303, "/app/links")


def test_active_links_behind_many_that_ended_are_reached(get, monkeypatch):
    monkeypatch.setattr(lists, "MOST_READ", 3)
    pages = list(all_parts(get, "?"))
    assert "No active link among these." in words(pages[0])
    assert "No links yet." not in "".join(map(words, pages))
    numbers = [int(re.search(r"\d+", one)[0]) for page in pages for one in targets(page)]
    assert numbers == [6, 5, 4, 3, 2, 1, 0, 11, 10, 9, 8, 7]


def test_a_call_for_the_links_of_a_state_ends_and_the_next_goes_on(app, monkeypatch):
    monkeypatch.setattr(lists, "MOST_READ", 3)
    client = app.test_client()
    for state, count in (("live", 7), ("ended", 5)):
        cursor, sizes = "", []
        while cursor is not None:
            query = {"state": state, "limit": 5} | ({"cursor": cursor} if cursor else {})
            answer = client.get("/v1/tokens", headers=app.key, query_string=query).json
            sizes.append(len(answer["tokens"]))
            cursor = answer["nextCursor"]
        assert sum(sizes) == count, sizes
        assert max(sizes) <= 3, sizes
