"""PostgreSQL through psycopg 3: connections, how queries are written, what its errors mean.

A connection keeps nothing of its own between two transactions, and no statement is prepared on it:
so a pooler that lends connections by transaction, such as pgbouncer, may stand between.
"""

import logging
import re
import select
import time
from collections.abc import Iterator
from functools import lru_cache
from typing import Any
from uuid import uuid4

import peewee
import psycopg
from peewee import OperationalError
from playhouse.pool import MaxConnectionsExceeded, PooledPostgresqlDatabase
from psycopg.pq import Format, TransactionStatus

from ..errors import (
    Busy,
    DatabaseUnavailable,
    OperatorError,
    ServiceError,
    StorageFailing,
    StorageFull,
)
from .connection import wrapping_errors

POOL_SECONDS = 5  # how long to wait for a free connection
CONNECT_SECONDS = 3
SLOW_SECONDS = 1.0  # after an attempt to connect that took longer, others fail at once for so long
STREAM_ROWS = 500  # fetched at once

_NO_ADDRESS = (
    "This is no address of a PostgreSQL database: postgresql://user:password@host/name, in which "
    "special characters are written as %40 and the like."
)
_Base: Any = peewee.PostgresqlDatabase
_NAMED = re.compile(r"%|(?<!:):([a-z_]+)")
_UNAVAILABLE = (
    *("08", "57P", "28", "25P03"),  # connection lost, shutdown, not let in, stood still for long
    *("25006", "0A000"),  # a standby: what writes, and what is not logged
)
_ERRORS: dict[str, type[ServiceError]] = {  # SQLSTATE, appendix A of PostgreSQL's manual
    "53100": StorageFull,
    "58030": StorageFailing,
    "53": Busy,  # too many connections, out of memory
    "55P03": Busy,  # a lock was not to be had in time
    "57014": Busy,  # cancelled by the server's own timeout
    "40": Busy,  # a deadlock or another rollback by the server
} | dict.fromkeys(_UNAVAILABLE, DatabaseUnavailable)


class _Server(_Base):  # type: ignore[misc]
    def _connect(self) -> Any:
        """A new connection. Single statements are READ COMMITTED as transactions are, whatever the
        default of the server.
        """
        connection = super()._connect()
        connection.execute("SET default_transaction_isolation = 'read committed'")
        return connection


class Database(PooledPostgresqlDatabase, _Server):  # type: ignore[misc]
    """A bounded pool. A connection is made at the first query, so that what asks nothing of the
    database works while its server is away.
    """

    _unanswered_until = float("-inf")
    _away_since: float | None = None

    def _connect(self) -> Any:
        """One at a time: so none waits for those before it, where the server does not answer."""
        began = time.monotonic()
        if began < self._unanswered_until:
            raise OperationalError("the database server did not answer a moment ago")
        try:
            connection = super()._connect()
        except psycopg.Error as error:
            if time.monotonic() - began > SLOW_SECONDS:
                self._unanswered_until = time.monotonic() + SLOW_SECONDS
            log = logging.getLogger("docservice")
            if self._away_since is None and log.hasHandlers():  # else who began prints the error
                log.error("the database server does not answer: %s", first_line(error))
                self._away_since = began
            raise
        if self._away_since is not None:
            seconds, self._away_since = time.monotonic() - self._away_since, None
            log_line = "the database server answers again, after %.0f s"
            logging.getLogger("docservice").warning(log_line, seconds)
        return connection

    def _is_closed(self, conn: Any) -> bool:
        """Without a query: a server that has ended the connection leaves something to read."""
        if conn.closed:
            return True
        poll = select.poll()
        poll.register(conn.fileno(), select.POLLIN)
        if poll.poll(0):
            conn.close()
        return bool(conn.closed)

    def cursor(self, **options: Any) -> Any:
        """In binary: as text, sealed bytes would come as twice as many hexadecimal digits."""
        cursor = super().cursor(**options)
        cursor.format = Format.BINARY
        return cursor

    def _execute_cursor(self, sql: str, params: Any, **options: Any) -> Any:
        if isinstance(params, dict):
            sql, params = translated(sql), {name: storable(one) for name, one in params.items()}
        elif params:
            params = [storable(one) for one in params]
        return super()._execute_cursor(sql, params or None, **options)

    def begin(self, statements: str = "") -> None:
        """Begin a transaction, and execute further statements in the same round trip."""
        connection = self.connection()
        with wrapping_errors:
            try:
                connection.execute(f"BEGIN ISOLATION LEVEL READ COMMITTED; {statements}")
            except psycopg.Error:
                if not connection.closed:
                    connection.rollback()
                raise

    def commit(self) -> None:
        """OperationalError if a statement has failed, where the server would roll back silently."""
        if self.connection().pgconn.transaction_status == TransactionStatus.INERROR:
            raise OperationalError("a statement of this transaction has failed")
        super().commit()


database = Database(None, autoconnect=True, timeout=POOL_SECONDS)


@lru_cache(1000)
def translated(sql: str) -> str:
    """Parameters as `:name`, which our queries have, in psycopg's form."""
    return _NAMED.sub(lambda found: f"%({found[1]})s" if found[1] else "%%", sql)


def storable(value: Any) -> Any:
    """Text without NUL, which PostgreSQL does not store: so what is looked up is not found."""
    return value.replace("\0", "\ufffd") if isinstance(value, str) and "\0" in value else value


def open_database(address: str, connections: int) -> None:
    """Use the server and database of this address, a URL as libpq reads it.

    OperatorError, which does not quote it, if it is none.
    """
    try:
        given = psycopg.conninfo.conninfo_to_dict(address)
    except psycopg.Error:
        raise OperatorError(_NO_ADDRESS) from None
    defaults = {
        "connect_timeout": CONNECT_SECONDS,
        "application_name": "document-service",
        "keepalives_idle": 30,
        "tcp_user_timeout": 15_000,  # ms until a server that vanished counts as away
    }
    options = {name: value for name, value in defaults.items() if name not in given}
    uri = re.sub(r"^postgres(ql)?:", "postgresql:", address)
    database.init(
        uri, max_connections=connections, prepare_threshold=None, client_encoding="utf8", **options
    )


def engine_error(error: BaseException) -> ServiceError | None:
    """The domain error that a SQLSTATE stands for; None for any other exception."""
    if isinstance(error, MaxConnectionsExceeded):
        return Busy()
    if isinstance(error, OperationalError) and not isinstance(_origin(error), psycopg.Error):
        return DatabaseUnavailable()
    kind = _kind(error) if isinstance(error, psycopg.Error) else None
    if kind is DatabaseUnavailable:
        return DatabaseUnavailable(f"The database server cannot be used: {first_line(error)}.")
    return None if kind is None else kind()


def _origin(error: BaseException | None) -> BaseException | None:
    """What peewee's error wraps, however often."""
    while isinstance(error, OperationalError):
        error = error.__context__
    return error


def _kind(error: psycopg.Error) -> type[ServiceError] | None:
    if error.sqlstate is None:
        return DatabaseUnavailable if isinstance(error, psycopg.OperationalError) else None
    states = sorted(_ERRORS, key=len, reverse=True)
    return next((_ERRORS[one] for one in states if error.sqlstate.startswith(one)), None)


def first_line(error: BaseException) -> str:
    """What an error says, without hints and what it quotes."""
    return str(error).partition("\n")[0]


def stream(query: str, values: dict[str, Any]) -> Iterator[tuple[Any, ...]]:
    """The rows of a query, some hundred at once; all at once outside of a transaction."""
    if not database.in_transaction():
        yield from database.execute_sql(query, values)
        return
    with database.connection().cursor(name=f"stream_{uuid4().hex}") as cursor, wrapping_errors:
        cursor.itersize = STREAM_ROWS
        yield from cursor.execute(translated(query), values, binary=True)
