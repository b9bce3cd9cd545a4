"""SQLite: its connections and settings."""

import os
import sqlite3
import sys
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from peewee import InterfaceError, SqliteDatabase

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
    "page_size": 4_096,  # of a new file and of backups: half the WAL and the air of small documents
    "journal_mode": "wal",
    "synchronous": "normal",  # `transaction` syncs commits, once for all that wait
    "wal_autocheckpoint": 32_768,  # pages; `checkpoint_wal` comes long before that
    "foreign_keys": 1,
    "busy_timeout": 5_000,
    "cache_size": -4_000,  # KiB, for each connection
    "secure_delete": "on",  # deleted and moved rows are overwritten
}


if sys.version_info < (3, 12):  # whose driver raises errors as it looks for a way to adapt bytes
    sqlite3.register_adapter(bytes, memoryview)  # a later one takes longer with it

_Base: Any = SqliteDatabase


class _Database(_Base):  # type: ignore[misc]
    """A database whose closed connections are kept for the next thread that connects.

    To close the last one would checkpoint the WAL, at every request.
    """

    _writer: Any = None

    def __init__(self, *args: Any, **options: Any) -> None:
        self._made = deque[sqlite3.Connection]()
        self._free = deque[sqlite3.Connection]()
        super().__init__(*args, **options)

    def _connect(self) -> sqlite3.Connection:
        """Return the connection that was closed last, or a new one."""
        with suppress(IndexError):
            return self._free.pop()
        connection: sqlite3.Connection = super()._connect()
        self._made.append(connection)
        return connection

    def _close(self, conn: sqlite3.Connection) -> None:
        self._free.append(conn)

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
        """Close all connections, also those that other threads use."""
        self.close()
        self._writer = None
        self._free.clear()
        while self._made:
            self._made.pop().close()

    def execute_sql(self, sql: str, params: Any = None) -> Any:
        """Execute a statement as peewee does, without its debug log and its hooks."""
        connection = self._state.conn
        if connection is None:
            raise InterfaceError("No connection to the database is open.")
        with wrapping_errors:
            return connection.execute(sql, params or ())

    def execute_each(self, sql: str, rows: list[dict[str, Any]]) -> None:
        """Execute a statement once for the parameters of each row."""
        with wrapping_errors:
            self.cursor().executemany(sql, rows)


database = _Database(None, lock_type="IMMEDIATE", check_same_thread=False, autoconnect=False)


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
