"""What session tokens and tickets are sealed with: random keys, kept wrapped like every other.

A rotation draws a new one and wraps the former ones anew, so that a root can retire while what
began before goes on.
"""

from contextlib import suppress

from crypto import DecryptionError

from .records.ids import now
from .records.keyed import OwnsDataKey
from .storage import connected, database, transaction

_FORGET = """
    DELETE FROM token_key WHERE EXISTS (
        SELECT 1 FROM token_key AS newer WHERE newer.id > token_key.id AND newer.created_at < ?
        AND NOT EXISTS (
            SELECT 1 FROM session
            WHERE session.created_at <= newer.created_at AND session.expires_at > ?))"""
_TICKETS_KEPT_MS = 24 * 60 * 60 * 1000  # longer than any lives


class TokenKey(OwnsDataKey):
    PREFIX = "tky"

    @classmethod
    def draw(cls) -> None:
        """From now on it seals; the former ones still open."""
        with transaction():
            key = cls.fresh()
            key.generate_key()
            key.insert_row()

    @classmethod
    def newest_first(cls) -> list[bytes]:
        """A damaged one is as none: what it sealed has ended."""
        found = []
        with connected():
            for row in cls.rows("TRUE ORDER BY id DESC"):
                with suppress(DecryptionError):
                    found.append(row.key)
        return found

    @classmethod
    def draw_alone(cls) -> None:
        """What the former ones sealed has ended."""
        with transaction():
            cls.delete().execute()
            cls.draw()

    @classmethod
    def forget_old(cls) -> None:
        """Those that no session needs any more which still lives."""
        database.execute_sql(_FORGET, (now() - _TICKETS_KEPT_MS, now()))
