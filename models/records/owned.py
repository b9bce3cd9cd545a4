"""Rows that belong to a user, and are fetched through their owner."""

from typing import Any, Self, TypeVar

from peewee import SQL, DoesNotExist, TextField

from crypto.row_texts import RowCipher

from ..core import Invalid, NotFound, now
from ..storage import param, prepared
from .keyed import Owner
from .sealed import SealedRow
from .table import Table, cached_property

R = TypeVar("R")
ResultPage = tuple[list[R], str | None]  # rows, and the `after` of the next page
LAST = "~"  # sorts after every id
MOST_READ = 10_000  # of a page by a filter that no index begins with: 1 ms in it, 10 in the table
BOUNDS = ("id_from", "id_until")  # filters
MOST_DELETED = 100  # rows beyond the newest, in the transaction of an insertion


class Owned(Table):
    owner_id = TextField()

    @classmethod
    def live(cls, moment: Any) -> list[Any]:  # noqa: ARG003
        """Return conditions that a row has to meet, else it counts as absent then."""
        return []

    @classmethod
    def condition(cls, name: str, value: Any, moment: Any) -> Any:  # noqa: ARG003
        """Return the condition of a filter; by default that the column has the value."""
        if name == "id_from":
            return cls.id >= value
        if name == "id_until":
            return cls.id <= value
        return getattr(cls, name) == value

    @classmethod
    def one_of(cls, owner_id: str, id: str, **filters: Any) -> Self:
        """Return a row of the owner; raise `NotFound` for another owner's row as for none."""
        values = {"owner_id": owner_id, "id": id, "now": now(), **filters}
        row = cls.first(_one(cls, tuple(filters)), **values)
        if row is None:
            raise NotFound
        return row

    @classmethod
    def page(
        cls,
        owner_id: str,
        limit: int,
        after: str | None,
        *,
        oldest_first: bool = False,
        most_read: int | None = None,
        **filters: Any,
    ) -> ResultPage[Self]:
        """Return at most `limit` rows behind `after`, newest first, and the next page's `after`.

        Keyset pagination: the cost of a page does not grow with its depth. Rows that do not open
        are left out. A filter that is None filters nothing. Give `most_read` with filters that no
        index has: so many rows are read at most, and a page with fewer than `limit`, or none, may
        not be the last.
        """
        filters = {name: value for name, value in filters.items() if value is not None}
        after = after or ("" if oldest_first else LAST)
        last_read = None
        if most_read is not None:
            bounds = {name: filters[name] for name in BOUNDS if name in filters}
            last_read = cls.last_read(
                owner_id, most_read, after, oldest_first=oldest_first, **bounds
            )
        if last_read is not None:
            filters["id_until" if oldest_first else "id_from"] = last_read
        values = {"owner_id": owner_id, "after": after, "limit": limit + 1, "now": now()}
        query = _page(cls, tuple(filters), oldest_first)
        rows = [cls.of_columns(row) for row in query.all(**values, **filters)]
        next_after = rows[limit - 1].id if len(rows) > limit else last_read
        return cls.opened(rows[:limit]), next_after

    @classmethod
    def last_read(
        cls,
        owner_id: str,
        most_read: int,
        after: str,
        *,
        oldest_first: bool = False,
        **filters: Any,
    ) -> str | None:
        """Return the id of the last of so many rows behind `after`; None if there are no more.

        `filters` are those of `condition` that an index has.
        """
        asked = {"owner_id": owner_id, "after": after, "skipped": most_read - 1, "now": now()}
        ids = _ids_behind(cls, tuple(filters), oldest_first).all(**asked, **filters)
        return ids[0][0] if len(ids) > 1 else None

    @classmethod
    def keep_newest(cls, most: int, **filters: Any) -> None:
        """Delete the rows that meet the filters, but the newest `most`; inside a transaction.

        At most the oldest `MOST_DELETED` are deleted, so that no other writer waits for long: the
        next call goes on.
        """
        _beyond_newest(cls, tuple(filters)).execute(most=most, now=now(), **filters)


class SealedByOwner(SealedRow, Owned):
    """A row that is sealed under the key of the user to whom it belongs."""

    @classmethod
    def find_keys(cls, rows: list[Self]) -> None:
        owners: dict[str, Owner | None] = {}
        for row in rows:
            if row.owner_id not in owners:
                owners[row.owner_id] = _owner_or_none(row.owner_id)
            if owner := owners[row.owner_id]:
                row.owner = owner

    @cached_property
    def owner(self) -> Owner:
        """The owner, with the key that seals the row, and perhaps nothing else."""
        return Owner.with_key(self.owner_id)

    def wrapped_key(self) -> tuple[Any, ...] | None:
        return self.owner.wrapped_key()

    def cipher(self) -> RowCipher:
        return self.owner.cipher()


def _owner_or_none(owner_id: str) -> Owner | None:
    """Return None where there is no such owner: each row then says so."""
    try:
        return Owner.with_key(owner_id)
    except DoesNotExist:
        return None


@prepared
def _one(table: type[Owned], filters: tuple[str, ...]) -> Any:
    return _owned(table, filters).where(table.id == param("id"))


@prepared
def _page(table: type[Owned], filters: tuple[str, ...], oldest_first: bool) -> Any:
    is_behind, order = _behind(table, oldest_first)
    return _owned(table, filters).where(is_behind).order_by(order).limit(param("limit"))


@prepared
def _ids_behind(table: type[Owned], filters: tuple[str, ...], oldest_first: bool) -> Any:
    """Select two of an owner's ids, which an index alone has, so many behind a page's `after`."""
    is_behind, order = _behind(table, oldest_first)
    of_owner = table.owner_id == param("owner_id")
    ids = table.select(table.id).where(of_owner, is_behind, *_met(table, filters))
    return ids.order_by(order).limit(SQL("2")).offset(param("skipped"))


def _behind(table: type[Owned], oldest_first: bool) -> tuple[Any, Any]:
    """Return the condition that a row is behind a page's `after`, and the order of the page."""
    after = param("after")
    return (table.id > after, table.id) if oldest_first else (table.id < after, table.id.desc())


def _owned(table: type[Owned], filters: tuple[str, ...]) -> Any:
    of_owner = table.owner_id == param("owner_id")
    return table.select().where(of_owner, *table.live(param("now")), *_met(table, filters))


def _met(table: type[Owned], filters: tuple[str, ...]) -> list[Any]:
    return [table.condition(name, param(name), param("now")) for name in filters]


@prepared
def _beyond_newest(table: type[Owned], filters: tuple[str, ...]) -> Any:
    ids = table.select(table.id).where(*_met(table, filters))
    newest_of_them = ids.order_by(table.id.desc()).limit(SQL("1")).offset(param("most"))
    oldest = ids.where(table.id <= newest_of_them).order_by(table.id)
    return table.delete().where(table.id.in_(oldest.limit(SQL(str(MOST_DELETED)))))


def has_passed(expires_at: int | None) -> bool:
    """Return whether the moment, in milliseconds, is not in the future; None never comes."""
    return expires_at is not None and expires_at <= now()


def require_future(expires_at: int | None) -> None:
    """Raise `Invalid` if the moment has passed."""
    if has_passed(expires_at):
        raise Invalid("#/expiresAt", "This moment has passed. Give one in the future.")
