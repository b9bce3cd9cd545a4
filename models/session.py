"""A session: begun by a login, ended by a logout, a new password, or its age."""

from typing import ClassVar, Self

from peewee import BigIntegerField

import crypto
from crypto.tokens import PasetoCodec

from .errors import SessionExpired
from .records.ids import now
from .records.owned import Owned, ResultPage
from .storage.database import database, transaction
from .user import User

_LIVE = """
    SELECT session.owner_id, session.id FROM session JOIN user ON user.id = session.owner_id
    WHERE session.id = ? AND session.owner_id = ? AND session.expires_at > ?
    AND user.disabled_at IS NULL"""  # fixed text: building the query costs forty times running it


class Session(Owned):
    PREFIX = "ses"
    LIVE = "expires_at > :now"
    tokens: ClassVar[PasetoCodec]

    expires_at = BigIntegerField()

    token: str | None = None  # on a session just begun, and never again
    user: User
    expires_in: int
    current: bool

    @classmethod
    def begin(cls, user: User, seconds: int) -> Self:
        session: Self = cls.fresh(owner_id=user.id)
        session.expires_at = session.created_at + seconds * 1000
        with transaction():
            session.insert_row()
        session.user, session.expires_in = user, seconds
        session.token = cls.tokens.issue(crypto.TokenClaims(session.id, user.id), seconds)
        return session

    @classmethod
    def of_token(cls, token: str) -> tuple[str, str]:
        """The owner's id and the session's id."""
        try:
            said = cls.tokens.open(token)
        except crypto.DecryptionError:
            raise SessionExpired from None
        live = database.execute_sql(_LIVE, (said.id, said.user_id, now())).fetchone()
        if live is None:
            raise SessionExpired
        return live[0], live[1]

    @classmethod
    def page_beside(
        cls, current_id: str, owner_id: str, limit: int, after: str | None
    ) -> ResultPage:
        """The live ones; `current` marks the one asked from."""
        sessions, further = cls.page_of(owner_id, limit, after)
        for session in sessions:
            session.current = session.id == current_id
        return sessions, further

    @classmethod
    def renew_password(cls, user: User, password: str, kept_id: str) -> None:
        """A new password ends every session but the one it was set from."""
        sealed_password = user.sealed_digest(password)
        with transaction():
            user.change(sealed_password=sealed_password)
            cls.delete().where(cls.owner_id == user.id, cls.id != kept_id).execute()

    @classmethod
    def end_all(cls) -> None:
        """Of everybody."""
        with transaction():
            cls.delete().execute()

    @classmethod
    def shut_out(cls, user: User) -> None:
        """API keys and document tokens ask for the user too; sessions don't come back later."""
        cls._set_disabled(user, now())

    @classmethod
    def let_in(cls, user: User) -> None:
        cls._set_disabled(user, None)

    @classmethod
    def _set_disabled(cls, user: User, at: int | None) -> None:
        with transaction():
            user.change(disabled_at=at)
            cls.delete().where(cls.owner_id == user.id).execute()

    def end(self) -> None:
        with transaction():
            self.delete_instance()
