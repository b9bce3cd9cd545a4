"""PostgreSQL as the engine: any number of processes serve, with a writer lock for each owner.

The locks are advisory ones that end with their transaction. A transaction is READ COMMITTED, so
that each of its statements sees what the former holder of its lock has committed; the server lets
others see a commit before it releases the lock. Events of an owner are numbered with the lock held,
so a reader of one number has seen all lower ones.

A foreign trigger or rule, which would run inside the service, prevents its start, and so does a
trigger of the service that was altered. All of the schema is compared with the one that the
migrations make, which `schema.txt` beside them lists: there is no empty database here in which they
could run.
"""

import hashlib
import re
import time
from collections import Counter
from collections.abc import Collection, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import psycopg
from peewee import OperationalError
from playhouse.pool import MaxConnectionsExceeded

from settings import require_readable_address

from ..core import (
    Busy,
    DatabaseUnavailable,
    OperatorError,
    ServiceError,
    StorageFailing,
    StorageFull,
)
from .connection import wrapping_errors
from .engine_base import Engine
from .postgres import database, first_line, translated
from .right import Right
from .schema import Schema, differences

CONNECT_SECONDS = 3
LOCK_SECONDS = 5
IDLE_SECONDS = 15  # a transaction of a machine that vanished holds its locks for so long
STREAM_ROWS = 500  # fetched at once

_NO_ADDRESS = (
    "This is no address of a PostgreSQL database: postgresql://user:password@host/name, in which "
    "special characters are written as %40 and the like."
)
_BOUNDED = f"SET LOCAL idle_in_transaction_session_timeout = '{IDLE_SECONDS}s'"
_ALL = "all"  # held shared by each writer, and alone by a writer of the service
_SERVICE = "service"
# A server whose default is `off` would lose acknowledged changes; every other value is kept.
_SYNCED = """
    SELECT set_config('synchronous_commit', 'on', true)
    WHERE current_setting('synchronous_commit') = 'off'"""
_UNSYNCED = "SET LOCAL synchronous_commit = off"
_UNAVAILABLE = (
    "08",  # connection lost
    "57P",  # shutdown
    "28",  # not let in
    "25P03",  # stood still for long
    "25006",  # a standby takes no writes,
    "0A000",  # and no changes that are not logged
)
_ERRORS: dict[str, type[ServiceError]] = {  # SQLSTATE, appendix A of PostgreSQL's manual
    "53100": StorageFull,
    "58030": StorageFailing,
    "53": Busy,  # too many connections, out of memory
    "55P03": Busy,  # a lock was not to be had in time
    "57014": Busy,  # cancelled by the server's own timeout
    "40": Busy,  # a deadlock or another rollback by the server
} | dict.fromkeys(_UNAVAILABLE, DatabaseUnavailable)
_RUNS = """
    SELECT 'trigger ' || tgname, concat_ws(
        ' ', pg_get_triggerdef(pg_trigger.oid, true), tgenabled, lanname,
        CASE WHEN prosecdef THEN 'SECURITY DEFINER' END, proconfig::text,
        btrim(regexp_replace(prosrc, '\\s+', ' ', 'g')))
    FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid JOIN pg_proc ON pg_proc.oid = tgfoid
    JOIN pg_language ON pg_language.oid = prolang
    WHERE NOT tgisinternal AND relnamespace = current_schema()::regnamespace
    UNION ALL
    SELECT 'rule ' || rulename, definition FROM pg_rules WHERE schemaname = current_schema()
    UNION ALL
    SELECT 'policy ' || policyname, 'policy' FROM pg_policies WHERE schemaname = current_schema()"""
_SCHEMA = """
    WITH found AS (
        SELECT oid, relname, relkind, relpersistence FROM pg_class
        WHERE relnamespace = current_schema()::regnamespace AND relname <> 'schema_migration'
        AND oid NOT IN (SELECT objid FROM pg_depend WHERE deptype = 'e'))
    SELECT 'table ' || relname, concat(relkind, relpersistence) FROM found
    WHERE relkind IN ('r', 'p', 'v', 'm', 'f')
    UNION ALL
    SELECT 'column ' || relname || '.' || attname, concat_ws(
        ' ', format_type(atttypid, atttypmod), collname, CASE WHEN attnotnull THEN 'NOT NULL' END,
        'DEFAULT ' || pg_get_expr(adbin, adrelid), NULLIF(concat(attgenerated, attidentity), ''))
    FROM found JOIN pg_attribute ON attrelid = found.oid AND attnum > 0 AND NOT attisdropped
    LEFT JOIN pg_collation ON pg_collation.oid = attcollation
    LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
    WHERE relkind IN ('r', 'p', 'v', 'm', 'f')
    UNION ALL
    SELECT 'index ' || relname, pg_get_indexdef(indexrelid, 0, true)
    FROM pg_index JOIN found ON found.oid = indexrelid
    WHERE indrelid IN (SELECT oid FROM found)
    UNION ALL
    SELECT 'constraint ' || conname, pg_get_constraintdef(pg_constraint.oid, true)
    FROM pg_constraint JOIN found ON found.oid = conrelid WHERE contype <> 'n'"""


class PostgresEngine(Engine):
    is_shared = True
    pieces_at_once = 8
    database = database

    def open(self, address: str, connections: int) -> None:
        """Use the server and database of a URL as libpq reads it; an error does not quote it."""
        try:
            require_readable_address(address)
            given = psycopg.conninfo.conninfo_to_dict(address)
        except (psycopg.Error, ValueError):
            raise OperatorError(_NO_ADDRESS) from None
        defaults = {
            "connect_timeout": CONNECT_SECONDS,
            "application_name": "document-service",
            "keepalives_idle": 30,
            "tcp_user_timeout": 15_000,  # ms until a server that vanished counts as away
        }
        options: dict[str, Any] = {
            name: value for name, value in defaults.items() if name not in given
        }
        options |= {"prepare_threshold": None, "client_encoding": "utf8"}
        uri = re.sub(r"^postgres(ql)?:", "postgresql:", address)
        database.init(uri, max_connections=connections, **options)

    def limit_answers(self, seconds: float) -> None:
        database.answer_seconds = seconds

    @contextmanager
    def write_transaction(
        self,
        owner_id: str | None,
        *,
        synced: bool,
        wait_seconds: float | None = None,
        right: Right | None = None,
    ) -> Iterator[int]:
        """Begin a transaction; the server answers a synced commit when it is on disk."""
        longest = LOCK_SECONDS if wait_seconds is None else wait_seconds
        waiting = f"SET LOCAL lock_timeout = '{longest}s'"
        durable = _SYNCED if synced else _UNSYNCED
        locking = "" if owner_id is None else _locking(owner_id, right)
        found: list[Any] = []
        with database.atomic("; ".join((_BOUNDED, waiting, durable, locking)), found.append):
            if right:
                right.judge_by(*found)
            yield 0

    def lock_owner(self, owner_id: str, right: Right | None) -> None:
        found = database.execute_together(_locking(owner_id, right))
        if right:
            right.judge_by(found)

    def keeping(self, query: Any, *tables: Any) -> Any:
        return query.for_update("FOR SHARE", of=tables)

    def changing(self, query: Any) -> Any:
        return query.for_update()

    def lock_name(self, name: str, wait_seconds: float) -> bool:
        """Ask for the lock again and again: a statement that waits in vain ends the transaction."""
        query = f"SELECT pg_try_advisory_xact_lock({_key(name)})"
        deadline = time.monotonic() + wait_seconds
        while not (held := database.execute_sql(query).fetchone()[0]):
            if time.monotonic() >= deadline:
                break
            time.sleep(0.05)
        return bool(held)

    def migrating(self) -> AbstractContextManager[Any]:
        return _atomic(f"{_BOUNDED}; SELECT pg_advisory_xact_lock({_key('migrations')})")

    def schema_differences(self, directory: str, migrations: Collection[str]) -> list[str]:  # noqa: ARG002
        """Return what would run inside the service and is foreign or was altered."""
        runs = Counter(database.execute_sql(_RUNS).fetchall())
        ours = _expected_schema(directory)
        return [one for one in differences(ours, runs) if not one.endswith(" is missing")]

    def table_differences(self, directory: str) -> list[str]:
        return list(differences(_expected_schema(directory), current_schema()))

    def snapshot(self) -> AbstractContextManager[Any]:
        return _atomic("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")

    def stream(self, query: str, values: dict[str, Any]) -> Iterator[tuple[Any, ...]]:
        """Yield some hundred rows at once; outside of a transaction all at once."""
        if not database.in_transaction():
            yield from database.execute_sql(query, values)
            return
        name = f"stream_{uuid4().hex}"
        with database.connection().cursor(name=name) as cursor, wrapping_errors:
            cursor.itersize = STREAM_ROWS
            yield from cursor.execute(translated(query), values, binary=True)

    def service_error(self, error: BaseException) -> ServiceError | None:
        """Return the domain error of a SQLSTATE."""
        if isinstance(error, MaxConnectionsExceeded):
            return Busy()
        if isinstance(error, OperationalError) and not isinstance(_origin(error), psycopg.Error):
            return DatabaseUnavailable()
        kind = _kind(error) if isinstance(error, psycopg.Error) else None
        if kind is DatabaseUnavailable:
            return DatabaseUnavailable(f"The database server cannot be used: {first_line(error)}.")
        return None if kind is None else kind()

    def is_writable(self) -> bool:
        (read_only,) = database.execute_sql("SHOW transaction_read_only").fetchone()
        return bool(read_only == "off")


def _atomic(statements: str) -> AbstractContextManager[Any]:
    """Return a transaction that begins with these statements."""
    transaction: AbstractContextManager[Any] = database.atomic(statements)
    return transaction


def _origin(error: BaseException | None) -> BaseException | None:
    """Return the error that peewee's errors wrap, however often."""
    while isinstance(error, OperationalError):
        error = error.__context__
    return error


def _kind(error: psycopg.Error) -> type[ServiceError] | None:
    if error.sqlstate is None:
        return DatabaseUnavailable if isinstance(error, psycopg.OperationalError) else None
    states = sorted(_ERRORS, key=len, reverse=True)
    return next((_ERRORS[state] for state in states if error.sqlstate.startswith(state)), None)


def _locking(owner_id: str, right: Right | None) -> str:
    """Return the statement that takes the owner's lock, and a second one that finds what the right
    is judged by: it sees all that was committed before the lock was free.
    """
    locking = f"SELECT {_locks(owner_id)}"
    if right is None:
        return locking
    return f"{locking}; {database.with_literals(right.query.text, right.values)}"


def _locks(owner_id: str) -> str:
    if owner_id == _SERVICE:
        return f"pg_advisory_xact_lock({_key(_ALL)})"
    shared = f"pg_advisory_xact_lock_shared({_key(_ALL)})"
    return f"{shared}, pg_advisory_xact_lock({_key(owner_id)})"


def _key(name: str) -> int:
    digest = hashlib.blake2b(name.encode(), digest_size=8, person=b"docservice").digest()
    return int.from_bytes(digest, "big", signed=True)


def _expected_schema(directory: str) -> Schema:
    listed = Path(directory, "postgres", "schema.txt").read_text().splitlines()
    parts = (line.partition(" = ") for line in listed)
    return Counter((name, definition) for name, _, definition in parts)


def current_schema() -> Schema:
    rows = database.execute_sql(f"{_SCHEMA} UNION ALL {_RUNS}").fetchall()  # noqa: S608
    return Counter((name, definition) for name, definition in rows)
