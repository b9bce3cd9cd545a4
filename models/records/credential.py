"""Rows by which a caller is recognized: they count as long as they and their owner are genuine."""

from dataclasses import dataclass
from typing import Any, NamedTuple, Self, TypeVar

from peewee import Table as TableReference

from crypto import is_authentic

from ..runtime import current_runtime
from ..storage import Prepared
from .authenticated import Authenticated, log_altered
from .issued import RowWith
from .owned import Owned

OWNER_TABLE = "user_account"
T = TypeVar("T", bound="Credential")


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


@dataclass(frozen=True)
class Presented(RowWith[T]):
    """A genuine row with its genuine owner, and the values of further columns of the query."""

    owner: OwnerAuthority
    further: tuple[Any, ...]


class Credential(Authenticated, Owned):
    @classmethod
    def with_owner(cls, *further: Any) -> Any:
        """A query of all columns, the owner's authority columns, and further ones."""
        owner = TableReference(OWNER_TABLE).alias("owner")
        names = *OwnerAuthority._fields, "authority_mac"
        columns = *cls._meta.sorted_fields, *(getattr(owner.c, name) for name in names), *further
        return cls.select(*columns).from_(cls, owner).where(owner.c.id == cls.owner_id)

    @classmethod
    def presented(cls, query: Prepared, **values: Any) -> Presented[Self] | None:
        """What a query of `with_owner` finds; None if row or owner are absent or altered."""
        found = query.first(**values)
        if found is None:
            return None
        own, owners = len(cls._meta.sorted_fields), len(OwnerAuthority._fields)
        row, owner = cls._of_row(found[:own]), OwnerAuthority(*found[own : own + owners])
        mac, *further = found[own + owners :]
        if not (row.is_genuine() or log_altered(row.id)):
            return None
        is_genuine = is_authentic(current_runtime().authority_key, OWNER_TABLE, tuple(owner), mac)
        if not (is_genuine or log_altered(owner.id)):
            return None
        return Presented(row, owner, tuple(further))
