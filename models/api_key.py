"""An API key: shown once when issued, kept only as a digest."""

from typing import Self

from peewee import BigIntegerField, BlobField, TextField

from crypto import credentials

from .base import database, now, writing
from .errors import KeyRevoked, NotFound
from .owned import Owned, Page, refuse_past
from .user import User

SCOPES = ("documents:read", "documents:write", "documents:delete", "events:read")

_LIVE = """
    SELECT api_key.owner_id, api_key.id, api_key.scopes, api_key.last_used_at
    FROM api_key JOIN user ON user.id = api_key.owner_id
    WHERE api_key.digest = ? AND user.disabled_at IS NULL
    AND (api_key.revoked_at IS NULL OR api_key.revoked_at > ?)
    AND (api_key.expires_at IS NULL OR api_key.expires_at > ?)"""
_USED = "UPDATE api_key SET last_used_at = ? WHERE id = ?"
_USE_NOTED_MS = 60_000  # a use is written down at most once a minute


class ApiKey(Owned):
    PREFIX = "key"

    digest = BlobField()
    masked_key = TextField()
    sealed_name = BlobField()
    scopes = TextField()
    expires_at = BigIntegerField(null=True)
    last_used_at = BigIntegerField(null=True)
    revoked_at = BigIntegerField(null=True)

    key: str | None = None  # on a key just issued, and never again
    name: str | None = None

    @classmethod
    def issue(cls, owner: User, name: str | None, scopes: str, expires_at: int | None) -> Self:
        refuse_past(expires_at)
        secret = credentials.fresh(credentials.API_KEY)
        key: Self = cls.fresh(owner_id=owner.id, scopes=scopes, expires_at=expires_at)
        key.digest, key.masked_key = credentials.digest(secret), credentials.mask(secret)
        key.sealed_name = owner.seal("name/1", key.id, name)
        with writing():
            key.insert_row()
        key.key, key.name = secret, name
        return key

    @classmethod
    def of_secret(cls, secret: str) -> tuple[str, str, frozenset[str]]:
        """The owner's id, the key's id and its scopes."""
        if not credentials.well_formed(secret, credentials.API_KEY):
            raise KeyRevoked
        moment = now()
        digest = credentials.digest(secret)
        found = database.execute_sql(_LIVE, (digest, moment, moment)).fetchone()
        if found is None:
            raise KeyRevoked
        owner_id, id, scopes, last_used_at = found
        if moment - (last_used_at or 0) > _USE_NOTED_MS:
            with writing():
                database.execute_sql(_USED, (moment, id))
        return owner_id, id, frozenset(scopes.split())

    @classmethod
    def page_of_user(cls, owner: User, limit: int, after: str | None) -> Page:
        keys, further = cls.page_of(owner.id, limit, after)
        return [key.named(owner) for key in keys], further

    def named(self, owner: User) -> Self:
        self.name = owner.unseal("name/1", self.id, self.sealed_name)
        return self

    def revoke(self, at: int | None = None) -> None:
        """From `at` (now, if not said) the key is dead; an earlier end stays.

        One that is dead at once is forgotten: a clock that is set back does not revive it.
        """
        moment = now()
        at = moment if at is None else at
        with writing():
            if self.revoked_at is None or self.revoked_at > at:
                self.change(revoked_at=at)
            if at <= moment:
                self.change(digest=self.id.encode())

    def rotate(self, owner: User, overlap_seconds: int) -> "ApiKey":
        """A new key of the same name, scopes and expiry; this one ends after the overlap."""
        with writing():
            found = ApiKey.one_of(owner.id, self.id)  # as it is now
            if found.revoked_at is not None or (found.expires_at or now() + 1) <= now():
                raise NotFound("This key has ended. Create a new one instead.")
            found.revoke(now() + overlap_seconds * 1000)
            return ApiKey.issue(owner, found.named(owner).name, found.scopes, found.expires_at)
