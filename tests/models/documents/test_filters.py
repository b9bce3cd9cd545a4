"""Filters of lists read what they may find, not all rows of the owner."""

import pytest

from models import Document, Event, database
from models.core import DAY_MS, now
from models.documents import document as documents
from models.documents import find_documents
from models.events import event as events
from models.storage import engine
from tests.steps import steps_of
from tests.uploads import upload

MANY = 40


def steps_of_filter(owner, **filters):
    return steps_of(lambda: Document.matching(owner.id, 50, None, **filters))


@pytest.mark.parametrize("filter", ["created_after", "created_before"])
def test_a_filter_by_moment_reads_no_documents_of_other_days(alice, bob, clock, filter):
    clock(10 * DAY_MS if filter == "created_before" else 0)
    for _ in range(MANY):
        upload(alice)
    upload(bob)
    moment = now() + (-5 if filter == "created_before" else 5) * DAY_MS

    assert Document.matching(alice.id, 50, None, **{filter: moment}) == ([], None)
    of_many = steps_of_filter(alice, **{filter: moment})
    assert of_many <= steps_of_filter(bob, **{filter: moment}) + 5


@pytest.mark.parametrize("hours", [-20, 20])
def test_a_filter_by_moment_finds_documents_also_after_the_clock_was_set(alice, clock, hours):
    first = upload(alice)
    clock(hours * 3_600_000)
    second = upload(alice)

    def found(**filters):
        rows, _ = Document.matching(alice.id, 50, None, **filters)
        return {row.id for row in rows}

    earlier, later = sorted((first, second), key=lambda one: one.created_at)
    assert found(created_after=earlier.created_at) == {later.id}
    assert found(created_before=later.created_at) == {earlier.id}
    assert found(created_after=-1, created_before=later.created_at + 1) == {first.id, second.id}


def all_pages(page, most):
    """The ids of each page, and the cursors, one at most for so many rows."""
    found, after = [], None
    while True:
        rows, after = page(after)
        found.append([row.id for row in rows])
        if after is None:
            return found
        assert len(found) < most


@pytest.mark.parametrize(
    "filters",
    [
        {"content_type": "text/csv"},
        {"content_type": "text/csv; charset=utf-8"},
        {"media_types": " text/csv text/tab-separated-values "},
        {"content_type": "text/csv", "created_after": 0},
    ],
)
def test_a_page_by_type_ends_after_so_many_documents_and_the_next_goes_on(
    alice, monkeypatch, filters
):
    monkeypatch.setattr(documents, "MOST_READ", 5)
    rare = upload(alice, b"a,b", "text/csv; charset=utf-8")
    for _ in range(12):
        upload(alice)

    pages = all_pages(lambda after: Document.matching(alice.id, 2, after, **filters), 4)

    assert pages == [[], [], [rare.id]]


def test_pages_by_type_are_full_where_most_documents_are_of_it(alice, monkeypatch):
    monkeypatch.setattr(documents, "MOST_READ", 5)
    ids = [upload(alice, b"a,b", "text/csv").id for _ in range(5)]

    pages = all_pages(
        lambda after: Document.matching(alice.id, 2, after, content_type="text/csv"), 4
    )

    assert pages == [ids[:2:-1], ids[2:0:-1], ids[:1]]


def test_a_page_by_type_and_moment_is_the_last_if_no_other_document_is_of_this_time(
    alice, monkeypatch
):
    monkeypatch.setattr(documents, "MOST_READ", 5)
    for _ in range(12):
        upload(alice)

    of_the_future = {"content_type": "text/csv", "created_after": now() + 2 * DAY_MS}

    assert Document.matching(alice.id, 2, None, **of_the_future) == ([], None)


def test_a_search_by_name_and_type_looks_through_all(alice, monkeypatch):
    monkeypatch.setattr(documents, "MOST_READ", 5)
    rare = upload(alice, b"a,b", "text/csv", name="report.csv")
    for _ in range(12):
        upload(alice, name="report.txt")

    rows, after = find_documents(alice.id, 2, None, name="report", content_type="text/csv")

    assert ([row.id for row in rows], after) == ([rare.id], None)


@pytest.mark.parametrize("oldest_first", [True, False])
def test_a_page_of_events_by_type_ends_after_so_many_and_the_next_goes_on(
    alice, monkeypatch, oldest_first
):
    monkeypatch.setattr(events, "MOST_READ", 5)
    document = upload(alice)
    for number in range(12):
        Document.edit(alice.id, document.id, name=f"number {number}")

    def page(after, **filters):
        return Event.feed(alice.id, 2, after, oldest_first=oldest_first, **filters)

    found = all_pages(lambda after: page(after, type="document.created"), 5)
    assert [len(ids) for ids in found] == ([1, 0, 0] if oldest_first else [0, 0, 1])
    by_document, _ = page(None, type="document.created", document_id=document.id)
    assert [event.type for event in by_document] == ["document.created"]


@pytest.mark.parametrize(
    "filters",
    [
        {"media_type": "text/csv"},
        {"media_types": " text/csv text/tab-separated-values "},
        {"created_after": 1, "created_before": 2},
    ],
)
def test_documents_are_filtered_by_an_index_alone(alice, filters):
    found = Document.live_of(alice.id, Document.id, **filters).where(Document.id < "doc_2")
    lines = plan(found.order_by(Document.id.desc()))
    assert any("COVERING INDEX document_list (owner_id=? AND id<?)" in line for line in lines)


def test_events_are_filtered_by_type_by_an_index_alone(alice):
    found = Event.select(Event.id).where(
        Event.owner_id == alice.id, Event.id < "evt_2", Event.type == "webhook.disabled"
    )
    lines = plan(found.order_by(Event.id.desc()))
    assert lines == ["SEARCH t1 USING COVERING INDEX event_list (owner_id=? AND id<?)"]


def test_a_filter_by_type_with_parameters_asks_for_the_type_that_the_index_has(alice, monkeypatch):
    asked = []
    monkeypatch.setattr(Document, "page", lambda *_, **filters: asked.append(filters))
    Document.matching(alice.id, 50, None, content_type="Text/CSV; charset=utf-8")
    assert asked[0]["media_type"] == "text/csv"


def plan(query):
    if engine().is_shared:
        pytest.skip("tests/walks/test_plans_on_postgres.py reads the plans of PostgreSQL")
    found = database.execute_sql(f"EXPLAIN QUERY PLAN {query.sql()[0]}", query.sql()[1])
    return [line for *_, line in found.fetchall()]
