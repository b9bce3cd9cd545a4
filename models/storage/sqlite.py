"""SQLite: its connections and settings."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playhouse.pool import PooledSqliteDatabase

from .connection import wrapping_errors

SqliteError = sqlite3.Error

HARDENING = {
    "trusted_schema": "off",  # the schema of a restored file runs no function with side effects
    "cell_size_check": "on",  # of each page that is read
}
_MANY = 10_000  # rows, of a table that is counted
_ENTRIES_COUNTED = 1_000  # of each index
_TABLES = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
PRAGMAS: dict[str, Any] = HARDENING | {
    "page_size": 8_192,  # of a new file: small rows write less WAL than at 16 KiB, large no slower
    "journal_mode": "wal",
    "synchronous": "normal",  # `transaction` syncs commits, once for all that wait
    "wal_autocheckpoint": 16_384,  # pages; `checkpoint_wal` comes long before that
    "foreign_keys": 1,
    "busy_timeout": 5_000,
    "cache_size": -4_000,  # KiB, for each of the pooled connections
    "secure_delete": "on",  # deleted and moved rows are overwritten
}


class _Database(PooledSqliteDatabase):  # type: ignore[misc]
    _writer: Any = None

    @contextmanager
    def on_writer(self) -> Iterator[None]:
        """Use the one connection of all writers in the block. The caller holds the writer lock.

        A commit invalidates the page cache of every other connection: by turns, each would read the
        same pages again.
        """
        if self._writer is None:
            self._writer = self._connect()
        own = self._state.conn
        self._state.conn = self._writer
        try:
            yield
        finally:
            self._state.conn = own

    def close_all(self) -> None:
        self._writer = None
        super().close_all()

    def execute_sql(self, sql: str, params: Any = None) -> Any:
        """Execute a statement as peewee does, without its debug log and its hooks."""
        with wrapping_errors:
            return self.cursor().execute(sql, params or ())

    def execute_each(self, sql: str, rows: list[dict[str, Any]]) -> None:
        """Execute a statement once for the parameters of each row."""
        with wrapping_errors:
            self.cursor().executemany(sql, rows)


# Pooled: closing the last connection would checkpoint the WAL at every request.
database = _Database(
    None, max_connections=0, lock_type="IMMEDIATE", check_same_thread=False, autoconnect=False
)


def create_file(path: str) -> None:
    """Create an empty database file, unless there is one; its folder and it for this user only."""
    Path(path).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))  # the WAL gets its mode


def pragma(name: str) -> int:
    return int(database.execute_sql(f"PRAGMA {name}").fetchone()[0])


def analyze_large_tables() -> None:
    """Count rows and different values of the tables that have many, in the open transaction.

    It reads a thousand entries of each index at most. Small tables are left out: queries would be
    planned for them as small as they are, until they are counted again, though they grow. By
    connections that are open already, statistics are read once there are some; later ones are not.
    """
    database.execute_sql(f"PRAGMA analysis_limit = {_ENTRIES_COUNTED}")
    for (table,) in database.execute_sql(_TABLES).fetchall():
        many = f'SELECT 1 FROM "{table}" LIMIT 1 OFFSET {_MANY}'  # noqa: S608
        if database.execute_sql(many).fetchone():
            database.execute_sql(f'ANALYZE "{table}"')
