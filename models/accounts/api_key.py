"""An API key: returned once when it is issued, stored as a digest."""

from collections.abc import Set
from dataclasses import dataclass
from typing import Any, Self

from peewee import BigIntegerField, BlobField, TextField

from crypto import credentials

from ..core import KeyRevoked, NotFound, now
from ..events import Event, current_actor
from ..records import (
    Credential,
    Issued,
    ResultPage,
    RowWith,
    Sealed,
    SealedName,
    has_passed,
    require_future,
)
from ..runtime import current_runtime, refuse_if_full
from ..storage import transaction
from .user import User

SCOPES = ("documents:read", "documents:write", "documents:delete", "events:read")


_NOT_TAKEN_OVER = {  # by the key that replaces another one
    "id": "it is another key",
    "created_at": "it is another key",
    "digest": "that of its own secret",
    "masked_key": "that of its own secret",
    "made_by": "whoever replaces the key",
    "last_used_at": "it was not used yet",
    "revoked_at": "the former key alone ends",
}


class ApiKey(Credential):
    PREFIX = "key"
    JUDGED = ("digest", "scopes")

    digest = BlobField()
    masked_key = TextField()
    scopes = TextField()
    expires_at = BigIntegerField(null=True)
    revoked_at = BigIntegerField(null=True)

    name = SealedName[str | None]()
    made_by = Sealed[str | None]()
    """The id of the member who made the key of a space."""

    @classmethod
    def usable(cls, moment: Any) -> list[Any]:
        return [
            cls.revoked_at.is_null() | (cls.revoked_at > moment),
            cls.expires_at.is_null() | (cls.expires_at > moment),
        ]

    @classmethod
    def condition(cls, name: str, value: Any, moment: Any) -> Any:
        """Return the condition that a key has `ended`, or one by a column."""
        if name == "ended":
            return (cls.revoked_at <= moment) | (cls.expires_at <= moment)
        return super().condition(name, value, moment)

    @classmethod
    def issue(
        cls, owner: User, name: str | None, scopes: str, expires_at: int | None
    ) -> Issued[Self]:
        """Return a new key. `scopes` are separated by spaces; `expires_at` is in milliseconds."""
        key = cls.fresh(owner_id=owner.id, scopes=scopes, expires_at=expires_at)
        key.name = name
        with transaction(owner.id):
            issued = key._store_with_secret()
            key_id = issued.row.id
            facts = {"api_key_id": key_id, "scopes": scopes.split(), "expires_at": expires_at}
            Event.record(owner.id, "api_key.created", facts)
        return issued

    def _store_with_secret(self, replaced_id: str = "") -> Issued[Self]:
        """Store a new key, and return it with its secret. Raises `Invalid`, `QuotaExceeded`."""
        require_future(self.expires_at)
        self._make_room(self.owner_id, replaced_id)
        secret = credentials.generate(credentials.API_KEY)
        self.digest = credentials.fingerprint(secret)
        self.masked_key = credentials.mask(secret)
        self.made_by = current_actor.get().get("userId")
        self.store()
        return Issued(self, secret)

    @classmethod
    def _make_room(cls, owner_id: str, replaced_id: str) -> None:
        """Forget ended keys. Raise `QuotaExceeded` if too many live beside the replaced key."""
        most = current_runtime().settings.quota_api_keys
        has_ended = cls.condition("ended", True, now())
        of_owner = cls.select().where(cls.owner_id == owner_id)
        gone = of_owner.where(has_ended | (cls.id == replaced_id))
        refuse_if_full(of_owner.count() - gone.count(), most, "API key", "Revoke one first.")
        cls.keep_newest(most, owner_id=owner_id, ended=True)

    @classmethod
    def of_secret(cls, secret: str) -> tuple[str, str, frozenset[str]]:
        """Return the owner's id, the key's id and its scopes.

        Raises `KeyRevoked` if there is no such key, or it has ended.
        """
        if not credentials.well_formed(secret, credentials.API_KEY):
            raise KeyRevoked
        presented = cls.presented("digest", credentials.fingerprint(secret))
        if presented is None or presented.owner.disabled_at is not None:
            raise KeyRevoked
        key = presented.row
        if key.note_use(now()):
            Event.record_if_shared(key.owner_id)
        return key.owner_id, key.id, frozenset(key.scopes.split())

    @classmethod
    def permits(cls, id: str, judged: tuple[Any, ...], needed: Set[str]) -> bool:
        """Return whether the key was not revoked, and has these scopes."""
        digest, scopes = judged
        return bytes(digest) != _digest_of_ended(id) and needed <= set(scopes.split())

    @classmethod
    def live_of(cls, id: str, owner_id: str) -> tuple[str, str, str]:
        """Return the owner's id, the key's id, and ''; raise `KeyRevoked` if the key has ended."""
        presented = cls.presented("id", id)
        if presented is None or presented.owner.disabled_at or presented.owner.id != owner_id:
            raise KeyRevoked
        return owner_id, id, ""

    @classmethod
    def page_of_user(
        cls, owner: User, limit: int, after: str | None
    ) -> ResultPage["ApiKey | KeyOfSpace"]:
        Event.record_readings_of(owner.id)  # and `last_used_at` of recent uses
        keys, next_after = cls.page(owner.id, limit, after)
        return [KeyOfSpace(key, key.made_by) if owner.is_space else key for key in keys], next_after

    def revoke(self) -> None:
        """End the key now; one that has ended already keeps its moment."""
        with transaction(self.owner_id):
            key = ApiKey.one_of(self.owner_id, self.id)  # read again under the writer lock
            if key._end(now()):
                Event.record(self.owner_id, "api_key.revoked", {"api_key_id": self.id})

    def rotate(self, owner: User, overlap_seconds: int) -> "Issued[ApiKey]":
        """Return a new key like this one, which ends after the overlap."""
        with transaction(owner.id):
            key = ApiKey.one_of(owner.id, self.id)  # read again under the writer lock
            if key.revoked_at is not None or has_passed(key.expires_at):
                raise NotFound("This key has ended. Create a new one instead.")
            ends_at = now() + overlap_seconds * 1000
            key._end(ends_at)
            newer = ApiKey.fresh(owner_id=owner.id)
            newer.set_values(key.values_but(_NOT_TAKEN_OVER))
            issued = newer._store_with_secret(self.id)
            facts = {"api_key_id": self.id, "new_api_key_id": issued.row.id, "ends_at": ends_at}
            Event.record(owner.id, "api_key.rotated", facts)
        return issued

    def _end(self, at: int) -> bool:
        """Move the end of this key, as it is stored, and return whether it is earlier now.

        A key that ends now loses its digest, so that a clock set back does not revive it.
        """
        ended = {"digest": _digest_of_ended(self.id)} if at <= now() else {}
        is_earlier = self.revoked_at is None or self.revoked_at > at
        if is_earlier or ended:
            self.change(**ended, **({"revoked_at": at} if is_earlier else {}))
        return is_earlier


def _digest_of_ended(id: str) -> bytes:
    """Return what stands in place of the digest of a key that was ended at once."""
    return id.encode()


@dataclass(frozen=True)
class KeyOfSpace(RowWith[ApiKey]):
    """A key in the list of a space, with the id of the member who made it, if it is known."""

    maker_id: str | None
