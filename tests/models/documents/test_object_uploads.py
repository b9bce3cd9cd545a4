"""Documents whose payloads are objects: an object has a row or a record, whatever happens."""

import os
import signal
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext

import pytest

from crypto import DecryptionError
from models import Document, database, in_one_transaction
from models.account_deletion import delete_account, finish_deletions
from models.background import drop_payloads, sweep
from models.core import Busy, Invalid, NotFound, PayloadStoreAway, QuotaExceeded, StorageFull
from models.documents import UnreferencedPayload, delete_unfinished_uploads
from models.documents.unreferenced_payload import ATTEMPT_MS, UPLOAD_MS
from models.links import LinkOptions, delete_document
from models.runtime import service_error_of
from models.runtime.quota import Quota
from models.storage import disk_space, group_commit
from models.storage.payloads import PIECE_BYTES
from operations import drop_unreferenced_payloads
from tests.forking import run_program
from tests.uploads import Sent, pieces, send, upload

LARGE = os.urandom(41 * PIECE_BYTES + 7)  # two parts
PAYLOAD = LARGE[: 3 * PIECE_BYTES]
EXPIRED = LinkOptions(None, "view", "", expires_at=1)


@pytest.fixture
def runtime(configure, in_bucket):
    return configure(reserve_bytes=0, payloads=in_bucket)


def listed(objects):
    return [id for page in objects.payload_ids() for id in page]


def recorded():
    return [one.id for one in UnreferencedPayload.select()]


def rows():
    return database.execute_sql("SELECT count(*) FROM piece").fetchone()[0]


def assert_nothing_is_left(objects):
    drop_payloads()
    assert (listed(objects), recorded(), rows(), Document.select().count()) == ([], [], 0, 0)


@pytest.mark.parametrize("scope", [nullcontext, in_one_transaction])
@pytest.mark.parametrize("payload", [PAYLOAD, LARGE], ids=len)
def test_an_upload_that_breaks_off_leaves_nothing(alice, objects, payload, scope):
    def broken():
        yield from list(pieces(payload))[:-1]
        raise RuntimeError("the client went away")

    with pytest.raises(RuntimeError, match="went away"), scope():
        send(alice, Sent(broken(), len(payload)), content_type="a/b")

    assert_nothing_is_left(objects)


@pytest.mark.parametrize("scope", [nullcontext, in_one_transaction])
def test_an_upload_whose_transaction_fails_leaves_nothing(alice, objects, scope):
    with pytest.raises(Invalid), scope():
        upload(alice, PAYLOAD, link=EXPIRED)
    assert_nothing_is_left(objects)


def test_an_upload_whose_response_cannot_be_stored_leaves_nothing(alice, objects):
    with pytest.raises(RuntimeError), in_one_transaction():  # noqa: PT012
        upload(alice, PAYLOAD)
        raise RuntimeError("the response could not be stored")
    assert_nothing_is_left(objects)


def test_what_could_not_be_synced_in_the_end_is_told_and_stays_whole(alice, objects, monkeypatch):
    def fails(_handle):
        raise OSError(5, "the disk")

    with pytest.raises(OSError, match="the disk"), in_one_transaction():  # noqa: PT012
        upload(alice, PAYLOAD)
        monkeypatch.setattr(group_commit, "_fdatasync", fails)
    monkeypatch.undo()
    drop_payloads()

    (document,) = Document.select()
    assert b"".join(document.read()) == PAYLOAD


def test_an_upload_whose_object_is_dropped_meanwhile_is_refused(alice, objects, clock):
    def slow():
        yield from list(pieces(PAYLOAD))[:-1]
        clock(UPLOAD_MS + 1000)
        drop_payloads()
        yield PAYLOAD[-PIECE_BYTES:]

    with pytest.raises(Busy):
        send(alice, Sent(slow(), len(PAYLOAD)), content_type="a/b")
    clock(UPLOAD_MS + ATTEMPT_MS + 1001)

    assert_nothing_is_left(objects)


def test_the_objects_of_a_deleted_account_are_dropped(alice, objects):
    upload(alice, PAYLOAD)
    upload(alice, b"in a row")
    delete_account(alice)
    finish_deletions()
    assert_nothing_is_left(objects)


def test_a_running_upload_is_not_dropped(alice, objects, clock):
    def slow():
        yield from list(pieces(PAYLOAD))[:-1]
        clock(UPLOAD_MS - 60_000)
        sweep()
        yield PAYLOAD[-PIECE_BYTES:]

    document = send(alice, Sent(slow(), len(PAYLOAD)), content_type="a/b")

    assert listed(objects) == [document.id]


def test_an_object_that_cannot_be_deleted_now_is_deleted_later(alice, objects, clock, monkeypatch):
    def away(*_ids):
        raise PayloadStoreAway("it is away")

    document = upload(alice, PAYLOAD)
    with monkeypatch.context() as broken:
        broken.setattr(objects, "drop", away)
        delete_document(document)
        sweep()
    assert (listed(objects), recorded()) == ([document.id], [document.id])
    sweep()
    assert listed(objects) == [document.id], "the attempt may still be running elsewhere"

    clock(ATTEMPT_MS + 1)
    assert_nothing_is_left(objects)


def test_a_document_that_is_deleted_while_it_is_read_breaks_off(alice, objects):
    document = upload(alice, LARGE)
    reading = document.read()
    next(reading)
    delete_document(document)
    drop_payloads()
    with pytest.raises(NotFound):
        list(reading)


@pytest.mark.parametrize("how", ["missing", "cut", "flipped", "of another document"])
def test_an_object_that_was_altered_is_a_damaged_document(alice, objects, how):
    document, other = upload(alice, PAYLOAD), upload(alice, PAYLOAD)
    sealed = b"".join(objects.pieces(document.id, len(PAYLOAD), 0, 3))
    if how == "missing":
        objects.drop(document.id)
    else:
        stored = {"cut": sealed[:-1], "flipped": bytes([sealed[0] ^ 1]) + sealed[1:]}
        copied = b"".join(objects.pieces(other.id, len(PAYLOAD), 0, 3))
        objects.store(document.id, iter([stored.get(how, copied)]), PIECE_BYTES)

    with pytest.raises(DecryptionError) as raised:
        list(document.read())
    assert service_error_of(raised.value).code == "document_damaged"
    assert b"".join(other.read()) == PAYLOAD


def test_a_full_disk_refuses_rows_and_takes_objects(alice, objects, monkeypatch):
    monkeypatch.setattr(disk_space, "_fits", lambda needed, _: needed < PIECE_BYTES)
    with pytest.raises(StorageFull):
        upload(alice, bytes(PIECE_BYTES))
    assert listed(objects) == [] == recorded()
    upload(alice, LARGE)


def test_the_quota_counts_objects(alice, objects, runtime):
    runtime.quota = Quota(bytes=len(PAYLOAD) + 5)
    upload(alice, PAYLOAD)
    with pytest.raises(QuotaExceeded):
        upload(alice, PAYLOAD)
    assert len(listed(objects)) == 1


def test_a_large_payload_is_stored_in_segments_which_go_with_it(alice, objects, runtime):
    runtime.large_payload_bytes = objects.segmented_above = 2 * PIECE_BYTES
    document = Document.find(upload(alice, LARGE).id)

    assert document.payload_id.startswith("upl_")
    assert objects.exists(document.payload_id)
    assert b"".join(document.read()) == LARGE
    assert b"".join(document.read(5, 40 * PIECE_BYTES)) == LARGE[5 : 40 * PIECE_BYTES]
    delete_document(document)
    assert_nothing_is_left(objects)


def test_a_large_upload_that_breaks_off_leaves_no_segment(alice, objects, runtime):
    runtime.large_payload_bytes = objects.segmented_above = 2 * PIECE_BYTES

    def broken():
        yield from list(pieces(LARGE))[:-1]
        raise RuntimeError("the client went away")

    with pytest.raises(RuntimeError, match="went away"):
        send(alice, Sent(broken(), len(LARGE)), content_type="a/b")
    assert_nothing_is_left(objects)


# What a killed process leaves

KILLED = """
import sys
from models import connected
from models.storage import transactions
from models.runtime.state import create_runtime
from models.documents.unreferenced_payload import UnreferencedPayload
from models import Document, User
from models.links import delete_document
from models import setup
from models.account_deletion import delete_account, finish_deletions
from models.background import drop_payloads
from operations import move_payloads
from settings import Settings
from tests.kills import die, dying_after
from tests.uploads import upload
from pathlib import Path

folder, payloads, step, owner_id = sys.argv[1:]
settings = Settings(instance_path=Path(folder), database=folder + "/documents.sqlite",
                    payloads=payloads, reserve_bytes=0)
runtime = create_runtime(settings)
setup.open_runtime()
objects = runtime.payload_objects

def payload():
    return bytes(3 * 196608)

with connected():
    owner = User.find(owner_id)
    if step == "record":
        dying_after(UnreferencedPayload, "begin_upload")
    elif step == "object":
        dying_after(objects, "store")
    elif step == "transaction":
        Document.store_row = die
    document = upload(owner, payload())
    if step == "deleted":
        delete_document(document)
        die()
    if step == "claimed":
        objects.drop = die
    if step == "dropped":
        dying_after(objects, "drop")
    delete_document(document)
    drop_payloads()
"""


@pytest.mark.parametrize(
    "step", ["record", "object", "transaction", "deleted", "claimed", "dropped"]
)
def test_kill_9_between_two_steps_loses_no_document_and_leaves_no_object(
    alice, objects, runtime, instance, clock, step
):
    kept = upload(alice, PAYLOAD)
    given = (instance, runtime.settings.payloads, step, alice.id)
    assert run_program(KILLED, *given) == -signal.SIGKILL

    clock(1)  # a start later than the ids of the killed process
    runtime.started_at += 60_000
    delete_unfinished_uploads()
    drop_payloads()
    clock(ATTEMPT_MS + 1)  # what the killed process had begun to delete
    drop_payloads()

    assert (listed(objects), recorded()) == ([kept.id], [])
    assert [one.id for one in Document.select()] == [kept.id]
    assert b"".join(kept.read()) == PAYLOAD


@pytest.mark.parametrize("change", ["place = place", "place = 'rows'"])
def test_a_record_that_was_made_up_deletes_no_object_of_a_document(alice, objects, change, caplog):
    kept, deleted = upload(alice, PAYLOAD), upload(alice, PAYLOAD)
    delete_document(deleted)
    database.execute_sql(f"UPDATE document SET {change}")  # noqa: S608
    UnreferencedPayload.mark_to_drop(kept.id, "objects")
    drop_payloads()
    assert (listed(objects), recorded(), len(caplog.messages)) == ([kept.id], [], 1)
    drop_unreferenced_payloads()
    assert listed(objects) == [kept.id]


def test_two_processes_that_drop_do_not_drop_the_same(alice, objects, monkeypatch):
    for _ in range(3):
        delete_document(upload(alice, PAYLOAD))
    dropped, drop = [], objects.drop

    def counted(*ids):
        dropped.extend(ids)
        drop(*ids)

    monkeypatch.setattr(objects, "drop", counted)
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: drop_payloads(), range(4)))

    assert len(dropped) == len(set(dropped)) == 3
