"""Spaces: accounts without an address and a password, as which several people act.

A space is a row of `user_account`. It owns documents, links, keys, webhooks and a chain of events
as a person's account does; the people are its members (`member.py`). Every change of members holds
the lock of the space, so that two managers who leave at once cannot leave none; what counts the
memberships of a person holds a lock of their name as well.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from ..core import Busy, Invalid, LastManager, MemberExists, NotFound
from ..events import Event, EventHead
from ..records import Origin, ResultPage, RowWith, end_derived
from ..runtime import current_runtime, refuse_if_full
from ..storage import engine, transaction
from .member import MANAGE, Member, require_role
from .session import StartedSession
from .user import UNNAMED_SPACE, User

MOST_MEMBERS = 100  # of a space
MOST_MEMBERSHIPS = 100  # of a person
MOST_WAITING_MEMBERSHIPS = 10  # memberships that one inviter lets wait for one person
LOCK_SECONDS = 5
L = TypeVar("L", bound=RowWith[User] | RowWith[Member])
_NOBODY = "There is no account with this address."


@dataclass(frozen=True)
class MemberSpace(RowWith[User]):
    """A space, and the role in which a person is its member."""

    role: str

    @property
    def name(self) -> str:
        return self.row.name or UNNAMED_SPACE


@dataclass(frozen=True)
class SessionOfSpace(RowWith[StartedSession]):
    """A new session of a space, and the space as the member who has begun it sees it."""

    space: MemberSpace


@dataclass(frozen=True)
class ListedMember(RowWith[Member]):
    """A member of a space, and the account of this person."""

    user: User

    @property
    def email(self) -> str:
        return self.user.email

    @property
    def name(self) -> str | None:
        return self.user.name


@dataclass(frozen=True)
class WaitingSpace(MemberSpace):
    """A space that waits for a person to enter it, and who has added them."""

    inviter: User


def make_space(maker: User, name: str) -> MemberSpace:
    """Return a new space, which its maker manages. Raise `QuotaExceeded` beyond QUOTA_SPACES."""
    with transaction():
        maker.require_same_password()
        made = User.select().where(User.made_by == maker.id).count()
        most = current_runtime().settings.quota_spaces
        refuse_if_full(made, most, "space", "Delete one first.", "that you have made")
        _require_room_for(maker.id)
        space = User.insert_space(name, maker.id)
        EventHead.begin(space.id)
        Event.record_of_service("account.created", {"user_id": space.id})
        _insert(space.id, maker.id, MANAGE, maker.id)
    return MemberSpace(space, MANAGE)


def _lock_memberships(user_id: str) -> None:
    """Let no other transaction count the memberships of this person until this one ends."""
    if not engine().lock_name(f"memberships of {user_id}", LOCK_SECONDS):
        raise Busy


def _require_room_for(user_id: str) -> None:
    """Raise `QuotaExceeded` if somebody is in as many spaces as anybody may be."""
    _lock_memberships(user_id)
    spaces = len(Member.of_user(user_id))
    refuse_if_full(spaces, MOST_MEMBERSHIPS, "space", "Leave one first.")


def spaces_of(user_id: str) -> list[MemberSpace]:
    """Return the spaces of which this person is a member, oldest membership first."""
    members = Member.of_user(user_id)
    spaces = _enabled(member.owner_id for member in members)
    return [
        MemberSpace(spaces[member.owner_id], member.role)
        for member in members
        if member.owner_id in spaces
    ]


def _enabled(ids: Iterable[str]) -> dict[str, User]:
    """Return the accounts and spaces with these ids that are not disabled, by their ids."""
    wanted = set(ids)
    if not wanted:
        return {}
    rows = User.rows(User.select().where(User.id.in_(wanted), User.disabled_at.is_null()))
    return {one.id: one for one in rows}


def page_of_spaces(user_id: str, limit: int, after: str | None) -> ResultPage[MemberSpace]:
    """Return a page of the spaces of which this person is a member, newest first."""
    return _page(spaces_of(user_id), limit, after)


def page_of_waiting_spaces(user_id: str, limit: int, after: str | None) -> ResultPage[WaitingSpace]:
    """Return a page of the spaces that wait for this person to enter them, newest first."""
    members, next_after = Member.page_waiting_for(user_id, limit, after)
    spaces = _enabled(member.owner_id for member in members)
    inviters = _enabled(member.inviter_id or "" for member in members)
    waiting = [
        WaitingSpace(spaces[member.owner_id], member.role, inviters[member.inviter_id or ""])
        for member in members
        if member.owner_id in spaces and Member.manages(member.owner_id, member.inviter_id)
    ]
    return waiting, next_after


def page_of_members(
    space_id: str, by_id: str, limit: int, after: str | None
) -> ResultPage[ListedMember]:
    """Return a page of the members of a space, newest first, for the member `by_id`."""
    space_of(space_id, by_id)
    return _page(members_of(space_id), limit, after)


def _page(rows: Sequence[L], limit: int, after: str | None) -> ResultPage[L]:
    newest_first = sorted(rows, key=lambda one: one.row.id, reverse=True)
    behind = [one for one in newest_first if after is None or one.row.id < after]
    next_after = behind[limit - 1].row.id if len(behind) > limit else None
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

    The membership waits until the person enters the space.

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
        member = Member.find_listed(space_id, user_id)
        if member is None:
            _add(space_id, user_id, MANAGE)
        else:
            if member.is_waiting:
                _accept(member)
            _give_role(member, MANAGE)


def add_invited(space_id: str, inviter_id: str, user_id: str, role: str) -> None:
    """Make somebody a member whom the manager `inviter_id` has invited."""
    with transaction(space_id):
        _add(space_id, user_id, role, inviter_id, is_accepted=True)


def enter_space(space_id: str, user_id: str) -> MemberSpace:
    """Return a space that this person enters, who is a member from then on.

    Raises `NotFound` for a space of which they are none, and `QuotaExceeded` if they are in too
    many.
    """
    member = Member.listed(space_id, user_id)
    if member.is_waiting:
        with transaction(space_id):
            member = Member.listed(space_id, user_id)  # read again under the lock of the space
            if member.is_waiting:
                _accept(member)
    return space_of(space_id, user_id)


def _accept(member: Member) -> None:
    if not Member.manages(member.owner_id, member.inviter_id):
        raise NotFound
    _require_room_for(member.user_id)
    member.accept()
    facts = _facts(member.user_id, member.user_id, role=member.role)
    Event.record(member.owner_id, "member.accepted", facts)


def _add(
    space_id: str,
    user_id: str,
    role: str,
    by_id: str | None = None,
    *,
    is_accepted: bool = False,
) -> Member:
    """Add a member. Whom a manager adds has to enter the space, unless it `is_accepted`."""
    if Member.find_listed(space_id, user_id):
        raise MemberExists
    members = Member.select().where(Member.owner_id == space_id).count()
    refuse_if_full(members, MOST_MEMBERS, "member", "Remove one first.", "in this space")
    if by_id and not is_accepted:
        _require_room_to_wait(user_id, by_id)
    else:
        _require_room_for(user_id)
    return _insert(space_id, user_id, role, by_id, is_waiting=bool(by_id) and not is_accepted)


def _require_room_to_wait(user_id: str, inviter_id: str) -> None:
    """Raise `QuotaExceeded` if too many memberships by one inviter wait for one person.

    So nobody takes the room of another inviter, and strangers none of the person's own.
    """
    _lock_memberships(user_id)
    refuse_if_full(
        Member.count_waiting(user_id, inviter_id),
        MOST_WAITING_MEMBERSHIPS,
        "invitation",
        "Wait until one is accepted.",
        "that wait for this person",
    )


def _insert(
    space_id: str, user_id: str, role: str, by_id: str | None, *, is_waiting: bool = False
) -> Member:
    member = Member.fresh(owner_id=space_id, user_id=user_id, role=role, inviter_id=by_id)
    member.accepted_at = None if is_waiting else member.created_at
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
        if role != MANAGE:
            _end_invited_by(member, by_id)


def change_member(space_id: str, by_id: str, user_id: str, role: str) -> ListedMember:
    """Give a member another role, as the manager `by_id` wants it. Raises `LastManager`."""
    require_role(role)
    with transaction(space_id):
        Member.manager(space_id, by_id)
        member = Member.listed(space_id, user_id)
        if role != MANAGE and Member.is_last_manager(space_id, user_id):
            raise LastManager
        _give_role(member, role, by_id)
        return ListedMember(member, User.get_by_id(user_id))


def remove_member(space_id: str, by_id: str, user_id: str) -> None:
    """Remove a member, who is out at once, as the manager `by_id` wants it; or leave the space.

    Who has not entered the space yet declines by leaving it.

    Raises `LastManager`.
    """
    with transaction(space_id):
        if by_id == user_id:
            Member.listed(space_id, by_id)
        else:
            Member.manager(space_id, by_id)
        member = Member.listed(space_id, user_id)
        if Member.is_last_manager(space_id, user_id):
            raise LastManager
        drop_member(member, by_id)


def leave_out_member(space_id: str, user_id: str) -> None:
    """Record that a member has not come into this instance with the space."""
    Event.record(space_id, "member.removed", _facts(user_id, None))


def drop_member(member: Member, by_id: str | None) -> None:
    """Delete a member with all that is derived from the membership.

    Call it in a transaction that holds the lock of the space.
    """
    Member.delete().where(Member.id == member.id).execute()
    end_derived(Origin.MEMBERSHIP, member.owner_id, member.user_id)
    Event.record(member.owner_id, "member.removed", _facts(member.user_id, by_id))
    _end_invited_by(member, by_id)


def _end_invited_by(manager: Member, by_id: str | None) -> None:
    """End what waits because this person managed the space: members, and invitations."""
    for waiting in Member.all_waiting_by(manager.owner_id, manager.user_id):
        drop_member(waiting, by_id)
    end_derived(Origin.MANAGER, manager.owner_id, manager.user_id)
