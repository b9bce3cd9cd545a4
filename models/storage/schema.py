"""The schema of the open database, compared with the one that its migrations make.

A trigger or view that somebody has put into the file would run inside the service.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Any

from peewee import SqliteDatabase
from playhouse.migrations import Runner

from .sqlite import database

Schema = dict[str, str]  # "trigger name" -> its statement

_HISTORY = "schema_migration"  # made by the library that runs the migrations, in its own words
_OBJECTS = """
    SELECT type || ' ' || name, tbl_name, sql FROM sqlite_master
    WHERE sql IS NOT NULL AND NOT (type = 'table' AND name IN
    ('sqlite_sequence', 'sqlite_stat1', 'sqlite_stat2', 'sqlite_stat3', 'sqlite_stat4'))"""


class _OneMigration(Runner):  # type: ignore[misc]
    """Runs the migration with this name only."""

    def __init__(self, database: SqliteDatabase, directory: str, name: str) -> None:
        super().__init__(database, directory)
        self._name = name

    def migrations(self) -> Any:
        return [one for one in super().migrations() if one.name == self._name]


def schema_differences(directory: str, migrations: Iterable[str]) -> list[str]:
    """What is not as these migrations, in this order, make it, each as `trigger x is foreign`."""
    made = SqliteDatabase(":memory:")
    with made.connection_context():
        for name in migrations:
            _OneMigration(made, directory, name).up()
        return list(_differences(_schema(made), _schema(database)))


def _differences(expected: Schema, found: Schema) -> Iterator[str]:
    yield from (f"{name} is foreign" for name in sorted(found.keys() - expected.keys()))
    yield from (f"{name} is missing" for name in sorted(expected.keys() - found.keys()))
    for name in sorted(found.keys() & expected.keys()):
        if found[name] != expected[name]:
            yield f"{name} was altered"


def _schema(database: Any) -> Schema:
    rows = database.execute_sql(_OBJECTS).fetchall()
    return {name: "" if table == _HISTORY else _plain(sql) for name, table, sql in rows}


def _plain(sql: str) -> str:
    """Without what versions of SQLite write in different ways when they alter a table."""
    return re.sub(r"[\s\"`\[\]]", "", sql).lower()
