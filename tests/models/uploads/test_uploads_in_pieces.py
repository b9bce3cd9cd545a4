"""models/uploads/"""

import hashlib
import io
import threading
import zlib

import pytest

from crypto import DecryptionError
from models import Collection, Document, User, connected, current_runtime, database
from models.account_deletion import delete_account, finish_deletions
from models.background import sweep
from models.core import NotFound, OffsetMismatch, QuotaExceeded, StorageFull, now
from models.documents import UnfinishedUpload
from models.documents.unfinished_upload import FAILED
from models.links import (
    UPLOAD,
    DocumentToken,
    LinkOptions,
    delete_collection,
    delete_document,
)
from models.runtime.quota import Quota
from models.runtime.upload_digests import UploadDigests
from models.storage import disk_space, transaction
from models.storage.payloads import files
from models.storage.payloads import rows as payload_rows
from models.uploads import Body, NewUpload, append, begin, end
from operations import key_rotation, verification
from tests.uploads import upload
from tests.waiting import until

PIECE = 192 << 10
CONTENT = bytes(range(256)) * 3000
SIZE = len(CONTENT)
HALF = 400_000


@pytest.fixture
def runtime(configure):
    return configure(reserve_bytes=0)


@pytest.fixture
def ada(runtime):
    with connected():
        yield User.register("ada@example.org", "correct horse battery", "Ada", "open")


@pytest.fixture
def bob(ada):
    return User.register("bob@example.org", "correct horse battery", "Bob", "open")


def begun(owner, size=SIZE, **more):
    return begin(NewUpload(owner.id, size, **more))


def send(upload, content, offset):
    return append(upload, offset, Body(io.BytesIO(content), len(content)))


def pieces_of(id):
    query = "SELECT number, sealed FROM piece WHERE document_id = :id"
    return dict(database.execute_sql(query, {"id": id}).fetchall())


def test_the_key_of_a_finished_upload_opens_nothing_of_its_document(ada):
    before = begun(ada)
    key = before.key
    done = send(before, CONTENT, 0)
    document = Document.find(done.document_id)
    assert document.key == key
    assert UnfinishedUpload.find(done.id).key != key
    delete_document(document)
    assert pieces_of(done.id) == {}
    columns = "SELECT sealed_key FROM upload WHERE id = :id"
    [(sealed_key,)] = database.execute_sql(columns, {"id": done.id}).fetchall()
    assert bytes(sealed_key) != bytes(before.sealed_key)


def test_what_a_killed_step_has_written_is_written_again_with_another_salt(ada, monkeypatch):
    row = begun(ada)
    send(row, CONTENT[:HALF], 0)
    kept = pieces_of(row.id)
    assert sorted(kept) == [0, 1]
    written = UnfinishedUpload.change
    monkeypatch.setattr(UnfinishedUpload, "change", _fail)
    with pytest.raises(ZeroDivisionError):
        send(row, CONTENT[HALF:], HALF)
    monkeypatch.setattr(UnfinishedUpload, "change", written)
    left_behind = pieces_of(row.id)
    assert sorted(left_behind) == [0, 1, 2, 3]
    assert UnfinishedUpload.find(row.id).received == HALF
    other = bytes(len(CONTENT) - HALF)
    done = send(row, other, HALF)
    after = pieces_of(row.id)
    assert {number: after[number] for number in kept} == kept
    assert all(after[number][:24] != left_behind[number][:24] for number in (2, 3))
    assert b"".join(Document.find(done.document_id).read()) == CONTENT[:HALF] + other


def _fail(*_args, **_values):
    raise ZeroDivisionError


def test_pieces_of_one_upload_do_not_open_in_another(ada):
    first, second = begun(ada), begun(ada)
    for one in (first, second):
        send(one, CONTENT[:HALF], 0)
    with transaction():
        payload_rows.replace(first.id, [pieces_of(second.id)[0]], 0)
    with pytest.raises(DecryptionError):
        b"".join(UnfinishedUpload.find(first.id).read())


def test_swapped_pieces_do_not_open(ada):
    row = begun(ada)
    send(row, CONTENT[:HALF], 0)
    pieces = pieces_of(row.id)
    with transaction():
        payload_rows.replace(row.id, [pieces[1], pieces[0]], 0)
    with pytest.raises(DecryptionError):
        b"".join(UnfinishedUpload.find(row.id).read())


def test_what_has_arrived_is_read_from_any_place(ada):
    row = send(begun(ada), CONTENT[:HALF], 0)
    for start, stop in (
        (0, HALF),
        (5, 10),
        (PIECE - 1, PIECE + 1),
        (2 * PIECE, HALF),
        (HALF, HALF),
    ):
        assert b"".join(row.read(start, stop)) == CONTENT[start:stop]


def test_nothing_lies_in_clear_in_the_row_or_in_a_piece(ada):
    row = begun(ada, given={"name": "a secret name"}, metadata_sent="filename secret")
    send(row, CONTENT[:HALF], 0)
    columns = database.execute_sql("SELECT * FROM upload").fetchall()
    stored = repr(columns) + repr(pieces_of(row.id))
    assert "secret" not in stored
    assert repr(CONTENT[:32])[2:-1] not in stored


def test_a_step_waits_for_the_one_that_runs_and_is_judged_behind_it(ada):
    row = begun(ada)
    results = []
    with current_runtime().upload_slots.held(row.id):
        thread = threading.Thread(target=_send_first, args=(row, results))
        thread.start()
        until(lambda: current_runtime().upload_slots._slots._line)
        assert UnfinishedUpload.find(row.id).received == 0
    thread.join()
    with pytest.raises(OffsetMismatch):
        send(row, CONTENT[:5], 0)
    assert results == [5]


def _send_first(row, results):
    with connected():
        results.append(send(row, CONTENT[:5], 0).received)


# Disk, by person


@pytest.fixture
def free(monkeypatch):
    """Set how many bytes are free on the disk."""

    def set_free(size):
        monkeypatch.setattr(disk_space, "_free_bytes_with_ballast", lambda _: size)

    return set_free


MIB = 1 << 20


def test_an_upload_begins_only_if_it_fits_beside_what_the_same_person_has_not_sent(ada, free):
    free(10 * MIB)
    first = begun(ada, 6 * MIB)
    with pytest.raises(StorageFull):
        begun(ada, 5 * MIB)
    begun(ada, 3 * MIB)
    end(first)
    begun(ada, 5 * MIB)


def test_what_others_have_announced_refuses_nobody(ada, bob, free):
    free(10 * MIB)
    begun(ada, 9 * MIB)
    begun(bob, 9 * MIB)


def test_what_was_announced_by_links_refuses_nobody(ada, free):
    free(10 * MIB)
    begun(ada, 9 * MIB, came_by="tok_1")
    begun(ada, 9 * MIB)


def test_a_step_that_meets_a_full_disk_stores_nothing_and_goes_on_when_there_is_room(ada, free):
    free(100 * MIB)
    row = send(begun(ada), CONTENT[:HALF], 0)
    free(0)
    with pytest.raises(StorageFull):
        send(row, CONTENT[HALF:], HALF)
    assert UnfinishedUpload.find(row.id).received == HALF
    free(100 * MIB)
    assert send(row, CONTENT[HALF:], HALF).document_id


def test_an_upload_by_a_link_counts_as_what_of_it_has_arrived(ada):
    collection = Collection.make(ada.id, "Inbox", max_bytes=10_000)
    given = {"collection_id": collection.id}
    by_link = begun(ada, 1000, came_by="tok_1", given=given)
    begun(ada, 10)
    assert UnfinishedUpload.promised_by(ada.id) == (1, 10)
    send(by_link, bytes(300), 0)
    assert UnfinishedUpload.promised_by(ada.id) == (1, 310)


# Ends


def test_an_expired_upload_is_deleted_with_its_bytes_and_a_finished_one_is_not(ada, clock):
    row = send(begun(ada), CONTENT[:HALF], 0)
    done = send(begun(ada, 3), b"abc", 0)
    clock(7 * 86_400_000 + 60_000)
    sweep()
    assert UnfinishedUpload.as_stored(row.id) is None
    assert UnfinishedUpload.as_stored(done.id) is None
    assert pieces_of(row.id) == {}
    assert b"".join(Document.find(done.document_id).read()) == b"abc"


def test_nothing_of_the_uploads_of_a_deleted_account_is_left(ada, bob):
    rows = [send(begun(owner), CONTENT[:HALF], 0) for owner in (ada, bob)]
    delete_account(User.find(ada.id))
    finish_deletions()
    assert [UnfinishedUpload.as_stored(row.id) is None for row in rows] == [True, False]
    assert pieces_of(rows[0].id) == {}
    assert sorted(pieces_of(rows[1].id)) == [0, 1]


def test_a_step_of_an_upload_that_was_deleted_meanwhile_leaves_nothing(ada, monkeypatch):
    row = begun(ada)
    replace = payload_rows.replace

    def replace_and_delete(*written):
        replace(*written)
        UnfinishedUpload.delete().where(UnfinishedUpload.id == row.id).execute()

    monkeypatch.setattr(payload_rows, "replace", replace_and_delete)
    with pytest.raises(NotFound):
        send(row, CONTENT, 0)
    assert pieces_of(row.id) == {}


def test_an_upload_goes_on_after_a_rotation_of_root_keys(ada):
    row = send(begun(ada), CONTENT[:HALF], 0)
    key_rotation.rotate_root_keys()
    done = send(UnfinishedUpload.find(row.id), CONTENT[HALF:], HALF)
    assert b"".join(Document.find(done.document_id).read()) == CONTENT
    assert verification.check_keys() == []
    assert verification.check_contents() == []


def test_a_document_that_is_refused_after_the_last_byte_was_acknowledged_has_failed(ada):
    row = begun(ada, given={"sha256": "0" * 64})
    send(row, CONTENT[:-1], 0)
    current_runtime().upload_digests.forget(row.id)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("models.uploads.catching_up.AT_ONCE_BYTES", 0)
        send(row, CONTENT[-1:], len(CONTENT) - 1)
    found = until(lambda: (one := UnfinishedUpload.find(row.id)).has_failed and one)
    assert (found.document_id, found.result) == (FAILED, {"failed": "checksum_mismatch"})
    assert pieces_of(row.id) == {}
    assert UnfinishedUpload.promised_by(ada.id) == (0, 0)


# Digests that catch up


def test_those_of_different_persons_catch_up_in_turns():
    digests = UploadDigests()
    done, may_go_on = [], threading.Event()

    def work(id, slices):
        left = [slices]

        def once():
            assert may_go_on.wait(60)
            done.append(id)
            left[0] -= 1
            return left[0] > 0

        return once

    for number in range(3):
        digests.catch_up(f"ada {number}", "ada", work(f"ada {number}", 2))
    digests.catch_up("bob", "bob", work("bob", 2))
    may_go_on.set()
    until(lambda: len(done) == 8)
    assert done.index("bob") <= 2
    assert [one for one in done if one == "bob"] == ["bob", "bob"]
    until(lambda: not digests._runs)


def test_an_upload_that_catches_up_is_not_read_twice_at_once():
    digests = UploadDigests()
    done, may_go_on = [], threading.Event()

    def work():
        assert may_go_on.wait(60)
        done.append(1)
        return False

    for _ in range(3):
        digests.catch_up("upl_1", "ada", work)
    may_go_on.set()
    until(lambda: not digests._runs)
    assert done == [1]


def test_the_digest_of_what_was_sent_is_kept_with_its_offset(ada):
    row = send(begun(ada), CONTENT[:HALF], 0)
    digest, offset = current_runtime().upload_digests.of(row.id)
    assert (digest.hexdigest(), offset) == (hashlib.sha256(CONTENT[:HALF]).hexdigest(), HALF)
    end(row)
    assert current_runtime().upload_digests.of(row.id)[1] == 0


def test_documents_of_other_uploads_are_untouched(ada):
    other = upload(ada)
    row = begun(ada)
    end(row)
    assert b"".join(Document.find(other.id).read()) == b"content"


# Judged again


def test_the_quota_is_judged_again_with_the_last_byte(ada, runtime, monkeypatch):
    row = send(begun(ada, given={"name": "kept"}), CONTENT[:HALF], 0)
    monkeypatch.setattr(runtime, "quota", Quota(SIZE - 1, None))
    with pytest.raises(QuotaExceeded):
        send(row, CONTENT[HALF:], HALF)
    assert UnfinishedUpload.find(row.id).received == HALF
    assert Document.stored_by(ada.id).documents == 0
    monkeypatch.setattr(runtime, "quota", Quota(SIZE, None))
    assert send(row, CONTENT[HALF:], HALF).document_id


def test_the_crc32_goes_on_from_part_to_part_and_after_a_restart(ada, monkeypatch):
    for module in ("models.uploads.steps", "models.uploads.finishing"):
        monkeypatch.setattr(f"{module}.READ_TWICE_BYTES", 1000)
    row = send(begun(ada), CONTENT[:HALF], 0)
    assert row.crc32 == zlib.crc32(CONTENT[:HALF])
    current_runtime().upload_digests.forget(row.id)
    done = send(UnfinishedUpload.find(row.id), CONTENT[HALF:], HALF)
    assert Document.find(done.document_id).crc32 == zlib.crc32(CONTENT)


def test_pieces_are_synced_before_the_row_says_that_they_are_there(ada, runtime, monkeypatch):
    runtime.large_payload_bytes = 1000  # so they lie in a file
    done = []
    synced, change = files._fdatasync, UnfinishedUpload.change
    monkeypatch.setattr(files, "_fdatasync", lambda handle: done.append("sync") or synced(handle))
    monkeypatch.setattr(
        UnfinishedUpload, "change", lambda self, **new: done.append("row") or change(self, **new)
    )
    send(begun(ada), CONTENT[:HALF], 0)
    assert done == ["sync", "row"]


# Links


def by_link(owner, collection, link):
    given = {"collection_id": collection.id, "answers_id": ""}
    return send(begun(owner, came_by=link.row.id, given=given), CONTENT[:HALF], 0)


@pytest.fixture
def inbox(ada):
    return Collection.make(ada.id, "Inbox")


def link_for_files(inbox, **terms):
    return DocumentToken.issue(inbox, LinkOptions.of(permissions=(UPLOAD,), max_views=9, **terms))


def test_the_sweeper_deletes_the_uploads_of_links_that_have_ended_and_keeps_those_of_others(
    ada, inbox, clock
):
    revoked, expiring, off, live = (
        link_for_files(inbox, expires_at=now() + days * 3_600_000) for days in (24, 1, 24, 24)
    )
    rows = [by_link(ada, inbox, link) for link in (revoked, expiring, off, live)]
    revoked.row.revoke()
    DocumentToken.edit(ada.id, off.row.id, enabled=False)
    clock(2 * 3_600_000)
    sweep()
    assert [UnfinishedUpload.as_stored(row.id) is None for row in rows] == [
        True,
        True,
        False,
        False,
    ]
    assert [bool(pieces_of(row.id)) for row in rows] == [False, False, True, True]


def test_the_sweeper_deletes_what_was_sent_to_a_collection_that_was_deleted(ada, inbox):
    row = by_link(ada, inbox, link_for_files(inbox))
    delete_collection(inbox)
    sweep()
    assert UnfinishedUpload.as_stored(row.id) is None
    assert pieces_of(row.id) == {}
