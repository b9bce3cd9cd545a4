"""Rows by which a caller is recognized, found by the digest of a secret or by their id."""

from collections.abc import Set
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Self, TypeVar

from peewee import BigIntegerField
from peewee import Table as TableReference

from ..core import now
from ..runtime import Use, current_runtime
from ..storage import Right, engine, param, prepared
from .keyed import Owner
from .owned import SealedByOwner
from .table import RowWith

USE_RECORDED_MS = 60_000
T = TypeVar("T", bound="Credential")


@dataclass(frozen=True)
class Presented(RowWith[T]):
    """A row with its owner, which both open, and the values of its `extra_columns`.

    `found` are the values of all these columns, as the query has found them.
    """

    owner: Owner
    extra: tuple[Any, ...]
    found: tuple[Any, ...]


class Credential(SealedByOwner):
    """A row by which a caller is recognized: it counts as long as it and its owner open."""

    UNBOUND = ("last_used_at",)
    JUDGED: ClassVar[tuple[str, ...]] = ("id",)  # the columns that `permits` takes

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
    def _record_use(cls, id: str, use: Use) -> None:
        cls.update(last_used_at=use.moment).where(cls.id == id).execute()

    @classmethod
    def right(cls, id: str, owner_id: str, moment: int, needed: tuple[str, ...] = ()) -> Right:  # noqa: ARG003
        """Return the right of a row that was presented: not to have been ended, and to permit this.

        What ends by time is judged at the `moment` when the row was presented, and opened.
        """
        return Right(_unended(cls), {"id": id, "moment": moment}, partial(cls.permits, id), needed)

    @classmethod
    def permits(cls, id: str, judged: tuple[Any, ...], needed: Set[str]) -> bool:
        """Return whether a row with these values of the columns `JUDGED` has what is needed."""
        raise NotImplementedError

    @classmethod
    def is_unended(cls, moment: Any) -> list[Any]:  # noqa: ARG003
        """Return conditions that a row meets until somebody ends it, or disables its owner."""
        return [is_enabled(cls.owner_id)]

    @classmethod
    def extra_columns(cls, moment: Any) -> list[Any]:  # noqa: ARG003
        """Return expressions that the query of a presented row selects beside the two rows."""
        return []

    @classmethod
    def presented(
        cls, column: str, value: Any, known: Presented[Self] | None = None
    ) -> Presented[Self] | None:
        """Return the row with this value of a unique column, with its owner.

        None if row or owner are absent, altered or no longer `usable`. What is `known` of earlier
        in the request is returned if not one column has changed since.
        """
        values = _presented(cls, column).first(value=value, now=now())
        if values is None:
            return None
        if known is not None and known.found == values:
            return known
        own = len(cls._meta.sorted_fields)
        owners = len(Owner._meta.sorted_fields)
        row = cls.of_columns(values[:own])
        owner = Owner.of_columns(values[own : own + owners])
        if not owner.is_usable():
            return None
        row.owner = owner
        if not row.is_usable():
            return None
        return Presented(row, owner, values[own + owners :], values)


@prepared
def _unended(table: type[Credential]) -> Any:
    columns = [getattr(table, name) for name in table.JUDGED]
    found = table.select(*columns).where(
        table.id == param("id"), *table.is_unended(param("moment"))
    )
    return engine().keeping(found, table)


def is_enabled(id: Any, login_generation: Any = None) -> Any:
    """Return the condition that the account with this id is not disabled, and, if it is given, that
    its logins have not ended since this generation.

    It is a subquery: PostgreSQL plans the query each time, and takes twice as long for a join.
    """
    account = TableReference(Owner._meta.table_name).alias("account")
    conditions = [account.c.id == id, account.c.disabled_at.is_null()]
    if login_generation is not None:
        conditions.append(account.c.login_generation == login_generation)
    return id == account.select(account.c.id).where(*conditions)


def columns_of_owner(owner: Any) -> list[Any]:
    """Return all columns of an alias of the table of owners."""
    return [getattr(owner.c, field.column_name) for field in Owner._meta.sorted_fields]


@prepared
def _presented(table: type[Credential], column: str) -> Any:
    owner = TableReference(Owner._meta.table_name).alias("owner")
    moment = param("now")
    columns = (
        *table._meta.sorted_fields,
        *columns_of_owner(owner),
        *table.extra_columns(moment),
    )
    query = table.select(*columns)
    is_it = getattr(table, column) == param("value")
    return query.from_(table, owner).where(
        owner.c.id == table.owner_id, is_it, *table.usable(moment)
    )
