"""Large payloads lie in files beside the database: a file has a row or a record, always."""

import os
import signal
import stat
from contextlib import nullcontext

import pytest

from crypto import DecryptionError, sealing
from models import Document, database, in_one_transaction
from models.account_deletion import delete_account, finish_deletions
from models.background import drop_payloads
from models.core import Invalid, NotFound, StorageFull
from models.documents import UnreferencedPayload, delete_unfinished_uploads, place_for
from models.links import LinkOptions, delete_document
from models.runtime import service_error_of
from models.storage import disk_space
from models.storage.payloads import LARGE_BYTES, PIECE_BYTES, files, sealed_size
from tests.forking import run_program
from tests.uploads import Sent, pieces, send, upload

LARGE = os.urandom(9 * PIECE_BYTES + 7)
WHOLE = LARGE[: 9 * PIECE_BYTES]
EXPIRED = LinkOptions(None, "view", "", expires_at=1)


@pytest.fixture
def runtime(configure):
    runtime = configure(reserve_bytes=0)
    runtime.large_payload_bytes = 2 * PIECE_BYTES
    return runtime


def content(document):
    return b"".join(Document.find(document.id).read())


def stored():
    return sorted(id for id, _ in files.stored())


def recorded():
    return [one.id for one in UnreferencedPayload.select()]


def rows():
    return database.execute_sql("SELECT count(*) FROM piece").fetchone()[0]


def assert_nothing_is_left():
    drop_payloads()
    assert (stored(), recorded(), rows(), Document.select().count()) == ([], [], 0, 0)


def test_a_payload_of_64_mib_lies_in_rows_and_a_larger_one_in_a_file(configure):
    configure(reserve_bytes=0)
    assert (place_for(LARGE_BYTES), place_for(LARGE_BYTES + 1)) == ("rows", "files")
    assert LARGE_BYTES == 64 << 20


@pytest.mark.postgres
def test_on_a_server_all_payloads_lie_in_rows(configure_on_server):
    configure_on_server()
    assert place_for(1 << 40) == "rows"


@pytest.mark.parametrize("payload", [LARGE, WHOLE], ids=len)
def test_a_large_payload_is_read_as_it_was_sent_from_any_byte(alice, payload):
    document = upload(alice, payload)
    found = Document.find(document.id)

    assert (found.place, rows(), recorded()) == ("files", 0, [])
    assert stored() == [found.payload_id]
    for start, stop in [
        (0, len(payload)),
        (0, 1),
        (len(payload) - 1, len(payload)),
        (PIECE_BYTES - 1, PIECE_BYTES + 1),
        (5 * PIECE_BYTES, 6 * PIECE_BYTES),
    ]:
        assert b"".join(found.read(start, stop)) == payload[start:stop]


def test_the_file_is_named_by_an_upload_and_for_this_user_only(alice, instance):
    found = Document.find(upload(alice, LARGE).id)
    id = found.payload_id
    path = instance / "payloads" / id[-2:] / id

    assert id.startswith("upl_")
    assert bytes(found.payload_head) == id.encode()
    modes = [stat.S_IMODE(one.stat().st_mode) for one in (path, path.parent, path.parent.parent)]
    assert modes == [0o600, 0o700, 0o700]


def test_each_piece_is_a_message_of_its_own_at_its_place(alice):
    found = Document.find(upload(alice, LARGE).id)
    sealed = files.path_of(found.payload_id).read_bytes()

    assert len(sealed) == sealed_size(found.payload_id, len(LARGE)) == 9 * 196_872 + 79
    for number in range(10):
        message = sealed[number * 196_872 : (number + 1) * 196_872]
        words = "piece/1", found.payload_id, str(len(LARGE)), str(number)
        plain = sealing.unseal(found.key, sealing.context(*words), message)
        assert plain == LARGE[number * PIECE_BYTES :][:PIECE_BYTES]


def test_nothing_in_the_folder_is_in_clear(alice, instance):
    marked = b"a sentence that nobody may read" * 20_000
    upload(alice, marked)
    for path in instance.rglob("*"):
        assert not path.is_file() or b"nobody may read" not in path.read_bytes()


@pytest.mark.parametrize("how", ["missing", "cut", "flipped", "swapped", "of another document"])
def test_a_file_that_was_altered_is_a_damaged_document(alice, how):
    document, other = (Document.find(upload(alice, WHOLE).id) for _ in range(2))
    path = files.path_of(document.payload_id)
    sealed = path.read_bytes()
    first, second, rest = sealed[:196_872], sealed[196_872:393_744], sealed[393_744:]
    altered = {
        "cut": sealed[:-1],
        "flipped": bytes([sealed[0] ^ 1]) + sealed[1:],
        "swapped": second + first + rest,
        "of another document": files.path_of(other.payload_id).read_bytes(),
    }
    path.unlink()
    if how != "missing":
        path.write_bytes(altered[how])

    with pytest.raises(DecryptionError) as raised:
        list(document.read())
    assert service_error_of(raised.value).code == "document_damaged"
    assert content(other) == WHOLE


@pytest.mark.parametrize("scope", [nullcontext, in_one_transaction])
def test_an_upload_that_breaks_off_leaves_nothing(alice, scope):
    def broken():
        yield from list(pieces(LARGE))[:-1]
        raise RuntimeError("the client went away")

    with pytest.raises(RuntimeError, match="went away"), scope():
        send(alice, Sent(broken(), len(LARGE)), content_type="a/b")
    assert_nothing_is_left()


@pytest.mark.parametrize("scope", [nullcontext, in_one_transaction])
def test_an_upload_whose_transaction_fails_leaves_nothing(alice, scope):
    with pytest.raises(Invalid), scope():
        upload(alice, LARGE, link=EXPIRED)
    assert_nothing_is_left()


def test_a_full_disk_refuses_a_large_payload(alice, monkeypatch):
    free_bytes = disk_space._free_bytes_with_ballast
    monkeypatch.setattr(disk_space, "_free_bytes_with_ballast", lambda _: len(LARGE))
    with pytest.raises(StorageFull):
        upload(alice, LARGE)
    assert_nothing_is_left()
    monkeypatch.setattr(disk_space, "_free_bytes_with_ballast", free_bytes)
    upload(alice, LARGE)


def test_a_disk_that_is_full_in_the_middle_leaves_nothing(alice, monkeypatch):
    written = []

    def full(handle, data, position):
        if position > 3 * 196_872:
            raise OSError(28, "No space left on device")
        written.append(position)
        return pwrite(handle, data, position)

    pwrite = os.pwrite
    monkeypatch.setattr(os, "pwrite", full)
    with pytest.raises(OSError, match="No space") as raised:
        upload(alice, LARGE)
    assert service_error_of(raised.value).code == "storage_full"
    assert written
    assert_nothing_is_left()


def test_a_deletion_leaves_the_file_to_the_work_beside_the_requests(alice):
    document = Document.find(upload(alice, LARGE).id)
    delete_document(document)
    assert stored() == recorded() == [document.payload_id]
    drop_payloads()
    assert_nothing_is_left()


def test_the_files_of_a_deleted_account_are_deleted(alice):
    upload(alice, LARGE)
    upload(alice, b"in a row")
    delete_account(alice)
    finish_deletions()
    assert_nothing_is_left()


def test_a_document_that_is_deleted_while_it_is_read_breaks_off_and_keeps_no_space(alice):
    document = upload(alice, LARGE)
    reading = document.read()
    next(reading)
    delete_document(document)
    drop_payloads()
    with pytest.raises(NotFound):
        list(reading)


def test_a_file_that_cannot_be_deleted_now_prevents_no_other_deletion(alice, runtime, monkeypatch):
    first, second = (Document.find(upload(alice, LARGE).id) for _ in range(2))
    drop = files.drop

    def failing(id):
        if id == first.payload_id:
            raise OSError(5, "the disk")
        drop(id)

    monkeypatch.setattr(files, "drop", failing)
    for one in (first, second):
        delete_document(one)
    drop_payloads()

    assert stored() == recorded() == [first.payload_id]
    assert runtime.failures.failed()["files"] == 1


@pytest.mark.parametrize("change", ["place = place", "place = 'rows'"])
def test_a_record_that_was_made_up_deletes_no_file_of_a_document(alice, change, caplog):
    kept = Document.find(upload(alice, LARGE).id)
    database.execute_sql(f"UPDATE document SET {change}")  # noqa: S608
    UnreferencedPayload.mark_to_drop(kept.payload_id, "files")
    drop_payloads()
    assert (stored(), recorded(), len(caplog.messages)) == ([kept.payload_id], [], 1)


def test_a_record_of_what_is_no_id_deletes_nothing(alice, instance):
    (instance / "payloads").mkdir()
    UnreferencedPayload.mark_to_drop("../documents.sqlite", "files")
    drop_payloads()
    assert (recorded(), (instance / "documents.sqlite").exists()) == ([], True)


def test_a_row_that_was_altered_names_no_path(alice):
    document = upload(alice, LARGE)
    database.execute_sql("UPDATE document SET payload_head = ?", (b"../documents.sqlite",))
    assert Document.as_stored(document.id).payload_id == document.id


# What a killed process leaves

KILLED = """
import sys
from pathlib import Path
from models import connected
from models.runtime.state import create_runtime
from models.documents.unreferenced_payload import UnreferencedPayload
from models import Document, User
from models.links import delete_document
from models import setup
from models.background import drop_payloads
from models.storage.payloads import PIECE_BYTES, files
from settings import Settings
from tests.kills import die, dying_after
from tests.uploads import Sent, pieces, send

folder, step, owner_id = sys.argv[1:]
settings = Settings(instance_path=Path(folder), database=folder + "/documents.sqlite",
                    reserve_bytes=0)
runtime = create_runtime(settings)
runtime.large_payload_bytes = 2 * PIECE_BYTES
setup.open_runtime()

def payload():
    for number, piece in enumerate(pieces(bytes(9 * PIECE_BYTES))):
        if step == "middle" and number == 8:
            die()
        yield piece

with connected():
    owner = User.find(owner_id)
    if step == "record":
        dying_after(UnreferencedPayload, "begin_upload")
    elif step == "folder":
        files.make_folder = die
    elif step == "file":
        dying_after(files, "store")
    elif step == "transaction":
        Document.store_row = die
    document = send(owner, Sent(payload(), 9 * PIECE_BYTES))
    if step == "deleted":
        delete_document(document)
        die()
    if step == "claimed":
        files.drop = die
    if step == "dropped":
        dying_after(files, "drop")
    delete_document(document)
    drop_payloads()
"""


@pytest.mark.parametrize(
    "step",
    ["record", "folder", "middle", "file", "transaction", "deleted", "claimed", "dropped"],
)
def test_kill_9_at_any_step_loses_no_document_and_leaves_no_file(
    alice, runtime, instance, clock, step
):
    kept = None if step == "folder" else upload(alice, LARGE)
    assert run_program(KILLED, instance, step, alice.id) == -signal.SIGKILL
    clock(1)
    runtime.started_at += 60_000
    delete_unfinished_uploads()
    drop_payloads()
    clock(5 * 60_000 + 1)  # what the killed process had begun to delete
    drop_payloads()

    ids = [Document.find(kept.id).payload_id] if kept else []
    assert (stored(), recorded()) == (ids, [])
    if kept:
        assert content(kept) == LARGE
