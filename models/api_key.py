"""An API key: returned once when it is issued, stored as a digest."""

from functools import cached_property
from typing import Self

from peewee import BigIntegerField, BlobField, TextField

from crypto import credentials

from .errors import KeyRevoked, NotFound
from .event import Event
from .quota import refuse_if_full
from .records.ids import now
from .records.issued import Issued
from .records.owned import Owned, ResultPage, require_future
from .runtime import current_runtime
from .storage import Prepared, enqueue_write, flush_enqueued_writes, param, transaction
from .user import User

SCOPES = ("documents:read", "documents:write", "documents:delete", "events:read")

_USE_RECORDED_MS = 60_000  # `last_used_at` is written at most once a minute


class ApiKey(Owned):
    PREFIX = "key"

    digest = BlobField()
    masked_key = TextField()
    sealed_name = BlobField()
    scopes = TextField()
    expires_at = BigIntegerField(null=True)
    last_used_at = BigIntegerField(null=True)
    revoked_at = BigIntegerField(null=True)

    @classmethod
    def issue(
        cls, owner: User, name: str | None, scopes: str, expires_at: int | None
    ) -> Issued[Self]:
        """A new key. `scopes` are separated by spaces; `expires_at` is in milliseconds."""
        with transaction():
            issued = cls._issue(owner, name, scopes, expires_at)
            facts = {"api_key_id": issued.id, "scopes": scopes.split(), "expires_at": expires_at}
            Event.record(owner.id, "api_key.created", facts)
        return issued

    @classmethod
    def _issue(
        cls,
        owner: User,
        name: str | None,
        scopes: str,
        expires_at: int | None,
        replaced_id: str = "",
    ) -> Issued[Self]:
        require_future(expires_at)
        cls._make_room(owner.id, replaced_id)
        secret = credentials.generate(credentials.API_KEY)
        key: Self = cls.fresh(owner_id=owner.id, scopes=scopes, expires_at=expires_at)
        key.digest, key.masked_key = credentials.fingerprint(secret), credentials.mask(secret)
        key.sealed_name = owner.seal("name/1", key.id, name)
        key.owner = owner
        key.insert_row()
        return Issued(key, secret)

    @classmethod
    def _make_room(cls, owner_id: str, replaced_id: str) -> None:
        """`QuotaExceeded` if too many live beside the replaced one. Forgets ended ones."""
        most = current_runtime().settings.quota_api_keys
        has_ended = (cls.revoked_at <= now()) | (cls.expires_at <= now())
        of_owner = cls.select().where(cls.owner_id == owner_id)
        gone = of_owner.where(has_ended | (cls.id == replaced_id))
        refuse_if_full(of_owner.count() - gone.count(), most, "API keys", "Revoke one first.")
        cls.keep_newest(most, (cls.owner_id == owner_id) & has_ended)

    @classmethod
    def of_secret(cls, secret: str) -> tuple[str, str, frozenset[str]]:
        """The owner's id, the key's id and its scopes; `KeyRevoked` if it is none or has ended."""
        if not credentials.well_formed(secret, credentials.API_KEY):
            raise KeyRevoked
        moment = now()
        digest = credentials.fingerprint(secret)
        found = _LIVE.first(digest=digest, now=moment)
        if found is None:
            raise KeyRevoked
        owner_id, id, scopes, last_used_at = found
        if moment - (last_used_at or 0) > _USE_RECORDED_MS:
            enqueue_write(lambda: _RECORD_USE.execute(now=moment, id=id))
        return owner_id, id, frozenset(scopes.split())

    @classmethod
    def page_of_user(cls, owner: User, limit: int, after: str | None) -> ResultPage:
        flush_enqueued_writes()  # `last_used_at` of recent uses
        keys, further = cls.page_of(owner.id, limit, after)
        for key in keys:
            key.owner = owner
        return keys, further

    @cached_property
    def owner(self) -> User:
        return User.get_by_id(self.owner_id)

    @property
    def name(self) -> str | None:
        name: str | None = self.owner.unseal("name/1", self.id, self.sealed_name)
        return name

    def revoke(self) -> None:
        """End the key now; one that has ended already keeps its moment."""
        with transaction():
            if self._end(now()):
                Event.record(self.owner_id, "api_key.revoked", {"api_key_id": self.id})

    def rotate(self, owner: User, overlap_seconds: int) -> "Issued[ApiKey]":
        """A new key of the same name, scopes and expiry; this one ends after the overlap."""
        with transaction():
            found = ApiKey.one_of(owner.id, self.id)  # read again under the writer lock
            found.owner = owner
            if found.revoked_at is not None or (found.expires_at or now() + 1) <= now():
                raise NotFound("This key has ended. Create a new one instead.")
            ends_at = now() + overlap_seconds * 1000
            found._end(ends_at)
            issued = ApiKey._issue(owner, found.name, found.scopes, found.expires_at, self.id)
            facts = {"api_key_id": self.id, "new_api_key_id": issued.id, "ends_at": ends_at}
            Event.record(owner.id, "api_key.rotated", facts)
        return issued

    def _end(self, at: int) -> bool:
        """Whether this moved the key's end to an earlier moment.

        A key that ends now loses its digest, so that a clock set back does not revive it.
        """
        if at <= now():
            self.change(digest=self.id.encode())
        return bool(_END.execute(at=at, id=self.id))


_LIVE = Prepared(
    lambda: ApiKey.select(ApiKey.owner_id, ApiKey.id, ApiKey.scopes, ApiKey.last_used_at).where(
        ApiKey.digest == param("digest"),
        ApiKey.revoked_at.is_null() | (ApiKey.revoked_at > param("now")),
        ApiKey.expires_at.is_null() | (ApiKey.expires_at > param("now")),
        ApiKey.owner_is_enabled(),
    )
)
_END = Prepared(
    lambda: ApiKey.update(revoked_at=param("at")).where(
        ApiKey.id == param("id"), ApiKey.revoked_at.is_null() | (ApiKey.revoked_at > param("at"))
    )
)
_RECORD_USE = Prepared(
    lambda: ApiKey.update(last_used_at=param("now")).where(ApiKey.id == param("id"))
)
