"""The database that the tables are bound to; `engines.open_database` decides which it is.

To build and compile a query costs many times what it costs to run it: a row by its id takes 180
microseconds instead of 15, a page of 50 documents 640 instead of 170. So `records/` prepares what
every request does, for all tables: find a row, one or a page of an owner's, a presented credential
with its owner, insert a row, store some columns. All other queries are built where they are run.
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cache, cached_property, partial
from typing import Any

from peewee import OP, SQL, DatabaseProxy, Expression, __exception_wrapper__  # type: ignore[attr-defined]

database: Any = DatabaseProxy()
wrapping_errors: Any = __exception_wrapper__  # turns errors of the driver into errors of peewee


def connected() -> AbstractContextManager[None]:
    """Return the context of a connection; inside a request it is the request's own."""
    return _connection() if database.is_closed() else nullcontext()


@contextmanager
def _connection() -> Iterator[None]:
    prepare_connection()
    try:
        yield
    finally:
        database.close()


def is_in_transaction() -> bool:
    """Return whether this thread has a transaction open, or a snapshot."""
    return bool(database.obj.in_transaction())  # by the proxy it takes four times as long


def prepare_connection() -> None:
    """Connect, unless the engine does so at the first query, or it is done."""
    own = database.obj
    if not own.autoconnect:
        own.connect(reuse_if_open=True)


def close_database() -> None:
    """Close every connection: at the end of the process, or before another database."""
    if database.database:
        database.close()
        database.close_all()


def param(name: str) -> Any:
    """Return a placeholder for the value that a query is executed with under this name."""
    return SQL(f":{name}")


def finds_a_row(query: Any) -> Any:
    """Return the condition that a query, which compares with the row around it, finds a row.

    It is executed for each row that PostgreSQL comes to. For `EXISTS` PostgreSQL may read the whole
    table of the query instead, into a hash table or for a join, be the page ever so short.
    """
    return Expression(query.limit(SQL("1")), OP.IS_NOT, None)


class Prepared:
    """The query that `build` returns, compiled at the first use with an engine, then executed as
    text with named parameters.
    """

    def __init__(self, build: Callable[[], Any]) -> None:
        self._build = build
        self._engine = type(database.database)
        database.attach_callback(self._forget_of_other_engine)

    def _forget_of_other_engine(self, opened: Any) -> None:
        """Forget the text if the database that was opened is of another engine, with other SQL."""
        if type(opened) is not self._engine:
            self._engine = type(opened)
            vars(self).pop("text", None)

    @cached_property
    def text(self) -> str:
        text, constants = self._build().sql()
        if constants:
            raise ValueError(f"{constants} have to be param() or SQL(): {text}")
        return str(text)

    def _executed(self, values: dict[str, Any]) -> Any:
        return database.obj.execute_sql(self.text, values)  # the proxy finds each name by a call

    def all(self, **values: Any) -> list[tuple[Any, ...]]:
        return list(self._executed(values).fetchall())

    def first(self, **values: Any) -> tuple[Any, ...] | None:
        row: tuple[Any, ...] | None = self._executed(values).fetchone()
        return row

    def execute(self, **values: Any) -> int:
        """Execute the query, and return the number of rows that it has changed."""
        return int(self._executed(values).rowcount)

    def execute_each(self, rows: list[dict[str, Any]]) -> None:
        """Execute the query once for the values of each row."""
        database.execute_each(self.text, rows)


def prepared(build: Callable[..., Any]) -> Callable[..., Prepared]:
    """Decorate a function that builds a query, so that it returns a `Prepared` query.

    For the same arguments it returns the same query.
    """
    return cache(lambda *about: Prepared(partial(build, *about)))
