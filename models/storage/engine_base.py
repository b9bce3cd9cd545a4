"""The differences between the engines, as one object each: `SqliteEngine`, `PostgresEngine`."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from ..core import ServiceError
from .group_commit import NotSynced
from .right import Right


class Engine(ABC):
    """A database engine.

    The methods that are not abstract are for an engine that leaves disk and log to a server, or
    that no other process shares. `write_transaction` yields the argument `since` of `sync`.
    """

    is_shared = False  # whether several processes may serve the database at once
    pieces_at_once: int  # that a query of a payload fetches
    database: Any

    @abstractmethod
    def open(self, address: str, connections: int) -> None:
        """Use the database at this address. Raises OperatorError if it is malformed."""

    def limit_answers(self, seconds: float) -> None:
        """Give up a connection on which a statement is not answered by the server in this time."""

    @abstractmethod
    def write_transaction(
        self,
        owner_id: str | None,
        *,
        synced: bool,
        wait_seconds: float | None = None,
        right: Right | None = None,
    ) -> AbstractContextManager[int]:
        """Return a transaction with the owner's lock; when it ends, others see it, and may write.

        It judges the right when it has the lock. Raises `RightLost`; `Busy` or an error of the
        engine if the lock is not free after `wait_seconds`, or 5 s.
        """

    def sync(self, since: int | None = None) -> None:
        """Sync all commits. Raises `NotSynced` if that failed, or has failed after `since`."""

    def sync_failure(self, since: int) -> NotSynced | None:  # noqa: ARG002
        """Return the `NotSynced` of a sync that has failed after `sync_failures` was `since`."""
        return None

    def sync_failures(self) -> int:
        """Return the number of failed syncs since the process began."""
        return 0

    def lock_owner(self, owner_id: str, right: Right | None) -> None:  # noqa: ARG002
        """Let no other transaction of this owner run, from here to the end of this transaction.

        Then judge the right. Raises `RightLost`.
        """
        if right:
            right.judge()

    def keeping(self, query: Any, *tables: Any) -> Any:  # noqa: ARG002
        """Return the query, which lets nobody change what it reads of these tables until the
        transaction ends.
        """
        return query

    def changing(self, query: Any) -> Any:
        """Return the query, which lets nobody else change the rows that it reads until the
        transaction ends.
        """
        return query

    def lock_name(self, name: str, wait_seconds: float) -> bool:
        """Lock a name until the transaction ends; return False if another process holds it."""
        return True

    @abstractmethod
    def migrating(self) -> AbstractContextManager[Any]:
        """Return a transaction in which migrations run: of several starters one migrates."""

    @abstractmethod
    def schema_differences(self, directory: str, migrations: Any) -> list[str]:
        """Return differences from the schema of these migrations, as `trigger x is foreign`."""

    def table_differences(self, directory: str) -> list[str]:
        """Return differences of tables on a server from those that all migrations make."""
        return []

    def damage(self, deep: bool) -> list[str]:
        """Return the damages of the file; `deep` also compares indexes with their tables."""
        return []

    @abstractmethod
    def snapshot(self) -> AbstractContextManager[Any]:
        """Return a context in which all queries see the database as it is at the first one."""

    @abstractmethod
    def stream(self, query: str, values: dict[str, Any]) -> Iterator[tuple[Any, ...]]:
        """Return the rows of a query, which are not held in memory. Read them in a transaction."""

    @abstractmethod
    def service_error(self, error: BaseException) -> ServiceError | None:
        """Return the domain error of an error of the engine; None for any other exception."""

    @abstractmethod
    def is_writable(self) -> bool:
        """Return False for a read-only file or a standby server."""

    def fault(self) -> str | None:
        """Return a sentence that says why nothing can be stored for good, or None.

        The database is read-only; or a sync of the write-ahead log has failed, until a transaction
        has reset it; or a query has found the file damaged.
        """
        return None if self.is_writable() else "The database is read-only."

    def after_shredding(self) -> None:
        """Scrub deleted rows from the disk."""

    def without_scrubbing(self) -> AbstractContextManager[Any]:
        """Return a context in which deleted rows are not overwritten on disk, as for ciphertext
        whose key is deleted, too.
        """
        return nullcontext()

    def checkpoint_wal(self) -> None:
        """Copy the write-ahead log into the database, beside readers and writers."""

    def truncate_wal(self, patience_seconds: float = 0) -> bool:
        """Move the write-ahead log into the database; False if a reader prevents it."""
        return True

    def keep_statistics(self) -> None:
        """Count the rows of large tables, by which queries are planned; at most once a day.

        A server does so by itself.
        """

    def reserve_disk_space(
        self,
        size: int,  # noqa: ARG002  of an engine with files
        reserve_bytes: int,  # noqa: ARG002
        *,
        in_file: bool = False,  # noqa: ARG002
    ) -> AbstractContextManager[None]:
        """Reserve space for a payload of `size` bytes, in rows or `in_file`.

        Raises `StorageFull` if there is too little. A server says so itself, when it is full.
        """
        return nullcontext()

    def keep_ballast(self) -> None:
        """Keep some space that can be freed when the disk is full."""
