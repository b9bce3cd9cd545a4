"""A member of a space: a person who acts as it, in a role that says what is permitted.

Role and membership are read at each request, in the query that finds the session.
"""

from typing import Any, Self

from peewee import Table as TableReference
from peewee import TextField

from ..core import Invalid, NotFound, ScopeMissing
from ..records import Owner, SealedByOwner
from ..storage import param, prepared

READ, WRITE, MANAGE = "read", "write", "manage"
_MAY_READ = frozenset({"documents:read", "events:read"})
_MAY_WRITE = _MAY_READ | {"documents:write"}
_MAY_MANAGE = _MAY_WRITE | {"documents:delete", "api_keys", "webhooks", "members"}
PERMISSIONS_OF_ROLES = {READ: _MAY_READ, WRITE: _MAY_WRITE, MANAGE: _MAY_MANAGE}
ROLES = tuple(PERMISSIONS_OF_ROLES)


class Member(SealedByOwner):
    """A member; the owner of the row is the space."""

    PREFIX = "mem"

    user_id = TextField()
    role = TextField()

    @classmethod
    def find_of(cls, space_id: str, user_id: str) -> Self | None:
        """Return the member of this space who is this person, if there is one."""
        return cls.first(cls.select().where(cls.owner_id == space_id, cls.user_id == user_id))

    @classmethod
    def of(cls, space_id: str, user_id: str) -> Self:
        """Return the same, or raise `NotFound`: to others a space is not there."""
        member = cls.find_of(space_id, user_id)
        if member is None:
            raise NotFound
        return member

    @classmethod
    def manager(cls, space_id: str, user_id: str) -> Self:
        """Return the member, who has to manage the space.

        Raises `NotFound` for others, `ScopeMissing` for another role.
        """
        member = cls.of(space_id, user_id)
        member.require("members")
        return member

    @classmethod
    def of_space(cls, space_id: str) -> list[Self]:
        return cls.rows(cls.select().where(cls.owner_id == space_id).order_by(cls.id))

    @classmethod
    def of_user(cls, user_id: str) -> list[Self]:
        return cls.rows(_of_user(), user_id=user_id)

    @classmethod
    def is_last_manager(cls, space_id: str, user_id: str) -> bool:
        """Return whether this person manages the space, and no other enabled account does."""
        person: Any = TableReference(Owner._meta.table_name, ("id", "disabled_at"))
        enabled = person.select(person.id).where(person.disabled_at.is_null())
        manage = cls.select().where(
            cls.owner_id == space_id,
            cls.role == MANAGE,
            (cls.user_id == user_id) | cls.user_id.in_(enabled),
        )
        return {one.user_id for one in cls.rows(manage)} == {user_id}

    @property
    def permissions(self) -> frozenset[str]:
        return PERMISSIONS_OF_ROLES[self.role]

    def require(self, permission: str) -> None:
        """Raise `ScopeMissing` unless the role has this permission."""
        if permission not in self.permissions:
            raise ScopeMissing(
                f"Your role in this space, {self.role!r}, does not permit this. Ask who manages it."
            )


@prepared
def _of_user() -> Any:
    return Member.select().where(Member.user_id == param("user_id")).order_by(Member.id)


def require_role(role: str) -> None:
    """Raise `Invalid` for a word that is no role."""
    if role not in ROLES:
        raise Invalid("#/role", f"A role is one of {', '.join(ROLES)}.")
