"""A list of many documents: by month and day, by pages that are typed, and in parts."""

import re
from datetime import UTC, datetime, timedelta
from html import unescape
from importlib import import_module

import pytest

from models import (
    Collection,
    Document,
    DocumentToken,
    Event,
    User,
    account_deletion,
    connected,
)
from models.core import now, set_clock_ahead
from models.documents import search as document_search
from models.links import LinkOptions
from tests.in_process import LOGIN, application
from tests.uploads import upload

account_pages = import_module("blueprints.console.account")
document_pages = import_module("blueprints.console.documents")
activity_pages = import_module("blueprints.console.activity")
requests = import_module("models.links.requests")
SAME_ORIGIN = {"Sec-Fetch-Site": "same-origin"}
DAY_MS = 24 * 60 * 60 * 1000
MOST = 6  # documents that are looked at
ROWS = 2  # on a page
WRONG_DAYS = ("2026-13", "2026-3", "2026-02-30", "202603", "x", "9999-12", "0000-00")


@pytest.fixture(scope="module")
def app(tmp_path_factory):
    """Three months with five documents each: two PDFs and three texts."""
    with application(tmp_path_factory.mktemp("lists")) as (app, _key):
        try:
            with connected():
                fill(app)
            yield app
        finally:
            set_clock_ahead(0)


def fill(app):
    app.months = []
    user = User.find_by_email(LOGIN["email"])
    for month in range(3):
        set_clock_ahead(month * 40 * DAY_MS)
        for number in range(5):
            kind = "application/pdf" if number < 2 else "text/plain"
            document = upload(
                user,
                content_type=kind,
                name=f"{month}-{number}",
                came_by="tok_1" if (month, number) == (0, 0) else None,
            )
            if number == 4:
                DocumentToken.issue(document, LinkOptions())
        app.months.append(moment_of(document))
    oldest, _ = Document.page(user.id, 1, None, oldest_first=True)
    together = Collection.make(user.id, "Together", document_ids=[oldest[0].id])
    DocumentToken.issue(together, LinkOptions())


def moment_of(document):
    return datetime.fromtimestamp(document.created_at / 1000, UTC)


@pytest.fixture
def get(app, monkeypatch):
    """Return a page to somebody who is logged in."""
    monkeypatch.setattr(document_search, "MOST_SCANNED", MOST)
    monkeypatch.setattr(document_search, "_BATCH", 4)
    monkeypatch.setattr(document_pages, "ON_A_PAGE", ROWS)
    client = app.test_client()
    client.post("/app/login", data=LOGIN, headers=SAME_ORIGIN)
    return lambda query="": client.get(f"/app/documents{query}", headers=SAME_ORIGIN)


@pytest.fixture
def whole(get, monkeypatch):
    """Return a page on which all documents have room, if all are looked at."""
    monkeypatch.setattr(document_search, "MOST_SCANNED", 100)
    monkeypatch.setattr(document_pages, "ON_A_PAGE", 100)
    return get


def names(page):
    return re.findall(r"<bdi>(\d-\d)</bdi>", page.text)


def words(page):
    return re.sub(r"\s+", " ", unescape(re.sub("<[^>]*>", " ", page.text)))


def leads(page, text):
    """The query to which the last link with these words leads."""
    found = re.findall(rf'<a[^>]* href="[^"?]*([^"]*)"[^>]*>\s*{text}', page.text)
    return unescape(found[-1]) if found else None


def of_month(number):
    return [f"{number}-{one}" for one in reversed(range(5))]


def test_a_month_lists_its_documents_alone(whole, app):
    for number, moment in enumerate(app.months):
        page = whole(f"?when={moment:%Y-%m}")
        assert names(page) == of_month(number)
        assert f"{moment:%B %Y}" in words(page)
        assert "5 of 15 documents" in words(page)


def test_the_months_to_choose_from_go_back_to_the_oldest_document(whole, app):
    choices = re.findall(r'<option value="(\d{4}-\d\d)"', whole().text)
    assert (choices[0], choices[-1]) == (f"{app.months[-1]:%Y-%m}", f"{app.months[0]:%Y-%m}")
    assert len(choices) == len(set(choices))


def test_a_day_begins_and_ends_where_the_browser_is(whole, app):
    for hours in (-14, -3, 0, 5, 12):
        day = (app.months[1] - timedelta(hours=hours)).date()
        query = f"?when={{}}&offset={hours * 60}"
        assert names(whole(query.format(day))) == of_month(1), hours
        for other in (day - timedelta(days=1), day + timedelta(days=1)):
            assert names(whole(query.format(other))) == [], hours


@pytest.mark.parametrize("when", WRONG_DAYS)
def test_what_is_no_day_chooses_none(whole, when):
    page = whole(f"?when={when}&offset=10000000000")
    assert len(names(page)) == 15
    assert "Any time" in words(page)


def test_a_month_is_kept_by_search_filters_and_order(whole, app):
    month = f"when={app.months[1]:%Y-%m}"
    page = whole(f"?{month}")
    assert month in leads(page, "PDF")
    assert names(whole(leads(page, "PDF"))) == ["1-1", "1-0"]
    assert names(whole(leads(page, "Shared"))) == ["1-4"]
    assert names(whole(leads(page, "Uploaded"))) == of_month(1)[::-1]
    assert names(whole(f"?{month}&name=3")) == ["1-3"]
    assert names(whole(f"?{month}&sort=name")) == of_month(1)[::-1]
    assert f'<input type="hidden" name="when" value="{app.months[1]:%Y-%m}">' in page.text


def test_a_filter_looks_at_so_many_documents_and_goes_on_behind_them(get):
    parts, query = [], "?type=Texts"
    while query:
        page = get(query)
        parts.append((names(page), re.findall(r"Found among[^.]*|\d of \d documents", words(page))))
        query = leads(page, "Search older ones")
    assert parts == [
        (["2-4", "2-3"], ["4 of 6 documents", "Found among the newest 6"]),
        (["1-3", "1-2"], ["4 of 6 documents", "Found among 6 older ones"]),
        (["0-2"], ["1 of 3 documents", "Found among the oldest 3"]),
    ]


def test_a_search_in_a_part_never_counts_all_documents(get):
    for query in ("?type=Texts", "?is=shared", "?name=2", "?type=Texts&name=2"):
        page = get(query)
        assert "of 15 documents" not in words(page), query
        assert "documents searched" in words(page), query


def test_what_is_shared_is_looked_for_in_parts_too(get):
    page = get("?is=shared")
    assert names(page) == ["2-4", "1-4"]
    page = get(leads(page, "Search older ones"))
    assert names(page) == ["0-4"]
    page = get(leads(page, "Search older ones"))
    assert names(page) == ["0-0"]
    assert leads(page, "Search older ones") is None


def test_what_is_shared_by_a_collection_is_found(whole):
    assert names(whole("?is=shared")) == ["2-4", "1-4", "0-4", "0-0"]
    assert names(whole("?is=shared&name=4")) == ["2-4", "1-4", "0-4"]


def test_what_was_received_is_found_however_old_it_is(get):
    page = get("?is=received")
    assert names(page) == ["0-0"]
    assert leads(page, "Search older ones") is None


def test_in_a_month_with_many_documents_a_part_is_that_of_the_month(get, app, monkeypatch):
    monkeypatch.setattr(document_search, "MOST_SCANNED", 3)
    month = f"{app.months[1]:%B %Y}"
    page = get(f"?when={app.months[1]:%Y-%m}")
    assert f"Found among the newest 3 of {month}" in words(page)
    assert names(page) == ["1-4", "1-3"]
    page = get(leads(page, "Search older ones"))
    assert f"Found among the oldest 2 of {month}" in words(page)
    assert names(page) == ["1-1", "1-0"]
    assert leads(page, "Search older ones") is None


def test_the_last_page_of_a_part_leads_to_the_next_part_where_next_would_stand(get):
    page = get("?type=Texts")
    assert 'rel="next"' in page.text
    assert 'class="button">Search' not in page.text
    page = get(leads(page, "Next"))
    assert names(page) == ["2-2", "1-4"]
    assert 'rel="next"' not in page.text
    assert re.search(r'href="[^"]*older=[^"]*" class="button">Search', page.text)


def test_the_number_of_a_page_is_typed(get):
    page = get("?sort=oldest")
    form = re.search(r'<nav class="row pages".*?<form method="get".*?</form>', page.text, re.S)[0]
    assert 'name="sort" value="oldest"' in form
    assert re.search(r'<label[^>]*>Page <input name="page" value="1"[^>]*> of 8</label>', form)
    assert names(get("?sort=oldest&page=3")) == ["0-4", "1-0"]


def test_a_page_that_is_not_there_is_the_nearest_one(get):
    newest, oldest = names(get()), ["0-0"]
    for typed, shown in (
        ("", newest),
        ("0", newest),
        ("-1", newest),
        ("x", newest),
        ("1.5", newest),
        ("9" * 5000, newest),
        ("%EF%BC%98", newest),  # a digit of another script
        ("8", oldest),
        ("1,000", oldest),
    ):
        assert names(get(f"?page={typed}")) == shown, typed


def test_two_pages_need_no_number(get, monkeypatch):
    monkeypatch.setattr(document_pages, "ON_A_PAGE", 10)
    page = get()
    assert "Page 1 of 2" in words(page)
    assert 'name="page"' not in page.text


def test_the_log_of_a_day_is_listed_alone(app):
    client = app.test_client()
    client.post("/app/login", data=LOGIN, headers=SAME_ORIGIN)

    def told(query):
        page = client.get(f"/app/activity?{query}", headers=SAME_ORIGIN)
        return set(names(page)), page

    for number, moment in enumerate(app.months):
        assert told(f"when={moment:%Y-%m-%d}")[0] >= set(of_month(number))
        assert told(f"type=document.created&when={moment:%Y-%m-%d}")[0] == set(of_month(number))
    empty, page = told(f"when={app.months[1] + timedelta(days=1):%Y-%m-%d}")
    assert empty == set()
    assert "Nothing found." in words(page)


def test_a_page_of_the_log_of_a_day_leads_to_the_next_of_that_day(app, monkeypatch):
    monkeypatch.setattr(activity_pages, "EVENTS_ON_A_PAGE", 3)
    client = app.test_client()
    client.post("/app/login", data=LOGIN, headers=SAME_ORIGIN)
    day = f"{app.months[1]:%Y-%m-%d}"
    query, listed = f"?type=document.created&when={day}", []
    while query:
        page = client.get(f"/app/activity{query}", headers=SAME_ORIGIN)
        listed += names(page)
        query = leads(page, "Older")
        assert query is None or f"when={day}" in query
    assert listed == of_month(1)


def test_a_rare_type_is_looked_for_among_so_many_events_a_page(app, monkeypatch):
    monkeypatch.setattr(import_module("models.events.event"), "MOST_READ", 2)
    asked, feed = [], Event.feed
    monkeypatch.setattr(Event, "feed", lambda *args, **how: asked.append(1) or feed(*args, **how))
    client = app.test_client()
    client.post("/app/login", data=LOGIN, headers=SAME_ORIGIN)

    page = client.get("/app/activity?type=webhook.disabled", headers=SAME_ORIGIN)

    assert "Older ones may have it." in words(page)
    assert len(asked) == 1


def test_of_files_that_came_in_a_count_that_may_be_too_small_says_so(app, monkeypatch):
    client = app.test_client()
    client.post("/app/login", data=LOGIN, headers=SAME_ORIGIN)
    with connected():
        user = User.find_by_email(LOGIN["email"])
        collection = Collection.make(user.id, "Receipts")
        options = LinkOptions(permissions="upload", max_views=9)
        link = DocumentToken.issue(collection, options).row
        for number in range(3):
            upload(user, name=f"3-{number}", came_by=link.id)
        user.see_received(now())
    page = client.get("/app/requests", headers=SAME_ORIGIN)
    assert "3 files," in words(page)
    monkeypatch.setattr(requests, "MOST_RECEIVED", 2)
    page = client.get("/app/requests", headers=SAME_ORIGIN)
    assert "2 files or more," in words(page)


def test_of_many_links_the_page_before_a_deletion_says_that_they_are_many(app, monkeypatch):
    for module in (account_pages, account_deletion):
        monkeypatch.setattr(module, "MOST_COUNTED", 2)
    client = app.test_client()
    client.post("/app/login", data=LOGIN, headers=SAME_ORIGIN)
    page = client.get("/app/account/delete", headers=SAME_ORIGIN)
    assert "More than 2 links: those that are active open nothing any more" in words(page)
