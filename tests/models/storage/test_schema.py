"""The schema that the migrations make in their order; and how connections are hardened."""

import shutil
import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest
from peewee import DatabaseError, SqliteDatabase

from models import setup
from models.core import OperatorError
from models.storage import MigrationRunner, close_database, database, schema, sqlite_files
from models.storage.schema import schema_differences
from models.storage.sqlite import pragma


def test_migrations_in_another_order_make_their_own_schema(tmp_path):
    for path in Path(setup.MIGRATIONS).glob("0001*.sql"):
        shutil.copy(path, tmp_path)
    for number, column in enumerate(("later", "latest"), 2):
        text = f"ALTER TABLE session ADD COLUMN {column} TEXT;\n"
        (tmp_path / f"000{number}_{column}.sql").write_text(text)
    file = SqliteDatabase(tmp_path / "documents.sqlite")
    with file.connection_context():
        made = MigrationRunner(file, str(tmp_path)).up()
    setup.storage.open_database(str(tmp_path / "documents.sqlite"))
    with database.connection_context():
        other = [made[0], *reversed(made[1:])]

        assert schema_differences(str(tmp_path), made) == []
        assert schema_differences(str(tmp_path), other) == ["table session was altered"]
        assert schema_differences(str(tmp_path), made[:2]) == ["table session was altered"]
        assert "table event is foreign" in schema_differences(str(tmp_path), [])
    close_database()


def test_no_connection_trusts_the_schema(instance, tmp_path):
    assert (pragma("trusted_schema"), pragma("cell_size_check")) == (0, 1)
    with sqlite_files._opened(tmp_path / "documents.sqlite") as copy:
        for name, value in (("trusted_schema", 0), ("cell_size_check", 1)):
            assert copy.execute(f"PRAGMA {name}").fetchone() == (value,)


@pytest.mark.parametrize("written", ['"user_account"', "`user_account`", "[user_account]"])
def test_quotes_of_names_and_longer_spaces_make_no_difference(written):
    plain = schema._plain(f"REFERENCES  {written}\n(id) , later", "session")
    assert plain == schema._plain("REFERENCES user_account(id), later", "session")


HIDDEN = "CREATE TRIGGER undo AFTER UPDATE ON api_key BEGIN SELECT 1; END"


@pytest.mark.parametrize("name", ["table sqlite_stat1", "table schema_migration"])
def test_a_statement_under_a_name_that_is_let_through_is_foreign(name):
    """SQLite may execute the statement of each row, whatever the row's type and name are."""
    made = Counter([("table schema_migration", "CREATE TABLE schema_migration ")])
    assert list(schema.differences(made, made + Counter([(name, HIDDEN)]))) == [
        f"{name} is foreign"
    ]


def test_a_row_of_the_schema_that_is_not_what_its_name_says_is_not_opened(instance, tmp_path):
    path = tmp_path / "documents.sqlite"
    close_database()
    with closing(sqlite3.connect(path)) as plain, plain:
        plain.execute("PRAGMA writable_schema = ON")
        values = "table", "schema_migration", "schema_migration", 0, HIDDEN
        plain.execute("INSERT INTO sqlite_master VALUES (?, ?, ?, ?, ?)", values)

    with pytest.raises((OperatorError, DatabaseError), match="is foreign|malformed"):
        setup.open_database(str(path))
    close_database()
