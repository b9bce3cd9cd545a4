"""The engine in use: SQLite, or PostgreSQL where the database's address names it."""

from typing import Any

from peewee import SQL

from ..core import OperatorError
from .connection import close_database, database
from .engine_base import Engine
from .sqlite_engine import SqliteEngine

# The moment by the clock of a database server, in milliseconds.
SERVER_NOW: Any = SQL("CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)")
_NO_DRIVER = (
    "The database is on a PostgreSQL server, and the driver for it is not installed. Run: "
    "pip install 'psycopg[binary]>=3.3.9,<4'"
)
_sqlite: Engine = SqliteEngine()
_in_use = _sqlite
database.initialize(_in_use.database)


def engine() -> Engine:
    return _in_use


def open_database(address: str, connections: int = 8) -> None:
    """Use the database at `address`, a path or a URL, from now on, instead of any other.

    At most so many `connections` are held to a server. Raises OperatorError if its driver is
    missing or the address is malformed: then the other one stays in use, closed.
    """
    global _in_use  # noqa: PLW0603
    close_database()
    chosen = _engine_of(address)
    chosen.open(address, connections)
    _in_use = chosen
    database.initialize(chosen.database)


def _engine_of(address: str) -> Engine:
    if not is_server(address):
        return _sqlite
    try:
        from .postgres_engine import PostgresEngine  # noqa: PLC0415
    except ImportError as error:
        raise OperatorError(_NO_DRIVER) from error
    return PostgresEngine()


def is_server(address: str) -> bool:
    """Return whether a database's address is the URL of a PostgreSQL server."""
    return address.startswith(("postgresql://", "postgres://"))


def shred(table: str, id: str) -> bool:
    """Delete one row that holds a key; where that can be, it is scrubbed from the disk."""
    deleted = database.execute_sql(f"DELETE FROM {table} WHERE id = :id", {"id": id}).rowcount  # noqa: S608
    database.after_commit(_in_use.after_shredding)
    return bool(deleted == 1)
