"""A document token: a revocable link to one document.

Returned once, stored as a digest. When its document is deleted the row stays, revoked, so that
the link is answered with `token_spent`.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

from peewee import SQL, BigIntegerField, BlobField, IntegerField, Table, TextField, fn

from crypto import LINKS, DecryptionError, TokenClaims, credentials, passwords

from .errors import NotAuthenticated, TokenSpent, WrongCredentials
from .event import Event
from .records.ids import now
from .records.issued import Issued
from .records.owned import Owned, ResultPage, require_future
from .runtime import current_runtime
from .storage import Prepared, database, param, transaction

PERMISSIONS = ("view", "download")
TICKET_SECONDS, LIMITED_TICKET_SECONDS = 3600, 600  # of any link; of one with a view limit


def _grant_by(column: str) -> Prepared:
    """A grant's columns; whether token, document and owner are live; whether views are left."""

    def build() -> Any:
        token, document = DocumentToken, Table("document").alias("document")
        is_kept = document.c.expires_at.is_null() | (document.c.expires_at > param("now"))
        is_its = document.c.id == token.document_id
        is_live = (
            token.revoked_at.is_null()
            & (token.expires_at.is_null() | (token.expires_at > param("now")))
            & fn.EXISTS(document.select(SQL("1")).where(is_its & is_kept))
            & token.owner_is_enabled()
        )
        return token.select(
            *(token.id, token.document_id, token.permissions, token.allowed_origins),
            *(token.max_views.is_null(False), token.sealed_password.is_null(False)),
            is_live,
            token.max_views.is_null() | (token.views < token.max_views),
        ).where(getattr(token, column) == param(column))

    return Prepared(build)


_BY_DIGEST, _BY_ID = _grant_by("digest"), _grant_by("id")
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


@dataclass(frozen=True)
class TokenGrant:
    """What the holder of a token may do."""

    id: str
    document_id: str
    permissions: frozenset[str]
    origins: tuple[str, ...]
    has_view_limit: bool
    has_password: bool


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
    def of_secret(cls, secret: str) -> TokenGrant:
        """`NotAuthenticated` if there is no such token, `TokenSpent` if it has ended."""
        if not credentials.well_formed(secret, credentials.DOCUMENT_TOKEN):
            raise NotAuthenticated("This is no document token of ours. Check how it was copied.")
        moment, digest = now(), credentials.fingerprint(secret)
        found = _BY_DIGEST.first(now=moment, digest=digest)
        if found is None:
            raise NotAuthenticated("This document token is unknown. Ask its sender for a new one.")
        return _grant(found, unspent=found[-1])

    @classmethod
    def of_ticket(cls, ticket: str) -> TokenGrant:
        """Lets a page that a token opened load its original, also after the token's last view."""
        try:
            claims = current_runtime().tickets.open(ticket)
        except DecryptionError:
            raise NotAuthenticated("This page was opened too long ago. Open it again.") from None
        found = _BY_ID.first(now=now(), id=claims.id)
        if found is None:
            raise TokenSpent
        return _grant(found, unspent=True)

    @classmethod
    def ticket(cls, grant: TokenGrant) -> str:
        seconds = LIMITED_TICKET_SECONDS if grant.has_view_limit else TICKET_SECONDS
        return current_runtime().tickets.issue(TokenClaims(grant.id, grant.document_id), seconds)

    @classmethod
    def check_password(cls, grant: TokenGrant, document: Any, password: str, address: str) -> None:
        """`WrongCredentials` for every wrong password; `TooManyRequests` after many of them."""
        failures = current_runtime().link_password_failures
        token = cls.get_by_id(grant.id)
        failures.refuse_if_many(grant.id, address)
        digest = document.unseal("password/1", grant.id, token.sealed_password)
        if not passwords.verify_password(password, digest, grant.id, LINKS):
            failures.record_failure(grant.id, address)
            raise WrongCredentials("This is not the password of the link.")

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


def _grant(found: tuple[Any, ...], *, unspent: bool) -> TokenGrant:
    id, document_id, permissions, origins, has_view_limit, has_password, live, _ = found
    if not (live and unspent):
        raise TokenSpent
    permissions, where = frozenset(permissions.split()), tuple(origins.split())
    return TokenGrant(id, document_id, permissions, where, bool(has_view_limit), bool(has_password))
