"""A migration killed at any statement leaves the old schema; the next start makes the new one."""

import shutil
import signal
import sqlite3
from contextlib import closing

import pytest

from models import setup
from models.storage import close_database
from tests.forking import run_program

pytestmark = pytest.mark.slow

OPEN = """
import sys
from models import setup
from models.storage import close_database
own, Runner = sys.argv[2], setup.MigrationRunner
setup.MigrationRunner = lambda database, _, **how: Runner(database, own, **how)
setup.open_database(sys.argv[1])
close_database()
"""
STEPS = (
    "CREATE TABLE later (id TEXT)",
    "INSERT INTO later WITH RECURSIVE many(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM many"
    " LIMIT 4000) SELECT hex(randomblob(2000)) FROM many",  # more than is kept in memory
    "ALTER TABLE user_account ADD COLUMN later TEXT",
)
UP = """
import os, signal
def up(migrator, db):
    for number, step in enumerate({steps!r}):
        db.execute_sql(step)
        if number == {killed_after}:
            os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture
def migrate(tmp_path):
    """Open the database in a process of its own, with one migration more; its exit code."""
    migrations = tmp_path / "migrations"
    shutil.copytree(setup.MIGRATIONS, migrations)

    def run(killed_after=None):
        text = UP.format(steps=STEPS, killed_after=killed_after)
        (migrations / "9001_later.py").write_text(text)
        return run_program(OPEN, tmp_path / "documents.sqlite", migrations)

    return run


def schema(path):
    with closing(sqlite3.connect(path)) as database:
        assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        return database.execute("SELECT sql FROM sqlite_master ORDER BY name").fetchall()


@pytest.mark.parametrize(
    ("killed_after", "with_data"), [(0, True), (1, True), (2, True), (2, False)]
)
def test_kill_9_in_a_migration_leaves_what_was_before(tmp_path, migrate, killed_after, with_data):
    path = tmp_path / "documents.sqlite"
    if with_data:
        setup.open_database(str(path))
        close_database()
    before = schema(path)

    assert migrate(killed_after) == -signal.SIGKILL
    assert schema(path) == before

    assert migrate() == 0
    after = "".join(sql or "" for (sql,) in schema(path))
    assert "CREATE TABLE later" in after
    with closing(sqlite3.connect(path)) as database:
        assert database.execute("SELECT count(*) FROM later").fetchone() == (4000,)
        made = database.execute("SELECT name FROM schema_migration").fetchall()
    assert made[-1] == ("9001_later",)
