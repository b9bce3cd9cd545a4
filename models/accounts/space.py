"""Spaces: accounts without an address and a password, as which several people act.

A space is a row of `user_account`. It owns documents, links, keys, webhooks and a chain of events
as a person's account does; the people are its members (`member.py`). Every change of members holds
the lock of the space, so that two managers who leave at once cannot leave none.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from ..core import Invalid, LastManager, MemberExists, NotFound
from ..events import Event, EventHead
from ..records import ResultPage, RowWith
from ..runtime import current_runtime, refuse_if_full
from ..storage import transaction
from .member import MANAGE, Member, require_role
from .session import Session
from .user import User

MOST_MEMBERS = 100  # of a space
MOST_MEMBERSHIPS = 100  # of a person
_NOBODY = "There is no account with this address."


@dataclass(frozen=True)
class MemberSpace(RowWith[User]):
    """A space, and the role in which a person is its member."""

    role: str


@dataclass(frozen=True)
class ListedMember(RowWith[Member]):
    """A member of a space, and the account of this person."""

    user: User

    @property
    def email(self) -> str:
        return self.user.email

    @property
    def name(self) -> str | None:
        name: str | None = self.user.name
        return name


def make_space(maker: User, name: str) -> MemberSpace:
    """Return a new space, which its maker manages. Raise `QuotaExceeded` beyond QUOTA_SPACES."""
    with transaction():
        maker.require_same_password()
        made = User.select().where(User.made_by == maker.id).count()
        most = current_runtime().settings.quota_spaces
        refuse_if_full(made, most, "space", "Delete one first.", "that you have made")
        space = User.insert_space(name, maker.id)
        EventHead.begin(space.id)
        Event.record_of_service("account.created", {"user_id": space.id})
        _insert(space.id, maker.id, MANAGE, maker.id)
    return MemberSpace(space, MANAGE)


def spaces_of(user_id: str) -> list[MemberSpace]:
    """Return the spaces of which this person is a member, oldest membership first."""
    members = Member.of_user(user_id)
    if not members:
        return []
    ids = [member.owner_id for member in members]
    spaces = {one.id: one for one in User.rows(User.select().where(User.id.in_(ids)))}
    return [
        MemberSpace(spaces[member.owner_id], member.role)
        for member in members
        if member.owner_id in spaces and spaces[member.owner_id].disabled_at is None
    ]


def page_of_spaces(user_id: str, limit: int, after: str | None) -> ResultPage:
    """Return a page of the spaces of which this person is a member, newest first."""
    return _page(spaces_of(user_id), limit, after)


def page_of_members(space_id: str, by_id: str, limit: int, after: str | None) -> ResultPage:
    """Return a page of the members of a space, newest first, for the member `by_id`."""
    space_of(space_id, by_id)
    return _page(members_of(space_id), limit, after)


def _page(rows: Sequence[MemberSpace | ListedMember], limit: int, after: str | None) -> ResultPage:
    newest_first = sorted(rows, key=lambda one: str(one.id), reverse=True)
    behind = [one for one in newest_first if after is None or one.id < after]
    next_after = behind[limit - 1].id if len(behind) > limit else None
    return behind[:limit], next_after


def space_of(space_id: str, user_id: str) -> MemberSpace:
    """Return a space of which this person is a member; raise `NotFound` for any other one."""
    member = Member.of(space_id, user_id)
    space = User.find(space_id)
    if space is None or space.disabled_at is not None:
        raise NotFound
    return MemberSpace(space, member.role)


def rename_space(space_id: str, by_id: str, name: str) -> MemberSpace:
    """Rename a space, as the manager `by_id` wants it."""
    with transaction(space_id):
        Member.manager(space_id, by_id)
        space = space_of(space_id, by_id)
        return MemberSpace(space.row.edit(name=name), space.role)


def members_of(space_id: str) -> list[ListedMember]:
    """Return the members of a space, those first who have been in it for longest."""
    members = Member.of_space(space_id)
    ids = [member.user_id for member in members]
    users = {one.id: one for one in User.rows(User.select().where(User.id.in_(ids)))}
    return [ListedMember(one, users[one.user_id]) for one in members if one.user_id in users]


def add_member(space_id: str, by_id: str, email: str, role: str) -> ListedMember:
    """Make the person with this address a member, as the manager `by_id` wants it.

    Raises `Invalid` if nobody has an account with this address, `MemberExists`, `QuotaExceeded`.
    """
    require_role(role)
    with transaction(space_id):
        Member.manager(space_id, by_id)
        user = User.find_by_email(email)
        if user is None or user.disabled_at is not None:
            raise Invalid("#/email", _NOBODY)
        return ListedMember(_add(space_id, user.id, role, by_id), user)


def appoint_manager(space_id: str, user_id: str) -> None:
    """Make somebody manage a space, as the operator wants it. Raise `NotFound` without a space."""
    with transaction(space_id):
        space = User.find(space_id)
        if space is None or not space.is_space:
            raise NotFound
        member = Member.find_of(space_id, user_id)
        if member is None:
            _add(space_id, user_id, MANAGE)
        else:
            _give_role(member, MANAGE)


def add_invited(space_id: str, inviter_id: str, user_id: str, role: str) -> None:
    """Make somebody a member whom the manager `inviter_id` has invited."""
    with transaction(space_id):
        _add(space_id, user_id, role, inviter_id)


def _add(space_id: str, user_id: str, role: str, by_id: str | None = None) -> Member:
    if Member.find_of(space_id, user_id):
        raise MemberExists
    members = Member.select().where(Member.owner_id == space_id).count()
    refuse_if_full(members, MOST_MEMBERS, "member", "Remove one first.", "in this space")
    memberships = Member.select().where(Member.user_id == user_id).count()
    refuse_if_full(memberships, MOST_MEMBERSHIPS, "space", "Leave one first.", "for this person")
    return _insert(space_id, user_id, role, by_id)


def _insert(space_id: str, user_id: str, role: str, by_id: str | None) -> Member:
    member: Member = Member.fresh(owner_id=space_id, user_id=user_id, role=role)
    member.store()
    Event.record(space_id, "member.added", _facts(user_id, by_id, role=role))
    return member


def _facts(user_id: str, by_id: str | None, **more: str) -> dict[str, str]:
    """Return the facts of an event: who it is about, and which member did it, if one did."""
    return {"member_user_id": user_id, **more, **({"user_id": by_id} if by_id else {})}


def _give_role(member: Member, role: str, by_id: str | None = None) -> None:
    if member.role != role:
        member.change(role=role)
        facts = _facts(member.user_id, by_id, role=role)
        Event.record(member.owner_id, "member.changed", facts)


def change_member(space_id: str, by_id: str, user_id: str, role: str) -> ListedMember:
    """Give a member another role, as the manager `by_id` wants it. Raises `LastManager`."""
    require_role(role)
    with transaction(space_id):
        Member.manager(space_id, by_id)
        member = Member.of(space_id, user_id)
        if role != MANAGE and Member.is_last_manager(space_id, user_id):
            raise LastManager
        _give_role(member, role, by_id)
        return ListedMember(member, User.get_by_id(user_id))


def remove_member(space_id: str, by_id: str, user_id: str) -> None:
    """Remove a member, who is out at once, as the manager `by_id` wants it; or leave the space.

    Raises `LastManager`.
    """
    with transaction(space_id):
        if by_id == user_id:
            Member.of(space_id, by_id)
        else:
            Member.manager(space_id, by_id)
        member = Member.of(space_id, user_id)
        if Member.is_last_manager(space_id, user_id):
            raise LastManager
        drop_member(member, by_id)


def leave_out_member(space_id: str, user_id: str) -> None:
    """Record that a member has not come into this instance with the space."""
    Event.record(space_id, "member.removed", _facts(user_id, None))


def drop_member(member: Member, by_id: str) -> None:
    """Delete a member with the sessions, in a transaction that holds the lock of the space."""
    Member.delete().where(Member.id == member.id).execute()
    Session.end_of_member(member.owner_id, member.user_id)
    Event.record(member.owner_id, "member.removed", _facts(member.user_id, by_id))
