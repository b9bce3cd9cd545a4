"""Backups are complete, private, free of deleted rows, and overwrite no file."""

import os
import sqlite3

import pytest

from models import current_runtime
from models.core import OperatorError
from models.operations import backup, setup
from models.storage import sqlite_files
from tests.uploads import upload


@pytest.fixture
def documents(alice):
    return [upload(alice, b"%d" % n * 1000) for n in range(5)]


def rows(path, sql="SELECT id, sealed_key FROM document ORDER BY id"):
    plain = sqlite3.connect(path)
    found = plain.execute(sql).fetchall()
    plain.close()
    return found


def test_it_holds_every_row_and_returns_the_root_keys_needed(instance, documents, tmp_path):
    needed = backup.create_backup(tmp_path / "copy")

    assert rows(tmp_path / "copy") == [(one.id, one.sealed_key) for one in documents]
    assert needed == [current_runtime().keyring.primary.id]


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
    piece = rows(instance / "documents.sqlite", "SELECT sealed FROM piece")[0][0]
    gone.delete_with_tokens()

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


def test_a_failed_backup_leaves_no_file(instance, documents, tmp_path, monkeypatch):
    def fail(part):
        part.write_bytes(b"half")
        raise OSError("full")

    monkeypatch.setattr(sqlite_files, "write_snapshot", fail)
    folder = tmp_path / "backups"
    folder.mkdir()
    with pytest.raises(OSError, match="full"):
        backup.create_backup(folder / "copy")

    assert list(folder.iterdir()) == []


def test_it_needs_no_wal_file(instance, documents, tmp_path):
    backup.create_backup(tmp_path / "copy")

    assert rows(tmp_path / "copy", "PRAGMA journal_mode") == [("delete",)]
    assert setup.root_keys_in_use() == {current_runtime().keyring.primary.id: 8}
