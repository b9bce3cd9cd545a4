"""SQLite as the engine: one writer at a time, synced together; one process serves."""

import errno
import logging
import math
import os
import threading
import time
from collections.abc import Collection, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from peewee import DatabaseError, OperationalError

from ..core import (
    Busy,
    DatabaseDamaged,
    ServiceError,
    StorageFailing,
    StorageFull,
    current_payer,
    log_unless_printed,
)
from . import schema
from .connection import connected
from .disk_space import (
    create_ballast,
    delete_ballast_if_full,
    reserve_disk_space,
    reserve_file_space,
    try_disk,
)
from .engine_base import Engine
from .fair_lock import FairLock
from .group_commit import GroupCommit, NotSynced
from .right import Right
from .sqlite import PRAGMAS, analyze_large_tables, database

TRY_SECONDS = 5  # between two attempts to write beside the database, while somebody asks
STATISTICS_SECONDS = 24 * 60 * 60  # after which tables are counted again
READER_SECONDS = 5  # how long to wait for readers that keep the WAL from being truncated
_ERRORS: dict[str, type[ServiceError]] = {
    "database is locked": Busy,
    "disk is full": StorageFull,
    "disk I/O error": StorageFailing,
    "readonly database": StorageFailing,
    "disk image is malformed": DatabaseDamaged,
    "file is not a database": DatabaseDamaged,
}


def _acquire(lock: FairLock, deadline: float) -> None:
    """Acquire a lock. Raise `Busy` if it is not free until `deadline`, of `time.monotonic`."""
    if not lock.acquire(timeout=max(0, deadline - time.monotonic())):
        raise Busy


class _Line:
    """The transactions of one caller: one of them has the lock, the others wait for it."""

    def __init__(self) -> None:
        self.lock = FairLock()
        self.length = 0


class SqliteEngine(Engine):
    pieces_at_once = 4
    database = database

    def __init__(self) -> None:
        # Waiting writers sleep until it is free; SQLite's own lock is asked again and again, with
        # ever longer pauses, so that a late writer may get it before an early one.
        self._writer_lock = FairLock()
        self._lines: dict[str, _Line] = {}  # by the account that writes
        self._lines_guard = threading.Lock()
        self._wal = GroupCommit(lambda: f"{database.database}-wal")
        self._reset_after_failures = 0  # the number of failed syncs when the WAL was last reset
        self._wal_grown = threading.Event()  # since the last checkpoint
        self._checkpoint_lock = threading.Lock()
        self._damage_found = threading.Event()  # since the database was opened
        self._trying = threading.Lock()
        self._tried_at = -math.inf  # when a byte was last written beside the database
        self._counted_at = -math.inf  # when tables were last counted
        self._disk_fails = False

    def open(self, address: str, connections: int) -> None:  # noqa: ARG002  there is no limit
        database.init(address, pragmas=PRAGMAS)
        self._damage_found.clear()
        self._tried_at = -math.inf
        self._counted_at = -math.inf

    @contextmanager
    def write_transaction(
        self,
        owner_id: str | None,
        *,
        synced: bool,  # noqa: ARG002  by `sync`, for several at once
        wait_seconds: float | None = None,
        right: Right | None = None,
    ) -> Iterator[int]:
        """Yield the number of failed syncs before the transaction.

        The lock is waited for as long as SQLite's own, so that waiting writers time out together.
        Of each caller one transaction at a time waits for it, so that somebody with many
        transactions delays others by one of them. Those of strangers, and of work beside the
        requests, count for the owner.
        """
        delete_ballast_if_full(database.database)
        longest = PRAGMAS["busy_timeout"] / 1000 if wait_seconds is None else wait_seconds
        deadline = time.monotonic() + longest
        with self._first_of(owner_id, deadline):
            _acquire(self._writer_lock, deadline)
            try:
                failures = self._failures_after_reset()
                with database.on_writer(), database.transaction():
                    if right:
                        right.judge()
                    yield failures
            finally:
                self._writer_lock.release()
        if not self._wal_grown.is_set():  # to set it takes a lock
            self._wal_grown.set()

    @contextmanager
    def _first_of(self, owner_id: str | None, deadline: float) -> Iterator[None]:
        """Wait until no other transaction of the caller waits for the writer lock, or has it."""
        if owner_id is None:
            yield
            return
        payer = current_payer.get()
        name = payer.id if payer.is_account else owner_id
        with self._lines_guard:
            line = self._lines.setdefault(name, _Line())
            line.length += 1
        try:
            _acquire(line.lock, deadline)
            try:
                yield
            finally:
                line.lock.release()
        finally:
            with self._lines_guard:
                line.length -= 1
                if not line.length:
                    del self._lines[name]

    def sync(self, since: int | None = None) -> None:
        self._wal.sync(since)

    def sync_failure(self, since: int) -> NotSynced | None:
        return self._wal.failure_after(since)

    def sync_failures(self) -> int:
        return self._wal.failures

    def migrating(self) -> AbstractContextManager[Any]:
        exclusively: AbstractContextManager[Any] = database.atomic("EXCLUSIVE")
        return exclusively

    def schema_differences(self, directory: str, migrations: Collection[str]) -> list[str]:
        return schema.schema_differences(directory, migrations)

    def damage(self, deep: bool) -> list[str]:
        check = "integrity_check" if deep else "quick_check"
        lines = [str(line) for (line,) in database.execute_sql(f"PRAGMA {check}(10)").fetchall()]
        return [line for line in lines if line != "ok"]

    def snapshot(self) -> AbstractContextManager[Any]:
        deferred: AbstractContextManager[Any] = database.atomic("DEFERRED")
        return deferred

    def stream(self, query: str, values: dict[str, Any]) -> Iterator[tuple[Any, ...]]:
        return iter(database.execute_sql(query, values))

    def service_error(self, error: BaseException) -> ServiceError | None:
        """Return the domain error of SQLite's message."""
        said = str(error) if isinstance(error, DatabaseError) else ""
        known = next((kind() for message, kind in _ERRORS.items() if message in said), None)
        if isinstance(known, DatabaseDamaged) and not self._damage_found.is_set():
            self._damage_found.set()
            log_unless_printed(known.reason)
        return known

    def is_writable(self) -> bool:
        return os.access(database.database, os.W_OK)

    def fault(self) -> str | None:
        if self._damage_found.is_set():
            return "The database is damaged."
        if self._wal.failures > self._reset_after_failures:
            return "The disk did not sync the log of the database."
        return super().fault() or self._fault_of_disk()

    def _fault_of_disk(self) -> str | None:
        """Return the result of the last attempt to write beside the database.

        Attempts are TRY_SECONDS apart, however often this is asked. A full disk is no fault.
        """
        with self._trying:
            if time.monotonic() - self._tried_at >= TRY_SECONDS:
                self._disk_fails = _fails(database.database)
                self._tried_at = time.monotonic()
        return "The disk takes nothing: it fails, or is read-only." if self._disk_fails else None

    def after_shredding(self) -> None:
        """Truncate the WAL, which holds deleted rows."""
        try:
            self.truncate_wal()
        except OperationalError as error:
            line = "the WAL was not truncated (%s); the sweeper will do it"
            logging.getLogger("docservice").error(line, error)

    @contextmanager
    def without_scrubbing(self) -> Iterator[None]:
        database.execute_sql("PRAGMA secure_delete = OFF")
        try:
            yield
        finally:
            database.execute_sql("PRAGMA secure_delete = ON")

    def checkpoint_wal(self) -> None:
        """Checkpoint beside the requests: no upload waits for its pages to be written twice."""
        if self._wal_grown.is_set():
            self._wal_grown.clear()
            with connected():
                self._checkpoint("PASSIVE")

    def truncate_wal(self, patience_seconds: float = 0) -> bool:
        """Move the log into the database, and cut it to nothing."""
        deadline = time.monotonic() + patience_seconds
        while not (truncated := self._checkpoint("TRUNCATE")) and time.monotonic() < deadline:
            time.sleep(0.05)
        return truncated

    def keep_statistics(self) -> None:
        is_due = time.monotonic() - self._counted_at >= STATISTICS_SECONDS
        if is_due and self.is_writable():
            with connected(), self.write_transaction(None, synced=False):
                analyze_large_tables()
            self._counted_at = time.monotonic()

    def reserve_disk_space(
        self, size: int, reserve_bytes: int, *, in_file: bool = False
    ) -> AbstractContextManager[None]:
        if in_file:
            return reserve_file_space(size, reserve_bytes)
        return reserve_disk_space(size, reserve_bytes, self.truncate_wal)

    def keep_ballast(self) -> None:
        create_ballast(database.database)

    def _checkpoint(self, mode: str) -> bool:
        with self._checkpoint_lock:
            database.execute_sql("PRAGMA busy_timeout = 0")
            try:
                (blocked, *_) = database.execute_sql(f"PRAGMA wal_checkpoint({mode})").fetchone()
            finally:
                database.execute_sql(f"PRAGMA busy_timeout = {PRAGMAS['busy_timeout']}")
        return not blocked

    def _failures_after_reset(self) -> int:
        """Return the number of failed syncs; after a new failure reset the WAL first.

        After a power cut SQLite reads the WAL up to the first missing page, so nothing written
        after a page that was not synced would be safe.
        """
        failures = self._wal.failures
        if failures > self._reset_after_failures:
            if not self.truncate_wal(READER_SECONDS):
                raise Busy
            self._reset_after_failures = failures
        return failures


def _fails(path: str) -> bool:
    """Return whether the disk of a database takes nothing, and say why in the log."""
    try:
        try_disk(path)
    except OSError as error:
        if error.errno in {errno.ENOSPC, errno.EDQUOT}:
            return False
        log_unless_printed(f"the disk of the database takes nothing: {error}")
        return True
    return False
