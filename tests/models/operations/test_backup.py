"""A backup is whole, private, without what was deleted, and never without notice over another."""

import os
import sqlite3

import pytest

from models import setup
from models.errors import OperatorError
from models.operations import backup
from models.records.table import Table
from tests.uploads import upload


@pytest.fixture
def documents(alice):
    return [upload(alice, b"%d" % n * 1000) for n in range(5)]


def rows(path, sql="SELECT id, sealed_key FROM document ORDER BY id"):
    plain = sqlite3.connect(path)
    found = plain.execute(sql).fetchall()
    plain.close()
    return found


def test_it_holds_every_row_and_says_which_roots_a_restore_needs(instance, documents, tmp_path):
    needed = backup.back_up(tmp_path / "copy")

    assert rows(tmp_path / "copy") == [(one.id, one.sealed_key) for one in documents]
    assert needed == [Table.keyring.primary.id]


def test_it_is_private_from_its_first_byte_and_one_file(instance, documents, tmp_path, monkeypatch):
    modes, write = [], backup._vacuum_into

    def slow(part):
        os.umask(0o022)
        modes.append(part.stat().st_mode & 0o777)
        write(part)

    monkeypatch.setattr(backup, "_vacuum_into", slow)
    folder = tmp_path / "backups"
    folder.mkdir()
    before = os.umask(0o022)
    backup.back_up(folder / "copy")
    os.umask(before)

    assert modes == [0o600]
    assert [(one.name, one.stat().st_mode & 0o777) for one in folder.iterdir()] == [("copy", 0o600)]


def test_deleted_rows_and_root_keys_are_not_in_it(instance, documents, tmp_path):
    gone, *_ = documents
    piece = rows(instance / "documents.sqlite", "SELECT sealed FROM piece")[0][0]
    gone.delete_with_tokens()

    backup.back_up(tmp_path / "copy")

    stored = (tmp_path / "copy").read_bytes()
    assert bytes(gone.sealed_key) not in stored
    assert piece not in stored
    assert b"docroot_" not in stored


def test_an_existing_file_is_never_overwritten(instance, documents, tmp_path):
    for name in ("copy", "copy.part"):
        (tmp_path / name).write_text("mine")
        with pytest.raises(OperatorError, match=f"{name} exists"):
            backup.back_up(tmp_path / "copy")
        assert (tmp_path / name).read_text() == "mine"
        (tmp_path / name).unlink()


def test_one_that_fails_leaves_nothing(instance, documents, tmp_path, monkeypatch):
    def fail(part):
        part.write_bytes(b"half")
        raise OSError("full")

    monkeypatch.setattr(backup, "_vacuum_into", fail)
    folder = tmp_path / "backups"
    folder.mkdir()
    with pytest.raises(OSError, match="full"):
        backup.back_up(folder / "copy")

    assert list(folder.iterdir()) == []


def test_it_needs_no_log_beside_it(instance, documents, tmp_path):
    backup.back_up(tmp_path / "copy")

    assert rows(tmp_path / "copy", "PRAGMA journal_mode") == [("delete",)]
    assert setup.root_keys_in_use() == {Table.keyring.primary.id: 7}
