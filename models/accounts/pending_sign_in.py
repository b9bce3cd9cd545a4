"""A sign-in that somebody has begun and the provider has not answered yet, for ten minutes.

It lies sealed in a cookie of the browser that has begun it, so to begin one stores nothing, and
nobody's takes the place of another's. Nobody but the service reads it. The answer of the provider
is taken once, from that browser: a row with the digest of the sign-in says that it was used.
"""

import base64
import hashlib
import hmac
import json
import secrets
from dataclasses import astuple, dataclass
from typing import Any, Self

from peewee import BigIntegerField, BlobField, IntegrityError

from crypto import DecryptionError
from crypto.row_texts import RowCipher, remembered_cipher
from crypto.tokens import first_of

from ..core import now
from ..records import Table
from ..storage import separate_transaction
from .token_key import TokenKey

LIFE_SECONDS = 600
MOST_NEXT_BYTES = 1000  # a longer page to come back to is dropped
MOST_COOKIE_BYTES = 2048
_BOUND = b"sign-in/1"
_SCOPE = "sign-in"
_SECRET_BYTES = 32


@dataclass(frozen=True)
class PendingSignIn:
    """A sign-in that waits for the provider; `ends_at` is in milliseconds since 1970.

    `session_id` is the session that adds another login to its account; '' for a login.
    """

    issuer: str
    state: str
    nonce: str
    verifier: str
    next: str
    invite: str
    session_id: str
    ends_at: int

    @classmethod
    def begin(
        cls, issuer: str, next: str, invite: str = "", session_id: str = ""
    ) -> tuple[Self, str]:
        """Return a new one at this provider, with the text of its cookie.

        `next` is the page to come back to: '' if it is too long.
        """
        pending = cls(
            issuer=issuer,
            state=secrets.token_urlsafe(_SECRET_BYTES),
            nonce=secrets.token_urlsafe(_SECRET_BYTES),
            verifier=secrets.token_urlsafe(_SECRET_BYTES),
            next=next if len(next.encode()) <= MOST_NEXT_BYTES else "",
            invite=invite,
            session_id=session_id,
            ends_at=now() + LIFE_SECONDS * 1000,
        )
        return pending, pending._sealed()

    def _sealed(self) -> str:
        text = json.dumps(astuple(self), ensure_ascii=False, separators=(",", ":")).encode()
        sealed = _cipher(first_of(TokenKey.newest_first())).seal(text, _BOUND)
        return base64.urlsafe_b64encode(sealed).rstrip(b"=").decode()

    @classmethod
    def of_cookie(cls, sealed: str) -> Self | None:
        """Return the one in this cookie; None if it has ended, or the service has sealed none."""
        if len(sealed) > MOST_COOKIE_BYTES:
            return None
        try:
            data = base64.urlsafe_b64decode(sealed + "=" * (-len(sealed) % 4))
        except ValueError:
            return None
        for key in TokenKey.newest_first():  # a rotation lets those go on that are under way
            try:
                values: list[Any] = json.loads(_cipher(key).open(data, _BOUND))
            except (DecryptionError, ValueError):
                continue
            pending = cls(*values)
            return pending if pending.ends_at > now() else None
        return None

    def is_answered_by(self, state: str) -> bool:
        """Return whether an answer with this `state` belongs to it."""
        return hmac.compare_digest(self.state.encode(), state.encode())

    def use_up(self) -> bool:
        """Note that it is answered, and return whether this call was the first to do so.

        Call it before the code of the answer goes to the provider.
        """
        return UsedSignIn.note(hashlib.sha256(self.state.encode()).digest(), self.ends_at)


class UsedSignIn(Table):
    """The digest of a sign-in that was answered, until it would have ended by itself."""

    PREFIX = "usi"

    digest = BlobField()
    expires_at = BigIntegerField()

    class Meta:
        table_name = "used_sign_in"

    @classmethod
    def note(cls, digest: bytes, expires_at: int) -> bool:
        """Store a digest, and return whether it is new."""
        try:
            with separate_transaction(_SCOPE, synced=False):
                cls.fresh(digest=digest, expires_at=expires_at).store()
        except IntegrityError:
            return False
        return True

    @classmethod
    def forget_old(cls) -> None:
        cls.delete_in_batches(cls.expires_at <= now())


def _cipher(key: bytes) -> RowCipher:
    return remembered_cipher(key, _SCOPE)
