"""A restore replaces the database atomically with a verified backup, or changes nothing."""

import sqlite3
from pathlib import Path

import pytest

from crypto import Keyring, KeyringError, generate_root_key
from models import Document, User, connected, current_runtime
from models.core import OperatorError
from models.operations import backup, key_rotation, restore_backup, setup, verification
from models.storage import database
from tests.uploads import upload


@pytest.fixture
def copy(instance, alice):
    """A backup with one document, which was then deleted from the database."""
    document = upload(alice, b"c" * 500_000)
    backup.create_backup(instance / "copy")
    document.delete_with_tokens()
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


def altered(copy, sql):
    plain = sqlite3.connect(copy)
    plain.execute(sql)
    plain.commit()
    plain.close()


def test_everything_is_restored_and_decrypts(instance, restore):
    assert restore(force=True) == (1, 1)

    setup.open_runtime()
    with connected():
        assert b"".join(Document.select().get().read()) == b"c" * 500_000
    current_runtime().close_database()
    names = {path.name for path in instance.iterdir()}
    assert names == {"copy", "documents.sqlite", "documents.sqlite.lock", "keyring"}
    assert (instance / "documents.sqlite").stat().st_mode & 0o777 == 0o600


def test_a_missing_database_is_restored(instance, restore):
    current_runtime().close_database()
    for path in instance.glob("documents.sqlite*"):
        path.unlink()

    assert restore() == (1, 1)


def test_a_database_with_users_is_replaced_only_with_force(restore, unchanged):
    with pytest.raises(OperatorError, match="--force"):
        restore()

    assert unchanged()


def test_it_is_refused_while_another_process_has_the_database_open(instance, restore, unchanged):
    other = sqlite3.connect(instance / "documents.sqlite")
    other.execute("SELECT * FROM user_account").fetchall()

    with pytest.raises(OperatorError, match="Stop the service"):
        restore(force=True)

    other.close()
    assert unchanged()


@pytest.mark.parametrize("text", [b"", b"no database", b"SQLite format 3\0" + bytes(5000)])
def test_a_file_that_is_no_backup_is_refused(instance, restore, unchanged, text):
    (instance / "text").write_bytes(text)
    with pytest.raises(OperatorError, match="no backup"):
        restore(instance / "text", force=True)
    with pytest.raises(OperatorError, match="no file"):
        restore(instance / "nothing", force=True)

    assert unchanged()


def test_a_backup_of_a_newer_version_is_refused(copy, restore, unchanged):
    altered(copy, "INSERT INTO schema_migration VALUES (99, '9999_later', '2099-01-01')")

    with pytest.raises(OperatorError, match="9999_later"):
        restore(force=True)

    assert unchanged()


def test_a_backup_of_an_older_schema_is_migrated(copy, restore, monkeypatch, tmp_path):
    folder = tmp_path / "migrations"
    folder.mkdir()
    later = 'def up(migrator, db):\n    db.execute_sql("CREATE TABLE later (id TEXT)")\n'
    (folder / "0099_later.py").write_text(later)
    for path in Path(setup.MIGRATIONS).glob("0*.py"):
        (folder / path.name).write_text(path.read_text())
    monkeypatch.setattr(setup, "MIGRATIONS", str(folder))

    restore(force=True)

    database.init(str(tmp_path / "documents.sqlite"))
    with connected():
        assert database.table_exists("later")


def test_an_undecryptable_key_is_found_before_anything_is_replaced(copy, restore, unchanged):
    altered(copy, "UPDATE document SET sealed_key = zeroblob(104)")

    with pytest.raises(OperatorError, match="doc_.+ cannot be decrypted"):
        restore(force=True)

    assert unchanged()


def test_a_damaged_payload_is_found_only_by_a_deep_restore(copy, restore, unchanged):
    altered(copy, "UPDATE piece SET sealed = zeroblob(length(sealed)) WHERE number = 1")

    with pytest.raises(OperatorError, match="doc_.+ cannot be decrypted"):
        restore(force=True, deep=True)
    assert unchanged()

    assert restore(force=True) == (1, 1)


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
