"""The schema of the open database, compared with the one that its migrations make.

A trigger or view that somebody has put into the file would run inside the service.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterator
from functools import cache, lru_cache
from typing import Any

from peewee import SqliteDatabase

from .migrations import MigrationRunner
from .sqlite import database

Schema = Counter[tuple[str, str]]  # "trigger name" and its definition

_HISTORY = "schema_migration"  # made by the library that runs the migrations, in its own words
_OF_ENGINE = {  # tables that ANALYZE makes
    ("table sqlite_stat1", "CREATE TABLE sqlite_stat1(tbl,idx,stat)"),
    ("table sqlite_stat4", "CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)"),
}
_OBJECTS = "SELECT type || ' ' || name, tbl_name, sql FROM sqlite_master WHERE sql IS NOT NULL"


def schema_differences(directory: str, migrations: Collection[str]) -> list[str]:
    """Return differences from the schema that these migrations make, as `trigger x is foreign`."""
    expected = _schema_of_migrations(directory, tuple(migrations))
    return list(differences(expected, _schema(database)))


@cache
def _schema_of_migrations(directory: str, migrations: tuple[str, ...]) -> Schema:
    """Return the schema that these migrations make, which a process finds out once."""
    made = SqliteDatabase(":memory:")
    with made.connection_context():
        if migrations:
            MigrationRunner(made, directory, only=migrations).up()
        return _schema(made)


def differences(expected: Schema, found: Schema) -> Iterator[str]:
    """Yield each difference as `trigger x is foreign`, `… is missing` or `… was altered`."""
    foreign = {name for name, _ in (found - expected).keys() - _OF_ENGINE}
    missing = {name for name, _ in expected - found}
    yield from (f"{name} is foreign" for name in sorted(foreign - missing))
    yield from (f"{name} is missing" for name in sorted(missing - foreign))
    yield from (f"{name} was altered" for name in sorted(foreign & missing))


def _schema(database: Any) -> Schema:
    """Return the whole schema.

    SQLite executes each statement, whatever its type and name in the file.
    """
    rows = database.execute_sql(_OBJECTS).fetchall()
    return Counter((name, _plain(sql, table)) for name, table, sql in rows)


@lru_cache(maxsize=1000)  # those of the migrations and of the file are the same
def _plain(sql: str, table: str) -> str:
    """Return a definition in one form; versions of SQLite and the library write several, and a
    column that was added later has spaces around it.
    """
    unquoted = re.sub(r"[\"`\[](\w+)[\"`\]]", r"\1", re.sub(r"\s+", " ", sql))
    plain = re.sub(r" ?([(),]) ?", r"\1", unquoted)
    return plain.partition("(")[0] if table == _HISTORY else plain
