"""The engine in use: SQLite, or PostgreSQL where the database's address names it.

An engine is a module with the names of `Engine`. Here is what the rest of the code calls.
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any, Protocol

from ..errors import OperatorError, ServiceError
from . import sqlite_engine
from .connection import close_database, database


class Engine(Protocol):
    """What the engines do differently; the functions below say what each means."""

    SHARED: bool
    PIECES_AT_ONCE: int  # that a query of a payload fetches
    database: Any

    def open_database(self, address: str, connections: int) -> None: ...
    def write_transaction(
        self,
        owner_id: str | None,
        *,
        synced: bool,
        since: int | None,
        before: Callable[[], None],
        after: Callable[[], None],
    ) -> AbstractContextManager[None]: ...
    def lock_owner(self, owner_id: str) -> None: ...
    def lock_name(self, name: str, wait_seconds: float) -> bool: ...
    def background_transaction(self, owner_id: str) -> AbstractContextManager[None]: ...
    def if_no_writer(self) -> AbstractContextManager[bool]: ...
    def migrating(self) -> AbstractContextManager[None]: ...
    def schema_differences(self, directory: str, migrations: Any) -> list[str]: ...
    def table_differences(self, directory: str) -> list[str]: ...
    def snapshot(self) -> Any: ...
    def stream(self, query: str, values: dict[str, Any]) -> Iterator[tuple[Any, ...]]: ...
    def engine_error(self, error: BaseException) -> ServiceError | None: ...
    def is_writable(self) -> bool: ...
    def is_durable(self) -> bool: ...
    def after_shredding(self) -> None: ...
    def without_scrubbing(self) -> AbstractContextManager[None]: ...
    def checkpoint_wal(self) -> None: ...
    def truncate_wal(self, patience_seconds: float = 0) -> bool: ...
    def sync_wal(self) -> None: ...
    def wal_sync_failures(self) -> int: ...
    def reserve_disk_space(self, size: int, reserve: int) -> AbstractContextManager[None]: ...
    def keep_ballast(self) -> None: ...


# SQL: the moment by the clock of a database server, in milliseconds.
SERVER_NOW = "CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)"
_NO_DRIVER = (
    "The database is on a PostgreSQL server, and the driver for it is not installed. Run: "
    "pip install 'psycopg[binary]>=3.3,<4'"
)
_in_use: Engine = sqlite_engine
database.initialize(sqlite_engine.database)


def engine() -> Engine:
    return _in_use


def create_file(address: str) -> None:
    """An empty database file, unless there is one or the database is no file."""
    if not is_server(address):
        sqlite_engine.create_file(address)


def open_database(address: str, connections: int = 8) -> None:
    """Use the database at `address`, a path or a URL, from now on, instead of any other.

    At most so many `connections` are held to a server. OperatorError if its driver is missing or
    the address is malformed: then the other one stays in use, closed.
    """
    global _in_use  # noqa: PLW0603
    close_database()
    chosen = _engine_of(address)
    chosen.open_database(address, connections)
    _in_use = chosen
    database.initialize(chosen.database)


def _engine_of(address: str) -> Engine:
    if not is_server(address):
        return sqlite_engine
    try:
        from . import postgres_engine  # noqa: PLC0415
    except ImportError as error:
        raise OperatorError(_NO_DRIVER) from error
    return postgres_engine


def is_server(address: str) -> bool:
    """Whether a database's address is the URL of a PostgreSQL server."""
    return address.startswith(("postgresql://", "postgres://"))


def is_shared() -> bool:
    """Whether several processes may serve this database at once."""
    return _in_use.SHARED


def migrating() -> AbstractContextManager[None]:
    """A transaction in which migrations run: of several starters one migrates."""
    return _in_use.migrating()


def schema_differences(directory: str, migrations: Any) -> list[str]:
    """What is not as these migrations, in this order, make it, each as `trigger x is foreign`."""
    return _in_use.schema_differences(directory, migrations)


def table_differences(directory: str) -> list[str]:
    """How tables on a server differ from those that all migrations of the directory make."""
    return _in_use.table_differences(directory)


def lock_name(name: str, wait_seconds: float) -> bool:
    """Whether no other process holds the lock of this name, which ends with the transaction."""
    return _in_use.lock_name(name, wait_seconds)


def engine_error(error: BaseException) -> ServiceError | None:
    """The domain error that the engine's error stands for; None for any other exception."""
    return _in_use.engine_error(error)


def snapshot() -> Any:
    """A context in which all queries see the database as it is at the first one."""
    return _in_use.snapshot()


def stream(query: str, values: dict[str, Any]) -> Iterator[tuple[Any, ...]]:
    """The rows of a query, which are not held in memory. Read them in a transaction."""
    return _in_use.stream(query, values)


def is_writable() -> bool:
    """False for a read-only file or a standby server."""
    return _in_use.is_writable()


def is_durable() -> bool:
    """False from a failed sync of the write-ahead log until a transaction has reset it."""
    return _in_use.is_durable()


def shred(table: str, id: str) -> bool:
    """Delete one row that holds a key; where that can be, it is scrubbed from the disk."""
    deleted = database.execute_sql(f"DELETE FROM {table} WHERE id = :id", {"id": id}).rowcount  # noqa: S608
    database.after_commit(_in_use.after_shredding)
    return bool(deleted == 1)


def without_scrubbing() -> AbstractContextManager[None]:
    """Deleted rows are not overwritten on disk: for ciphertext whose key is deleted, too."""
    return _in_use.without_scrubbing()


def checkpoint_wal() -> None:
    """Copy SQLite's write-ahead log into the database, beside readers and writers."""
    _in_use.checkpoint_wal()


def truncate_wal(patience_seconds: float = 0) -> bool:
    """Move SQLite's write-ahead log into the database; False if a reader prevents it."""
    return _in_use.truncate_wal(patience_seconds)


def sync_wal() -> None:
    """Sync what any process has committed; OSError if that fails."""
    _in_use.sync_wal()


def wal_sync_failures() -> int:
    """The number of failed syncs of SQLite's write-ahead log since the process began."""
    return _in_use.wal_sync_failures()


def reserve_disk_space(size: int, reserve_bytes: int) -> AbstractContextManager[None]:
    """Reserve space for a payload of `size` bytes; `StorageFull` if there is too little.

    A database server says so itself, when it is full.
    """
    return _in_use.reserve_disk_space(size, reserve_bytes)


def keep_ballast() -> None:
    """Keep some space that can be freed when the disk is full, where the disk is ours."""
    _in_use.keep_ballast()
