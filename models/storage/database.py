"""The database: its connections, who writes when, and its log."""

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any

from peewee import OperationalError
from playhouse.pool import PooledSqliteDatabase

from ..errors import Busy
from . import ballast_file as spare
from .group_commit import GroupCommit

PRAGMAS: dict[str, Any] = {
    "page_size": 16_384,  # for a new file: large payloads are written a third faster than at 4 KiB
    "journal_mode": "wal",
    "synchronous": "normal",  # commits are synced by `writing`, once for all who wait
    "wal_autocheckpoint": 8_192,  # pages; long before that `shorten_log` does it beside the work
    "foreign_keys": 1,
    "busy_timeout": 5_000,
    "cache_size": -4_000,  # KiB, for each of the kept connections
    "secure_delete": "on",  # what a row leaves behind when it goes or moves is overwritten
}
LOG_SECONDS = 5  # for readers to let the log go

# Connections are kept: closing the last one would checkpoint the log at every request.
database = PooledSqliteDatabase(
    None, max_connections=0, lock_type="IMMEDIATE", check_same_thread=False, autoconnect=False
)

_one_writer = threading.Lock()  # fair, where SQLite's own waiting is not
_one_checkpoint = threading.Lock()
_log = GroupCommit(lambda: f"{database.database}-wal")
_written = threading.Event()  # since the last checkpoint
_begun_anew = 0  # failures of syncing, until the log was last begun anew
_scope: ContextVar[ExitStack | None] = ContextVar("scope", default=None)
_unwritten: deque[Callable[[], object]] = deque(maxlen=100_000)  # more is lost, oldest first


@contextmanager
def transaction(*, synced: bool = True, since: int | None = None) -> Iterator[None]:
    """One transaction, begun IMMEDIATE: all of it happens or nothing. Inside one it adds to it.

    Behind it everything is on disk for good: what is acknowledged survives a power cut. Only a
    step of something larger need not be `synced`; its last one is given what `log_failures` was
    `since` before the first.
    """
    scope = _scope.get()
    if scope and not database.in_transaction():
        scope.enter_context(_transaction(synced=True, since=since))
    if database.in_transaction():
        yield
        return
    with _transaction(synced=synced, since=since):
        yield


@contextmanager
def in_one_transaction() -> Iterator[None]:
    """All that is written inside is one transaction, which begins with the first of it: what is
    dear and comes before, a password's digest, keeps no other writer waiting.
    """
    with ExitStack() as scope:
        before = _scope.set(scope)
        try:
            yield
        finally:
            _scope.reset(before)


@contextmanager
def _transaction(*, synced: bool, since: int | None) -> Iterator[None]:
    spare.give_if_full(Path(database.database))
    with _turn():
        failures = _begun_anew_behind_failures()
        _write_what_waits()
        with database.atomic():
            yield
    _write_if_free()
    _written.set()
    if synced:
        _log.sync(failures if since is None else since)


def enqueue_write(write: Callable[[], object]) -> None:
    """A small fact of a reading: nobody waits for it. It is written by whoever writes next, before
    their own, or in a moment by `catch_up`, many at once. Inside a transaction it adds to it.
    """
    if database.in_transaction():
        write()
    else:
        _unwritten.append(write)


def flush_enqueued_writes() -> None:
    """Write what readings left. While another writes, they do it in the end."""
    if _unwritten:
        with connected():
            _write_if_free()


def _write_if_free() -> None:
    while _unwritten and _one_writer.acquire(blocking=False):
        try:
            _write_what_waits()
        except OperationalError:  # another process holds the database: later
            return
        finally:
            _one_writer.release()


def _write_what_waits() -> None:
    """Not synced: it survives a crash at once, and a power cut with the next transaction.

    On a full disk it is lost, and the reading goes on.
    """
    begun = False
    if not _unwritten:
        return
    try:
        with database.atomic():
            begun = True
            for _ in range(len(_unwritten)):
                _unwritten.popleft()()
        _written.set()
    except Exception:
        if not begun:
            raise
        logging.getLogger("docservice").exception("what readings left to be written was lost")


def pragma(name: str) -> int:
    """A number that the database tells of itself."""
    return int(database.execute_sql(f"PRAGMA {name}").fetchone()[0])


def wal_sync_failures() -> int:
    """How often the log could not be synced, since the start."""
    return _log.failures


def sync_wal() -> None:
    """What anybody has committed, in whatever process, is on disk for good."""
    _log.sync()


def _begun_anew_behind_failures() -> int:
    """How many syncs have failed; none of them since the log was begun anew.

    It is read, after a power cut, up to the first page that is missing: so nothing that is written
    behind what a sync lost would be safe.
    """
    global _begun_anew  # noqa: PLW0603
    failures = _log.failures
    if failures > _begun_anew:
        if not truncate_wal(LOG_SECONDS):
            raise Busy
        _begun_anew = failures
    return failures


@contextmanager
def _turn() -> Iterator[None]:
    """When another process holds the database, nobody waits for all who came before as well."""
    if not _one_writer.acquire(timeout=PRAGMAS["busy_timeout"] / 1000):
        raise Busy
    try:
        yield
    finally:
        _one_writer.release()


@contextmanager
def connected() -> Iterator[None]:
    """A connection for work outside a request; inside one, the request's own."""
    opened = database.connect(reuse_if_open=True)
    try:
        yield
    finally:
        if opened:
            database.close()


def shred(table: str, id: str) -> bool:
    """Delete one row that holds a key; the log is emptied when the transaction ends."""
    deleted = database.execute_sql(f"DELETE FROM {table} WHERE id = ?", (id,)).rowcount  # noqa: S608
    database.after_commit(_empty_log_or_later)
    return bool(deleted == 1)


def _empty_log_or_later() -> None:
    """The row is deleted, whether this succeeds or not; every sweep tries again."""
    try:
        truncate_wal()
    except OperationalError:
        logging.getLogger("docservice").exception("The log could not be emptied; a sweep will")


def truncate_wal(patience_seconds: float = 0) -> bool:
    """Move the write-ahead log into the database and cut it; False if a reader holds it."""
    deadline = time.monotonic() + patience_seconds
    while not (emptied := _checkpoint("TRUNCATE")) and time.monotonic() < deadline:
        time.sleep(0.05)
    return emptied


def checkpoint_wal() -> None:
    """Move what was written lately into the database, beside readers and writers.

    So a large upload is answered sooner: its pages are written once before the answer, and once
    after it.
    """
    if _written.is_set():
        _written.clear()
        with connected():
            _checkpoint("PASSIVE")


def _checkpoint(mode: str) -> bool:
    with _one_checkpoint:
        database.execute_sql("PRAGMA busy_timeout = 0")
        try:
            (blocked, *_) = database.execute_sql(f"PRAGMA wal_checkpoint({mode})").fetchone()
        finally:
            database.execute_sql(f"PRAGMA busy_timeout = {PRAGMAS['busy_timeout']}")
    return not blocked
