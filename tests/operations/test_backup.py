"""A backup is complete, private, free of deleted rows, and overwrites no file; a restore replaces
the database atomically with a verified backup, or changes nothing.
"""

import fcntl
import os
import shutil
import sqlite3
from contextlib import closing

import pytest

from crypto import Keyring, KeyringError, generate_root_key
from models import Document, User, connected, current_runtime, setup
from models.core import OperatorError
from models.documents import wrong_totals
from models.links import delete_document
from models.storage import database, sqlite_files
from operations import backup, key_rotation, restore_backup, verification
from tests.uploads import upload


def executed(path, sql):
    """What a statement returns; its changes are stored."""
    with closing(sqlite3.connect(path)) as plain, plain:
        return plain.execute(sql).fetchall()


@pytest.fixture
def documents(alice):
    return [upload(alice, b"%d" % n * 1000) for n in range(5)]


def test_a_backup_holds_every_row_in_one_file_and_returns_the_root_keys_needed(
    instance, documents, tmp_path
):
    needed = backup.create_backup(tmp_path / "copy").root_key_ids
    stored = executed(tmp_path / "copy", "SELECT id, sealed_key FROM document ORDER BY id")
    assert stored == [(document.id, document.sealed_key) for document in documents]
    assert needed == [current_runtime().keyring.primary.id]
    assert executed(tmp_path / "copy", "PRAGMA journal_mode") == [("delete",)]  # needs no WAL


def test_the_file_is_private_from_its_first_byte(instance, documents, tmp_path, monkeypatch):
    modes, write = [], sqlite_files.write_snapshot

    def slow(part):
        os.umask(0o022)
        modes.append(part.stat().st_mode & 0o777)
        write(part)

    monkeypatch.setattr(sqlite_files, "write_snapshot", slow)
    folder = tmp_path / "backups"
    folder.mkdir()
    before = os.umask(0o022)
    backup.create_backup(folder / "copy")
    os.umask(before)

    assert modes == [0o600]
    assert [(one.name, one.stat().st_mode & 0o777) for one in folder.iterdir()] == [("copy", 0o600)]


def test_deleted_rows_and_root_keys_are_not_in_it(instance, documents, tmp_path):
    gone, *_ = documents
    piece = executed(instance / "documents.sqlite", "SELECT sealed FROM piece")[0][0]
    delete_document(gone)
    backup.create_backup(tmp_path / "copy")
    stored = (tmp_path / "copy").read_bytes()
    assert bytes(gone.sealed_key) not in stored
    assert piece not in stored
    assert b"docroot_" not in stored


def test_an_existing_file_is_never_overwritten(instance, documents, tmp_path):
    for name in ("copy", "copy.part"):
        (tmp_path / name).write_text("mine")
        with pytest.raises(OperatorError, match=f"{name} exists"):
            backup.create_backup(tmp_path / "copy")
        assert (tmp_path / name).read_text() == "mine"
        (tmp_path / name).unlink()


def test_a_backup_that_is_being_written_is_not_taken_for_the_rest_of_another(
    instance, documents, tmp_path
):
    part = tmp_path / "copy.part"
    with part.open("w") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        with pytest.raises(OperatorError, match="Another process writes"):
            backup.create_backup(tmp_path / "copy")
    assert part.exists()


@pytest.mark.parametrize("beginning", [b"", bytes(9000), b"SQLite format 3\0" + bytes(100)])
def test_the_rest_of_a_backup_whose_process_was_killed_is_replaced(
    instance, documents, tmp_path, beginning
):
    (tmp_path / "copy.part").write_bytes(beginning)
    (tmp_path / "copy.part-journal").write_bytes(b"its journal")
    backup.create_backup(tmp_path / "copy")
    assert sorted(path.name for path in tmp_path.iterdir() if "copy" in path.name) == ["copy"]


def test_a_folder_that_is_missing_is_named_with_what_makes_it(instance, documents, tmp_path):
    with pytest.raises(OperatorError, match=r"no folder .+/nowhere\. Make it: mkdir"):
        backup.create_backup(tmp_path / "nowhere" / "copy")


def test_a_failed_backup_leaves_no_file(instance, documents, tmp_path, monkeypatch):
    def fail(part):
        part.write_bytes(b"half")
        part.with_name("copy.part-journal").write_bytes(b"its journal")
        raise OSError("full")

    monkeypatch.setattr(sqlite_files, "write_snapshot", fail)
    folder = tmp_path / "backups"
    folder.mkdir()
    with pytest.raises(OSError, match="full"):
        backup.create_backup(folder / "copy")

    assert list(folder.iterdir()) == []


@pytest.fixture
def copy(instance, alice):
    """A backup with one document, which was then deleted from the database."""
    document = upload(alice, b"c" * 500_000)
    backup.create_backup(instance / "copy")
    delete_document(document)
    return instance / "copy"


@pytest.fixture
def restore(instance, copy):
    def restore(file=copy, **options):
        current_runtime().close_database()
        return restore_backup(file, instance / "documents.sqlite", **options)

    return restore


@pytest.fixture
def unchanged(instance):
    """Whether the database is as it was before the restore."""

    def unchanged():
        setup.open_runtime()
        with connected():
            counts = User.select().count(), Document.select().count()
        names = {path.name for path in instance.iterdir()}
        return counts == (1, 0) and not any(".part" in name for name in names)

    return unchanged


def test_everything_is_restored_and_decrypts(instance, restore):
    assert restore(force=True) == (1, 1)
    setup.open_runtime()
    with connected():
        assert b"".join(Document.select().get().read()) == b"c" * 500_000
        assert Document.stored() == (1, 500_000)
        assert wrong_totals() == []
    current_runtime().close_database()
    names = {path.name for path in instance.iterdir()}
    assert names == {"copy", "documents.sqlite", "documents.sqlite.lock", "keyring"}
    assert (instance / "documents.sqlite").stat().st_mode & 0o777 == 0o600


def test_a_missing_database_is_restored_and_one_with_users_is_replaced_only_with_force(
    instance, restore, unchanged
):
    with pytest.raises(OperatorError, match="--force"):
        restore()
    assert unchanged()
    current_runtime().close_database()
    for path in instance.glob("documents.sqlite*"):
        path.unlink()
    assert restore() == (1, 1)


def test_it_is_refused_while_another_process_has_the_database_open(instance, restore, unchanged):
    other = sqlite3.connect(instance / "documents.sqlite")
    other.execute("SELECT * FROM user_account").fetchall()
    with pytest.raises(OperatorError, match="Stop the service"):
        restore(force=True)
    other.close()
    assert unchanged()


def test_a_file_that_is_no_backup_is_refused(instance, restore, unchanged):
    for text in (b"", b"no database", b"SQLite format 3\0" + bytes(5000)):
        (instance / "text").write_bytes(text)
        with pytest.raises(OperatorError, match="no backup"):
            restore(instance / "text", force=True)
    with pytest.raises(OperatorError, match="no file"):
        restore(instance / "nothing", force=True)
    assert unchanged()


@pytest.mark.parametrize(
    ("statement", "sentence"),
    [
        ("INSERT INTO schema_migration VALUES (99, '9999_later', '2099-01-01')", "9999_later"),
        ("UPDATE document SET sealed_key = zeroblob(104)", "doc_.+ cannot be decrypted"),
    ],
    ids=["of a newer version", "with a key that does not open"],
)
def test_a_backup_is_refused_before_anything_is_replaced(
    copy, restore, unchanged, statement, sentence
):
    executed(copy, statement)
    with pytest.raises(OperatorError, match=sentence):
        restore(force=True)
    assert unchanged()


def test_a_backup_of_an_older_schema_is_migrated(copy, restore, monkeypatch, tmp_path):
    folder = tmp_path / "migrations"
    folder.mkdir()
    later = 'def up(migrator, db):\n    db.execute_sql("CREATE TABLE later (id TEXT)")\n'
    (folder / "0099_later.py").write_text(later)
    shutil.copytree(setup.MIGRATIONS, folder, dirs_exist_ok=True)
    monkeypatch.setattr(setup, "MIGRATIONS", str(folder))

    restore(force=True)

    database.init(str(tmp_path / "documents.sqlite"))
    with connected():
        assert database.table_exists("later")


def test_a_damaged_payload_is_found_only_by_a_deep_restore(copy, restore, unchanged):
    executed(copy, "UPDATE piece SET sealed = zeroblob(length(sealed)) WHERE number = 1")
    with pytest.raises(OperatorError, match="doc_.+ cannot be decrypted"):
        restore(force=True, deep=True)
    assert unchanged()
    assert restore(force=True) == (1, 1)


@pytest.mark.parametrize("missing", [1, 17, 4096, 8191, 8192, 12_288, 100_000, 500_000])
def test_a_backup_that_was_cut_off_at_its_end_is_refused(copy, restore, unchanged, missing):
    os.truncate(copy, copy.stat().st_size - missing)
    with pytest.raises(OperatorError, match="was cut off"):
        restore(force=True)
    assert unchanged()


@pytest.mark.parametrize("missing", [1, 100, 4096, 8192, 16_384, 500_000])
def test_a_backup_without_its_beginning_is_refused(copy, restore, unchanged, missing):
    copy.write_bytes(copy.read_bytes()[missing:])
    with pytest.raises(OperatorError, match="is no backup"):
        restore(force=True)
    assert unchanged()


@pytest.mark.parametrize("junk", [b"\0", b"junk", bytes(4096), bytes(8192), b"\n" * 20_000])
def test_a_backup_with_something_behind_its_end_is_refused(copy, restore, unchanged, junk):
    with copy.open("ab") as file:
        file.write(junk)
    with pytest.raises(OperatorError, match="has something added to its end"):
        restore(force=True)
    assert unchanged()


@pytest.mark.slow
def test_a_backup_in_which_any_page_or_half_of_one_is_a_hole_is_refused(copy, restore, unchanged):
    whole = copy.read_bytes()
    page_bytes = int.from_bytes(whole[16:18], "big")
    half = page_bytes // 2
    accepted = []
    for start in range(page_bytes, len(whole), page_bytes):
        for at, length in ((start, page_bytes), (start, half), (start + half, half)):
            if any(whole[at : at + length]):
                copy.write_bytes(whole[:at] + bytes(length) + whole[at + length :])
                try:
                    restore(force=True)
                except OperatorError as error:
                    assert "damaged" in str(error) or "is no backup" in str(error)  # noqa: PT017
                else:
                    accepted.append((at, length))
    assert accepted == []
    assert unchanged()


@pytest.mark.parametrize(
    "change",
    [
        "DELETE FROM piece WHERE number = 0",
        "DELETE FROM piece WHERE number = 2",
        "DELETE FROM piece",
        "UPDATE piece SET sealed = substr(sealed, 2) WHERE number = 1",
        "UPDATE piece SET number = 9 WHERE number = 2",
    ],
)
def test_a_backup_without_every_piece_in_its_length_is_refused(copy, restore, unchanged, change):
    executed(copy, change)
    with pytest.raises(OperatorError, match="doc_.+ lacks a part of its payload"):
        restore(force=True)
    assert unchanged()


def test_a_database_that_was_copied_with_its_log_is_restored(instance, documents, tmp_path):
    setup.open_runtime()
    for ending in ("", "-wal"):
        name = f"documents.sqlite{ending}"
        (tmp_path / name).write_bytes((instance / name).read_bytes())
    assert (tmp_path / "documents.sqlite-wal").stat().st_size
    current_runtime().close_database()

    counts = restore_backup(
        tmp_path / "documents.sqlite", instance / "documents.sqlite", force=True
    )

    assert counts == (1, 5)


def test_it_is_refused_without_the_root_key_whose_id_is_given(copy, restore, instance):
    needed = current_runtime().keyring.primary.id
    key_rotation.rotate_root_keys()
    key_rotation.retire_root_key(needed)
    with pytest.raises(KeyringError, match=needed):
        restore(force=True)
    (instance / "keyring").rename(instance / "gone")

    with pytest.raises(KeyringError, match=f"no keyring .+ needs root key {needed}"):
        restore(force=True)

    assert not (instance / "keyring").exists()


def test_a_damaged_database_is_replaced_only_with_force(instance, restore):
    current_runtime().close_database()
    (instance / "documents.sqlite").write_bytes(b"damaged" * 1000)
    with pytest.raises(OperatorError, match="--force"):
        restore()
    assert restore(force=True) == (1, 1)


def test_the_wal_of_a_lost_database_is_not_applied_to_the_restored_one(instance, alice, restore):
    wal = instance / "documents.sqlite-wal"
    alice.change(email="after the backup")
    kept = wal.read_bytes()
    current_runtime().close_database()
    (instance / "documents.sqlite").unlink()
    wal.write_bytes(kept)

    restore()

    setup.open_runtime()
    with connected():
        assert verification.check_database_file(deep=True) + verification.check_contents() == []
        assert User.select().get().email == "alice@example.com"


def test_a_restored_database_opens_with_any_keyring_that_has_its_root_key(instance, restore):
    line = (instance / "keyring").read_text().splitlines()[-1]
    restore(force=True)
    setup.open_database(str(instance / "documents.sqlite"))
    setup.use_keyring(Keyring(text=f"{generate_root_key()}\n{line}"))
    with connected():
        assert User.select().get().name == "Alice"
