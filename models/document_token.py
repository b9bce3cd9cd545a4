"""A document token: a revocable link to one document.

Returned once, stored as a digest. When its document is deleted the row stays, revoked, so that
the link is answered with `token_spent`.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

from peewee import BigIntegerField, BlobField, IntegerField, TextField

from crypto import LINKS, credentials, passwords

from .errors import TokenSpent
from .event import Event
from .records.ids import now
from .records.issued import Issued
from .records.owned import Owned, ResultPage, require_future
from .storage import database, transaction

PERMISSIONS = ("view", "download")

_COUNT = """
    UPDATE document_token SET views = views + 1, last_used_at = :now,
        spent_at = CASE WHEN views + 1 >= max_views THEN :now END
    WHERE id = :id AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > :now)
    AND (max_views IS NULL OR views < max_views)
    RETURNING owner_id, document_id, spent_at IS NOT NULL"""
_REVOKE = """
    UPDATE document_token SET revoked_at = :now
    WHERE {} AND revoked_at IS NULL
    RETURNING id, owner_id, document_id, spent_at IS NOT NULL, expires_at <= :now"""
_REVOKE_ONE, _REVOKE_ALL = _REVOKE.format("id = :id"), _REVOKE.format("document_id = :id")
_EXPIRE = """
    UPDATE document_token SET spent_at = :now
    WHERE expires_at <= :now AND spent_at IS NULL AND revoked_at IS NULL
    RETURNING id, owner_id, document_id"""


@dataclass(frozen=True)
class LinkOptions:
    """What a new token permits, and until when."""

    label: str | None
    permissions: tuple[str, ...]
    allowed_origins: tuple[str, ...]
    expires_at: int | None
    max_views: int | None = None
    password_digest: str | None = None

    @classmethod
    def of(cls, password: str | None, owner_id: str, **options: Any) -> Self:
        """Hashes the password, which is slow: call it before a transaction begins."""
        digest = None if password is None else passwords.hash_password(password, owner_id, LINKS)
        return cls(password_digest=digest, **options)


class DocumentToken(Owned):
    PREFIX = "tok"

    document_id = TextField()
    digest = BlobField()
    masked_token = TextField()
    sealed_label = BlobField()
    permissions = TextField()
    allowed_origins = TextField()
    expires_at = BigIntegerField(null=True)
    max_views = IntegerField(null=True)
    views = IntegerField(default=0)
    sealed_password = BlobField(null=True)
    last_used_at = BigIntegerField(null=True)
    revoked_at = BigIntegerField(null=True)
    spent_at = BigIntegerField(null=True)

    document: Any  # its `Document`, which seals the label; set where one is issued or listed

    @classmethod
    def issue(cls, document: Any, options: LinkOptions) -> Issued[Self]:
        """A new token of the document; `Invalid` if it would have expired already."""
        require_future(options.expires_at)
        secret = credentials.generate(credentials.DOCUMENT_TOKEN)
        token: Self = cls.fresh(
            owner_id=document.owner_id,
            document_id=document.id,
            digest=credentials.fingerprint(secret),
            masked_token=credentials.mask(secret),
            permissions=" ".join(options.permissions),
            allowed_origins=" ".join(options.allowed_origins),
            expires_at=options.expires_at,
            max_views=options.max_views,
        )
        token.document = document
        token.sealed_label = document.seal("label/1", token.id, options.label)
        if (digest := options.password_digest) is not None:
            token.sealed_password = document.seal("password/1", token.id, digest)
        facts = {"document_id": document.id, "token_id": token.id, "expires_at": token.expires_at}
        facts |= {"permissions": options.permissions, "max_views": options.max_views}
        with transaction():
            token.insert_row()
            Event.record(token.owner_id, "token.created", facts)
        return Issued(token, secret)

    @classmethod
    def count_view(cls, id: str, type: str) -> None:
        """Count a view, after the document was opened; `TokenSpent` if there is none left.

        One conditional UPDATE decides, so that two requests cannot take the same last view.
        """
        with transaction():
            counted = database.execute_sql(_COUNT, {"now": now(), "id": id}).fetchone()
            if counted is None:
                raise TokenSpent
            owner_id, document_id, spent = counted
            Event.record(owner_id, type, {"document_id": document_id})
            if spent:
                _record_end("token.spent", id, owner_id, document_id)

    @classmethod
    def page_of_document(cls, document: Any, limit: int, after: str | None) -> ResultPage:
        tokens, further = cls.page_of(document.owner_id, limit, after, document_id=document.id)
        for token in tokens:
            token.document = document
        return tokens, further

    @classmethod
    def one_of_document(cls, document: Any, id: str) -> Self:
        return cls.one_of(document.owner_id, id, document_id=document.id)

    @classmethod
    def revoke_all_of(cls, document_id: str) -> None:
        _revoke(_REVOKE_ALL, document_id)

    @classmethod
    def spend_expired(cls) -> None:
        """Mark expired tokens as spent, with an event for each."""
        with transaction():
            for row in database.execute_sql(_EXPIRE, {"now": now()}).fetchall():
                _record_end("token.spent", *row)

    @cached_property
    def label(self) -> str | None:
        label: str | None = self.document.unseal("label/1", self.id, self.sealed_label)
        return label

    @property
    def has_password(self) -> bool:
        return self.sealed_password is not None

    def revoke(self) -> None:
        with transaction():
            _revoke(_REVOKE_ONE, self.id)


def _revoke(statement: str, id: str) -> None:
    """With an event for each that had not been used up."""
    values = {"now": now(), "id": id}
    for *row, spent, expired in database.execute_sql(statement, values).fetchall():
        if not spent:
            _record_end("token.spent" if expired else "token.revoked", *row)


def _record_end(type: str, id: str, owner_id: str, document_id: str) -> None:
    Event.record(owner_id, type, {"document_id": document_id, "token_id": id})
