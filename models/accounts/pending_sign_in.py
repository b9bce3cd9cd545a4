"""A sign-in that somebody has begun and the provider has not answered yet, for ten minutes.

Its secret is in a cookie of the browser that has begun it, and its digest in the row. The answer of
the provider is taken once, from that browser, by the row that it uses up.
"""

import hashlib
import json
import secrets
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Self

from peewee import BigIntegerField, BlobField, TextField

from crypto import DecryptionError, sealing

from ..core import SIGN_INS, Allowance, TooManyRequests, now
from ..records import Issued, Table
from ..runtime import current_runtime
from ..storage import separate_transaction
from .token_key import TokenKey

LIFE_SECONDS = 600
MOST_PENDING = 10_000  # beyond it the oldest go
MOST_OF_NETWORK = SIGN_INS.count
LOGIN = "login"
LINKING = "linking"  # of another login to the account `owner_id`
_LOCK = "pending_sign_in"  # the owner whose lock each takes that counts or adds rows
_SECRET_BYTES = 32


@dataclass(frozen=True)
class SignInFacts:
    """The facts of a sign-in that its callback needs; nobody but the service can read them.

    `session_id` is the session that links another login; '' for a login.
    """

    state: str
    nonce: str
    verifier: str
    next: str
    invite: str
    session_id: str


class PendingSignIn(Table):
    PREFIX = "psi"

    digest = BlobField()
    kind = TextField()
    owner_id = TextField(null=True)
    network = TextField()  # a keyed digest of where it was begun
    sealed_facts = BlobField()
    expires_at = BigIntegerField()

    @classmethod
    def begin(
        cls, network: str, next: str, invite: str = "", owner_id: str = "", session_id: str = ""
    ) -> tuple[Issued[Self], SignInFacts]:
        """Return a new one with its secret, for a login, or to link one to `owner_id`.

        Raises `TooManyRequests` if too many of this network wait already.
        """
        facts = SignInFacts(
            state=secrets.token_urlsafe(_SECRET_BYTES),
            nonce=secrets.token_urlsafe(_SECRET_BYTES),
            verifier=secrets.token_urlsafe(_SECRET_BYTES),
            next=next,
            invite=invite,
            session_id=session_id,
        )
        secret = secrets.token_urlsafe(_SECRET_BYTES)
        pending: Self = cls.fresh(digest=_digest(secret), owner_id=owner_id or None)
        pending.kind = LINKING if owner_id else LOGIN
        pending.network = _network_digest(network)
        pending.expires_at = pending.created_at + LIFE_SECONDS * 1000
        key = TokenKey.newest_first()[0]
        text = json.dumps(asdict(facts)).encode()
        pending.sealed_facts = sealing.seal(key, pending._context(), text)
        with separate_transaction(_LOCK, synced=False):
            cls._make_room(pending.network)
            pending.insert_row()
        return Issued(pending, secret), facts

    @classmethod
    def _make_room(cls, network: str) -> None:
        moment = now()
        cls.delete().where(cls.expires_at <= moment).execute()
        of_network = cls.select().where(cls.network == network).order_by(cls.created_at)
        if of_network.count() >= MOST_OF_NETWORK:
            oldest = of_network.limit(1).get()
            wait_seconds = max(1, (oldest.expires_at - moment) / 1000)
            raise TooManyRequests(Allowance(SIGN_INS, 0, wait_seconds))
        cls.keep_newest(MOST_PENDING - 1, cls.id != "")

    @classmethod
    def of_secret(cls, secret: str) -> Self | None:
        """Return the one with this secret, unless it has ended."""
        waits = cls.expires_at > now()
        found: Self | None = cls.select().where(cls.digest == _digest(secret), waits).first()
        return found

    @property
    def facts(self) -> SignInFacts | None:
        """The facts; None if they were altered, or sealed by a key that is gone."""
        for key in TokenKey.newest_first():
            with suppress(DecryptionError):
                text = sealing.unseal(key, self._context(), self.sealed_facts)
                return SignInFacts(**json.loads(text))
        return None

    def use_up(self) -> bool:
        """Delete the row, and return whether this call was the first to do so."""
        with separate_transaction(_LOCK, synced=False):
            return bool(PendingSignIn.delete().where(PendingSignIn.id == self.id).execute())

    @classmethod
    def forget_old(cls) -> None:
        cls.delete_in_batches(cls.expires_at <= now())

    def _context(self) -> bytes:
        """Return what the facts are bound to: all that the row says in clear."""
        words = self.id, self.digest.hex(), self.kind, self.owner_id or "", str(self.expires_at)
        return sealing.context("pending_sign_in/1", *words)


def _network_digest(network: str) -> str:
    return sealing.keyed_digest(current_runtime().authority_key, "network/1", network)


def _digest(secret: str) -> bytes:
    return hashlib.sha256(secret.encode()).digest()
