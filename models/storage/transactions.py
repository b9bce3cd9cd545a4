"""Write transactions: one writer at a time, synced together, and writes that nobody waits for."""

import logging
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar

from peewee import OperationalError

from ..errors import Busy
from . import ballast_file
from .sqlite import PRAGMAS, READER_SECONDS, connected, database, truncate_wal, wal, wal_grown

_writer_lock = threading.Lock()  # fair, unlike SQLite's own
_reset_after_failures = 0  # the number of failed syncs when the WAL was last reset
_undo: list[Callable[[], object]] = []  # of the open transaction; the writer lock guards it
_scope: ContextVar[ExitStack | None] = ContextVar("scope", default=None)
_enqueued: deque[Callable[[], object]] = deque(maxlen=100_000)  # the oldest are dropped


@contextmanager
def transaction(*, since: int | None = None) -> Iterator[None]:
    """A write transaction, synced to disk when it ends. Nested, it is part of the outer one.

    Raises OSError if a sync has failed after `wal_sync_failures` was `since`: then earlier
    unsynced transactions, on which this one builds, may be lost.
    """
    scope = _scope.get()
    if scope and not database.in_transaction():
        scope.enter_context(_transaction(since=since))
    with _transaction(since=since):
        yield


@contextmanager
def unsynced_transaction() -> Iterator[None]:
    """A write transaction of its own, also inside `in_one_transaction`; a power cut may undo it.

    For steps of something larger, whose last transaction is synced. Nested in an open transaction
    it is part of that one.
    """
    with _transaction(synced=False):
        yield


def on_rollback(undo: Callable[[], object]) -> None:
    """Call `undo` when the open transaction has been rolled back and the lock released."""
    _undo.append(undo)


@contextmanager
def in_one_transaction() -> Iterator[None]:
    """Makes all `transaction`s inside one. It begins with the first of them, so that expensive work
    before the first write (hashing a password) does not hold the writer lock. Nested, it is part of
    the outer one.
    """
    if _scope.get():
        yield
        return
    with ExitStack() as scope:
        before = _scope.set(scope)
        try:
            yield
        finally:
            _scope.reset(before)


@contextmanager
def _transaction(*, synced: bool = True, since: int | None = None) -> Iterator[None]:
    if database.in_transaction():
        yield
        return
    ballast_file.delete_if_full(database.database)
    undo: list[Callable[[], object]] = []
    try:
        with _exclusive():
            failures = _failures_after_reset()
            _write_enqueued()
            with database.atomic():
                _undo[:] = []
                try:
                    yield
                finally:
                    undo += _undo
    except BaseException:
        for one in undo:
            one()
        raise
    _write_if_free()
    wal_grown.set()
    if synced:
        wal.sync(failures if since is None else since)


def enqueue_write(write: Callable[[], object]) -> None:
    """Queue a write that the request need not wait for, such as the event of a read.

    The next transaction writes it first, or `flush_enqueued_writes` does, many at once. Inside a
    transaction it is written at once.
    """
    if database.in_transaction():
        write()
    else:
        _enqueued.append(write)


def flush_enqueued_writes() -> None:
    """Write what is enqueued, unless a transaction runs: it does so at its end."""
    if _enqueued:
        with connected():
            _write_if_free()


def _write_if_free() -> None:
    while _enqueued and _writer_lock.acquire(blocking=False):
        try:
            _write_enqueued()
        except OperationalError:  # another process writes: try again later
            return
        finally:
            _writer_lock.release()


def _write_enqueued() -> None:
    """Not synced: the next transaction's sync covers it. What fails, as on a full disk, is lost."""
    begun = False
    if not _enqueued:
        return
    try:
        with database.atomic():
            begun = True
            for _ in range(len(_enqueued)):
                _enqueued.popleft()()
        wal_grown.set()
    except Exception:
        if not begun:
            raise
        logging.getLogger("docservice").exception("enqueued writes were lost")


def _failures_after_reset() -> int:
    """The number of failed syncs. After a new failure, the WAL is reset first.

    After a power cut SQLite reads the WAL up to the first missing page, so nothing written after
    a page that was not synced would be safe.
    """
    global _reset_after_failures  # noqa: PLW0603
    failures = wal.failures
    if failures > _reset_after_failures:
        if not truncate_wal(READER_SECONDS):
            raise Busy
        _reset_after_failures = failures
    return failures


def is_durable() -> bool:
    """False from a failed sync until a transaction has reset the WAL."""
    return wal.failures <= _reset_after_failures


@contextmanager
def _exclusive() -> Iterator[None]:
    """The writer lock, waited for as long as SQLite's, so that queued writers time out together."""
    if not _writer_lock.acquire(timeout=PRAGMAS["busy_timeout"] / 1000):
        raise Busy
    try:
        yield
    finally:
        _writer_lock.release()
