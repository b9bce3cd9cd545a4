"""A session: started by a login, ended by a logout, a new password, or its age.

The name of the program that started it is sealed with its user's key. When it was last used is
known to the minute.

A session of a space is started by a member, who acts as the space by it: the space is its owner,
and the member is `acting_user_id`. It ends with the membership, and with the person's own session
that began it, `begun_by_id`: the table refers to that row, so however it ends, both are deleted.
"""

from collections.abc import Set
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

from peewee import BigIntegerField, IntegerField, IntegrityError, TextField

from crypto import DecryptionError, TokenClaims

from ..core import NotFound, SessionExpired, WrongCredentials, moment_of, now
from ..events import Event, EventHead
from ..records import (
    LAST,
    Credential,
    Origin,
    Owner,
    ResultPage,
    RowWith,
    Sealed,
    end_derived,
    is_enabled,
    presented_by_member,
    unended_by_member,
)
from ..runtime import current_runtime
from ..storage import Right, transaction
from .identity import Identity
from .member import PERMISSIONS_OF_ROLES, Member

YOUNG_SESSION_MS = 10 * 60 * 1000  # the age until which a session may add another login


class ProxyNamesAnother(SessionExpired):
    """The session of somebody whom the trusted proxy does not name any more."""


class SessionHolder(NamedTuple):
    """The holder of a session: the ids of owner and session, and the member who acts as the owner.

    `permissions` are those of the member's role. A session of a person has no member, and needs
    none.
    """

    owner_id: str
    id: str
    permissions: frozenset[str] = frozenset()
    member: Member | None = None


class Session(Credential):
    PREFIX = "ses"

    expires_at = BigIntegerField()
    login_generation = IntegerField(default=0)  # of the person who logged in, when it began
    identity_id = TextField(null=True)  # by which somebody has logged in; null: by a password
    acting_user_id = TextField(null=True)  # the member who acts as the owner, a space
    begun_by_id = TextField(null=True)  # the member's own session that began this one of a space

    client = Sealed[str | None]()
    """The name of the program that started it; None if it is not known."""

    @classmethod
    def live(cls, moment: Any) -> list[Any]:
        return [cls.expires_at > moment]

    @classmethod
    def begin(
        cls,
        user: Owner,
        seconds: int,
        client: str | None = None,
        identity: Identity | None = None,
    ) -> "StartedSession":
        """Return a new session of the user for so many `seconds`. Beyond the quota the oldest ends.

        `client` is the name of the program that started it, `identity` by what the user has logged
        in without a password. Raises `WrongCredentials` if the password has changed since the user
        was identified, or the identity was removed.
        """
        session = cls.fresh(owner_id=user.id, login_generation=user.login_generation)
        session.expires_at = session.created_at + seconds * 1000
        session.last_used_at = session.created_at
        session.client = client
        started = session._started(user, seconds)  # no row is stored if no key makes a token
        with transaction(user.id):
            user.require_same_password()
            if identity:
                session.identity_id = cls._used(identity, user.id)
            has_others = cls.select().where(cls.owner_id == user.id).exists()
            is_first = not (EventHead.of(user.id).sequence or has_others)
            session.store()
            if not is_first:  # which belongs to the registration
                Event.record(user.id, "session.created", {"session_id": session.id})
            cls.keep_newest(current_runtime().settings.quota_sessions, owner_id=user.id)
        return started

    def _started(self, user: Owner, seconds: int) -> "StartedSession":
        claims = TokenClaims(self.id, self.owner_id)
        token = current_runtime().session_tokens.issue(claims, seconds)
        return StartedSession(self, token, user, seconds)

    @classmethod
    def begin_in_space(
        cls, space_id: str, user: Owner, of_person: "Session", client: str | None = None
    ) -> "StartedSession":
        """Return a new session of a space, by which its member `user` acts as the space.

        `of_person` is the session of the same person that asks for it, and with which it ends.
        Beyond the quota the oldest session of this member ends. Raises `NotFound` for somebody who
        is no member, `SessionExpired` if `of_person` has ended, and `WrongCredentials` as `begin`.
        """
        session = cls.fresh(owner_id=space_id, login_generation=user.login_generation)
        session.acting_user_id = user.id
        session.begun_by_id = of_person.id
        session.identity_id = of_person.identity_id
        session.expires_at = of_person.expires_at
        session.last_used_at = session.created_at
        session.client = client
        seconds = (session.expires_at - session.created_at) // 1000
        if seconds < 1:
            raise SessionExpired
        started = session._started(user, seconds)
        with transaction(space_id):
            user.require_same_password()
            Member.of(space_id, user.id)
            try:
                session.store()
            except IntegrityError as error:
                raise SessionExpired from error
            facts = {"session_id": session.id, "user_id": user.id}
            Event.record(space_id, "session.created", facts)
            most = current_runtime().settings.quota_sessions
            cls.keep_newest(most, owner_id=space_id, acting_user_id=user.id)
        return started

    @classmethod
    def _used(cls, identity: Identity, user_id: str) -> str:
        """Return the id of the identity, which is used now, in the transaction of a new session."""
        present = Identity.find(identity.id)
        if present is None or present.owner_id != user_id:
            raise WrongCredentials
        present.note_login()
        return present.id

    @classmethod
    def of_request(cls, owner_id: str, id: str) -> Self:
        """Return the session that a request was sent with.

        Raise `SessionExpired` if it has ended since the request was authenticated.
        """
        try:
            return cls.one_of(owner_id, id)
        except NotFound:
            raise SessionExpired from None

    @classmethod
    def of_token(cls, token: str) -> SessionHolder:
        """Return who holds the session. Raise `SessionExpired` if there is no session."""
        session, member = cls._of_token(token)
        return session._holder(member)

    @classmethod
    def of_cookie(cls, token: str, address: str | None) -> SessionHolder:
        """Return who holds the session of a cookie; `address` is whom the trusted proxy names.

        Raise `ProxyNamesAnother` if the session began by the word of the proxy, and the proxy names
        somebody else now, or nobody: the session ends. Raise `SessionExpired` for the session of a
        space, which is no person's.
        """
        session, member = cls._of_token(token)
        if member:
            raise SessionExpired
        if session.identity_id:
            identity = Identity.find(session.identity_id)
            if identity is None or (identity.is_of_proxy and identity.subject != address):
                session.end()
                raise ProxyNamesAnother
        return session._holder(member)

    def _holder(self, member: Member | None) -> SessionHolder:
        permissions = member.permissions if member else frozenset()
        return SessionHolder(self.owner_id, self.id, permissions, member)

    @classmethod
    def _of_token(cls, token: str) -> tuple[Self, Member | None]:
        try:
            claims = current_runtime().session_tokens.open(token)
        except DecryptionError:
            raise SessionExpired from None
        return cls._live(claims.id, claims.user_id)

    @classmethod
    def live_of(cls, id: str, owner_id: str) -> tuple[str, str, str]:
        """Return the ids of owner, session and acting member, '' without one.

        Raise `SessionExpired` if the session has ended.
        """
        session, _ = cls._live(id, owner_id)
        return session.owner_id, session.id, session.acting_user_id or ""

    @classmethod
    def is_unended(cls, moment: Any) -> list[Any]:  # noqa: ARG003
        return [is_enabled(cls.owner_id, cls.login_generation)]

    @classmethod
    def right(cls, id: str, owner_id: str, moment: int, needed: tuple[str, ...] = ()) -> Right:
        """Return the right of a session; in a space the role of its member has to permit this."""
        if not _is_space(owner_id):
            return super().right(id, owner_id, moment, needed)
        return Right(unended_by_member(cls, Member, ("role",)), {"id": id}, _role_permits, needed)

    @classmethod
    def permits(cls, id: str, judged: tuple[Any, ...], needed: Set[str]) -> bool:  # noqa: ARG003
        """Return True: a person may do everything with what is their own."""
        return True

    @classmethod
    def _live(cls, id: str, owner_id: str) -> tuple[Self, Member | None]:
        """Return the session, and the member who acts by it; the token says who its owner is."""
        if _is_space(owner_id):
            return cls._live_in_space(id, owner_id)
        presented = cls.presented("id", id)
        if presented is None:
            raise SessionExpired
        return presented.row._used_by(presented.owner, owner_id), None

    @classmethod
    def _live_in_space(cls, id: str, space_id: str) -> tuple[Self, Member]:
        presented = presented_by_member(cls, Member, id)
        if presented is None or presented.owner.disabled_at is not None:
            raise SessionExpired
        return presented.row._used_by(presented.person, space_id), presented.member

    def _used_by(self, person: Owner, owner_id: str) -> Self:
        """Return the session, which is used now by the person who has logged in.

        Raise `SessionExpired` if it has another owner, or has ended with the person's logins.
        """
        has_ended = self.login_generation != person.login_generation
        if self.owner_id != owner_id or has_ended or person.disabled_at is not None:
            raise SessionExpired
        self.note_use(now())
        return self

    @classmethod
    def page_beside(
        cls,
        current_id: str,
        holder_id: str,
        limit: int,
        after: str | None,
        acting_user_id: str | None = None,
    ) -> ResultPage["ListedSession"]:
        """Return a page of live sessions, as `ListedSession`s, newest first.

        Those of a person are their own, and those by which they act as spaces; those of a space are
        of all members, or of the one given.
        """
        Event.record_readings_of(holder_id)  # and when they were last used
        found = cls._live_of_holder(holder_id, acting_user_id).where(cls.id < (after or LAST))
        rows = cls.rows_as_stored(found.order_by(cls.id.desc()).limit(limit + 1))
        next_after = rows[limit - 1].id if len(rows) > limit else None
        listed = [row._listed(current_id, holder_id) for row in cls.opened(rows[:limit])]
        return listed, next_after

    @classmethod
    def of_holder(cls, holder_id: str, id: str, acting_user_id: str | None = None) -> Self:
        """Return one of the sessions that `page_beside` lists, or raise `NotFound`."""
        found = cls.first(cls._live_of_holder(holder_id, acting_user_id).where(cls.id == id))
        if found is None:
            raise NotFound
        return found

    @classmethod
    def _live_of_holder(cls, holder_id: str, acting_user_id: str | None) -> Any:
        found = cls.select().where(cls._held_by(holder_id), *cls.live(now()))
        return found.where(cls.acting_user_id == acting_user_id) if acting_user_id else found

    @classmethod
    def _held_by(cls, holder_id: str) -> Any:
        """Return the condition that a session is this owner's, or lets this person act."""
        return (cls.owner_id == holder_id) | (cls.acting_user_id == holder_id)

    def _listed(self, current_id: str, holder_id: str) -> "ListedSession":
        is_current = self.id == current_id
        if self.acting_user_id == holder_id:
            return SessionInSpace(self, is_current, self.owner_id)
        if self.acting_user_id:
            return SessionOfMember(self, is_current, self.acting_user_id)
        return ListedSession(self, is_current)

    @classmethod
    def end_others(cls, user_id: str, kept_id: str, login_generation: int) -> int:
        """End a user's sessions but one, and return how many; call it in a transaction.

        The session that is kept goes on in the later generation, unless it has ended.
        """
        if session := cls.find(kept_id):
            session.change(login_generation=login_generation)
        return end_derived(Origin.LOGINS, user_id, but=kept_id)

    @property
    def is_young(self) -> bool:
        """Whether it began so shortly ago that it may add another login to the account."""
        return now() - moment_of(self.id) <= YOUNG_SESSION_MS

    def end(self) -> None:
        with transaction(self.owner_id):
            if self.delete_instance():
                facts: dict[str, Any] = {"session_id": self.id, "count": 1}
                if self.acting_user_id:
                    facts["user_id"] = self.acting_user_id
                Event.record(self.owner_id, "session.ended", facts)


def _role_permits(judged: tuple[Any, ...], needed: Set[str]) -> bool:
    (role,) = judged
    return needed <= PERMISSIONS_OF_ROLES[role]


def _is_space(owner_id: str) -> bool:
    return owner_id.startswith("spc_")


@dataclass(frozen=True)
class StartedSession(RowWith[Session]):
    """A new session with its token, which is returned this once; `expires_in` is in seconds.

    `user` is the person, also of a session of a space.
    """

    token: str
    user: Owner
    expires_in: int


@dataclass(frozen=True)
class ListedSession(RowWith[Session]):
    """A session in a list. `current` marks the session that asks."""

    current: bool


@dataclass(frozen=True)
class SessionOfMember(ListedSession):
    """The same of a space; `user_id` is the id of the member who acts by it."""

    user_id: str


@dataclass(frozen=True)
class SessionInSpace(ListedSession):
    """A session of a space in the list of the person who acts by it."""

    space_id: str
