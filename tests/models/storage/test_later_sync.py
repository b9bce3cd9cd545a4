"""models/storage/later_sync.py"""

from contextlib import suppress

import pytest

from models import Document
from models.core import StorageFailing, StoredUnsynced
from models.links import refused_to_stranger
from models.runtime import service_error_of
from models.storage import (
    LaterSync,
    NotSynced,
    engine,
    errors_changed,
    group_commit,
    in_one_transaction,
    later_sync,
    separate_transaction,
    sync_for_responses,
    transaction,
    wait_for_earlier_syncs,
)
from tests.uploads import upload

pytestmark = pytest.mark.sqlite_only("a server syncs its commits by itself")


@pytest.fixture
def syncs(monkeypatch):
    """The syncs of the disk, which fail while `fails` is set on the list."""

    class Syncs(list):
        fails = False

    syncs = Syncs()

    def sync(handle):
        syncs.append(handle)
        if syncs.fails:
            raise OSError(5, "the disk")

    monkeypatch.setattr(group_commit, "_fdatasync", sync)
    return syncs


@pytest.fixture
def later(alice):  # noqa: ARG001  who is registered before
    later = LaterSync()
    token = later_sync.set(later)
    yield later
    later_sync.reset(token)


def told_of_failure(syncs, later):
    """The error that the request is answered with when its sync fails."""
    syncs.fails = True
    sync_for_responses()
    return later.changed(later.failure())


def test_a_transaction_leaves_its_sync_to_the_response(alice, syncs, later):
    assert not later.is_awaited
    with transaction(alice.id):
        pass
    assert later.is_awaited
    assert syncs == []
    sync_for_responses()
    assert len(syncs) == 1
    assert later.failure() is None


def test_a_request_that_changes_nothing_waits_for_nothing(later):
    assert not later.is_awaited
    assert later.failure() is None


def test_transactions_that_are_one_leave_one_sync(alice, syncs, later):
    with in_one_transaction():
        for _ in range(2):
            with transaction(alice.id):
                pass
        assert not later.is_awaited
    assert later.is_awaited
    assert syncs == []


def test_a_transaction_that_has_to_be_on_disk_before_the_next_one_syncs_itself(alice, syncs, later):
    with separate_transaction(alice.id):
        pass
    assert len(syncs) == 1
    assert not later.is_awaited


def test_a_transaction_that_fails_leaves_no_sync(alice, later):
    with pytest.raises(ZeroDivisionError), transaction(alice.id):
        raise ZeroDivisionError
    assert not later.is_awaited


def test_a_sync_that_failed_before_the_transaction_is_not_its_failure(alice, syncs, later):
    syncs.fails = True
    sync_for_responses()
    syncs.fails = False
    with transaction(alice.id):
        pass
    sync_for_responses()
    assert later.failure() is None


def test_a_sync_that_failed_behind_the_first_transaction_is_the_failure_of_the_request(
    alice, syncs, later
):
    with transaction(alice.id):
        pass
    syncs.fails = True
    sync_for_responses()
    syncs.fails = False
    with transaction(alice.id):
        pass
    sync_for_responses()
    assert isinstance(later.failure(), NotSynced)


def test_the_error_is_changed_from_the_inside_to_the_outside(syncs, later):
    told = []

    def change(name):
        def changed(error):
            told.append((name, type(error)))
            return {"inner": StoredUnsynced("inner"), "outer": StorageFailing("outer")}[name]

        return changed

    with errors_changed(change("outer")), errors_changed(change("inner")):
        pass
    assert told == []
    assert later.changed(NotSynced()).sentence == "outer"
    assert told == [("inner", NotSynced), ("outer", StoredUnsynced)]


def test_an_error_that_is_not_changed_is_raised_as_it_is():
    raised = ValueError()
    with pytest.raises(ValueError, match="^$") as caught, errors_changed(lambda error: error):
        raise raised
    assert caught.value is raised


def test_an_upload_whose_sync_fails_later_says_which_document_is_stored(alice, syncs, later):
    document = upload(alice)
    told = service_error_of(told_of_failure(syncs, later))
    assert isinstance(told, StoredUnsynced)
    assert document.id in told.sentence
    assert Document.find(document.id) is not None


def test_a_stranger_whose_file_is_not_synced_learns_no_id(alice, syncs, later):
    with refused_to_stranger():
        document = upload(alice)
    told = told_of_failure(syncs, later)
    assert isinstance(told, StoredUnsynced)
    assert document.id not in told.sentence


def test_a_stranger_whose_request_failed_behind_the_file_learns_no_id(alice, syncs, later):
    with suppress(ZeroDivisionError), refused_to_stranger():
        document = upload(alice)
        raise ZeroDivisionError
    told = told_of_failure(syncs, later)
    assert isinstance(told, StoredUnsynced)
    assert document.id not in told.sentence


def test_an_earlier_commit_that_was_not_synced_is_moved_into_the_database(alice, syncs, later):
    """The sync of the log that follows a failed one says nothing of what was written before."""
    with transaction(alice.id):
        pass
    syncs.fails = True
    sync_for_responses()
    syncs.fails = False
    assert engine().fault() == "The disk did not sync the log of the database."
    token = later_sync.set(of_replay := LaterSync())
    wait_for_earlier_syncs()
    later_sync.reset(token)
    assert engine().fault() is None
    assert of_replay.is_awaited
    sync_for_responses()
    assert of_replay.failure() is None
    assert isinstance(later.failure(), NotSynced)


@pytest.mark.usefixtures("alice")
def test_the_engine_says_after_which_failure_a_commit_was_made(syncs):
    since = engine().sync_failures()
    assert engine().sync_failure(since) is None
    syncs.fails = True
    sync_for_responses()
    assert str(engine().sync_failure(since)) == "[Errno 5] the disk"
    assert engine().sync_failure(engine().sync_failures()) is None
