"""The keys that seal session tokens and tickets: random, and wrapped under a root key.

A rotation of root keys adds a new one and wraps the former ones again, so that a root key can be
retired while sessions go on.
"""

from peewee import SQL, fn

from ..core import DAY_MS, now
from ..records import KeyedRow
from ..storage import connected, transaction
from .session import Session

_TICKETS_KEPT_MS = 9 * DAY_MS  # longer than any lives: that of an upload for eight days


class TokenKey(KeyedRow):
    PREFIX = "tky"

    @classmethod
    def draw(cls) -> None:
        """Add a key, which seals from now on; the former ones still open."""
        with transaction():
            key = cls.fresh()
            key.generate_key()
            key.store()

    @classmethod
    def newest_first(cls) -> list[bytes]:
        """Return the keys that open. Tokens that a damaged key sealed have ended."""
        with connected():
            return [row.key for row in cls.all_newest_first()]

    @classmethod
    def draw_alone(cls) -> None:
        """Replace all keys by a new one: all tokens that they sealed have ended."""
        with transaction():
            cls.delete().execute()
            cls.draw()

    @classmethod
    def forget_old(cls) -> None:
        """Delete the keys that no live session or ticket was sealed with."""
        newer = cls.alias()
        sealed_before = Session.created_at <= newer.created_at, Session.expires_at > now()
        replaced = newer.select(SQL("1")).where(
            newer.id > cls.id,
            newer.created_at < now() - _TICKETS_KEPT_MS,
            ~fn.EXISTS(Session.select(SQL("1")).where(*sealed_before)),
        )
        cls.delete().where(fn.EXISTS(replaced)).execute()
