"""Rows with authority columns, which say who may do what, until when.

A MAC over them lies in the row. `insert_row` and `change` write it, and nothing else may write
these columns; `rows`, `find`, `one_of` and `page_of` return no row whose MAC is wrong, and
`delete_in_batches` and `keep_newest` delete none. Its key is not in the database in clear
(`models/operations/authority.py`).
"""

import logging
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Self, TypeVar

from peewee import BigIntegerField, BlobField
from peewee import Table as TableReference

from crypto import authority_mac, is_authentic

from ..core import NotFound, now
from ..runtime import current_runtime
from ..storage import param, prepared
from .keyed import OWNER_TABLE
from .owned import Owned
from .table import PAGE_ROWS, RowWith, Table

USE_RECORDED_MS = 60_000
MOST_REPORTED = 1000  # altered rows that a process names in its log, each once
T = TypeVar("T", bound="Credential")


class Authenticated(Table):
    AUTHORITY: ClassVar[tuple[str, ...]]  # the columns, in an order that never changes
    AUTHORITY_OPTIONAL: ClassVar[tuple[str, ...]] = ()
    """Columns, of which each that is not NULL joins the MAC as two more values: its name and its
    own. So a migration that adds one leaves the MACs as they are."""

    authority_mac = BlobField(null=True)

    @classmethod
    def genuine(cls, rows: Iterable[Self]) -> list[Self]:
        """Return the rows that were not altered outside of the service, and log the others."""
        return [row for row in rows if row.is_genuine() or log_altered(row.id)]

    @classmethod
    def update(cls, *args: Any, **values: Any) -> Any:
        """Raise ValueError for authority columns: `change` writes their MAC as well."""
        names = {getattr(field, "name", field) for given in args for field in given} | set(values)
        if names & {*cls.AUTHORITY, *cls.AUTHORITY_OPTIONAL, "authority_mac"}:
            raise ValueError(f"{names} are changed by `change`, which writes the MAC, too.")
        return super().update(*args, **values)

    @classmethod
    def keep_newest(cls, most: int, condition: Any) -> None:
        newest_first = cls.select().where(condition).order_by(cls.id.desc())
        for ids in cls._genuine_ids(newest_first.offset(most)):
            cls.delete().where(cls.id.in_(ids)).execute()

    @classmethod
    def _batches(cls, condition: Any, *, altered_too: bool) -> Iterator[list[str]]:
        if altered_too:
            return super()._batches(condition, altered_too=True)
        return cls._genuine_ids(cls.select().where(condition))

    @classmethod
    def _genuine_ids(cls, query: Any) -> Iterator[list[str]]:
        ids = [row.id for row in cls.genuine(query)]
        for first in range(0, len(ids), PAGE_ROWS):
            yield ids[first : first + PAGE_ROWS]

    def is_genuine(self) -> bool:
        """Return whether the authority columns are as the service has written them."""
        key = current_runtime().authority_key
        table = self._meta.table_name
        return is_authentic(key, table, self._authority(), self.authority_mac)

    def insert_row(self) -> None:
        self.authority_mac = self._mac()
        super().insert_row()

    def change(self, **fields: Any) -> None:
        """Store new values of some columns, with the MAC, in the row as it is now.

        Call it in a transaction. Raises `NotFound` if the row was deleted, or altered.
        """
        if not (self.is_genuine() and self._store(fields)):
            self._reload()
            self._store(fields)

    def _store(self, fields: dict[str, Any]) -> bool:
        """Store the row, and return False if it has changed since it was read."""
        former = self.authority_mac
        self.__data__.update(fields)
        self.authority_mac = self._mac()
        stored = self._update(**fields, authority_mac=self.authority_mac)
        return bool(stored.where(type(self).authority_mac == former).execute())

    def _update(self, **values: Any) -> Any:
        table = type(self)
        return super(Authenticated, table).update(values).where(table.id == self.id)

    def _reload(self) -> None:
        row = self.find(self.id)
        if row is None:
            raise NotFound
        self.__data__ = row.__data__

    def _mac(self) -> bytes:
        key = current_runtime().authority_key
        return authority_mac(key, self._meta.table_name, self._authority())

    def _authority(self) -> tuple[Any, ...]:
        value = self.__data__.get
        values = tuple(map(value, self.AUTHORITY))
        for name in self.AUTHORITY_OPTIONAL:
            if value(name) is not None:
                values += name, value(name)
        return values


def log_altered(id: object) -> bool:
    """Log an altered row once; return false, which lets `genuine` leave the row out."""
    name = loggable_id(id)
    reported = current_runtime().altered_rows
    if name not in reported and len(reported) < MOST_REPORTED:
        reported.add(name)
        line = "%s was altered outside of the service, and is refused. "
        logging.getLogger("docservice").error(line + "Restore a backup, or delete it.", name)
    return False


def loggable_id(id: object) -> str:
    """Return the id of an altered row, which an attacker may have chosen, for a line of text."""
    return re.sub(r"\W", "?", str(id))[:40]


class OwnerAuthority(NamedTuple):
    """The authority columns of a user.

    Sessions of an earlier `login_generation` have ended.
    """

    id: str
    email: str
    email_folded: str
    sealed_password: bytes
    disabled_at: int | None
    login_generation: int


OWNER_COLUMNS = len(OwnerAuthority._fields) + 1  # with the MAC


@dataclass(frozen=True)
class Presented(RowWith[T]):
    """A genuine row with its genuine owner, and the values of its `extra_columns`."""

    owner: OwnerAuthority
    extra: tuple[Any, ...]


class Credential(Authenticated, Owned):
    """A row by which a caller is recognized: it counts as long as it and its owner are genuine."""

    last_used_at = BigIntegerField(null=True)

    @classmethod
    def usable(cls, moment: Any) -> list[Any]:
        """Return conditions that a row has to meet when it is presented."""
        return cls.live(moment)

    def note_use(self, moment: int) -> bool:
        """Have `last_used_at` written soon, but at most once a minute; whether it will be."""
        is_due = moment - (self.last_used_at or 0) > USE_RECORDED_MS
        if is_due:
            unrecorded = current_runtime().unrecorded
            unrecorded.add_use(self.owner_id, self._record_use, self.id, moment)
        return is_due

    @classmethod
    def _record_use(cls, id: str, moment: int) -> None:
        cls.update(last_used_at=moment).where(cls.id == id).execute()

    @classmethod
    def extra_columns(cls, moment: Any) -> list[Any]:  # noqa: ARG003
        """Return expressions that the query of a presented row selects beside the two rows."""
        return []

    @classmethod
    def presented(cls, column: str, value: Any) -> Presented[Self] | None:
        """Return the row with this value of a unique column, with its owner.

        None if row or owner are absent, altered or no longer `usable`.
        """
        values = _presented(cls, column).first(value=value, now=now())
        if values is None:
            return None
        own = len(cls._meta.sorted_fields)
        row = cls._of_row(values[:own])
        if not (row.is_genuine() or log_altered(row.id)):
            return None
        owner = genuine_owner(values[own : own + OWNER_COLUMNS])
        if owner is None:
            return None
        return Presented(row, owner, tuple(values[own + OWNER_COLUMNS :]))


def owner_columns(owner: Any) -> list[Any]:
    """Return the columns of an alias of the table of owners, as `genuine_owner` takes them."""
    return [getattr(owner.c, name) for name in (*OwnerAuthority._fields, "authority_mac")]


def genuine_owner(values: tuple[Any, ...]) -> OwnerAuthority | None:
    """Return the owner with these values of `owner_columns`; None if the row was altered."""
    *columns, mac = values
    owner = OwnerAuthority(*columns)
    is_genuine = is_authentic(current_runtime().authority_key, OWNER_TABLE, tuple(owner), mac)
    return owner if is_genuine or log_altered(owner.id) else None


@prepared
def _presented(table: type[Credential], column: str) -> Any:
    owner = TableReference(OWNER_TABLE).alias("owner")
    moment = param("now")
    columns = *table._meta.sorted_fields, *owner_columns(owner), *table.extra_columns(moment)
    query = table.select(*columns)
    is_it = getattr(table, column) == param("value")
    return query.from_(table, owner).where(
        owner.c.id == table.owner_id, is_it, *table.usable(moment)
    )
