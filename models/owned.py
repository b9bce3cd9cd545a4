"""What belongs to a user. There is no way here to fetch a row without its owner."""

from typing import Any, Self

from peewee import TextField

from .base import Table, now
from .errors import Invalid, NotFound

Page = tuple[list[Any], str | None]


class Owned(Table):
    owner_id = TextField()

    @classmethod
    def all_of(cls, owner_id: str) -> Any:
        return cls.select().where(cls.owner_id == owner_id)

    @classmethod
    def one_of(cls, owner_id: str, id: str) -> Self:
        """Another's row is as absent as one that never was."""
        row: Self | None = cls.all_of(owner_id).where(cls.id == id).get_or_none()
        if row is None:
            raise NotFound
        return row


def page(rows: Any, table: type[Table], limit: int, after: str | None) -> Page:
    """At most `limit` rows, newest first, older than `after`; and the id to go on after.

    Keyset pagination: the cost of a page does not grow with its depth.
    """
    if after is not None:
        rows = rows.where(table.id < after)
    found = list(rows.order_by(table.id.desc()).limit(limit + 1))
    more = len(found) > limit
    return found[:limit], found[limit - 1].id if more else None


def refuse_past(expires_at: int | None) -> None:
    """What is to end must not have ended."""
    if expires_at is not None and expires_at <= now():
        raise Invalid("#/expiresAt", "This moment has passed. Give one in the future.")
