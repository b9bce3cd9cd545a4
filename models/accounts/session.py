"""A session: started by a login, ended by a logout, a new password, or its age."""

from dataclasses import dataclass
from typing import Any, Self

from peewee import BigIntegerField, IntegerField

from crypto import DecryptionError, TokenClaims

from ..core import SessionExpired
from ..records import Credential, ResultPage, RowWith
from ..runtime import current_runtime
from ..storage import transaction


class Session(Credential):
    PREFIX = "ses"
    AUTHORITY = ("id", "owner_id", "expires_at", "login_generation")

    expires_at = BigIntegerField()
    login_generation = IntegerField(default=0)  # the owner's when it began

    @classmethod
    def live(cls, moment: Any) -> list[Any]:
        return [cls.expires_at > moment]

    @classmethod
    def begin(cls, user: Any, seconds: int) -> "StartedSession":
        """A new session of the user for so many `seconds`. Beyond the quota the oldest ends.

        `WrongCredentials` if the password has changed since the user was identified.
        """
        session: Self = cls.fresh(owner_id=user.id, login_generation=user.login_generation)
        session.expires_at = session.created_at + seconds * 1000
        with transaction(user.id):
            user.require_same_password()
            session.insert_row()
            cls.keep_newest(current_runtime().settings.quota_sessions, cls.owner_id == user.id)
        token = current_runtime().session_tokens.issue(TokenClaims(session.id, user.id), seconds)
        return StartedSession(session, token, user, seconds)

    @classmethod
    def of_token(cls, token: str) -> tuple[str, str]:
        """The owner's id and the session's id; `SessionExpired` if it has ended or never was."""
        try:
            claims = current_runtime().session_tokens.open(token)
        except DecryptionError:
            raise SessionExpired from None
        return cls.live_of(claims.id, claims.user_id)

    @classmethod
    def live_of(cls, id: str, user_id: str) -> tuple[str, str]:
        """The owner's id and the session's id; `SessionExpired` if it has ended."""
        presented = cls.presented("id", id)
        if presented is None or presented.owner.disabled_at is not None:
            raise SessionExpired
        session, generation = presented.row, presented.owner.login_generation
        if session.owner_id != user_id or session.login_generation != generation:
            raise SessionExpired
        return session.owner_id, session.id

    @classmethod
    def page_beside(
        cls, current_id: str, owner_id: str, limit: int, after: str | None
    ) -> ResultPage:
        """The live ones, as `ListedSession`s."""
        sessions, further = cls.page_of(owner_id, limit, after)
        return [ListedSession(row, row.id == current_id) for row in sessions], further

    @classmethod
    def end_all(cls) -> None:
        """End the sessions of every user."""
        with transaction():
            cls.delete().execute()

    @classmethod
    def end_all_of(cls, user_id: str, but_id: str = "") -> None:
        """End a user's sessions, except the one with the id `but_id`."""
        with transaction(user_id):
            cls.delete().where(cls.owner_id == user_id, cls.id != but_id).execute()

    @classmethod
    def keep(cls, id: str, login_generation: int) -> None:
        """Let a session go on in a later generation, unless it has ended."""
        if session := cls.find(id):
            session.change(login_generation=login_generation)

    def end(self) -> None:
        with transaction(self.owner_id):
            self.delete_instance()


@dataclass(frozen=True)
class StartedSession(RowWith[Session]):
    """A new session with its token, which is returned this once; `expires_in` is in seconds."""

    token: str
    user: Any
    expires_in: int


@dataclass(frozen=True)
class ListedSession(RowWith[Session]):
    """`current` marks the session that asks."""

    current: bool
