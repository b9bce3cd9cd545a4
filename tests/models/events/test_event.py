"""Events: drawn in the order of commits, written with what they tell of, kept for so long."""

import sqlite3
import threading
from contextlib import closing

import pytest

from models import (
    Document,
    DocumentToken,
    Event,
    connected,
    database,
    transaction,
)
from models.background import sweep
from models.core import Busy, ids
from models.events import event as event_module
from models.links import LinkOptions, delete_document, delete_if_due
from models.storage.sqlite import PRAGMAS
from tests.uploads import upload
from tests.waiting import join_threads, start_threads

DAY_MS = 86_400_000


def told(owner):
    events, _ = Event.feed(owner.id, 1000, None)
    return [event.type for event in events]


def link(document, **terms):
    terms = {"expires_at": None, "max_views": None} | terms
    return DocumentToken.issue(document, LinkOptions(None, "view", "", **terms)).row


def test_what_did_not_happen_is_not_told(alice):
    def stopped():
        with transaction():
            upload(alice)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        stopped()

    assert told(alice) == []


def test_ids_are_drawn_in_the_order_of_commits(alice):
    def work():
        with connected():
            for _ in range(40):
                Event.record(alice.id, "webhook.test", {})

    threads = [threading.Thread(target=work) for _ in range(4)]
    for one in threads:
        one.start()
    seen, after = [], None
    while len(seen) < 160:
        events, _ = Event.feed(alice.id, 1000, after)
        seen += [event.id for event in events]
        after = seen[-1] if seen else None
    for one in threads:
        one.join()

    everything, _ = Event.feed(alice.id, 1000, None)
    assert seen == [event.id for event in everything]


def test_a_clock_set_back_does_not_turn_the_feed(alice, clock):
    Event.record(alice.id, "webhook.test", {"number": 1})
    clock(-DAY_MS)
    ids.forget_last_id()  # as after a restart
    Event.record(alice.id, "webhook.test", {"number": 2})
    events, _ = Event.feed(alice.id, 10, None)
    assert [event.data["number"] for event in events] == [1, 2]


def test_neither_a_reading_nor_a_list_of_them_waits_for_a_writer_for_long(alice, monkeypatch):
    monkeypatch.setitem(PRAGMAS, "busy_timeout", 120_000)  # as long would writers wait
    document = upload(alice)
    begun, go_on = threading.Event(), threading.Event()

    def write_long():
        with connected(), transaction():
            begun.set()
            assert go_on.wait(60)

    writer = threading.Thread(target=write_long)
    writer.start()
    assert begun.wait(60)
    document.record_reading("document.viewed")
    assert told(alice) == ["document.created"]  # which returns while the other writes
    go_on.set()
    writer.join()

    assert told(alice) == ["document.created", "document.viewed"]


def test_the_feed_has_a_reading_that_another_thread_is_writing(alice, monkeypatch):
    document = upload(alice)
    begun, go_on, found = threading.Event(), threading.Event(), []
    insert = Event._insert_counted

    def write_slowly(counted):
        begun.set()
        assert go_on.wait(60)
        insert(counted)

    def read():
        with connected():
            found.extend(told(alice))

    monkeypatch.setattr(event_module, "READER_WAITS_SECONDS", 60)
    monkeypatch.setattr(Event, "_insert_counted", write_slowly)
    document.record_reading("document.viewed")
    threads = start_threads(Event.record_readings)
    assert begun.wait(60)
    threads += start_threads(read)
    threads[-1].join(0.2)  # without waiting it would end, and have found too little
    go_on.set()
    join_threads(threads)

    assert found == ["document.created", "document.viewed"]


@pytest.mark.slow
def test_a_reading_waits_for_another_process_that_holds_the_database(alice, instance):
    document = upload(alice)
    database.execute_sql("PRAGMA busy_timeout = 50")
    with closing(sqlite3.connect(instance / "documents.sqlite")) as other:
        other.execute("BEGIN IMMEDIATE")
        document.record_reading("document.viewed")
        Event.record_readings()
    assert told(alice) == ["document.created", "document.viewed"]


def test_a_reading_that_cannot_be_told_is_counted_as_lost_and_the_next_ones_are_told(
    alice, runtime, monkeypatch, caplog
):
    document = upload(alice)
    with monkeypatch.context() as broken:
        broken.setattr(Event, "_insert", lambda *_: 1 / 0)
        document.record_reading("document.viewed")
        Event.record_readings()
    document.record_reading("document.downloaded")

    assert "1 readings are lost" in caplog.text
    assert runtime.unrecorded.lost == 1
    assert told(alice) == ["document.created", "document.downloaded"]


def test_at_the_end_the_readings_of_all_others_are_told_beside_one_that_waits(
    alice, bob, runtime, monkeypatch
):
    insert = Event._insert_counted

    def insert_unless_of_alice(counted):
        if counted[0][0].owner_id == alice.id:
            raise Busy
        insert(counted)

    monkeypatch.setattr(Event, "_insert_counted", insert_unless_of_alice)
    for owner in (alice, bob):
        upload(owner).record_reading("document.viewed")
    Event.record_merged_readings(all=True)

    assert [runtime.unrecorded.is_due(one.id) for one in (alice, bob)] == [True, False]
    assert told(bob) == ["document.created", "document.viewed"]


def test_a_reading_that_a_failing_disk_does_not_take_is_one_line_in_the_log_and_told_later(
    alice, runtime, caplog
):
    document = upload(alice)
    document.record_reading("document.viewed")
    resource = pytest.importorskip("resource")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, limits[1]))  # no write to any file
    try:
        for _ in range(2):
            runtime.unrecorded._retry_at = min(runtime.unrecorded._retry_at, 1)  # a second later
            Event.record_readings()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)

    (record,) = caplog.records
    assert record.message.startswith("readings wait to be recorded: ")
    assert record.exc_info is None
    assert told(alice) == ["document.created", "document.viewed"]
    assert not runtime.unrecorded.is_due(alice.id)


def test_the_sweeper_tells_each_expired_token_once(alice, clock):
    link(upload(alice), expires_at=ids.now() + 1000)
    clock(2000)
    for _ in range(2):
        sweep()
    assert told(alice)[2:] == ["token.spent"]


def test_a_token_that_expired_unswept_is_spent_not_revoked(alice, clock):
    document = upload(alice)
    link(document, expires_at=ids.now() + 1000)
    link(document)
    clock(2000)
    delete_document(document)
    assert sorted(told(alice)[3:]) == ["document.deleted", "token.revoked", "token.spent"]


def test_a_document_given_a_longer_life_meanwhile_is_not_swept(alice):
    document = upload(alice, expires_at=ids.now() + 60_000)
    delete_if_due(document)
    assert Document.one_of(alice.id, document.id)


def test_two_who_delete_at_once_tell_it_once(alice):
    document = upload(alice)
    again = Document.one_of(alice.id, document.id)
    delete_document(document)
    with pytest.raises(Exception, match="no such thing"):
        delete_document(again)
    assert told(alice) == ["document.created", "document.deleted"]


def test_old_events_are_forgotten_and_their_ids_still_mark_a_place(alice, clock):
    old = Event.record(alice.id, "webhook.test", {})
    clock(91 * DAY_MS)
    new = Event.record(alice.id, "webhook.test", {})
    sweep()
    assert [event.id for event in Event.feed(alice.id, 10, None)[0]] == [new.id]
    assert [event.id for event in Event.feed(alice.id, 10, old.id)[0]] == [new.id]
