"""The second part of a backup: payloads in files are named by the first, and complete."""

import os
import shutil
import signal
import sqlite3
from contextlib import closing
from io import BytesIO
from pathlib import Path

import pytest

from models import Document, connected, current_runtime, database, setup, uploads
from models.background import drop_payloads
from models.core import OperatorError
from models.documents import UnfinishedUpload
from models.links import delete_document
from models.storage.payloads import PIECE_BYTES, files
from operations import check_backup, create_backup, doctor, restore_backup
from operations.backup import payloads_without_backup, record_backup
from tests.forking import run_program
from tests.uploads import upload

LARGE = os.urandom(5 * PIECE_BYTES + 3)


@pytest.fixture
def runtime(configure):
    runtime = configure(reserve_bytes=0)
    runtime.large_payload_bytes = 2 * PIECE_BYTES
    return runtime


@pytest.fixture
def documents(alice):
    """Two documents in files, and one in a row."""
    return [Document.find(upload(alice, one).id) for one in (LARGE, LARGE[::-1], b"small")]


@pytest.fixture
def backups(instance, tmp_path_factory):
    return tmp_path_factory.mktemp("backups")


@pytest.fixture
def elsewhere(instance, tmp_path_factory):
    """A folder with the keyring alone, as that of another machine."""
    folder = tmp_path_factory.mktemp("elsewhere") / "instance"
    folder.mkdir(mode=0o700)
    shutil.copy(instance / "keyring", folder)
    return folder


def restored(file, folder, **options):
    current_runtime().close_database()
    return restore_backup(file, folder / "documents.sqlite", **options)


def contents(folder):
    setup.open_runtime(str(folder / "documents.sqlite"))
    with connected():
        found = {one.id: b"".join(one.read()) for one in Document.select()}
    current_runtime().close_database()
    return found


def ids_in(folder):
    return sorted(id for id, _ in files.stored(folder))


def ids_of(*documents):
    return sorted(one.payload_id for one in documents)


def test_a_backup_has_a_folder_of_the_payloads_that_lie_in_files(documents, backups):
    written = create_backup(backups / "a.sqlite")
    folder = backups / "a.sqlite.payloads"

    assert written.payloads == (folder, 2, 2 * files.length(documents[0].payload_id))
    assert ids_in(folder) == ids_of(*documents[:2])
    assert sorted(one.name for one in backups.iterdir()) == ["a.sqlite", "a.sqlite.payloads"]
    assert folder.stat().st_mode & 0o777 == 0o700
    for one in documents[:2]:
        copied = files.path_of(one.payload_id, folder)
        assert copied.read_bytes() == files.path_of(one.payload_id).read_bytes()
        assert copied.stat().st_mode & 0o777 == 0o600


def test_without_payloads_in_files_a_backup_is_one_file(alice, backups):
    upload(alice, b"small")
    assert create_backup(backups / "a.sqlite").payloads is None
    assert [one.name for one in backups.iterdir()] == ["a.sqlite"]
    assert check_backup(backups / "a.sqlite") is None


def test_on_the_same_file_system_payloads_are_hard_links(documents, backups):
    create_backup(backups / "a.sqlite")
    of_backup = files.path_of(documents[0].payload_id, backups / "a.sqlite.payloads")
    assert of_backup.samefile(files.path_of(documents[0].payload_id))


def test_on_another_file_system_payloads_are_copies_which_are_synced_before_the_file_appears(
    documents, backups, monkeypatch
):
    def refuse(*_):
        raise OSError(18, "Invalid cross-device link")

    synced = []

    def noted(handle):
        synced.append((os.readlink(f"/proc/self/fd/{handle}"), (backups / "a.sqlite").exists()))

    monkeypatch.setattr(os, "link", refuse)
    monkeypatch.setattr(files, "_fdatasync", noted)
    monkeypatch.setattr(os, "fsync", noted)
    create_backup(backups / "a.sqlite")

    folder = backups / "a.sqlite.payloads"
    for one in documents[:2]:
        copied = files.path_of(one.payload_id, folder)
        assert copied.read_bytes() == files.path_of(one.payload_id).read_bytes()
        assert (f"{copied}.part", False) in synced
        assert (str(copied.parent), False) in synced
    assert (str(folder), False) in synced


def test_a_folder_of_several_backups_gets_what_is_missing_and_loses_nothing(
    alice, documents, backups, monkeypatch
):
    shared = backups / "payloads"
    create_backup(backups / "a.sqlite", payloads=shared)
    delete_document(documents[0])
    drop_payloads()
    later = Document.find(upload(alice, LARGE).id)
    brought, bring = [], files.bring

    def noted(id, *given, **more):
        brought.append(id)
        bring(id, *given, **more)

    monkeypatch.setattr(files, "bring", noted)
    written = create_backup(backups / "b.sqlite", payloads=shared)

    assert brought == [later.payload_id]
    assert written.payloads.files == 2
    assert ids_in(shared) == ids_of(*documents[:2], later)
    for name in ("a.sqlite", "b.sqlite"):
        assert check_backup(backups / name, shared).files == 2


def test_a_restore_on_another_machine_brings_both_parts(documents, backups, elsewhere):
    create_backup(backups / "a.sqlite")
    assert restored(backups / "a.sqlite", elsewhere, deep=True) == (1, 3)

    assert contents(elsewhere) == {
        one.id: content
        for one, content in zip(documents, (LARGE, LARGE[::-1], b"small"), strict=True)
    }
    assert ids_in(elsewhere / "payloads") == ids_of(*documents[:2])
    assert (elsewhere / "payloads").stat().st_mode & 0o777 == 0o700


def test_a_restore_brings_back_a_payload_that_was_deleted_since(documents, backups, instance):
    create_backup(backups / "a.sqlite")
    delete_document(documents[0])
    drop_payloads()
    restored(backups / "a.sqlite", instance, force=True)
    assert contents(instance)[documents[0].id] == LARGE


def test_a_restore_replaces_a_payload_that_was_damaged_since(documents, backups, instance):
    create_backup(backups / "a.sqlite")
    path = files.path_of(documents[0].payload_id)
    size = path.stat().st_size
    path.unlink()  # else the backup would have the same fault, by its link
    path.write_bytes(bytes(size))
    restored(backups / "a.sqlite", instance, force=True)
    assert contents(instance)[documents[0].id] == LARGE


@pytest.mark.parametrize("fault", ["missing", "too short", "too long", "no folder"])
def test_a_part_that_is_not_whole_is_refused_by_name_and_nothing_changes(
    documents, backups, elsewhere, fault
):
    create_backup(backups / "a.sqlite")
    folder = backups / "a.sqlite.payloads"
    first = files.path_of(documents[0].payload_id, folder)
    sealed = first.read_bytes()
    first.unlink()
    if fault == "no folder":
        shutil.rmtree(folder)
    elif fault != "missing":
        first.write_bytes({"too short": sealed[:-1], "too long": sealed + b"x"}[fault])

    for call in (check_backup, lambda file: restored(file, elsewhere)):
        with pytest.raises(OperatorError, match=documents[0].payload_id):
            call(backups / "a.sqlite")
    assert {one.name for one in elsewhere.iterdir()} <= {"keyring", "documents.sqlite.lock"}


def flip_a_byte(path):
    sealed = bytearray(path.read_bytes())
    sealed[200_000] ^= 1
    path.unlink()  # else what it is a link to would be flipped as well
    path.write_bytes(sealed)


def test_a_flipped_byte_is_found_by_a_deep_restore_and_what_was_brought_is_taken_away(
    documents, backups, elsewhere
):
    create_backup(backups / "a.sqlite")
    flip_a_byte(files.path_of(documents[0].payload_id, backups / "a.sqlite.payloads"))

    with pytest.raises(OperatorError, match=f"{documents[0].id} cannot be decrypted"):
        restored(backups / "a.sqlite", elsewhere, deep=True)
    assert {one.name for one in elsewhere.iterdir()} == {"keyring", "documents.sqlite.lock"}
    assert restored(backups / "a.sqlite", elsewhere) == (1, 3)


def test_a_restore_that_is_refused_leaves_the_payloads_that_are_there(documents, backups, instance):
    create_backup(backups / "a.sqlite")
    flip_a_byte(files.path_of(documents[0].payload_id, backups / "a.sqlite.payloads"))

    with pytest.raises(OperatorError, match="Nothing changed"):
        restored(backups / "a.sqlite", instance, deep=True, force=True)
    assert contents(instance)[documents[0].id] == LARGE


def test_a_restore_from_another_file_system_copies_only_what_is_not_there(
    documents, backups, instance, monkeypatch
):
    create_backup(backups / "a.sqlite")
    delete_document(documents[0])
    drop_payloads()
    link, copy, copied = os.link, files._copy, []

    def refuse_from_backup(source, target):
        if backups in Path(source).parents:
            raise OSError(18, "Invalid cross-device link")
        link(source, target)

    def noted(source, target):
        copied.append(source.name)
        copy(source, target)

    monkeypatch.setattr(os, "link", refuse_from_backup)
    monkeypatch.setattr(files, "_copy", noted)
    restored(backups / "a.sqlite", instance, force=True)
    assert copied == [documents[0].payload_id]
    assert contents(instance)[documents[1].id] == LARGE[::-1]


def test_a_restore_brings_payloads_to_a_folder_of_another_file_system(
    documents, backups, elsewhere, monkeypatch
):
    create_backup(backups / "a.sqlite")

    def refuse(*_):
        raise OSError(18, "Invalid cross-device link")

    monkeypatch.setattr(Path, "replace", refuse)
    restored(backups / "a.sqlite", elsewhere)
    monkeypatch.undo()
    assert contents(elsewhere)[documents[0].id] == LARGE


def test_a_failed_backup_leaves_no_folder(documents, backups, monkeypatch):
    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files, "sync_folders", full)
    with pytest.raises(OSError, match="No space"):
        create_backup(backups / "a.sqlite")
    assert list(backups.iterdir()) == []


def test_no_payload_is_deleted_while_a_backup_takes_it_along(documents, backups, monkeypatch):
    from operations import backup  # noqa: PLC0415  the module, whose function is replaced

    bring = backup.bring_payloads

    def deleted_meanwhile(*given, **more):
        delete_document(documents[0])
        drop_payloads()
        return bring(*given, **more)

    monkeypatch.setattr(backup, "bring_payloads", deleted_meanwhile)
    assert create_backup(backups / "a.sqlite").payloads.files == 2
    check_backup(backups / "a.sqlite")
    assert documents[0].payload_id in ids_in(files.folder())
    drop_payloads()
    assert ids_in(files.folder()) == ids_of(documents[1])


# What is not finished


def begun(owner, size):
    """An upload of which all but the last byte has arrived."""
    row = uploads.begin(uploads.NewUpload(owner.id, size))
    return uploads.append(row, 0, uploads.Body(BytesIO(bytes(size - 1)), size - 1))


def executed(path, sql):
    with closing(sqlite3.connect(path)) as plain:
        return plain.execute(sql).fetchall()


def test_unfinished_uploads_are_in_no_backup_and_go_on_here(
    alice, documents, backups, elsewhere, instance
):
    rows = [begun(alice, PIECE_BYTES + 5), begun(alice, 4 * PIECE_BYTES)]
    assert [row.place for row in rows] == ["rows", "files"]
    written = create_backup(backups / "a.sqlite")

    assert ids_in(written.payloads.folder) == ids_of(*documents[:2])
    assert executed(written.payloads.folder.with_name("a.sqlite"), "SELECT * FROM upload") == []
    pieces = "SELECT * FROM piece WHERE document_id LIKE 'upl%'"
    assert executed(backups / "a.sqlite", pieces) == []
    for row in rows:
        found = UnfinishedUpload.find(row.id)
        assert uploads.append(found, found.size - 1, uploads.Body(BytesIO(b"x"), 1)).document_id


def test_a_restore_of_a_copied_database_ends_unfinished_uploads(
    alice, documents, instance, elsewhere
):
    row = begun(alice, 4 * PIECE_BYTES)
    current_runtime().close_database()
    shutil.copytree(instance, elsewhere, dirs_exist_ok=True)
    shutil.copytree(instance / "payloads", elsewhere / "copied.sqlite.payloads")
    (elsewhere / "documents.sqlite").rename(elsewhere / "copied.sqlite")
    for ending in ("-wal", "-shm"):
        (elsewhere / f"documents.sqlite{ending}").unlink(missing_ok=True)

    restored(elsewhere / "copied.sqlite", elsewhere)

    setup.open_runtime(str(elsewhere / "documents.sqlite"))
    with connected():
        assert UnfinishedUpload.select().count() == 0
        drop_payloads()
        assert ids_in(elsewhere / "payloads") == ids_of(*documents[:2])
    assert row.id not in ids_in(elsewhere / "payloads")


KILLED = """
import sys
from pathlib import Path
from models import connected, setup
from models.runtime.state import create_runtime
from models.storage.payloads import files
from operations import create_backup
from settings import Settings
from tests.kills import die, dying_after

folder, file, step = sys.argv[1:]
create_runtime(Settings(instance_path=Path(folder), database=folder + "/documents.sqlite"))
setup.open_runtime()
if step == "before the first":
    files.bring = die
elif step == "after the first":
    dying_after(files, "bring")
else:
    dying_after(files, "sync_folders")
with connected():
    create_backup(Path(file))
"""


@pytest.mark.parametrize("step", ["before the first", "after the first", "before the file appears"])
def test_a_killed_backup_has_no_file_and_the_next_one_is_whole(documents, instance, backups, step):
    file = backups / "a.sqlite"
    assert run_program(KILLED, instance, file, step) == -signal.SIGKILL
    assert not file.exists()
    create_backup(file)
    assert check_backup(file).files == 2
    delete_document(documents[0])
    drop_payloads()
    assert ids_in(files.folder()) == ids_of(documents[1]), "the killed process holds no lock"


# What the doctor says


def problems(instance):
    instance.chmod(0o700)
    database.close()
    context = doctor.DoctorContext(instance / "documents.sqlite", None)
    found = {one.check: one.problems for one in doctor.run_checks(context) if one.problems}
    setup.open_runtime()
    database.connect()
    return found.get("payload_files", [])


@pytest.mark.parametrize("fault", ["missing", "too short", "too long"])
def test_the_doctor_names_a_document_whose_file_is_not_as_it_should_be(documents, instance, fault):
    assert problems(instance) == []
    path = files.path_of(documents[0].payload_id)
    sealed = path.read_bytes()
    path.unlink()
    if fault != "missing":
        path.write_bytes({"too short": sealed[:-1], "too long": sealed + b"x"}[fault])
    (sentence,) = problems(instance)
    assert sentence.startswith(documents[0].id)
    assert ("lacks the file" if fault == "missing" else f"has {len(sealed):,} bytes") in sentence


def test_the_doctor_counts_files_of_no_document(documents, instance):
    left = files.path_of(f"upl_{'0' * 26}")
    left.parent.mkdir(exist_ok=True)
    left.write_bytes(b"left")
    (sentence,) = problems(instance)
    assert sentence == "1 file of a payload belongs to no document. Delete them: payloads prune"


def test_payloads_that_no_backup_has_named_are_known(alice, documents, backups):
    assert [one.id for one in payloads_without_backup()] == [
        one.payload_id for one in documents[:2]
    ]
    create_backup(backups / "a.sqlite")
    record_backup(backups / "a.sqlite")
    assert payloads_without_backup() == []
    later = Document.find(upload(alice, LARGE).id)
    assert [one.id for one in payloads_without_backup()] == [later.payload_id]
