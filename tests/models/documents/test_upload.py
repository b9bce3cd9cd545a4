"""A payload is stored in steps, and is there as a whole or not at all."""

import os
import zlib
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import replace

import pytest
from peewee import OperationalError

from models import Document, connected, database, in_one_transaction, transaction
from models.background import sweep
from models.core import Invalid, StorageFull, StoredUnsynced, generate_id
from models.documents import (
    delete_aborted_uploads,
    delete_unfinished_uploads,
    store_as_exported,
    uploads,
)
from models.documents.uploads import STEP_PIECES
from models.links import LinkOptions
from models.runtime import service_error_of
from models.storage import engine
from models.storage import group_commit as group_sync
from models.storage.payloads import PIECE_BYTES
from models.storage.payloads import rows as payload_rows
from tests.uploads import Sent, send

try:
    import resource
except ImportError:  # not on Windows
    resource = None

PIECES = 3 * STEP_PIECES
LEFT = "doc_00000000000000000000000000"
EXPIRED = LinkOptions(None, "view", "", expires_at=1)
PAYLOAD = os.urandom(PIECES * PIECE_BYTES)


def pieces(payload=PAYLOAD):
    return (payload[at : at + PIECE_BYTES] for at in range(0, len(payload), PIECE_BYTES))


def stored():
    return database.execute_sql("SELECT count(*) FROM piece").fetchone()[0]


def unfinished():
    rows = database.execute_sql("SELECT document_id FROM unfinished_payload").fetchall()
    return [id for (id,) in rows]


@pytest.mark.parametrize("scope", [nullcontext, in_one_transaction])
def test_other_writers_commit_between_the_steps_of_a_large_upload(alice, scope):
    seen = []

    def watched():
        for piece in pieces():
            other.submit(commit).result(10)
            yield piece

    def commit():
        with connected(), transaction():
            seen.append(stored())

    with ThreadPoolExecutor(1) as other, scope():
        document = send(alice, Sent(watched(), len(PAYLOAD)), content_type="a/b")

    assert len(set(seen)) > 1
    assert b"".join(Document.one_of(alice.id, document.id).read()) == PAYLOAD


@pytest.mark.parametrize("scope", [nullcontext, in_one_transaction])
@pytest.mark.parametrize("count", [2, PIECES])
def test_an_upload_that_breaks_off_leaves_nothing(alice, count, scope):
    def broken():
        for number, piece in enumerate(pieces()):
            if number == count - 1:
                raise RuntimeError("the client went away")
            yield piece

    size = count * PIECE_BYTES
    with pytest.raises(RuntimeError), scope():
        send(alice, Sent(broken(), size), content_type="a/b")

    assert (Document.select().count(), stored(), unfinished()) == (0, 0, [])


@pytest.mark.parametrize("size", [5, len(PAYLOAD)])
def test_an_upload_whose_link_cannot_be_issued_leaves_nothing(alice, size):
    with pytest.raises(Invalid):
        send(
            alice,
            Sent(pieces(PAYLOAD[:size]), size),
            content_type="a/b",
            link=EXPIRED,
        )
    assert (Document.select().count(), stored(), unfinished()) == (0, 0, [])


@pytest.mark.parametrize("size", [5, len(PAYLOAD)])
def test_an_upload_whose_response_cannot_be_stored_leaves_nothing(alice, size):
    with pytest.raises(RuntimeError), in_one_transaction():  # noqa: PT012
        send(alice, Sent(pieces(PAYLOAD[:size]), size), content_type="a/b")
        raise RuntimeError("the response could not be stored")
    assert (Document.select().count(), stored(), unfinished()) == (0, 0, [])


def test_what_could_not_be_synced_on_the_way_is_told_and_leaves_nothing(alice, monkeypatch):
    def fails():
        raise OSError("the disk")

    monkeypatch.setattr(engine(), "sync", fails)
    with pytest.raises(OSError, match="the disk"):
        send(alice, Sent(pieces(), len(PAYLOAD)), content_type="a/b")

    assert (Document.select().count(), stored(), unfinished()) == (0, 0, [])


@pytest.mark.parametrize("scope", [nullcontext, in_one_transaction])
def test_a_long_upload_whose_steps_are_not_synced_says_that_nothing_was_stored(
    alice, monkeypatch, scope
):
    def fails(_handle):
        raise OSError(5, "the disk")

    monkeypatch.setattr(group_sync, "_fdatasync", fails)
    with pytest.raises(StorageFull) as raised, scope():
        send(alice, Sent(pieces(), len(PAYLOAD)), content_type="a/b")
    monkeypatch.undo()

    told = service_error_of(raised.value)
    assert isinstance(told, StorageFull)
    assert "nothing of it was stored" in told.sentence
    assert (Document.select().count(), stored(), unfinished()) == (0, 0, [])


def test_what_could_not_be_synced_in_the_end_is_told_and_stays_whole(alice, monkeypatch):
    def fails(_handle):
        raise OSError(5, "the disk")

    with pytest.raises(OSError, match="the disk"), in_one_transaction():  # noqa: PT012
        send(alice, Sent(pieces(), len(PAYLOAD)), content_type="a/b")
        monkeypatch.setattr(group_sync, "_fdatasync", fails)
    monkeypatch.undo()
    delete_aborted_uploads()

    (document,) = Document.select()
    assert b"".join(document.read()) == PAYLOAD


@pytest.mark.parametrize("scope", [nullcontext, in_one_transaction])
def test_an_upload_that_is_stored_and_only_not_synced_says_so(alice, monkeypatch, scope):
    def fails(_handle):
        raise OSError(5, "the disk")

    monkeypatch.setattr(group_sync, "_fdatasync", fails)
    with pytest.raises((OSError, StoredUnsynced)) as raised, scope():
        send(alice, Sent(pieces(b"stored"), 6), content_type="a/b")
    monkeypatch.undo()

    (document,) = Document.select()
    told = service_error_of(raised.value)
    assert isinstance(told, StoredUnsynced)
    assert (document.id if scope is nullcontext else "Idempotency-Key") in told.sentence


def test_an_upload_that_fails_in_a_transaction_does_not_hide_what_others_left(alice, runtime):
    database.execute_sql("INSERT INTO piece VALUES ('doc_left', 0, x'00')")
    runtime.aborted_uploads.add("doc_left")
    size = len(PAYLOAD)
    with pytest.raises(Invalid), transaction():
        send(
            alice,
            Sent(pieces(), size),
            content_type="a/b",
            link=EXPIRED,
        )

    delete_aborted_uploads()

    assert stored() == 0


def test_what_a_killed_process_left_is_dropped_and_nothing_else(alice):
    for id in (LEFT, running := generate_id("doc")):  # of this process: its row is still to come
        payload_rows.begin(id)
        payload_rows.store(id, [b"x"])
    send(alice, Sent(pieces(b"kept"), 4), content_type="a/b")
    delete_unfinished_uploads()
    assert stored() == 2
    assert unfinished() == [running]


def test_an_upload_in_steps_has_a_record_until_its_row_is_stored(alice):
    seen = []

    def watched():
        for piece in pieces():
            with connected():
                seen.append(tuple(unfinished()))
            yield piece

    document = send(alice, Sent(watched(), len(PAYLOAD)), content_type="a/b")

    assert set(seen) == {(), (document.id,)}
    assert unfinished() == []


@pytest.mark.skipif(resource is None, reason="needs limits of the operating system")
@pytest.mark.parametrize("after", [2, 15, PIECES - 1])
def test_a_disk_that_takes_no_more_in_the_middle_leaves_nothing(alice, instance, after):
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)

    def stopped():
        for number, piece in enumerate(pieces()):
            if number == after:
                longest = max(path.stat().st_size for path in instance.iterdir())
                resource.setrlimit(resource.RLIMIT_FSIZE, (longest + (1 << 20), limits[1]))
            yield piece

    try:
        with pytest.raises(OperationalError) as raised:
            send(alice, Sent(stopped(), len(PAYLOAD)), content_type="a/b")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)

    assert service_error_of(raised.value).code == "storage_full"
    sweep()
    assert (Document.select().count(), stored(), unfinished()) == (0, 0, [])


def test_a_reserve_of_free_space_is_kept(alice, runtime):
    runtime.settings = replace(runtime.settings, reserve_bytes=1 << 60)
    with pytest.raises(StorageFull):
        send(alice, Sent(pieces(b"x"), 1), content_type="a/b")


def test_the_crc32_of_a_payload_is_stored_if_a_zip_file_reads_it_once(alice, bob, monkeypatch):
    monkeypatch.setattr(uploads, "READ_TWICE_BYTES", PIECE_BYTES)
    payload = PAYLOAD[: PIECE_BYTES + 1]

    small = send(alice, Sent(pieces(payload[:-1]), PIECE_BYTES))
    large = send(alice, Sent(pieces(payload), len(payload)))
    assert Document.of_id(small.id).crc32 is None
    assert Document.of_id(large.id).crc32 == zlib.crc32(payload)

    large.id, large.owner_id, large.crc32 = generate_id("doc"), bob.id, 1
    store_as_exported(large, pieces(payload))
    assert Document.of_id(large.id).crc32 == zlib.crc32(payload)
