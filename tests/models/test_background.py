"""A periodic task continues after an error, and has ended when `stop` returns. In a sweep nothing
that fails keeps anything else from being done.
"""

import errno
import threading
from functools import partial

import pytest

from models import Document, DocumentToken, Event
from models.accounts import Invitation
from models.background import PeriodicTask, sweep
from models.core import Busy, DatabaseUnavailable, PayloadStoreAway, now
from models.documents import UnreferencedPayload, delete_aborted_uploads
from models.links import LinkOptions, deletion
from models.runtime import independent_steps, log_failure
from models.storage import transaction
from models.storage.payloads import rows as payload_rows
from tests.uploads import upload
from tests.waiting import until

DAY_MS = 86_400_000


def test_a_run_that_fails_does_not_prevent_the_next(caplog):
    runs = []

    def work():
        runs.append(1)
        raise OSError("disk full")

    task = PeriodicTask(work, 0.001)
    until(lambda: len(runs) > 2)
    task.stop()

    assert "work failed" in caplog.text


def test_a_failure_that_lasts_is_logged_once_and_again_after_a_success(caplog):
    failures = [OSError("a"), OSError("b"), None, OSError("c"), ValueError("d")]

    def work():
        if failures and (failure := failures.pop(0)):
            raise failure

    task = PeriodicTask(work, 0.001)
    until(lambda: not failures)
    task.stop()

    assert [str(record.exc_info[1]) for record in caplog.records] == ["a", "c", "d"]


def test_stop_waits_for_the_current_run():
    begun, go_on, ended = threading.Event(), threading.Event(), []

    def work():
        begun.set()
        go_on.wait(60)
        ended.append(1)

    task = PeriodicTask(work, 60)
    begun.wait(60)
    threading.Timer(0.1, go_on.set).start()
    task.stop()

    assert ended == [1]


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EROFS])
def test_a_disk_that_takes_nothing_is_logged_in_one_line(number, caplog):
    log_failure("work failed", OSError(number, "the disk"))
    (record,) = caplog.records
    assert record.exc_info is None
    assert record.message.startswith("work failed: ")


def test_a_lock_that_another_process_holds_is_logged_in_one_line(caplog):
    log_failure("work failed", Busy())
    (record,) = caplog.records
    assert record.exc_info is None


def test_an_unexpected_failure_is_logged_with_its_traceback(caplog):
    log_failure("work failed", ValueError("a fault of the code"))
    (record,) = caplog.records
    assert record.exc_info[1].args == ("a fault of the code",)


def test_of_several_failures_each_kind_is_logged_once_and_all_are_counted(caplog):
    runs, counted = [], []

    def work():
        runs.append(1)
        errors = [OSError("a"), OSError("b"), ValueError("c")]
        if len(runs) > 1:
            errors.append(RuntimeError("d"))
        raise ExceptionGroup("several", [errors[0], ExceptionGroup("further", errors[1:])])

    task = PeriodicTask(work, 0.001, count_failed=counted.append)
    until(lambda: len(counted) > 12)
    task.stop()

    assert [str(record.exc_info[1]) for record in caplog.records] == ["a", "c", "d"]
    assert set(counted) == {"work"}


def failing_for(method, *rows):
    """The method, which raises an error for these rows."""
    ids = {row.id for row in rows}

    def called(row, *values, **named):
        if row.id in ids:
            raise RuntimeError("this row cannot be processed")
        return method(row, *values, **named)

    return called


def test_a_document_that_cannot_be_deleted_keeps_nothing_else_from_being_swept(
    alice, runtime, clock, monkeypatch
):
    bad, good = (upload(alice, expires_at=now() + 1000) for _ in range(2))
    Invitation.issue("bob@example.org").row.change(expires_at=now() - 1)
    failing = failing_for(deletion.delete_document, bad)
    monkeypatch.setattr(deletion, "delete_document", failing)
    clock(2000)
    with pytest.raises(RuntimeError, match="cannot be processed"):
        sweep()
    assert [bool(Document.find(one.id)) for one in (bad, good)] == [True, False]
    assert not Invitation.select().count()
    assert runtime.swept_at == 0


def test_a_link_that_cannot_be_marked_as_spent_keeps_no_other_from_it(alice, clock, monkeypatch):
    document = upload(alice)
    options = LinkOptions(None, "view", "", now() + 1000, None)
    bad, good = (DocumentToken.issue(document, options).row for _ in range(2))
    monkeypatch.setattr(DocumentToken, "record_event", failing_for(DocumentToken.record_event, bad))
    clock(2000)
    with pytest.raises(RuntimeError, match="cannot be processed"):
        sweep()
    assert [bool(DocumentToken.find(one.id).spent_at) for one in (bad, good)] == [False, True]


def test_a_log_that_cannot_be_shortened_keeps_no_other_long(alice, bob, clock, monkeypatch):
    for owner in (alice, bob):
        Event.record(owner.id, "webhook.test", {})
    record = Event.record_of_service

    def fail_for_alice(type, facts):
        if facts["owner_id"] == alice.id:
            raise RuntimeError("this log cannot be shortened")
        return record(type, facts)

    monkeypatch.setattr(Event, "record_of_service", fail_for_alice)
    clock(91 * DAY_MS)
    with pytest.raises(RuntimeError, match="shortened"):
        sweep()
    kept = [Event.select().where(Event.owner_id == owner.id).count() for owner in (alice, bob)]
    assert kept == [1, 0]


def test_pieces_of_an_upload_that_cannot_be_deleted_keep_no_others(alice, runtime, monkeypatch):
    runtime.aborted_uploads |= {"doc_1", "doc_2", "doc_3"}
    drop = payload_rows.drop

    def fail_for_one(document_id):
        if document_id == "doc_2":
            raise RuntimeError("these pieces cannot be deleted")
        drop(document_id)

    monkeypatch.setattr(payload_rows, "drop", fail_for_one)
    with pytest.raises(RuntimeError, match="pieces"):
        delete_aborted_uploads()
    assert runtime.aborted_uploads == {"doc_2"}


def test_no_step_is_tried_while_the_database_is_unavailable():
    done = []

    def fail():
        raise DatabaseUnavailable

    def do_all():
        with independent_steps() as do:
            for step in (partial(done.append, 1), fail, partial(done.append, 2)):
                do(step)

    with pytest.raises(DatabaseUnavailable):
        do_all()
    assert done == [1]


def test_the_errors_of_steps_are_raised_with_that_of_finding_the_next_one():
    def fail():
        raise OSError("this step")

    def do_all():
        with independent_steps() as do:
            do(fail)
            raise RuntimeError("the next page of rows")

    with pytest.raises(ExceptionGroup) as failed:
        do_all()
    assert list(map(str, failed.value.exceptions)) == ["this step", "the next page of rows"]


def test_what_cannot_be_found_since_the_database_is_unavailable_raises_that_alone():
    def fail():
        raise OSError("this step")

    def do_all():
        with independent_steps() as do:
            do(fail)
            raise DatabaseUnavailable

    with pytest.raises(DatabaseUnavailable):
        do_all()


class Objects:
    """An object store that does not delete some objects."""

    def __init__(self, *kept):
        self.kept, self.dropped, self.is_away = set(kept), [], False

    def owner(self):
        if self.is_away:
            raise PayloadStoreAway("it is away")

    def drop(self, *ids):
        if self.is_away or self.kept & set(ids):
            raise PayloadStoreAway("it is away, or refuses")
        self.dropped += ids


def test_an_object_that_cannot_be_deleted_keeps_no_other_and_is_tried_more_seldom(
    alice, runtime, clock
):
    ids = [f"doc_{number}" for number in range(4)]
    with transaction():
        for id in ids:
            UnreferencedPayload.mark_to_drop(id, "objects")
    runtime.payload_objects = Objects(ids[1])
    UnreferencedPayload.drop_due(lambda *_: set())
    assert runtime.payload_objects.dropped == [ids[0], *ids[2:]]
    assert runtime.failures.failed()["objects"] == 1
    (left,) = UnreferencedPayload.select()
    assert left.id == ids[1]
    assert 0 < left.drop_at - now() <= 300_000

    clock(10 * DAY_MS)
    UnreferencedPayload.drop_due(lambda *_: set())
    left = UnreferencedPayload.get()
    assert 0.9 * DAY_MS < left.drop_at - now() <= DAY_MS


def test_a_store_that_is_away_is_not_asked_for_each_object(alice, runtime):
    with transaction():
        for number in range(4):
            UnreferencedPayload.mark_to_drop(f"doc_{number}", "objects")
    runtime.payload_objects = Objects()
    runtime.payload_objects.is_away = True
    with pytest.raises(PayloadStoreAway):
        UnreferencedPayload.drop_due(lambda *_: set())
    assert UnreferencedPayload.select().count() == 4
    assert runtime.failures.failed().get("objects", 0) == 0
