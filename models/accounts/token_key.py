"""The keys that seal session tokens and tickets: random, and wrapped under a root key.

A rotation of root keys adds a new one and wraps the former ones again, so that a root key can be
retired while sessions go on.
"""

from contextlib import suppress

from crypto import DecryptionError

from ..core import now
from ..records import OwnsDataKey
from ..storage import Prepared, connected, database, transaction

_NEWEST_FIRST = Prepared(lambda: TokenKey.select().order_by(TokenKey.id.desc()))
_FORGET = """
    DELETE FROM token_key WHERE EXISTS (
        SELECT 1 FROM token_key AS newer
        WHERE newer.id > token_key.id AND newer.created_at < :unused_since
        AND NOT EXISTS (
            SELECT 1 FROM session
            WHERE session.created_at <= newer.created_at AND session.expires_at > :now))"""
_TICKETS_KEPT_MS = 24 * 60 * 60 * 1000  # longer than any lives


class TokenKey(OwnsDataKey):
    PREFIX = "tky"

    @classmethod
    def draw(cls) -> None:
        """Add a key, which seals from now on; the former ones still open."""
        with transaction():
            key = cls.fresh()
            key.generate_key()
            key.insert_row()

    @classmethod
    def newest_first(cls) -> list[bytes]:
        """The keys that can be unwrapped: what a damaged one sealed has ended."""
        found = []
        with connected():
            for row in cls.rows(_NEWEST_FIRST):
                with suppress(DecryptionError):
                    found.append(row.key)
        return found

    @classmethod
    def draw_alone(cls) -> None:
        """Replace all keys by a new one: what they sealed has ended."""
        with transaction():
            cls.delete().execute()
            cls.draw()

    @classmethod
    def forget_old(cls) -> None:
        """Delete the keys that no live session or ticket was sealed with."""
        values = {"unused_since": now() - _TICKETS_KEPT_MS, "now": now()}
        database.execute_sql(_FORGET, values)
