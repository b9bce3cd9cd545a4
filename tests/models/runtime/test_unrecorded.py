"""Readings of one document by one link or key within a minute are two events."""

import threading

import pytest

from models import DocumentToken, Event, connected
from models.events import current_actor
from models.events import event as event_module
from models.links import LinkOptions, count_view, delete_document
from models.runtime import unrecorded as unrecorded_module
from models.storage import group_commit, transaction
from tests.uploads import upload
from tests.waiting import join_threads, start_threads

MINUTE_MS = 60_000
LINK = {"via": "document_token", "tokenId": "tok_1"}


def readings(owner):
    events, _ = Event.feed(owner.id, 100, None)
    found = [one for one in events if one.type in ("document.viewed", "document.downloaded")]
    return [(one.type, one.data["count"]) for one in found]


def read(document, actor=LINK, type="document.viewed", times=1):
    reset = current_actor.set(actor)
    for _ in range(times):
        document.record_reading(type)
    current_actor.reset(reset)


def test_the_first_reading_is_recorded_at_once_and_the_rest_after_a_minute(alice, clock):
    document = upload(alice)
    read(document, times=50)
    Event.record_merged_readings()
    assert readings(alice) == [("document.viewed", 1)]
    before = [event.body for event in Event.feed(alice.id, 100, None)[0]]

    clock(MINUTE_MS)
    Event.record_merged_readings()

    assert readings(alice) == [("document.viewed", 1), ("document.viewed", 49)]
    after = [event.body for event in Event.feed(alice.id, 100, None)[0]]
    assert after[: len(before)] == before, "an event changed after it was listed"


def test_after_a_minute_the_next_reading_is_recorded_at_once_again(alice, clock):
    document = upload(alice)
    for minute in range(3):
        clock(minute * MINUTE_MS)
        Event.record_merged_readings()
        read(document)
    assert readings(alice) == [("document.viewed", 1)] * 3


def test_readings_of_other_links_documents_and_types_are_not_merged(alice, bob):
    first, second = upload(alice), upload(alice)
    read(first)
    read(second)
    read(first, actor=LINK | {"tokenId": "tok_2"})
    read(first, actor={"via": "api_key", "apiKeyId": "key_1"})
    read(first, type="document.downloaded")
    assert len(readings(alice)) == 5


def test_each_reading_of_a_person_is_an_event(alice):
    document = upload(alice)
    read(document, actor={"via": "session"}, times=3)
    assert readings(alice) == [("document.viewed", 1)] * 3


def test_readings_are_recorded_before_what_happens_to_the_document_next(alice):
    document = upload(alice)
    read(document, times=4)
    delete_document(document)
    assert readings(alice) == [("document.viewed", 1), ("document.viewed", 3)]
    assert Event.feed(alice.id, 100, None)[0][-1].type == "document.deleted"


def test_of_very_many_readings_some_are_recorded_before_what_happens_next_and_the_others_behind(
    alice, monkeypatch
):
    monkeypatch.setattr(event_module, "MOST_RECORDED", 3)
    document = upload(alice)
    for link in range(5):
        read(document, actor=LINK | {"tokenId": f"tok_{link}"})
    Event.record_merged_readings()
    for link in range(5):
        read(document, actor=LINK | {"tokenId": f"tok_{link}"}, times=1 + link)
    delete_document(document)
    Event.record_merged_readings()
    events, _ = Event.feed(alice.id, 100, None)
    told = [event.data.get("count", event.type) for event in events]
    assert told[-6:] == [1, 2, 3, "document.deleted", 4, 5]


def test_counts_survive_a_transaction_that_fails(alice):
    document = upload(alice)
    read(document, times=4)
    with pytest.raises(ZeroDivisionError), transaction():  # noqa: PT012
        delete_document(document)
        raise ZeroDivisionError
    Event.record_merged_readings(all=True)
    assert readings(alice) == [("document.viewed", 1), ("document.viewed", 3)]


def test_readings_that_come_while_another_user_writes_are_recorded(alice, bob):
    document = upload(bob)
    begun, go_on = threading.Event(), threading.Event()

    def write():
        with connected(), transaction(alice.id):
            begun.set()
            assert go_on.wait(60)

    writer = start_threads(write)
    assert begun.wait(60)
    read(document, actor={"via": "session"}, times=3)
    read(document)
    go_on.set()
    join_threads(writer)

    assert readings(bob) == [("document.viewed", 1)] * 4


def test_a_count_whose_event_was_committed_but_not_synced_is_recorded_once(alice, monkeypatch):
    document = upload(alice)
    read(document, times=5)

    def fails(_handle):
        raise OSError(5, "lost")

    monkeypatch.setattr(group_commit, "_fdatasync", fails)
    with pytest.raises(OSError, match="lost"):
        delete_document(document)
    monkeypatch.undo()
    Event.record_merged_readings(all=True)

    assert sum(count for _, count in readings(alice)) == 5


def test_a_clock_set_back_ends_the_minute(alice, clock):
    document = upload(alice)
    read(document, times=2)
    clock(-MINUTE_MS)
    Event.record_merged_readings()
    assert sum(count for _, count in readings(alice)) == 2


def test_views_of_a_counted_link_are_counted_one_by_one(alice):
    document = upload(alice)
    token = DocumentToken.issue(document, LinkOptions(None, "view", "", None, max_views=9)).row
    for _ in range(5):
        count_view(document, token.id, "document.viewed")
    assert DocumentToken.find(token.id).views == 5
    Event.record_merged_readings(all=True)
    assert readings(alice) == [("document.viewed", 1), ("document.viewed", 4)]


def test_without_readings_nothing_is_written(alice, monkeypatch):
    monkeypatch.setattr(Event, "_insert_counted", None)
    Event.record_merged_readings()
    Event.record_merged_readings(all=True)


def test_a_reading_in_a_transaction_that_fails_is_not_counted(alice):
    document = upload(alice)
    read(document)
    with pytest.raises(ZeroDivisionError), transaction(alice.id):  # noqa: PT012
        read(document)
        raise ZeroDivisionError
    Event.record_merged_readings(all=True)
    assert readings(alice) == [("document.viewed", 1)]


def test_readings_that_are_too_many_to_wait_and_those_at_the_end_are_lost_with_a_line(
    alice, runtime, monkeypatch, caplog
):
    monkeypatch.setattr(unrecorded_module, "MOST_DUE", 2)
    document = upload(alice)
    read(document, actor={"via": "session"}, times=3)
    assert (caplog.messages, runtime.unrecorded.lost) == (["1 readings are lost"], 1)
    runtime.unrecorded.close()
    assert caplog.messages[1:] == ["2 readings are lost"]


def test_beyond_the_share_of_a_link_readings_are_merged_by_the_day_without_the_reader(
    alice, clock, monkeypatch
):
    monkeypatch.setattr(unrecorded_module, "WINDOWS_OF_LINK", 3)
    documents = [upload(alice) for _ in range(2)]
    for reader in range(50):
        for document in documents:
            read(document, actor=LINK | {"reader": f"{reader}", "openingId": f"opn_{reader}"})
    read(documents[0], actor=LINK | {"tokenId": "tok_2", "reader": "another link"})
    assert readings(alice) == [("document.viewed", 1)] * 4
    clock(MINUTE_MS)
    Event.record_merged_readings()
    assert readings(alice) == [("document.viewed", 1)] * 4

    clock(24 * 60 * MINUTE_MS)
    Event.record_merged_readings()
    events = Event.feed(alice.id, 100, None, type="document.viewed")[0][4:]
    assert [event.data["count"] for event in events] == [48, 49]
    assert all(event.data["tokenId"] == "tok_1" for event in events)
    assert not any({"reader", "openingId"} & event.data.keys() for event in events)
    read(documents[0], actor=LINK | {"reader": "the next day"})
    assert readings(alice)[-1] == ("document.viewed", 1)


def test_whoever_has_a_link_makes_so_many_events_a_day_however_they_read(alice, clock, monkeypatch):
    monkeypatch.setattr(unrecorded_module, "WINDOWS_OF_LINK", 10)
    documents = [upload(alice) for _ in range(5)]
    before = len(Event.feed(alice.id, 1000, None)[0])
    for minute in range(200):
        clock(minute * MINUTE_MS)
        Event.record_merged_readings()
        for document in documents:
            read(document, times=2)
    Event.record_merged_readings(all=True)
    events = Event.feed(alice.id, 1000, None)[0][before:]
    of_a_day = 2 * 10 + 2 * len(documents)
    assert len(events) <= 2 * of_a_day  # midnight may be among the minutes
    assert sum(event.data["count"] for event in events) == 200 * 5 * 2
