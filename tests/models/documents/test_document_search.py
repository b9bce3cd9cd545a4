"""A search ends after so many documents, and goes on where it ended."""

import itertools
from threading import Event

import pytest

from models import Document, current_runtime
from models.core import Busy
from models.documents import find_documents
from models.documents import search as document_search
from tests.uploads import upload
from tests.waiting import join_threads, start_threads, until


@pytest.fixture(autouse=True)
def small_steps(monkeypatch):
    monkeypatch.setattr(document_search, "MOST_SCANNED", 6)
    monkeypatch.setattr(document_search, "_BATCH", 4)


def pages(owner, limit, name="match"):
    """The names on each page."""
    after, further = None, ""
    while further is not None:
        rows, further = find_documents(owner.id, limit, after, name)
        yield [row.name for row in rows]
        after = further


def fill(owner, names):
    """The first name becomes that of the newest document."""
    for name in reversed(names):
        upload(owner, name=name)


def test_a_call_ends_after_so_many_documents_and_the_next_goes_on_there(alice):
    fill(alice, ["other"] * 8 + ["match 1"] + ["other"] * 9 + ["match 2"])
    assert list(pages(alice, 5)) == [[], ["match 1"], [], ["match 2"]]


def test_a_call_ends_after_some_time_and_the_next_goes_on_there(alice, monkeypatch):
    fill(alice, ["other"] * 5 + ["match"])
    monkeypatch.setattr(document_search, "thread_time", itertools.count(0, 0.3).__next__)
    assert list(pages(alice, 5)) == [[], ["match"]]  # a look at the clock before each four


def test_of_one_user_one_search_runs_one_waits_and_others_are_refused(alice, bob, monkeypatch):
    searches, ended = [], Event()
    monkeypatch.setattr(document_search, "_search", lambda *_: searches.append(1) or ended.wait(60))
    threads = start_threads(*2 * [lambda: find_documents(alice.id, 5, None, "x")])
    until(lambda: current_runtime().search_slots._line)

    assert len(searches) == 1
    with pytest.raises(Busy):
        find_documents(alice.id, 5, None, "x")
    assert find_documents(alice.id, 5, None) == ([], None)
    threads += start_threads(lambda: find_documents(bob.id, 5, None, "x"))
    until(lambda: len(searches) == 2)
    ended.set()
    join_threads(threads)
    assert len(searches) == 3
    assert find_documents(alice.id, 5, None, "x")


def test_no_page_skips_or_repeats_a_document(alice):
    names = []
    for count, limit in itertools.product(range(10), [1, 3, 100]):
        found = list(pages(alice, limit))
        assert sum(found, []) == [name for name in names if name != "other"], (count, limit)
        assert all(len(page) <= limit for page in found), (count, limit)
        if limit == 100:  # the next document
            names.insert(0, f"match {count}" if count % 3 else "other")
            upload(alice, name=names[0])


def test_nothing_is_left_after_a_cursor_behind_which_nothing_is(alice):
    document = upload(alice, name="match")
    assert find_documents(alice.id, 5, document.id, "match") == ([], None)


def test_a_document_that_does_not_open_hides_no_other(alice, caplog):
    fill(alice, ["match 1", "match 2", "match 3"])
    rows, _ = Document.page(alice.id, 3, None)
    rows[1].change(sealed_key=b"altered")
    assert list(pages(alice, 5)) == [["match 1", "match 3"]]
    assert rows[1].id in caplog.text
