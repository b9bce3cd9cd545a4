"""A sign-in that somebody has begun and the provider has not answered yet, for ten minutes.

Its secret is in a cookie of the browser that has begun it, and its digest in the row. The answer of
the provider is taken once, from that browser, by the row that it uses up.
"""

import hashlib
import secrets
from dataclasses import asdict, dataclass
from typing import Self

from peewee import BigIntegerField, BlobField, TextField

from crypto import sealing

from ..core import SIGN_INS, Allowance, TooManyRequests, now
from ..records import Issued, Sealed, SealedByService
from ..runtime import current_runtime
from ..storage import separate_transaction

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


class PendingSignIn(SealedByService):
    PREFIX = "psi"

    digest = BlobField()
    kind = TextField()
    owner_id = TextField(null=True)
    network = TextField()  # a keyed digest of where it was begun
    expires_at = BigIntegerField()

    words = Sealed()

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
        pending.words = asdict(facts)
        with separate_transaction(_LOCK, synced=False):
            cls._make_room(pending.network)
            pending.store()
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
        return cls.first(cls.select().where(cls.digest == _digest(secret), waits))

    @property
    def facts(self) -> SignInFacts:
        return SignInFacts(**self.words)

    def use_up(self) -> bool:
        """Delete the row, and return whether this call was the first to do so."""
        with separate_transaction(_LOCK, synced=False):
            return bool(PendingSignIn.delete().where(PendingSignIn.id == self.id).execute())

    @classmethod
    def forget_old(cls) -> None:
        cls.delete_in_batches(cls.expires_at <= now())


def _network_digest(network: str) -> str:
    return sealing.keyed_digest(current_runtime().service_key, "network/1", network)


def _digest(secret: str) -> bytes:
    return hashlib.sha256(secret.encode()).digest()
