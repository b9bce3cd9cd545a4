"""What a link has opened before it was led elsewhere: the last targets of each link."""

from typing import Self

from peewee import TextField

from ..records import Owned
from .target import OfTarget

MOST = 20  # of a link; the oldest go: the log of its owner holds all changes


class FormerTarget(Owned, OfTarget):
    """`created_at` is when the link was led elsewhere."""

    PREFIX = "fmt"

    token_id = TextField()
    target_id = TextField(column_name="document_id")

    @classmethod
    def add(cls, token_id: str, owner_id: str, target_id: str) -> None:
        """In the transaction that leads the link elsewhere."""
        cls.fresh(owner_id=owner_id, token_id=token_id, target_id=target_id).insert_row()
        cls.keep_newest(MOST, cls.token_id == token_id)

    @classmethod
    def all_of(cls, token_id: str) -> list[Self]:
        """Those of a link, the last one first."""
        rows = cls.select().where(cls.token_id == token_id).order_by(cls.id.desc())
        return list(rows.limit(MOST))
