"""A document token: a revocable link to one document.

Returned once, stored as a digest. When its document is deleted the row stays, revoked, so that
the link is answered with `token_spent`.
"""

from typing import Any, Self

from peewee import SQL, BigIntegerField, BlobField, IntegerField, Table, TextField, fn

from crypto import credentials

from ..core import TokenRevoked, TokenSpent, now
from ..events import Event
from ..records import Credential, Issued, ResultPage, has_passed, require_future
from ..storage import transaction
from .link_options import OPTIONS, LinkOptions
from .link_quota import refuse_if_many_links

_OPTION_COLUMNS = (
    *("sealed_label", "permissions", "allowed_origins"),
    *("expires_at", "max_views", "sealed_password"),
)


class DocumentToken(Credential):
    PREFIX = "tok"
    AUTHORITY = (
        *("id", "owner_id", "document_id", "digest", "permissions", "allowed_origins"),
        *("sealed_password", "expires_at", "max_views", "views", "revoked_at", "spent_at"),
    )
    ADDED = ("spent_at",)

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
    with_upload = IntegerField(default=0)  # 1 for the link that an upload made

    document: Any  # its `Document`, which seals the label; set where one is issued or listed

    @classmethod
    def lasts(cls, moment: Any) -> Any:
        """The condition that neither the token nor its document has expired or was taken back."""
        document = Table("document").alias("document")
        is_kept = document.c.expires_at.is_null() | (document.c.expires_at > moment)
        is_its = document.c.id == cls.document_id
        return (
            cls.revoked_at.is_null()
            & (cls.expires_at.is_null() | (cls.expires_at > moment))
            & fn.EXISTS(document.select(SQL("1")).where(is_its & is_kept))
        )

    @classmethod
    def has_views_left(cls) -> Any:
        return cls.max_views.is_null() | (cls.views < cls.max_views)

    @classmethod
    def condition(cls, name: str, value: Any, moment: Any) -> Any:
        """`live` and `ended` are filters, too."""
        live = cls.lasts(moment) & cls.has_views_left()
        states = {"live": live, "ended": ~live}
        return states.get(name) or super().condition(name, value, moment)

    @classmethod
    def further(cls, moment: Any) -> list[Any]:
        """Whether it lasts, and has views left."""
        return [cls.lasts(moment), cls.has_views_left()]

    @classmethod
    def issue(cls, document: Any, options: LinkOptions, with_upload: bool = False) -> Issued[Self]:
        """A new token of the document. Raises `Invalid`, `QuotaExceeded`."""
        require_future(options.expires_at)
        secret = credentials.generate(credentials.DOCUMENT_TOKEN)
        token: Self = cls.fresh(
            owner_id=document.owner_id,
            document_id=document.id,
            digest=credentials.fingerprint(secret),
            masked_token=credentials.mask(secret),
            permissions=options.permissions,
            allowed_origins=options.allowed_origins,
            expires_at=options.expires_at,
            max_views=options.max_views,
            with_upload=int(with_upload),
        )
        token.document, token.label = document, options.label
        token.password_digest = options.password_digest
        facts = {"document_id": document.id, "token_id": token.id, "expires_at": options.expires_at}
        facts |= {"permissions": options.permissions.split(), "max_views": options.max_views}
        with transaction(document.owner_id):
            if not with_upload:
                refuse_if_many_links(document.owner_id)
            token.insert_row()
            Event.record(document.owner_id, "token.created", facts)
        return Issued(token, secret)

    @classmethod
    def count_view(cls, owner_id: str, id: str, type: str) -> None:
        """Count a view, after the document was opened; `TokenSpent` if there is none left.

        Read and written under the owner's lock: two requests cannot take the same last view.
        """
        with transaction(owner_id):
            moment = now()
            is_open = cls.id == id, cls.lasts(moment), cls.has_views_left()
            found = cls.genuine(cls.select().where(*is_open))
            if not found:
                former = cls.find(id)
                is_used_up = former and former.views >= (former.max_views or former.views + 1)
                raise TokenSpent("used_up" if is_used_up else "")
            (token,) = found
            is_last = token.views + 1 == token.max_views
            spent_at = moment if is_last else None
            token.change(views=token.views + 1, last_used_at=moment, spent_at=spent_at)
            Event.record_reading(token.owner_id, type, token.document_id)
            if is_last:
                _record_end("token.spent", id, token.owner_id, token.document_id)

    @classmethod
    def page_of_document(cls, document: Any, limit: int, after: str | None) -> ResultPage:
        tokens, further = cls.page_of(document.owner_id, limit, after, document_id=document.id)
        for token in tokens:
            token.document = document
        return tokens, further

    @classmethod
    def one_of_document(cls, document: Any, id: str) -> Self:
        token = cls.one_of(document.owner_id, id, document_id=document.id)
        token.document = document
        return token

    @classmethod
    def edit(cls, document: Any, id: str, **changes: Any) -> Self:
        """The token with new values of some `OPTIONS`; None removes one.

        One that had expired or was used up is live again if it now has time and views left. Raises
        `NotFound`, `Invalid`, `TokenRevoked`, `QuotaExceeded`.
        """
        require_future(changes.get("expires_at"))
        with transaction(document.owner_id):
            token = cls.one_of_document(document, id)
            if token.revoked_at is not None:
                raise TokenRevoked
            if token.has_ended() and not token.with_upload:
                refuse_if_many_links(token.owner_id)
            changed = [name for name, value in changes.items() if getattr(token, name) != value]
            for name in changed:
                setattr(token, name, changes[name])
            if changed:
                token._store_options(changed)
        return token

    def has_ended(self) -> bool:
        """Whether it was used up, or has expired since."""
        return self.spent_at is not None or has_passed(self.expires_at)

    def _store_options(self, changed: list[str]) -> None:
        """With an event, and another one if this uses the token up."""
        moment, was_spent = now(), self.spent_at is not None
        is_spent = self.has_expired_at(moment) or (
            self.max_views is not None and self.views >= self.max_views
        )
        spent_at = (self.spent_at or moment) if is_spent else None
        self.change(spent_at=spent_at, **{name: getattr(self, name) for name in _OPTION_COLUMNS})
        facts = {"document_id": self.document_id, "token_id": self.id}
        names = [OPTIONS[name] for name in changed]
        Event.record(self.owner_id, "token.updated", facts | {"changed": names})
        if is_spent and not was_spent:
            Event.record(self.owner_id, "token.spent", facts)

    @classmethod
    def revoke_all_of(cls, document_id: str) -> None:
        """Call it in a transaction of the owner."""
        for token in cls.genuine(cls.select().where(cls.document_id == document_id)):
            token._end()

    @classmethod
    def spend_expired(cls) -> None:
        """Mark expired tokens as spent, with an event for each."""
        with transaction():
            moment = now()
            has_expired = cls.expires_at <= moment, cls.spent_at.is_null(), cls.revoked_at.is_null()
            for token in cls.genuine(cls.select().where(*has_expired)):
                token.change(spent_at=moment)
                _record_end("token.spent", token.id, token.owner_id, token.document_id)

    @property
    def label(self) -> str | None:
        label: str | None = self.document.unseal("label/1", self.id, self.sealed_label)
        return label

    @label.setter
    def label(self, label: str | None) -> None:
        self.sealed_label = self.document.seal("label/1", self.id, label)

    @property
    def has_password(self) -> bool:
        return self.sealed_password is not None

    @property
    def password_digest(self) -> str | None:
        sealed = self.sealed_password
        return None if sealed is None else self.document.unseal("password/1", self.id, sealed)

    @password_digest.setter
    def password_digest(self, digest: str | None) -> None:
        seal = self.document.seal
        self.sealed_password = None if digest is None else seal("password/1", self.id, digest)

    def has_expired_at(self, moment: int) -> bool:
        return self.expires_at is not None and self.expires_at <= moment

    def revoke(self) -> None:
        with transaction(self.owner_id):
            if found := self.find(self.id):  # read again under the writer lock
                found._end()

    def _end(self) -> None:
        """With an event, unless it had been used up. `self` is as it is stored."""
        if self.revoked_at is None:
            moment = now()
            type = "token.spent" if self.has_expired_at(moment) else "token.revoked"
            self.change(revoked_at=moment)
            if self.spent_at is None:
                _record_end(type, self.id, self.owner_id, self.document_id)


def _record_end(type: str, id: str, owner_id: str, document_id: str) -> None:
    Event.record(owner_id, type, {"document_id": document_id, "token_id": id})
