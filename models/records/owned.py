"""What belongs to a user. There is no way here to fetch a row without its owner."""

from typing import Any, ClassVar, Self

from peewee import TextField

from ..errors import Invalid, NotFound
from .ids import now
from .table import Table

ResultPage = tuple[list[Any], str | None]
_LAST = "~"  # behind every id


class Owned(Table):
    LIVE: ClassVar[str] = "TRUE"  # what a row must satisfy to be there at all, in SQL

    owner_id = TextField()

    @classmethod
    def one_of(cls, owner_id: str, id: str, where: str = "TRUE", **values: Any) -> Self:
        """Another's row is as absent as one that never was."""
        found = cls._all_of(owner_id, f"id = :id AND {where}", id=id, **values)
        if not found:
            raise NotFound
        return found[0]

    @classmethod
    def page_of(
        cls, owner_id: str, limit: int, after: str | None, where: str = "TRUE", **values: Any
    ) -> ResultPage:
        """At most `limit` rows, newest first, older than `after`; and the id to go on after.

        Keyset pagination: the cost of a page does not grow with its depth.
        """
        where = f"id < :after AND {where} ORDER BY id DESC LIMIT :limit"
        found = cls._all_of(owner_id, where, after=after or _LAST, limit=limit + 1, **values)
        more = len(found) > limit
        return found[:limit], found[limit - 1].id if more else None

    @classmethod
    def _all_of(cls, owner_id: str, where: str, **values: Any) -> list[Self]:
        condition = f"owner_id = :owner AND {cls.LIVE} AND {where}"
        return cls.rows(condition, owner=owner_id, now=now(), **values)


def require_future(expires_at: int | None) -> None:
    """What is to end must not have ended."""
    if expires_at is not None and expires_at <= now():
        raise Invalid("#/expiresAt", "This moment has passed. Give one in the future.")
