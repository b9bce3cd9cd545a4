"""Rows of an SQLite file, copied as they are into the same tables on a PostgreSQL server."""

from collections.abc import Callable
from typing import Any

from psycopg.errors import DataError, IntegrityError

from ..core import OperatorError
from .connection import wrapping_errors
from .postgres import database, first_line
from .sqlite import EngineError

_COLUMNS = """
    SELECT column_name, data_type FROM information_schema.columns
    WHERE table_schema = current_schema() AND table_name = :table ORDER BY ordinal_position"""
_MISFITS = (DataError, IntegrityError, TypeError, ValueError, OverflowError, EngineError)


def load_rows(table: str, read: Callable[[str], Any]) -> None:
    """Copy all rows that `read` finds in its table of this name, in the open transaction.

    `read` executes a query. OperatorError if PostgreSQL does not take a row: SQLite stores any
    value in any column.
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
