"""The database that the tables are bound to; `engines.open_database` decides which it is."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

from peewee import DatabaseProxy, __exception_wrapper__  # type: ignore[attr-defined]

database: Any = DatabaseProxy()
wrapping_errors: Any = __exception_wrapper__  # of the driver into those of peewee


def connected() -> AbstractContextManager[None]:
    """A connection for work outside a request; inside one, the request's own."""
    return _connection() if database.is_closed() else nullcontext()


@contextmanager
def _connection() -> Iterator[None]:
    prepare_connection()
    try:
        yield
    finally:
        database.close()


def prepare_connection() -> None:
    """Connect, unless the engine does so at the first query, or it is done."""
    if not database.autoconnect:
        database.connect(reuse_if_open=True)


def close_database() -> None:
    """Close every connection: at the end of the process, or before another database."""
    if database.database:
        database.close()
        database.close_all()
