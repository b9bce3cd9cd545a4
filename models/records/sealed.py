"""Sealed rows: plain columns to find a row by, and one sealed text that is bound to them.

Each class says by its base under which key its rows are sealed, and by `UNBOUND` which columns may
change without the key: counters of use, claims, and wrapped keys, which are bound by themselves.
The text is bound to the name of the table and to every other column that is not NULL, with its
name; so a migration may add a column, and no text changes. A row that was altered, or moved,
outside of the service does not open: it is left out, and named once in the log. So is one in which
a column that is not bound holds what the column never takes.

A class knows all that its rows say: its columns and its `Sealed` values. Whatever carries, copies
or shows rows takes all values but a few that it names, each with its reason, so that a value which
is new is carried as well, and shown to nobody.

The values that a row has opened to are remembered for some minutes (`runtime/opened_rows.py`), by
a digest of every byte that they were opened from, and read from the memory as long as the root key
is in the keyring. In a transaction every row is opened anew. Code that reads rows does not notice.
"""

import hashlib
import json
import logging
import marshal
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cache
from itertools import compress, repeat
from operator import is_not
from typing import Any, ClassVar, Generic, Self, TypeVar, overload

from peewee import BlobField, DoesNotExist

from crypto import DecryptionError, RootKeyMissing
from crypto.row_texts import RowCipher, remembered_cipher

from ..core import NotFound, is_moment, is_seen
from ..runtime import current_runtime, log_damage
from ..storage import is_in_transaction, param, prepared
from .table import Table, cached_property, is_at_key

V = TypeVar("V")
_JSON = json.JSONEncoder(ensure_ascii=False)
_STORED = {str, int, bytes, type(None)}  # types of values as the database returns them
_TYPE_OF_FIELD = {"TEXT": str, "BLOB": bytes, "INT": int, "BIGINT": int}
MOST_REPORTED = 1000  # altered rows that a process names in its log, each once
_ABOUT = ("id", "owner_id", "target_id")
_PLAIN_MARSHAL = 2  # the last version whose bytes depend on nothing but the values
_NOT_REMEMBERED = object()  # stands for such a value: whoever reads it opens the row


class Sealed(Generic[V]):
    """A value in the sealed text of a row, by the name of its attribute.

    A value that the text lacks is the `default`, None of most. A value with a reason why it is
    `never_remembered` is in no memory: whoever reads it opens the row anew.
    """

    def __init__(self, default: Any = None, never_remembered: str = "") -> None:
        self.default = default
        self.never_remembered = never_remembered

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, row: None, owner: Any = None) -> Self: ...
    @overload
    def __get__(self, row: "SealedRow", owner: Any = None) -> V: ...
    def __get__(self, row: "SealedRow | None", owner: Any = None) -> Self | V:
        if row is None:
            return self
        value: V = row.known_values.get(self._name, self.default)
        if value is _NOT_REMEMBERED:
            value = row.values[self._name]
        return value

    def __set__(self, row: "SealedRow", value: V) -> None:
        values = row.values
        values[self._name] = value
        row.known_values = values  # from now on they are read, and not what is remembered


class SealedName(Sealed[V]):
    """A name in the sealed text: one that draws nothing is read as `stand_in` of the row says."""

    def __init__(self, stand_in: Callable[[Any], Any] = lambda _: None) -> None:
        super().__init__()
        self._stand_in = stand_in

    @overload
    def __get__(self, row: None, owner: Any = None) -> Self: ...
    @overload
    def __get__(self, row: "SealedRow", owner: Any = None) -> V: ...
    def __get__(self, row: "SealedRow | None", owner: Any = None) -> Self | V:
        name: Any = super().__get__(row, owner)
        is_unseen = isinstance(name, str) and not is_seen(name)
        found: V = self._stand_in(row) if is_unseen else name
        return found


class SealedRow(Table):
    UNBOUND: ClassVar[tuple[str, ...]] = ()
    SEAL: ClassVar[tuple[str, ...]] = ("sealed",)  # columns of the sealing, which say nothing else

    sealed: Any = BlobField(null=True)  # of a new row, or of one that is never to open: NULL

    def __init__(self, **values: Any) -> None:
        if "__no_default__" not in values:  # which peewee gives for a row that it has read
            self.values = {}
        super().__init__(**values)

    @classmethod
    def opened(cls, rows: Iterable[Self]) -> list[Self]:
        """Return the rows that open. A row whose root key is not in the keyring waits for it."""
        found = list(rows)
        cls.find_keys(found)
        if is_in_transaction():
            return [row for row in found if row._is_listed()]
        return [row for row in found if row._recalled(row._digest()) or row._is_listed()]

    @classmethod
    def opened_alone(cls, row: Self) -> Self | None:
        """Return the row if it opens, else None. Raise `RootKeyMissing` if it waits for its key."""
        return row if row.is_usable() else None

    @classmethod
    def update(cls, *args: Any, **values: Any) -> Any:
        """Raise ValueError for bound columns: `change` seals the row anew."""
        names = {getattr(field, "name", field) for given in args for field in given} | set(values)
        if bound := names - set(cls.UNBOUND):
            raise ValueError(f"{bound} are changed by `change`, which seals the row anew.")
        return super().update(*args, **values)

    @classmethod
    def sealed_names(cls) -> tuple[str, ...]:
        """Return the names of the values in the sealed text, in the order of the class."""
        return tuple(
            name
            for one in reversed(cls.__mro__)
            for name, value in vars(one).items()
            if isinstance(value, Sealed)
        )

    @classmethod
    def value_names(cls) -> tuple[str, ...]:
        """Return the names of all that a row says: columns, then values in the sealed text."""
        columns = [name for name in cls._meta.sorted_field_names if name not in cls.SEAL]
        return (*columns, *cls.sealed_names())

    def values_but(self, left_out: Collection[str]) -> dict[str, Any]:
        """Return all values by name, as they are stored, but these and those that it lacks."""
        stored = {**self.__data__, **self.values}
        names = self.value_names()
        return {name: stored[name] for name in names if name in stored and name not in left_out}

    def set_values(self, values: Mapping[str, Any]) -> None:
        """Set values of columns and of the sealed text, as `values_but` returns them.

        Raises AttributeError for a name that stores nothing.
        """
        for name, value in values.items():
            getattr(type(self), name)
            setattr(self, name, value)

    def with_only(self, shown: Collection[str]) -> Self:
        """Return a row that says these values alone, to be shown; it stores nothing."""
        hidden = set(self.value_names()).difference(shown)
        row = type(self)()
        row.set_values(self.values_but(hidden))
        return row

    def opens(self) -> bool:
        """Return whether neither the text nor a bound column was altered outside of the service.

        Raises `RootKeyMissing`.
        """
        try:
            _ = self.known_values
        except DecryptionError:
            return False
        return True

    def is_usable(self) -> bool:
        """Return whether the row opens; log one that was altered. Raises `RootKeyMissing`."""
        if self.opens():
            return True
        log_altered(self.id)
        return False

    @property
    def values(self) -> dict[str, Any]:
        """The values in the sealed text, by name. Raises `DecryptionError`, `RootKeyMissing`."""
        values: dict[str, Any] | None = self.__dict__.get("_values")
        if values is None:
            values = self.__dict__["_values"] = self._opened_values()
        return values

    @values.setter
    def values(self, values: dict[str, Any]) -> None:
        self.__dict__["_values"] = self.__dict__["known_values"] = values

    def _opened_values(self) -> dict[str, Any]:
        columns: dict[str, Any] = self.__dict__.get("_columns_read") or self.__data__
        if not _can_be_read(type(self), columns):
            raise DecryptionError
        try:
            text = self.cipher().open(columns["sealed"], _binding(type(self), columns))
            values: dict[str, Any] = json.loads(text.decode("utf-8", "surrogatepass"))
        except (TypeError, ValueError, DoesNotExist):  # a column of another type, or no such owner
            raise DecryptionError from None
        return values

    @cached_property
    def known_values(self) -> Mapping[str, Any]:
        """The values as they are remembered, or else as the row opens.

        Raises `DecryptionError`, `RootKeyMissing`.
        """
        if is_in_transaction() or (digest := self._digest()) is None:
            return self.values
        found = self._recalled(digest)
        if found is None:
            opened_rows = current_runtime().opened_rows
            return opened_rows.add(digest, _to_remember(type(self), self.values), self._about())
        return found

    def _recalled(self, digest: bytes | None) -> Mapping[str, Any] | None:
        """Return the values, from now on those of the row, if this digest of it is remembered."""
        found = current_runtime().opened_rows.find(digest) if digest else None
        if found is not None:
            own = self.__dict__
            own["known_values"] = found
            own["_columns_read"] = self.__data__.copy()  # which open it, whatever is set meanwhile
        return found

    def _digest(self) -> bytes | None:
        """Return a digest of all that the values are opened from.

        None if they are not remembered, or the root key is not in the keyring.
        """
        try:
            wrapped = self.wrapped_key()
            if wrapped is None:
                return None
            columns = tuple(map(self.__data__.get, self._meta.sorted_field_names))
            source = marshal.dumps((type(self).__name__, columns, wrapped), _PLAIN_MARSHAL)
        except (TypeError, ValueError, DoesNotExist):  # as in `_opened_values`
            return None
        return hashlib.sha256(source).digest()

    def wrapped_key(self) -> tuple[Any, ...] | None:
        """Return the columns of the wrapped key that seals the row, which its root key unwraps now.

        None if the root key is not in the keyring, or rows of this table are not remembered.
        """
        return None

    def _about(self) -> tuple[str, ...]:
        """Return the ids whose deletion has the row forgotten."""
        data = self.__data__
        return tuple({str(data[name]) for name in _ABOUT if data.get(name) is not None})

    def cipher(self) -> RowCipher:
        """Return the cipher of this row. Raise `DecryptionError` if its key does not open."""
        raise NotImplementedError

    def store(self) -> None:
        """Insert the row. Raise the engine's error if another row has its id."""
        self.seal()
        self._insert_columns()

    def store_copies(self, copies: Iterable[dict[str, str]]) -> None:
        """Insert a copy of the row for each dictionary, which has the columns that are its own."""
        text = self._text()
        cipher = self.cipher()
        columns = self._columns()
        rows = [columns | own for own in copies]
        for row in rows:
            row["sealed"] = cipher.seal(text, _binding(type(self), row))
        self._insert_rows(rows)

    def change(self, **changes: Any) -> None:
        """Store new values, of columns or sealed ones, in the row as it is now.

        Call it in a transaction. Raises `NotFound` if the row was deleted, or does not open.
        """
        if changes and changes.keys() <= set(self.UNBOUND):
            self._store_columns(**changes)
        elif not (self.opens() and self._replace(changes)):
            self._reload()
            self._replace(changes)

    def seal(self) -> None:
        """Seal the values, bound to the columns as they are in this object."""
        text = self._text()
        self.sealed = self.cipher().seal(text, self._bound())

    def _text(self) -> bytes:
        """Return the text to be sealed, and make the columns as the database returns them."""
        data = self.__data__
        names = _bound_names(type(self))
        values = list(map(data.get, names))
        if not _STORED.issuperset(map(type, values)):
            values = [value if type(value) in _STORED else _plain(value) for value in values]
        data.update(zip(names, values, strict=True))
        return _JSON.encode(self.values).encode("utf-8", "surrogatepass")

    def _replace(self, changes: dict[str, Any]) -> bool:
        """Store the row, and return False if it has changed since it was read."""
        former = self.sealed
        for name, value in changes.items():
            getattr(type(self), name)  # raises AttributeError for a name that stores nothing
            setattr(self, name, value)
        self.seal()
        columns = tuple(name for name in changes if name in self._meta.fields)
        values = {name: self.__data__[name] for name in (*self.KEY, *columns, "sealed")}
        changing = _changing(type(self), (*columns, "sealed"))
        return bool(changing.execute(former=former, **values))

    def _reload(self) -> None:
        row = self.as_it_is_stored()
        if row is None or self.opened_alone(row) is None:
            raise NotFound
        self.__data__ = row.__data__
        self.values = row.values

    def as_it_is_stored(self) -> Self | None:
        """Return the row as it is now, also if it does not open."""
        return self.as_stored(*self.key_values())

    def _bound(self) -> bytes:
        return _binding(type(self), self.__data__)

    def _is_listed(self) -> bool:
        """Return whether the row opens, and log why not, unless it was deleted meanwhile."""
        try:
            return self.is_usable()
        except RootKeyMissing as error:
            log_damage(loggable_id(self.id), error)
        except NotFound:  # deleted since it was read
            pass
        return False


class SealedByService(SealedRow):
    """A row that belongs to nobody, or says who somebody is: under the key of the service."""

    def cipher(self) -> RowCipher:
        scope = f"{self._meta.table_name} {self.id}"
        return remembered_cipher(current_runtime().service_key, scope)


def _to_remember(table: type[SealedRow], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values that the class declares, without those that are never remembered."""
    return {
        name: _NOT_REMEMBERED if values[name] and is_excluded else values[name]
        for name, is_excluded in _excluded(table)
        if name in values
    }


@cache
def _excluded(table: type[SealedRow]) -> tuple[tuple[str, bool], ...]:
    """Return the name of each sealed value, and whether it is never remembered."""
    names = table.sealed_names()
    return tuple((name, bool(getattr(table, name).never_remembered)) for name in names)


def log_altered(id: object) -> None:
    """Log an altered row; each is named once."""
    name = loggable_id(id)
    reported = current_runtime().altered_rows
    if name not in reported and len(reported) < MOST_REPORTED:
        reported.add(name)
        line = "%s was altered outside of the service, and is refused. "
        logging.getLogger("docservice").error(line + "Restore a backup, or delete it.", name)


def loggable_id(id: object) -> str:
    """Return the id of an altered row, which an attacker may have chosen, for a line of text."""
    return re.sub(r"\W", "?", str(id))[:40]


def _plain(value: Any) -> Any:
    """Return a value as the database returns it."""
    if isinstance(value, int):
        return int(value)
    return str(value) if isinstance(value, str) else bytes(value)


def _binding(table: type[SealedRow], values: dict[str, Any]) -> bytes:
    """Return the lines that a sealed text is bound to, from the values of the columns by name."""
    found = [*map(values.get, _bound_names(table))]
    are_given = tuple(map(is_not, found, repeat(None)))
    return (_lines(table, are_given) % tuple(compress(found, are_given))).encode()


@cache
def _lines(table: type[SealedRow], are_given: tuple[bool, ...]) -> str:
    """Return the lines of a row, of whose bound columns these are not NULL, as a form for `%`."""
    names = {field.name: field.column_name for field in table._meta.sorted_fields}
    columns = [f"{names[name]}=%a" for name in compress(_bound_names(table), are_given)]
    return "\n".join(("row/1", table._meta.table_name, *columns))


def _can_be_read(table: type[SealedRow], values: dict[str, Any]) -> bool:
    """Return whether the columns that are not bound hold what they take: SQLite stores anything.

    Whole numbers are moments, or counts, which are less.
    """
    given = [(values[name], type_) for name, type_ in _unbound_types(table) if name in values]
    return all(
        value is None or (is_moment(value) if type_ is int else type(value) is type_)
        for value, type_ in given
    )


@cache
def _unbound_types(table: type[SealedRow]) -> tuple[tuple[str, type], ...]:
    fields = [table._meta.fields[name] for name in table.UNBOUND]
    return tuple((one.name, _TYPE_OF_FIELD[one.field_type]) for one in fields)


@cache
def _bound_names(table: type[SealedRow]) -> tuple[str, ...]:
    """Return the names of the fields that are bound, in the order of their columns' names."""
    unbound = {*table.UNBOUND, "sealed"}
    fields = sorted(table._meta.sorted_fields, key=lambda field: str(field.column_name))
    return tuple(one.name for one in fields if one.name not in unbound)


@prepared
def _changing(table: type[SealedRow], names: tuple[str, ...]) -> Any:
    former = table.sealed == param("former")
    values = {name: param(name) for name in names}
    return super(SealedRow, table).update(values).where(*is_at_key(table), former)
