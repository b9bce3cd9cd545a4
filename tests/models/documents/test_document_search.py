"""A search ends after so many documents, and goes on where it ended."""

import itertools
from threading import Event

import pytest

from models import Collection, Document, current_runtime
from models.core import Busy, Payer
from models.documents import Found, Search, documents_page, find_documents
from models.documents import search as document_search
from models.documents.names import MOST_CHARACTERS, MOST_WORDS, Words, fold
from tests.payers import paid_by
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
    monkeypatch.setattr(document_search, "thread_time", itertools.count(0, 0.1).__next__)
    assert list(pages(alice, 5)) == [[], ["match"]]  # a look at the clock behind each


def test_of_one_caller_one_search_runs_one_waits_and_others_are_refused(alice, bob, monkeypatch):
    searches, ended = [], Event()

    def wait(*_):
        searches.append(1)
        ended.wait(60)
        return Found([], document_search.WHOLE)

    def search(caller):
        with paid_by(Payer(caller.id)):
            return find_documents(alice.id, 5, None, "x")

    monkeypatch.setattr(Search, "documents", wait)
    threads = start_threads(*2 * [lambda: search(alice)])
    until(lambda: current_runtime().search_slots._line)

    assert len(searches) == 1
    with pytest.raises(Busy):
        search(alice)
    assert find_documents(alice.id, 5, None) == ([], None)
    threads += start_threads(lambda: search(bob))
    until(lambda: len(searches) == 2)
    ended.set()
    join_threads(threads)
    assert len(searches) == 3
    assert search(alice) == ([], None)


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


def test_words_are_found_in_any_order_at_any_place_without_case_and_accents():
    name = fold("Prüfung der Straße, 2 ㎒.txt")
    for text in ("strasse PRUFUNG", "fung 2", "mhz", "pru\u0308f", "  txt  ", "", " "):
        assert Words(text).are_in(name), text
    for text in ("prüfung nicht", "prufung  q", "  \u3000"):
        assert not Words(text).are_in(name), text
    assert not Words(" ").are_in("a.txt")


def test_beyond_ten_words_and_two_hundred_characters_nothing_is_looked_at():
    name = "a" * MOST_CHARACTERS
    assert Words(name + "b").are_in(name)
    assert Words("a " * MOST_WORDS + "b").are_in("a")
    assert not Words("a " * (MOST_WORDS - 1) + "b").are_in("a")
    longest = Words("\ufdfa" * 100_000)
    assert sum(map(len, longest._words)) <= 18 * MOST_CHARACTERS


def test_words_are_folded_once_and_each_name_is_judged_in_the_slot(alice, monkeypatch):
    fill(alice, [f"match {number}" for number in range(5)])
    Collection.make(alice.id, "match")
    texts, folded = [], []

    def judged(name):
        assert current_runtime().search_slots._held
        folded.append(name)
        return fold(name)

    monkeypatch.setattr(document_search, "fold", judged)
    monkeypatch.setattr(document_search, "Words", lambda text: texts.append(text) or Words(text))
    documents_page(alice.id, 50, 1, name="match")
    documents_page(alice.id, 50, 1, order="name")
    find_documents(alice.id, 50, None, "match")
    with Search.of(alice.id, "match") as search:
        assert search.has_words("a match")
        assert [one.title for one in search.collections(9).rows] == ["match"]
        assert len(search.documents(most=3).rows) == 3
    assert len(texts) == 4
    assert len(folded) == 3 * 5 + 1 + 1 + 4


def test_all_that_a_search_does_is_in_its_time(alice, monkeypatch):
    fill(alice, ["match"] * 4)
    for title in ("match 1", "match 2", "match 3"):
        Collection.make(alice.id, title)
    monkeypatch.setattr(document_search, "thread_time", itertools.count(0, 0.2).__next__)
    with Search.of(alice.id, "match") as search:
        collections = search.collections()
        documents = search.documents()
    assert (collections.searched.count, documents.searched.count) == (3, 1)
    assert documents.searched.older


def test_a_page_of_names_says_which_documents_it_has_looked_at(alice):
    fill(alice, [f"match {number}" for number in range(15)])
    cursor, parts = None, []
    for _ in range(3):
        page = documents_page(alice.id, 50, 1, name="match", order="name", older=cursor)
        parts.append((page.total, page.searched.count, page.searched.is_older))
        cursor = page.searched.older
    assert parts == [(6, 6, False), (6, 6, True), (3, 3, True)]
    assert cursor is None
    assert documents_page(alice.id, 50, 1).searched.is_whole


def test_what_is_left_out_is_not_found(alice):
    fill(alice, ["match 1", "match 2", "match 3"])
    rows, _ = Document.page(alice.id, 3, None)
    with Search.of(alice.id, "match") as search:
        found = search.documents(most=1, leaving_out={rows[0].id})
    assert [one.name for one in found.rows] == ["match 2"]
    assert found.searched.older == rows[1].id
