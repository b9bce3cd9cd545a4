"""A member of a space: a person who acts as it, in a role that says what is permitted.

Role and membership are read at each request, in the query that finds the session.

Whom a manager adds is not asked. So a membership waits until its person enters the space for the
first time, and before that it counts for nothing: the person is as anybody else, and can decline.
"""

from typing import Any, Self

from peewee import SQL, BigIntegerField, TextField, fn
from peewee import Table as TableReference

from ..core import Invalid, NotFound, ScopeMissing, now
from ..records import LAST, Owner, ResultPage, SealedByOwner
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
    inviter_id = TextField(null=True)  # the manager who has added this person, who is then asked
    accepted_at = BigIntegerField(null=True)  # when this person first entered the space

    @property
    def is_waiting(self) -> bool:
        """Whether the person has not entered the space yet; nobody else waits."""
        return self.accepted_at is None and self.inviter_id is not None

    @property
    def entered_at(self) -> int | None:
        """When the membership began to count, in milliseconds; None while it waits."""
        return None if self.is_waiting else self.accepted_at or self.created_at

    @classmethod
    def _is_accepted(cls) -> Any:
        """Return the condition that a membership does not wait."""
        return cls.accepted_at.is_null(False) | cls.inviter_id.is_null()

    @classmethod
    def find_listed(cls, space_id: str, user_id: str) -> Self | None:
        """Return this person in the list of members of this space, also one who has to enter it."""
        return cls.first(cls.select().where(cls.owner_id == space_id, cls.user_id == user_id))

    @classmethod
    def listed(cls, space_id: str, user_id: str) -> Self:
        """Return this person in the list of members, as `find_listed`, or raise `NotFound`."""
        member = cls.find_listed(space_id, user_id)
        if member is None:
            raise NotFound
        return member

    @classmethod
    def find_of(cls, space_id: str, user_id: str) -> Self | None:
        """Return the member of this space who is this person, if there is one."""
        member = cls.find_listed(space_id, user_id)
        return None if member is None or member.is_waiting else member

    @classmethod
    def of(cls, space_id: str, user_id: str) -> Self:
        """Return the member of this space who is this person.

        Raises `NotFound` for anybody else: to others a space is not there.
        """
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
    def manages(cls, space_id: str, user_id: str | None) -> bool:
        """Return whether this person manages the space, and their account is not disabled."""
        member = cls.find_of(space_id, user_id or "")
        if member is None or member.role != MANAGE:
            return False
        person = Owner.find(member.user_id)
        return person is not None and person.disabled_at is None

    @classmethod
    def of_space(cls, space_id: str) -> list[Self]:
        """Return who is in the list of a space, also those who have to enter it."""
        return cls.rows(cls.select().where(cls.owner_id == space_id).order_by(cls.id))

    @classmethod
    def of_user(cls, user_id: str) -> list[Self]:
        """Return the memberships of a person, without those that wait."""
        return cls.rows(_of_user(), user_id=user_id)

    @classmethod
    def page_waiting_for(cls, user_id: str, limit: int, after: str | None) -> ResultPage[Self]:
        """Return a page of the memberships that wait for this person, the newest spaces first.

        `after` is the id of a space. However many there are, a page opens so many rows.
        """
        waiting = cls._waiting_for(user_id).where(cls.owner_id < (after or LAST))
        rows = cls.rows_as_stored(waiting.order_by(cls.owner_id.desc()).limit(limit + 1))
        next_after = rows[limit - 1].owner_id if len(rows) > limit else None
        return cls.opened(rows[:limit]), next_after

    @classmethod
    def count_waiting(cls, user_id: str, inviter_id: str) -> int:
        """Return how many memberships by this inviter wait for this person."""
        return int(cls._waiting_for(user_id).where(cls.inviter_id == inviter_id).count())

    @classmethod
    def _waiting_for(cls, user_id: str) -> Any:
        return cls.select().where(cls.user_id == user_id, ~cls._is_accepted())

    @classmethod
    def all_waiting_by(cls, space_id: str, inviter_id: str) -> list[Self]:
        """Return the memberships of a space that wait, by the manager who has added them."""
        is_by = cls.owner_id == space_id, cls.inviter_id == inviter_id
        return cls.rows(cls.select().where(*is_by, ~cls._is_accepted()))

    @classmethod
    def all_of_user(cls, user_id: str) -> list[Self]:
        return cls.rows(cls.select().where(cls.user_id == user_id).order_by(cls.id))

    @classmethod
    def waits_for(cls, user_id: str) -> bool:
        """Return whether a membership waits for this person."""
        return bool(cls._waiting_for(user_id).exists())

    def accept(self) -> None:
        """Let the membership count from now on, in a transaction that holds the space's lock."""
        self.change(accepted_at=now())

    @classmethod
    def is_last_manager(cls, space_id: str, user_id: str) -> bool:
        """Return whether this person manages the space, and no other enabled account does."""
        person: Any = TableReference(Owner._meta.table_name, ("id", "disabled_at"))
        is_enabled = fn.EXISTS(
            person.select(SQL("1")).where(person.id == cls.user_id, person.disabled_at.is_null())
        )
        manage = cls.select().where(
            cls.owner_id == space_id,
            cls.role == MANAGE,
            cls._is_accepted(),
            (cls.user_id == user_id) | is_enabled,
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
    of_user = Member.select().where(Member.user_id == param("user_id"), Member._is_accepted())
    return of_user.order_by(Member.id)


def require_role(role: str) -> None:
    """Raise `Invalid` for a word that is no role."""
    if role not in ROLES:
        raise Invalid("#/role", f"A role is one of {', '.join(ROLES)}.")
