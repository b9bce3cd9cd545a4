"""PostgreSQL as the engine: any number of processes serve, with a writer lock for each owner.

The locks are advisory ones that end with their transaction. A transaction is READ COMMITTED, so
that each of its statements sees what the former holder of its lock has committed; the server lets
others see a commit before it releases the lock. Events of an owner are numbered with the lock
held, so a reader of one number has seen all lower ones.
"""

import hashlib
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from typing import Any

from peewee import DatabaseError

from .postgres import database, engine_error, open_database, stream
from .postgres_schema import schema_differences, table_differences

SHARED = True
PIECES_AT_ONCE = 8
LOCK_SECONDS = 5
BACKGROUND_LOCK_SECONDS = 1  # others of this process may wait meanwhile
IDLE_SECONDS = 15  # a transaction of a machine that vanished holds its locks for so long

_BOUNDED = f"SET LOCAL idle_in_transaction_session_timeout = '{IDLE_SECONDS}s'"
_ALL = "all"  # held shared by each writer, and alone by a writer of the service
_SERVICE = "service"
_flushing = threading.Lock()
# A server whose default is `off` would lose what was acknowledged; every other value is kept.
_SYNCED = """
    SELECT set_config('synchronous_commit', 'on', true)
    WHERE current_setting('synchronous_commit') = 'off'"""
_UNSYNCED = "SET LOCAL synchronous_commit = off"


@contextmanager
def write_transaction(
    owner_id: str | None,
    *,
    synced: bool,
    since: int | None,  # noqa: ARG001  the server answers a commit when it is on disk
    before: Callable[[], None],
    after: Callable[[], None],
) -> Iterator[None]:
    """One writer of each owner at a time. `before` and `after` write what is enqueued."""
    with _flushing, suppress(DatabaseError):  # a lock held elsewhere: they stay enqueued
        before()
    with database.atomic(_statements(owner_id, synced, LOCK_SECONDS)):
        yield
    after()


def lock_owner(owner_id: str) -> None:
    """From here to the end of the transaction no other one of this owner runs."""
    database.execute_sql(f"SELECT {_locks(owner_id)}")


def lock_name(name: str, wait_seconds: float) -> bool:
    """Asked again and again: a statement that waits in vain would end the transaction."""
    query = f"SELECT pg_try_advisory_xact_lock({_key(name)})"
    deadline = time.monotonic() + wait_seconds
    while not (held := database.execute_sql(query).fetchone()[0]) and time.monotonic() < deadline:
        time.sleep(0.05)
    return bool(held)


@contextmanager
def background_transaction(owner_id: str) -> Iterator[None]:
    """Nobody waits until it is on disk."""
    with database.atomic(_statements(owner_id, False, BACKGROUND_LOCK_SECONDS)):
        yield


@contextmanager
def if_no_writer() -> Iterator[bool]:
    """True unless this thread is in a transaction, or another one of this process flushes."""
    acquired = not database.in_transaction() and _flushing.acquire(blocking=False)
    try:
        yield acquired
    finally:
        if acquired:
            _flushing.release()


def migrating() -> Any:
    return database.atomic(f"{_BOUNDED}; SELECT pg_advisory_xact_lock({_key('migrations')})")


def snapshot() -> Any:
    return database.atomic("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")


def is_writable() -> bool:
    (read_only,) = database.execute_sql("SHOW transaction_read_only").fetchone()  # or a standby
    return bool(read_only == "off")


def is_durable() -> bool:
    return True


def after_shredding() -> None:
    """What the server keeps of deleted rows ends with its own vacuum and log."""


def without_scrubbing() -> Any:
    return nullcontext()


def checkpoint_wal() -> None:
    """The server's own work, as all of what follows."""


def truncate_wal(_patience_seconds: float = 0) -> bool:
    return True


def sync_wal() -> None:
    pass


def wal_sync_failures() -> int:
    return 0


def reserve_disk_space(_size: int, _reserve_bytes: int) -> Any:
    return nullcontext()


def keep_ballast() -> None:
    pass


def _statements(owner_id: str | None, synced: bool, lock_seconds: float) -> str:
    """What begins a transaction."""
    waiting = f"SET LOCAL lock_timeout = '{lock_seconds}s'"
    locking = f"SELECT {_locks(owner_id)}" if owner_id is not None else ""
    return "; ".join((_BOUNDED, waiting, _SYNCED if synced else _UNSYNCED, locking))


def _locks(owner_id: str) -> str:
    if owner_id == _SERVICE:
        return f"pg_advisory_xact_lock({_key(_ALL)})"
    shared = f"pg_advisory_xact_lock_shared({_key(_ALL)})"
    return f"{shared}, pg_advisory_xact_lock({_key(owner_id)})"


def _key(name: str) -> int:
    digest = hashlib.blake2b(name.encode(), digest_size=8, person=b"docservice").digest()
    return int.from_bytes(digest, "big", signed=True)
