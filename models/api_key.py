"""An API key: shown once when issued, kept only as a digest."""

from typing import Self

from peewee import BigIntegerField, BlobField, TextField

from crypto import credentials

from .errors import KeyRevoked, NotFound
from .event import Event
from .records.ids import now
from .records.owned import Owned, ResultPage, require_future
from .storage.database import database, enqueue_write, flush_enqueued_writes, transaction
from .user import User

SCOPES = ("documents:read", "documents:write", "documents:delete", "events:read")

_LIVE = """
    SELECT api_key.owner_id, api_key.id, api_key.scopes, api_key.last_used_at
    FROM api_key JOIN user ON user.id = api_key.owner_id
    WHERE api_key.digest = ? AND user.disabled_at IS NULL
    AND (api_key.revoked_at IS NULL OR api_key.revoked_at > ?)
    AND (api_key.expires_at IS NULL OR api_key.expires_at > ?)"""
_END = """
    UPDATE api_key SET revoked_at = ?
    WHERE id = ? AND (revoked_at IS NULL OR revoked_at > ?)"""
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
        with transaction():
            key = cls._issue(owner, name, scopes, expires_at)
            facts = {"api_key_id": key.id, "scopes": scopes.split(), "expires_at": expires_at}
            Event.tell(owner.id, "api_key.created", facts)
        return key

    @classmethod
    def _issue(cls, owner: User, name: str | None, scopes: str, expires_at: int | None) -> Self:
        require_future(expires_at)
        secret = credentials.generate(credentials.API_KEY)
        key: Self = cls.fresh(owner_id=owner.id, scopes=scopes, expires_at=expires_at)
        key.digest, key.masked_key = credentials.fingerprint(secret), credentials.mask(secret)
        key.sealed_name = owner.seal("name/1", key.id, name)
        key.insert_row()
        key.key, key.name = secret, name
        return key

    @classmethod
    def of_secret(cls, secret: str) -> tuple[str, str, frozenset[str]]:
        """The owner's id, the key's id and its scopes."""
        if not credentials.well_formed(secret, credentials.API_KEY):
            raise KeyRevoked
        moment = now()
        digest = credentials.fingerprint(secret)
        found = database.execute_sql(_LIVE, (digest, moment, moment)).fetchone()
        if found is None:
            raise KeyRevoked
        owner_id, id, scopes, last_used_at = found
        if moment - (last_used_at or 0) > _USE_NOTED_MS:
            enqueue_write(lambda: database.execute_sql(_USED, (moment, id)))
        return owner_id, id, frozenset(scopes.split())

    @classmethod
    def page_of_user(cls, owner: User, limit: int, after: str | None) -> ResultPage:
        flush_enqueued_writes()  # with uses
        keys, further = cls.page_of(owner.id, limit, after)
        return [key.named(owner) for key in keys], further

    def named(self, owner: User) -> Self:
        self.name = owner.unseal("name/1", self.id, self.sealed_name)
        return self

    def revoke(self) -> None:
        """From now on the key is dead; an earlier end stays."""
        with transaction():
            if self._end(now()):
                Event.tell(self.owner_id, "api_key.revoked", {"api_key_id": self.id})

    def rotate(self, owner: User, overlap_seconds: int) -> "ApiKey":
        """A new key of the same name, scopes and expiry; this one ends after the overlap."""
        with transaction():
            found = ApiKey.one_of(owner.id, self.id)  # as it is now
            if found.revoked_at is not None or (found.expires_at or now() + 1) <= now():
                raise NotFound("This key has ended. Create a new one instead.")
            ends_at = now() + overlap_seconds * 1000
            found._end(ends_at)
            name = found.named(owner).name
            key = ApiKey._issue(owner, name, found.scopes, found.expires_at)
            facts = {"api_key_id": self.id, "new_api_key_id": key.id, "ends_at": ends_at}
            Event.tell(owner.id, "api_key.rotated", facts)
        return key

    def _end(self, at: int) -> bool:
        """Whether this brought the key's end nearer.

        One that is dead at once is forgotten: a clock that is set back does not revive it.
        """
        if at <= now():
            self.change(digest=self.id.encode())
        return bool(database.execute_sql(_END, (at, self.id, at)).rowcount)
