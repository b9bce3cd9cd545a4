"""SQLite as the engine: one writer at a time, synced together; one process serves."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from peewee import OperationalError

from ..errors import Busy
from . import ballast_file
from .disk_space import reserve_disk_space
from .schema import schema_differences
from .sqlite import (
    PRAGMAS,
    READER_SECONDS,
    after_shredding,
    checkpoint_wal,
    create_file,
    damage_found,
    database,
    engine_error,
    is_writable,
    migrating,
    open_database,
    snapshot,
    stream,
    sync_wal,
    truncate_wal,
    wal,
    wal_grown,
    wal_sync_failures,
    without_scrubbing,
)

SHARED = False
PIECES_AT_ONCE = 4

_writer_lock = threading.Lock()  # fair, unlike SQLite's own
_reset_after_failures = 0  # the number of failed syncs when the WAL was last reset


@contextmanager
def write_transaction(
    _owner_id: str | None,
    *,
    synced: bool,
    since: int | None,
    before: Callable[[], None],
    after: Callable[[], None],
) -> Iterator[None]:
    """One writer at a time, of any owner. `before` and `after` write what is enqueued.

    The lock is waited for as long as SQLite's own, so that queued writers time out together.
    """
    ballast_file.delete_if_full(database.database)
    if not _writer_lock.acquire(timeout=PRAGMAS["busy_timeout"] / 1000):
        raise Busy
    try:
        failures = _failures_after_reset()
        with database.on_writer():
            before()
            with database.transaction():
                yield
    finally:
        _writer_lock.release()
    after()
    wal_grown.set()
    if synced:
        wal.sync(failures if since is None else since)


def lock_owner(_owner_id: str) -> None:
    """There is one writer anyway."""


def lock_name(_name: str, _wait_seconds: float) -> bool:
    """There is no other process."""
    return True


@contextmanager
def background_transaction(_owner_id: str) -> Iterator[None]:
    """Not synced: the next transaction's sync covers it. The caller holds the writer lock."""
    with database.on_writer(), database.atomic():
        yield
    wal_grown.set()


@contextmanager
def if_no_writer() -> Iterator[bool]:
    """True, with the writer lock held, unless a transaction of this process runs."""
    acquired = _writer_lock.acquire(blocking=False)
    try:
        yield acquired
    finally:
        if acquired:
            _writer_lock.release()


def is_durable() -> bool:
    return wal.failures <= _reset_after_failures and not damage_found.is_set()


def table_differences(_directory: str) -> list[str]:
    return []  # `schema_differences` compares all


def keep_ballast() -> None:
    ballast_file.create(database.database)


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
