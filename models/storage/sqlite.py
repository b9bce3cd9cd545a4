"""The SQLite engine: connections, the write-ahead log, and how rows are scrubbed from disk."""

import logging
import os
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from peewee import DatabaseError, OperationalError
from playhouse.pool import PooledSqliteDatabase

from ..errors import Busy, DatabaseDamaged, ServiceError, StorageFailing, StorageFull
from .connection import connected, wrapping_errors
from .group_commit import GroupCommit

EngineError = sqlite3.Error
_ERRORS: dict[str, type[ServiceError]] = {
    "database is locked": Busy,
    "disk is full": StorageFull,
    "disk I/O error": StorageFailing,
    "readonly database": StorageFailing,
    "disk image is malformed": DatabaseDamaged,
    "file is not a database": DatabaseDamaged,
}

HARDENING = {
    "trusted_schema": "off",  # the schema of a restored file runs no function with side effects
    "cell_size_check": "on",  # of each page that is read
}
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
READER_SECONDS = 5  # how long to wait for readers that keep the WAL from being truncated


class _Database(PooledSqliteDatabase):  # type: ignore[misc]
    _writer: Any = None

    @contextmanager
    def on_writer(self) -> Iterator[None]:
        """The block uses the one connection of all writers. The caller holds the writer lock.

        A commit invalidates the page cache of every other connection: by turns, each would read
        the same pages again.
        """
        if self._writer is None:
            self._writer = self._connect()
        own, self._state.conn = self._state.conn, self._writer
        try:
            yield
        finally:
            self._state.conn = own

    def close_all(self) -> None:
        self._writer = None
        super().close_all()

    def execute_sql(self, sql: str, params: Any = None) -> Any:
        """As peewee does, without its debug log and its hooks."""
        with wrapping_errors:
            return self.cursor().execute(sql, params or ())


# Pooled: closing the last connection would checkpoint the WAL at every request.
database = _Database(
    None, max_connections=0, lock_type="IMMEDIATE", check_same_thread=False, autoconnect=False
)
wal = GroupCommit(lambda: f"{database.database}-wal")
wal_grown = threading.Event()  # since the last checkpoint
damage_found = threading.Event()  # since the database was opened
_checkpoint_lock = threading.Lock()


def open_database(path: str, _connections: int = 0) -> None:
    database.init(path, pragmas=PRAGMAS)
    damage_found.clear()


def create_file(path: str) -> None:
    """An empty database file, unless there is one; its folder and it for this user only."""
    Path(path).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))  # the WAL gets its mode


def engine_error(error: BaseException) -> ServiceError | None:
    """The domain error that SQLite's message stands for; None for any other exception."""
    said = str(error) if isinstance(error, DatabaseError) else ""
    known = next((kind() for message, kind in _ERRORS.items() if message in said), None)
    if isinstance(known, DatabaseDamaged) and not damage_found.is_set():
        damage_found.set()
        logging.getLogger("docservice").error(known.reason)
    return known


def snapshot() -> Any:
    """A context in which all queries see the database as it is at the first one."""
    return database.atomic("DEFERRED")


def stream(query: str, values: dict[str, Any]) -> Iterator[tuple[Any, ...]]:
    """The rows of a query, which are not held in memory."""
    return iter(database.execute_sql(query, values))


def is_writable() -> bool:
    return os.access(database.database, os.W_OK)


def pragma(name: str) -> int:
    return int(database.execute_sql(f"PRAGMA {name}").fetchone()[0])


def unused_bytes() -> int:
    """The size of the file's free pages."""
    return pragma("freelist_count") * pragma("page_size")


def wal_sync_failures() -> int:
    """The number of failed syncs of the WAL since the process began."""
    return wal.failures


def sync_wal() -> None:
    """Sync what any process has committed; OSError if that fails."""
    wal.sync()


def migrating() -> Any:
    return database.atomic("EXCLUSIVE")


def after_shredding() -> None:
    """Truncate the WAL, which holds what was deleted."""
    try:
        truncate_wal()
    except OperationalError as error:
        line = "the WAL was not truncated (%s); the sweeper will do it"
        logging.getLogger("docservice").error(line, error)


@contextmanager
def without_scrubbing() -> Iterator[None]:
    """Deleted rows are not overwritten on disk: for ciphertext whose key is deleted, too."""
    database.execute_sql("PRAGMA secure_delete = OFF")
    try:
        yield
    finally:
        database.execute_sql("PRAGMA secure_delete = ON")


def truncate_wal(patience_seconds: float = 0) -> bool:
    """Move the WAL into the database and cut it to nothing; False if a reader prevents it."""
    deadline = time.monotonic() + patience_seconds
    while not (truncated := _checkpoint("TRUNCATE")) and time.monotonic() < deadline:
        time.sleep(0.05)
    return truncated


def checkpoint_wal() -> None:
    """Copy the WAL into the database, beside readers and writers.

    So that the response to a large upload does not wait for its pages to be written twice.
    """
    if wal_grown.is_set():
        wal_grown.clear()
        with connected():
            _checkpoint("PASSIVE")


def _checkpoint(mode: str) -> bool:
    with _checkpoint_lock:
        database.execute_sql("PRAGMA busy_timeout = 0")
        try:
            (blocked, *_) = database.execute_sql(f"PRAGMA wal_checkpoint({mode})").fetchone()
        finally:
            database.execute_sql(f"PRAGMA busy_timeout = {PRAGMAS['busy_timeout']}")
    return not blocked
