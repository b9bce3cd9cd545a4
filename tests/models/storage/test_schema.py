"""The schema that the migrations make in their order; and how connections are hardened."""

import sqlite3
from collections import Counter
from contextlib import closing

import pytest
from peewee import DatabaseError

from models.core import OperatorError
from models.operations import setup
from models.storage import close_database, database, schema, sqlite_files
from models.storage.schema import schema_differences
from models.storage.sqlite import pragma


def test_migrations_in_another_order_make_their_own_schema(tmp_path):
    setup.open_database(str(tmp_path / "documents.sqlite"))
    with database.connection_context():
        made = list(setup.MigrationRunner(database, setup.MIGRATIONS).applied())
        late = [name for name in made if name.startswith("0006")]
        other = [name for name in made if name not in late] + late

        assert schema_differences(setup.MIGRATIONS, made) == []
        assert any("was altered" in one for one in schema_differences(setup.MIGRATIONS, other))
        assert "table event is foreign" in schema_differences(setup.MIGRATIONS, made[:1])
    close_database()


def test_no_connection_trusts_the_schema(instance, tmp_path):
    assert (pragma("trusted_schema"), pragma("cell_size_check")) == (0, 1)
    with sqlite_files._opened(tmp_path / "documents.sqlite") as copy:
        for name, value in (("trusted_schema", 0), ("cell_size_check", 1)):
            assert copy.execute(f"PRAGMA {name}").fetchone() == (value,)


@pytest.mark.parametrize("written", ['"user_account"', "`user_account`", "[user_account]"])
def test_quotes_of_names_and_longer_spaces_make_no_difference(written):
    plain = schema._plain(f"REFERENCES  {written}\n(id)", "session")
    assert plain == "REFERENCES user_account (id)"


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
