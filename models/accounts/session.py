"""A session: started by a login, ended by a logout, a new password, or its age.

The name of the program that started it is sealed with its user's key. When it was last used is
known to the minute.
"""

from dataclasses import dataclass
from typing import Any, Self

from peewee import BigIntegerField, BlobField, IntegerField, TextField

from crypto import DecryptionError, TokenClaims

from ..core import SessionExpired, WrongCredentials, moment_of, now
from ..events import Event, EventHead
from ..records import Credential, Owner, ResultPage, RowWith
from ..runtime import current_runtime
from ..storage import transaction
from .identity import Identity

YOUNG_MS = 10 * 60 * 1000  # the age until which a session may add another login


class ProxyNamesAnother(SessionExpired):
    """The session of somebody whom the trusted proxy does not name any more."""


class Session(Credential):
    PREFIX = "ses"
    AUTHORITY = ("id", "owner_id", "expires_at", "login_generation")
    AUTHORITY_OPTIONAL = ("identity_id",)

    expires_at = BigIntegerField()
    login_generation = IntegerField(default=0)  # the owner's when it began
    sealed_client = BlobField(null=True)
    identity_id = TextField(null=True)  # by which somebody has logged in; null: by a password

    @classmethod
    def live(cls, moment: Any) -> list[Any]:
        return [cls.expires_at > moment]

    @classmethod
    def begin(
        cls,
        user: Any,
        seconds: int,
        client: str | None = None,
        identity: Identity | None = None,
    ) -> "StartedSession":
        """Return a new session of the user for so many `seconds`. Beyond the quota the oldest ends.

        `client` is the name of the program that started it, `identity` by what the user has logged
        in without a password. Raises `WrongCredentials` if the password has changed since the user
        was identified, or the identity was removed.
        """
        session: Self = cls.fresh(owner_id=user.id, login_generation=user.login_generation)
        session.expires_at = session.created_at + seconds * 1000
        session.last_used_at = session.created_at
        session.sealed_client = user.seal("client/1", session.id, client)
        with transaction(user.id):
            user.require_same_password()
            if identity:
                session.identity_id = cls._used(identity, user.id)
            has_others = cls.select().where(cls.owner_id == user.id).exists()
            is_first = not (EventHead.of(user.id).sequence or has_others)
            session.insert_row()
            if not is_first:  # which belongs to the registration
                Event.record(user.id, "session.created", {"session_id": session.id})
            cls.keep_newest(current_runtime().settings.quota_sessions, cls.owner_id == user.id)
        token = current_runtime().session_tokens.issue(TokenClaims(session.id, user.id), seconds)
        return StartedSession(session, token, user, seconds)

    @classmethod
    def _used(cls, identity: Identity, user_id: str) -> str:
        """Return the id of the identity, which is used now, in the transaction of a new session."""
        present = Identity.find(identity.id)
        if present is None or present.owner_id != user_id:
            raise WrongCredentials
        present.note_login()
        return present.id

    @classmethod
    def of_token(cls, token: str) -> tuple[str, str]:
        """Return the ids of owner and session. Raise `SessionExpired` if there is no session."""
        session = cls._of_token(token)
        return session.owner_id, session.id

    @classmethod
    def of_cookie(cls, token: str, address: str | None) -> tuple[str, str]:
        """Return the same for a page, of which the trusted proxy says that `address` asks for it.

        Raise `ProxyNamesAnother` if the session began by the word of the proxy, and that names
        somebody else now, or nobody.
        """
        session = cls._of_token(token)
        if session.identity_id:
            identity = Identity.find(session.identity_id)
            if identity is None or (identity.is_of_proxy and identity.subject != address):
                raise ProxyNamesAnother
        return session.owner_id, session.id

    @classmethod
    def _of_token(cls, token: str) -> Self:
        try:
            claims = current_runtime().session_tokens.open(token)
        except DecryptionError:
            raise SessionExpired from None
        return cls._live(claims.id, claims.user_id)

    @classmethod
    def live_of(cls, id: str, user_id: str) -> tuple[str, str]:
        """Return the ids of owner and session. Raise `SessionExpired` if the session has ended."""
        session = cls._live(id, user_id)
        return session.owner_id, session.id

    @classmethod
    def _live(cls, id: str, user_id: str) -> Self:
        presented = cls.presented("id", id)
        if presented is None or presented.owner.disabled_at is not None:
            raise SessionExpired
        session = presented.row
        generation = presented.owner.login_generation
        if session.owner_id != user_id or session.login_generation != generation:
            raise SessionExpired
        session.note_use(now())
        return session

    @classmethod
    def page_beside(
        cls, current_id: str, owner_id: str, limit: int, after: str | None
    ) -> ResultPage:
        """Return a page of live sessions, as `ListedSession`s."""
        Event.record_readings_of(owner_id)  # and when they were last used
        sessions, next_after = cls.page_of(owner_id, limit, after)
        owner = Owner.get_by_id(owner_id)
        listed = [ListedSession(row, row.id == current_id, row.client(owner)) for row in sessions]
        return listed, next_after

    def client(self, owner: Owner | None = None) -> str | None:
        """Return the name of the program that started it; None if it is not known."""
        if self.sealed_client is None:
            return None
        owner = owner or Owner.get_by_id(self.owner_id)
        words: str | None = owner.unseal("client/1", self.id, self.sealed_client)
        return words

    @classmethod
    def end_others(cls, user_id: str, kept_id: str, login_generation: int) -> int:
        """End a user's sessions but one, and return how many; call it in a transaction.

        The session that is kept goes on in the later generation, unless it has ended.
        """
        if session := cls.find(kept_id):
            session.change(login_generation=login_generation)
        others = cls.owner_id == user_id, cls.id != kept_id
        return int(cls.delete().where(*others).execute())

    @property
    def is_young(self) -> bool:
        """Whether it began so shortly ago that it may add another login to the account."""
        return now() - moment_of(self.id) <= YOUNG_MS

    @classmethod
    def end_of_identity(cls, owner_id: str, identity_id: str) -> int:
        """End the sessions that began by an identity, and return how many; in a transaction."""
        are_of_it = cls.owner_id == owner_id, cls.identity_id == identity_id
        return int(cls.delete().where(*are_of_it).execute())

    def end(self) -> None:
        with transaction(self.owner_id):
            if self.delete_instance():
                Event.record(self.owner_id, "session.ended", {"session_id": self.id, "count": 1})


@dataclass(frozen=True)
class StartedSession(RowWith[Session]):
    """A new session with its token, which is returned this once; `expires_in` is in seconds."""

    token: str
    user: Any
    expires_in: int


@dataclass(frozen=True)
class ListedSession(RowWith[Session]):
    """A session in a list. `current` marks the session that asks; `client` is the name of the
    program that started it, if known.
    """

    current: bool
    client: str | None
