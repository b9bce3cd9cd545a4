"""PostgreSQL through psycopg 3: connections, the form of queries, and rows that are copied to it.

A connection keeps nothing of its own between two transactions, and no statement is prepared on it:
so a pooler that lends connections by transaction, such as pgbouncer, may stand between.
"""

import logging
import re
import select
import time
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

import peewee
import psycopg
from peewee import OperationalError
from playhouse.pool import PooledPostgresqlDatabase
from psycopg.errors import DataError, IntegrityError
from psycopg.pq import Format, TransactionStatus
from psycopg.types.json import Json, Jsonb

from ..core import OperatorError, log_unless_printed, will_wait
from .connection import wrapping_errors
from .sqlite import SqliteError

LOOK_SECONDS = 0.1  # between two looks whether a wait for the server was interrupted
POOL_SECONDS = 5  # how long to wait for a free connection
SLOW_SECONDS = 1.0  # after an attempt to connect that took longer, others fail at once for so long

_COLUMNS = """
    SELECT column_name, data_type FROM information_schema.columns
    WHERE table_schema = current_schema() AND table_name = :table ORDER BY ordinal_position"""
_MISFITS = (DataError, IntegrityError, TypeError, ValueError, OverflowError, SqliteError)
_Base: Any = peewee.PostgresqlDatabase
_NAMED = re.compile(r"%|(?<!:):([a-z_][a-z_0-9]*)")


class Connection(psycopg.Connection[Any]):
    """A connection that is given up when the server does not answer a statement in time."""

    answered_at = float("-inf")  # of the monotonic clock, when an answer last came

    def wait(self, gen: Any, interval: float = LOOK_SECONDS, timeout: float | None = None) -> Any:
        began = time.monotonic()
        longest = database.answer_seconds if timeout is None else timeout
        try:
            answer = super().wait(gen, interval, longest)
        except psycopg.errors._WaitTimeout:
            if timeout is not None:  # the driver's own wait
                raise
            self.pgconn.finish()
            reason = f"no answer to a statement within {longest:g} s"
            database.suspect(began, reason)
            raise psycopg.OperationalError(reason) from None
        self.answered_at = time.monotonic()
        return answer


class _Adapter(peewee.Psycopg3Adapter):
    def connect(self, db: Any, **params: Any) -> Any:
        return Connection.connect(db.database, **params)


def _hand_over_driver() -> None:
    """Hand the driver to peewee, which was imported without it (`lean_peewee.py`)."""
    library: Any = peewee
    library.psycopg = psycopg
    library.TransactionStatus = TransactionStatus
    library.Json_pg3 = Json
    library.Jsonb_pg3 = Jsonb
    adapter = library.Psycopg3Adapter
    adapter.txn_idle = TransactionStatus.IDLE
    adapter.txn_inerror = TransactionStatus.INERROR
    adapter.txn_unknown = TransactionStatus.UNKNOWN


_hand_over_driver()


class _Server(_Base):  # type: ignore[misc]
    psycopg3_adapter = _Adapter

    def _connect(self) -> Any:
        """Return a new connection.

        Single statements are READ COMMITTED as transactions are, whatever the default of the
        server.
        """
        connection = super()._connect()
        connection.execute("SET default_transaction_isolation = 'read committed'")
        return connection


class Database(PooledPostgresqlDatabase, _Server):  # type: ignore[misc]
    """A bounded pool. A connection is made at the first query, so that what asks nothing of the
    database works while its server is away.
    """

    answer_seconds: float | None = None  # how long a statement may take; None: as long as it takes
    _unanswered_until = float("-inf")
    _suspected_since = float("-inf")  # a connection that has not answered since then is not used
    _away_since: float | None = None

    def _connect(self) -> Any:
        """Connect once at a time: nobody waits behind others for a server that is away."""
        began = time.monotonic()
        if began < self._unanswered_until:
            raise OperationalError("the database server did not answer a moment ago")
        try:
            connection = super()._connect()
        except psycopg.Error as error:
            if time.monotonic() - began > SLOW_SECONDS:
                self._unanswered_until = time.monotonic() + SLOW_SECONDS
            self._log_away(began, first_line(error))
            raise
        if self._away_since is not None:
            seconds = time.monotonic() - self._away_since
            self._away_since = None
            log_line = "the database server answers again, after %.0f s"
            logging.getLogger("docservice").warning(log_line, seconds)
        return connection

    def suspect(self, since: float, reason: str) -> None:
        """Use no connection any more that has not answered since this time of the monotonic clock.

        A server that stands still, and whatever swallows what is sent to it, closes no connection.
        """
        self._suspected_since = since
        self._unanswered_until = time.monotonic() + SLOW_SECONDS
        self._log_away(since, reason)

    def _log_away(self, since: float, reason: str) -> None:
        if self._away_since is None and log_unless_printed(
            f"the database server does not answer: {reason}"
        ):
            self._away_since = since

    def _is_closed(self, conn: Any) -> bool:
        """Look without a query: a server that has ended the connection leaves something to read."""
        if not conn.closed and conn.answered_at < self._suspected_since:
            conn.close()
        if conn.closed:
            return True
        poll = select.poll()
        poll.register(conn.fileno(), select.POLLIN)
        if poll.poll(0):
            conn.close()
        return bool(conn.closed)

    def cursor(self, **options: Any) -> Any:
        """Return a cursor in binary: as text, sealed bytes would have twice as many digits."""
        cursor = super().cursor(**options)
        cursor.format = Format.BINARY
        return cursor

    def _execute_cursor(self, sql: str, params: Any, **options: Any) -> Any:
        if isinstance(params, dict):
            sql = translated(sql)
            params = _storable_values(params)
        elif params:
            params = [storable(value) for value in params]
        will_wait()
        return super()._execute_cursor(sql, params or None, **options)

    def execute_each(self, sql: str, rows: list[dict[str, Any]]) -> None:
        """Execute a statement once for the parameters of each row, in one round trip."""
        with wrapping_errors:
            will_wait()
            self.cursor().executemany(translated(sql), [_storable_values(row) for row in rows])

    def begin(
        self, statements: str = "", take: Callable[[Any], object] = lambda _row: None
    ) -> None:
        """Begin a transaction, and execute further statements in the same round trip.

        `take` is called with the first row of the last one, or None.
        """
        connection = self.connection()
        beginning = f"BEGIN ISOLATION LEVEL READ COMMITTED; {statements}"
        with wrapping_errors:
            try:
                found = _executed_together(connection, beginning)
            except psycopg.Error:
                if not connection.closed:
                    connection.rollback()
                raise
        take(found)

    def execute_together(self, statements: str) -> Any:
        """Execute statements in one round trip; return the first row of the last one, or None."""
        connection = self.connection()
        with wrapping_errors:
            return _executed_together(connection, statements)

    def with_literals(self, sql: str, values: Mapping[str, Any]) -> str:
        """Return a query with these values, quoted, in place of its parameters."""
        cursor = psycopg.ClientCursor(self.connection())
        return str(cursor.mogrify(translated(sql), _storable_values(values)))

    def commit(self) -> None:
        """Commit. Raise OperationalError if a statement has failed: the server would roll back."""
        if self.connection().pgconn.transaction_status == TransactionStatus.INERROR:
            raise OperationalError("a statement of this transaction has failed")
        super().commit()


database = Database(None, autoconnect=True, timeout=POOL_SECONDS)


def _executed_together(connection: Connection, statements: str) -> Any:
    will_wait()
    cursor = connection.execute(statements)
    cursor.set_result(-1)
    return cursor.fetchone() if cursor.description else None


@lru_cache(1000)
def translated(sql: str) -> str:
    """Return a query with its parameters in psycopg's form in place of `:name`."""
    return _NAMED.sub(lambda match: f"%({match[1]})s" if match[1] else "%%", sql)


def storable(value: Any) -> Any:
    """Return text without NUL, which PostgreSQL does not store: such text is never found."""
    return value.replace("\0", "\ufffd") if isinstance(value, str) and "\0" in value else value


def _storable_values(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: storable(value) for name, value in values.items()}


def first_line(error: BaseException) -> str:
    """Return the message of an error, without hints and quotations."""
    return str(error).partition("\n")[0]


def load_rows(table: str, read: Callable[[str], Any]) -> None:
    """Copy all rows that `read` finds in its table of this name, in the open transaction.

    `read` executes a query. Raises OperatorError if PostgreSQL does not take a row: SQLite stores
    any value in any column.
    """
    columns = database.execute_sql(_COLUMNS, {"table": table}).fetchall()
    names = ", ".join(name for name, _ in columns)
    with wrapping_errors:
        try:
            _copy(table, names, [kind for _, kind in columns], read)
        except _MISFITS as error:
            sentence = f"A row of {table} cannot be copied ({first_line(error)})."
            raise OperatorError(f"{sentence} Nothing was copied.") from None
    database.execute_sql(f"ANALYZE {table}")  # else its first queries are planned without counts


def _copy(table: str, names: str, types: list[str], read: Callable[[str], Any]) -> None:
    statement = f"COPY {table} ({names}) FROM STDIN (FORMAT BINARY)"
    with database.connection().cursor() as cursor, cursor.copy(statement) as copy:
        copy.set_types(types)
        for row in read(f"SELECT {names} FROM {table}"):  # noqa: S608
            copy.write_row(row)
