"""The base of all tables: id, moment of creation, prepared ways to store and find rows."""

import functools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Self, TypeVar

from peewee import SQL, BigIntegerField, Model, TextField, Tuple, fn

from ..core import generate_id, now
from ..storage import SERVICE, Prepared, database, param, prepared, separate_transaction

_ANY = SQL("1 = 1")
PAGE_ROWS = 200  # of a walk through a table, and of a batch that is deleted
T = TypeVar("T")


class cached_property(functools.cached_property[T]):  # noqa: N801
    """The decorator of functools, without its lock before Python 3.12: threads share no row."""

    def __get__(self, row: Any, owner: Any = None) -> T:  # type: ignore[override]
        value = row.__dict__[self.attrname] = self.func(row)
        return value


@dataclass(frozen=True)
class RowWith(Generic[T]):
    """A row and values beside it.

    Code names the row: `issued.row.id`. Templates and schemas, which look a name up as they run,
    find those of the row as well.
    """

    row: T

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            return getattr(self.row, name)

    def holders_of(self, names: Iterable[str]) -> list[object]:
        """Return for each name what holds its value: this object, or else the row.

        Twenty names of the row are read in 0.7 of the time that they take by `__getattr__`, in 0.2
        of it before Python 3.12.
        """
        own_names, row = self._own_names(), self.row
        return [self if name in own_names else row for name in names]

    @classmethod
    @functools.cache
    def _own_names(cls) -> frozenset[str]:
        return frozenset((*(field.name for field in fields(cls)), *dir(cls)))


@dataclass(frozen=True)
class Issued(RowWith[T]):
    """A new row with its secret, which is returned once and stored nowhere in clear."""

    secret: str


class Table(Model):
    """A row with an id that sorts by creation, and the moment it was created."""

    PREFIX: ClassVar[str]
    KEY: ClassVar[tuple[str, ...]] = ("id",)  # the columns by which the table's index finds a row

    id = TextField(primary_key=True)
    created_at = BigIntegerField()

    class Meta:
        database = database
        legacy_table_names = False

    def __init__(self, **values: Any) -> None:
        """Make a row with these values; the other columns of a new row have their defaults.

        Peewee gives `__no_default__` for a row that it has read.
        """
        is_new = not values.pop("__no_default__", False)
        others = {name: values.pop(name) for name in values.keys() - self._meta.fields.keys()}
        defaults = self._meta.get_default_dict() if is_new else {}  # type: ignore[no-untyped-call]
        self._set_columns(defaults | values)
        for name, value in others.items():
            setattr(self, name, value)

    def _set_columns(self, columns: dict[str, Any]) -> None:
        """Set the values of all columns at once, where peewee takes a call for each."""
        self.__data__ = columns
        self._dirty: set[str] = set()  # for peewee, which adds what is set later; nobody reads it

    @classmethod
    def fresh(cls, **fields: Any) -> Self:
        """Return a new row, not stored yet; store it with `store`."""
        return cls(id=generate_id(cls.PREFIX), created_at=now(), **fields)

    def store(self) -> None:
        self._insert_columns()

    def _insert_columns(self) -> None:
        """Insert all columns but those that are NULL: SQLite's driver adapts each one of these."""
        fields = self._meta.fields
        columns = {
            name: value
            for name, value in self.__data__.items()
            if value is not None or not fields[name].null  # the database refuses it
        }
        _insertion(type(self), tuple(columns)).execute(**columns)

    def _columns(self) -> dict[str, Any]:
        """Return the values of all columns by name; a column without a value is NULL."""
        columns: dict[str, Any] = dict.fromkeys(self._meta.sorted_field_names)
        columns.update(self.__data__)
        return columns

    @classmethod
    def _insert_rows(cls, rows: list[dict[str, Any]]) -> None:
        """Insert rows, given as `_columns` returns them, by one call."""
        _insertion(cls, tuple(cls._meta.sorted_field_names)).execute_each(rows)

    @classmethod
    def find(cls, *key: str) -> Self | None:
        """Return the row with these values of the columns of `KEY`: an id, of any owner.

        Raises ValueError for a key of fewer or more values.
        """
        return cls.first(_by_key(cls), **cls._named(key))

    @classmethod
    def as_stored(cls, *key: str) -> Self | None:
        """Return the row with this key, as `find` takes it, also if it does not open."""
        found = _by_key(cls).first(**cls._named(key))
        return None if found is None else cls.of_columns(found)

    @classmethod
    def _named(cls, key: tuple[str, ...]) -> dict[str, str]:
        return dict(zip(cls.KEY, key, strict=True))

    def key_values(self) -> tuple[str, ...]:
        """Return the values of the columns of `KEY`."""
        return tuple(self.__data__[name] for name in self.KEY)

    @classmethod
    def get_by_id(cls, id: str) -> Self:
        """Return the row with this id, also if it does not open.

        Raises `DoesNotExist` if there is none.
        """
        found = cls.as_stored(id)
        if found is None:
            raise cls.DoesNotExist  # type: ignore[attr-defined]
        return found

    @classmethod
    def all_newest_first(cls) -> list[Self]:
        return cls.rows(_newest_first(cls))

    @classmethod
    def rows(cls, query: Any, **values: Any) -> list[Self]:
        """Return the rows of a query that selects all columns, as `cls.select()` does.

        `values` are those of the parameters of a prepared query.
        """
        is_prepared = isinstance(query, Prepared)
        found = query.all(**values) if is_prepared else database.execute(query).fetchall()
        return cls.opened(cls.of_columns(row) for row in found)

    @classmethod
    def rows_as_stored(cls, query: Any) -> list[Self]:
        """Return the rows of a query that selects all columns, also those that do not open."""
        return [cls.of_columns(row) for row in database.execute(query).fetchall()]

    @classmethod
    def first(cls, query: Any, **values: Any) -> Self | None:
        """Return the first row of a query as for `rows`; None if there is none."""
        is_prepared = isinstance(query, Prepared)
        found = query.first(**values) if is_prepared else database.execute(query).fetchone()
        return None if found is None else cls.opened_alone(cls.of_columns(found))

    @classmethod
    def opened(cls, rows: Iterable[Self]) -> list[Self]:
        """Return the rows that may be used; see `sealed.py`, whose rows may not open."""
        return list(rows)

    @classmethod
    def find_keys(cls, rows: list[Self]) -> None:
        """Look up at once the keys that the rows are sealed under."""

    @classmethod
    def opened_alone(cls, row: Self) -> Self | None:
        return row

    @classmethod
    def of_columns(cls, row: tuple[Any, ...]) -> Self:
        """Return the row with these values of all columns, as they are stored."""
        own = cls.__new__(cls)
        own._set_columns(dict(zip(cls._meta.sorted_field_names, row, strict=True)))
        return own

    @classmethod
    def keep_newest_of_each(
        cls,
        column: Any,
        most: int,
        condition: Any = _ANY,
        among: Iterable[str] | None = None,
    ) -> None:
        """Keep the newest rows of each value of the column, in batches; in no transaction.

        `among` are the values that may have more than `most`; None are all.
        """
        for value in cls._having_more(column, most, condition) if among is None else among:
            of_value = condition & (column == value)
            newest_first = cls.select(cls.id).where(of_value).order_by(cls.id.desc())
            newest_to_delete = newest_first.limit(1).offset(most).scalar()
            if newest_to_delete:
                cls.delete_in_batches(of_value & (cls.id <= newest_to_delete))

    @classmethod
    def _having_more(cls, column: Any, most: int, condition: Any) -> list[str]:
        groups: Any = cls.select(column).where(condition).group_by(column)
        return [value for (value,) in groups.having(fn.COUNT(column) > most).tuples()]

    @classmethod
    def delete_in_batches(cls, condition: Any, owner_id: str = SERVICE) -> None:
        """Delete the rows that meet the condition, in a transaction for each batch, so that no
        other writer waits for long. It is not synced: after a power cut it is done again.
        """
        first = cls.select(cls.id).where(condition).limit(PAGE_ROWS)
        while ids := [id for (id,) in database.execute(first).fetchall()]:
            with separate_transaction(owner_id, synced=False):
                cls.delete().where(condition, cls.id.in_(ids)).execute()

    @classmethod
    def each_that(cls, condition: Any) -> Iterator[Self]:
        """Yield each row that meets the condition now. The rows are read a page at a time.

        The ids of all of them are held in memory.
        """
        ids = [id for (id,) in database.execute(cls.select(cls.id).where(condition)).fetchall()]
        for at in range(0, len(ids), PAGE_ROWS):
            yield from cls.rows(cls.select().where(cls.id.in_(ids[at : at + PAGE_ROWS])))

    @classmethod
    def each(cls) -> Iterator[Self]:
        """Yield every row as it is stored, in the order of `KEY`, also if it does not open."""
        after = tuple("" for _ in cls.KEY)
        while page := _following(cls).all(**cls._named(after)):
            rows = [cls.of_columns(row) for row in page]
            cls.find_keys(rows)
            yield from rows
            after = rows[-1].key_values()

    def change(self, **fields: Any) -> None:
        """Store new values of some columns."""
        self._store_columns(**fields)

    def _store_columns(self, **fields: Any) -> None:
        self.__data__.update(fields)
        key = self._named(self.key_values())
        _storing(type(self), tuple(fields)).execute(**key, **fields)


@prepared
def _insertion(table: type[Table], names: tuple[str, ...]) -> Any:
    return table.insert({getattr(table, name): param(name) for name in names})


@prepared
def _storing(table: type[Table], names: tuple[str, ...]) -> Any:
    values = {name: param(name) for name in names}
    return super(Table, table).update(values).where(*is_at_key(table))


@prepared
def _following(table: type[Table]) -> Any:
    columns = _key_columns(table)
    after = [param(name) for name in table.KEY]
    later = table.select().where(Tuple(*columns) > Tuple(*after)).order_by(*columns)
    return later.limit(SQL(str(PAGE_ROWS)))


@prepared
def _newest_first(table: type[Table]) -> Any:
    return table.select().order_by(table.id.desc())


@prepared
def _by_key(table: type[Table]) -> Any:
    return table.select().where(*is_at_key(table))


def is_at_key(table: type[Table]) -> list[Any]:
    """Return the conditions that a row has the key that the parameters name."""
    return [getattr(table, name) == param(name) for name in table.KEY]


def _key_columns(table: type[Table]) -> list[Any]:
    return [getattr(table, name) for name in table.KEY]
