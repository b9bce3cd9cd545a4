"""The database, the keyring, and what every table has."""

import logging
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any, ClassVar, Self

from peewee import BigIntegerField, Model, OperationalError, TextField
from playhouse.pool import PooledSqliteDatabase

from crypto import Keyring

from .errors import Busy
from .group_sync import GroupSync
from .ids import fresh_id, now

PRAGMAS: dict[str, Any] = {
    "page_size": 16_384,  # for a new file: large payloads are written a third faster than at 4 KiB
    "journal_mode": "wal",
    "synchronous": "normal",  # commits are synced by `writing`, once for all who wait
    "wal_autocheckpoint": 8_192,  # pages; long before that `shorten_log` does it beside the work
    "foreign_keys": 1,
    "busy_timeout": 10_000,
    "cache_size": -4_000,  # KiB, for each of the kept connections
    "secure_delete": "on",  # what a row leaves behind when it goes or moves is overwritten
}

# Connections are kept: closing the last one would checkpoint the log at every request.
database = PooledSqliteDatabase(
    None, max_connections=0, lock_type="IMMEDIATE", check_same_thread=False, autoconnect=False
)

_one_writer = threading.Lock()  # fair, where SQLite's own waiting is not
_one_checkpoint = threading.Lock()
_log = GroupSync(lambda: f"{database.database}-wal")
_written = threading.Event()  # since the last checkpoint
_unwritten: deque[Callable[[], object]] = deque()


@contextmanager
def writing(*, synced: bool = True, since: int | None = None) -> Iterator[None]:
    """One transaction, begun IMMEDIATE: all of it happens or nothing. Inside one it adds to it.

    Behind it everything is on disk for good: what is acknowledged survives a power cut. Only a
    step of something larger need not be `synced`; its last one is given what `log_failures` was
    `since` before the first.
    """
    if database.in_transaction():
        yield
        return
    since = _log.failures if since is None else since
    try:
        with _turn():
            _write_what_waits()
            with database.atomic():
                yield
    finally:
        _write_if_free()
    _written.set()
    if synced:
        _log.sync(since)


def soon(write: Callable[[], object]) -> None:
    """A small fact of a reading: nobody waits for it. It is written by whoever writes next, before
    their own, or in a moment by `catch_up`, many at once. Inside a transaction it adds to it.
    """
    if database.in_transaction():
        write()
    else:
        _unwritten.append(write)


def catch_up() -> None:
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
    waiting = len(_unwritten)
    if not waiting:
        return
    try:
        with database.atomic():
            for _ in range(waiting):
                _unwritten.popleft()()
        _written.set()
    except Exception:
        if len(_unwritten) >= waiting:  # not begun
            raise
        logging.getLogger("docservice").exception("what readings left to be written was lost")


def log_failures() -> int:
    """How often the log could not be synced, since the start."""
    return _log.failures


def sync_log() -> None:
    """What anybody has committed, in whatever process, is on disk for good."""
    _log.sync()


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


class Table(Model):
    """A row with an id that sorts by creation and the moment it was made."""

    PREFIX: ClassVar[str]
    keyring: ClassVar[Keyring]

    id = TextField(primary_key=True)
    created_at = BigIntegerField()

    class Meta:
        database = database
        legacy_table_names = False

    @classmethod
    def fresh(cls, **fields: Any) -> Any:
        """A new row, not stored yet; store it with `insert_row`."""
        return cls(id=fresh_id(cls.PREFIX), created_at=now(), **fields)

    def insert_row(self) -> None:
        names = self._meta.sorted_field_names
        database.execute_sql(_insertion(type(self)), [self.__data__.get(name) for name in names])

    @classmethod
    def rows(cls, condition: str, **values: Any) -> list[Self]:
        """The rows of a condition in SQL, with `:name` for values.

        Fixed text: to build a query costs ten times what it costs to run it.
        """
        found = database.execute_sql(f"{_selection(cls)} WHERE {condition}", values)
        return [cls._of_row(row) for row in found.fetchall()]

    @classmethod
    def _of_row(cls, row: tuple[Any, ...]) -> Self:
        loaded = cls(__no_default__=1)
        loaded.__data__ = dict(zip(cls._meta.sorted_field_names, row, strict=True))
        return loaded

    def change(self, **fields: Any) -> None:
        """Store new values of some columns."""
        for name, value in fields.items():
            setattr(self, name, value)
        self.save(only=list(fields))


@cache
def _insertion(table: type[Table]) -> str:
    names = table._meta.sorted_field_names
    marks = ", ".join("?" * len(names))
    return f"INSERT INTO {table._meta.table_name} ({', '.join(names)}) VALUES ({marks})"  # noqa: S608


@cache
def _selection(table: type[Table]) -> str:
    names = ", ".join(table._meta.sorted_field_names)
    return f"SELECT {names} FROM {table._meta.table_name}"  # noqa: S608


def shred(table: str, id: str) -> bool:
    """Delete one row that holds a key; the log is emptied when the transaction ends."""
    deleted = database.execute_sql(f"DELETE FROM {table} WHERE id = ?", (id,)).rowcount  # noqa: S608
    database.after_commit(_empty_log_or_later)
    return bool(deleted == 1)


def _empty_log_or_later() -> None:
    """The row is deleted, whether this succeeds or not; every sweep tries again."""
    try:
        empty_log()
    except OperationalError:
        logging.getLogger("docservice").exception("The log could not be emptied; a sweep will")


def empty_log() -> bool:
    """Move the write-ahead log into the database and cut it; False while a reader holds it."""
    return _checkpoint("TRUNCATE")


def shorten_log() -> None:
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
