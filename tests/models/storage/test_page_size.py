"""A new database has small pages. One that is there keeps its own, its backup has small ones."""

import shutil
import sqlite3
from contextlib import closing

from models import User, connected
from operations import create_backup
from tests.uploads import upload


def page_size_of(file):
    with closing(sqlite3.connect(file)) as opened:
        return opened.execute("PRAGMA page_size").fetchone()[0]


def with_pages_of(size, file):
    with closing(sqlite3.connect(file)) as opened:
        opened.execute("PRAGMA journal_mode = delete")
        opened.execute(f"PRAGMA page_size = {size}")
        opened.execute("VACUUM")


def test_a_new_database_has_pages_of_4_kib(empty_instance):
    assert page_size_of(empty_instance / "documents.sqlite") == 4096


def test_a_database_keeps_its_pages_and_its_backup_has_those_of_a_new_one(
    configure, empty_instance, tmp_path
):
    shutil.copytree(empty_instance, tmp_path, dirs_exist_ok=True)
    file, backup = tmp_path / "documents.sqlite", tmp_path / "backup.sqlite"
    with_pages_of(8192, file)
    runtime = configure()
    with connected():
        upload(User.register("ada@example.com", "correct horse battery", None))
        create_backup(backup)
    runtime.close()
    assert (page_size_of(file), page_size_of(backup)) == (8192, 4096)
