"""A search that has not looked at every document says so, and goes on."""

import io
import re
from html import unescape

import pytest

from models.documents import search as document_search
from tests.in_process import LOGIN, application

NOTHING = "Nothing has this name."
OLDEST = "minutes 000000.txt"
DOCUMENTS = 15


@pytest.fixture(scope="module")
def app(tmp_path_factory):
    with application(tmp_path_factory.mktemp("search")) as (app, key):
        client = app.test_client()
        for number in range(DOCUMENTS):
            file = io.BytesIO(b"x"), f"minutes {number:06}.txt"
            stored = client.post("/v1/documents", headers=key, data={"file": file, "token": "null"})
            assert stored.status_code == 201
        body = {"title": "Minutes", "documentIds": [stored.json["id"]]}
        app.collection = client.post("/v1/collections", headers=key, json=body).json["id"]
        app.key = key
        yield app


@pytest.fixture
def get(app, monkeypatch):
    """Return a page to somebody who is logged in."""
    monkeypatch.setattr(document_search, "MOST_SCANNED", 6)
    monkeypatch.setattr(document_search, "_BATCH", 4)
    client = app.test_client()
    client.post("/app/login", data=LOGIN, headers={"Sec-Fetch-Site": "same-origin"})

    def get(address, **headers):
        return client.get(address, headers={"Sec-Fetch-Site": "same-origin"} | headers)

    return get


def words(page):
    return re.sub(r"\s+", " ", unescape(re.sub("<[^>]*>", " ", page.text)))


def link(page, text, path=""):
    """The address of the link with these words."""
    found = re.search(rf'<a href="([^"]*)">\s*{text}', page.text)
    return found and path + unescape(found[1])


def test_the_name_of_the_oldest_document_is_found_by_going_on(get):
    page = get(f"/app/documents?name={OLDEST}")
    assert "Nothing found among the newest 6." in words(page)
    page = get(link(page, "Search older ones"))
    assert "6 older ones" in words(page)
    page = get(link(page, "Search older ones"))
    assert f"<bdi>{OLDEST}</bdi>" in page.text
    assert "Found among the oldest 3." in words(page)
    assert "1 of 3 documents searched" in words(page)
    assert link(page, "Search older ones") is None
    page = get(link(page, "Search the newest"))
    assert "among the newest 6" in words(page)


def test_by_name_says_which_documents_are_in_order(get):
    page = get("/app/documents?sort=name")
    assert "These are the newest 6, by name." in words(page)
    assert "15 documents" in words(page)
    page = get(link(page, "Show older ones"))
    assert "These are 6 older ones, by name." in words(page)
    assert "minutes 000008.txt" in page.text


def test_another_filter_or_order_begins_again_with_the_newest(get):
    page = get("/app/documents?name=minutes")
    older = get(link(page, "Search older ones"))
    assert "older=doc_" in link(page, "Search older ones")
    assert re.search(r'href="[^"]*name=minutes[^"]*type=PDF"', older.text)
    assert not re.search(r'href="[^"]*older=[^"]*type=PDF', older.text)


def test_the_jump_says_what_it_has_searched_and_leads_on(get):
    page = get(f"/app/jump?q={OLDEST}")
    assert NOTHING not in page.text
    assert "Nothing has this name among the newest 6 documents." in words(page)
    page = get(link(page, "Search older documents"))
    assert "6 older ones" in words(page)
    page = get("/app/jump?q=000014")
    assert "minutes 000014.txt" in page.text
    assert "Searched: the newest 6 documents." in words(page)
    assert link(page, "Search older documents")


def test_the_jump_says_that_nothing_has_a_name_when_it_has_looked_at_all(get, monkeypatch):
    monkeypatch.setattr(document_search, "MOST_SCANNED", DOCUMENTS)
    assert NOTHING in get("/app/jump?q=zebra").text
    page = get("/app/jump?q=minutes")
    assert "Searched" not in page.text
    assert get(link(page, "All documents of this name")).text.count("<bdi>minutes") == DOCUMENTS


def test_the_documents_that_a_collection_may_take_are_searched_as_far(get, app):
    path = f"/app/collections/{app.collection}"
    page = get(f"{path}?find={OLDEST}")
    assert "No matches among the newest 6." in words(page)
    page = get(link(page, "Search older ones"))
    page = get(link(page, "Search older ones"))
    assert OLDEST in page.text
    assert link(page, "Search older ones") is None


def test_pages_and_api_find_the_same_documents(get, app):
    client = app.test_client()
    for name in ("000014 MINUTES", "txt mínutes 12", " minutes 000011.txt", "minutes 999"):
        query = {"name": name, "limit": 50}
        answer = client.get("/v1/documents", headers=app.key, query_string=query).json
        listed = re.findall("<bdi>(minutes[^<]*)</bdi>", get(f"/app/documents?name={name}").text)
        assert [one["name"] for one in answer["documents"]] == listed, name


@pytest.mark.parametrize(
    "address", ["documents?name=x", "documents?sort=name", "jump?q=x", "collections/{}?find=x"]
)
@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_no_other_site_has_a_browser_search(get, app, address, site):
    path = f"/app/{address.format(app.collection)}"
    answer = get(path, **{"Sec-Fetch-Site": site})
    assert (answer.status_code, answer.location) == (303, path.partition("?")[0])
    assert get(answer.location, **{"Sec-Fetch-Site": site}).status_code == 200
    assert get(path, **{"Sec-Fetch-Site": "none"}).status_code == 200
