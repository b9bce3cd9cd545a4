"""A document token: a revocable link to a document or a collection, and what its owner sets for it.

When its target is deleted the row stays, revoked: the link is answered with `token_spent`.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, Self

from peewee import SQL, BigIntegerField, BlobField, IntegerField, TextField

from crypto import credentials

from ..core import TokenRevoked, now
from ..documents import Collection, Document
from ..events import Event, facts_about
from ..records import Credential, Issued, ResultPage, has_passed, require_future
from ..runtime import current_runtime, refuse_if_full
from ..storage import transaction
from .former_target import FormerTarget
from .gate import ASKED, Gate, asked, keep_text
from .options import OPTIONS, LinkOptions, refuse_wrong_terms, require_pages, stored_options
from .target import OfTarget, Target, is_there, target_of

_OPTION_COLUMNS = (
    *("sealed_label", "permissions", "allowed_origins"),
    *("expires_at", "max_views", "sealed_password", "sealed_gate"),
)


class DocumentToken(Credential, OfTarget):
    PREFIX = "tok"
    AUTHORITY = (
        *("id", "owner_id", "target_id", "digest", "permissions", "allowed_origins"),
        *("sealed_password", "expires_at", "max_views", "views", "revoked_at", "spent_at"),
    )
    AUTHORITY_OPTIONAL = ("sealed_gate",)

    target_id = TextField(column_name="document_id")
    digest = BlobField()
    masked_token = TextField()
    sealed_label = BlobField()
    permissions = TextField()
    allowed_origins = TextField()
    expires_at = BigIntegerField(null=True)
    max_views = IntegerField(null=True)
    views = IntegerField(default=0)
    sealed_password = BlobField(null=True)
    sealed_gate = BlobField(null=True)
    sealed_secret = BlobField(null=True)  # for its owner, who copies the link again
    revoked_at = BigIntegerField(null=True)
    spent_at = BigIntegerField(null=True)
    with_upload = IntegerField(default=0)  # 1 for the link that an upload made

    target: Target  # it seals label and password; set where a token is issued or listed

    @classmethod
    def lasts(cls, moment: Any) -> Any:
        """The condition that neither the token nor its target has expired or was taken back."""
        return (
            cls.revoked_at.is_null()
            & (cls.expires_at.is_null() | (cls.expires_at > moment))
            & is_there(cls.target_id, moment)
        )

    @classmethod
    def has_views_left(cls) -> Any:
        return cls.max_views.is_null() | (cls.views < cls.max_views)

    @classmethod
    def condition(cls, name: str, value: Any, moment: Any) -> Any:
        """`live` and `ended` are filters, too, and the id of a target by its kind."""
        if name in ("document_id", "collection_id"):
            return cls.target_id == value
        live = cls.lasts(moment) & cls.has_views_left()
        states = {"live": live, "ended": ~live}
        return states.get(name) or super().condition(name, value, moment)

    @classmethod
    def further(cls, moment: Any) -> list[Any]:
        """Whether it lasts, and has views left."""
        return [cls.lasts(moment), cls.has_views_left()]

    @classmethod
    def issue(cls, target: Target, options: LinkOptions, with_upload: bool = False) -> Issued[Self]:
        """A new token that opens the target. Raises `Invalid`, `QuotaExceeded`."""
        require_future(options.expires_at)
        secret = credentials.generate(credentials.DOCUMENT_TOKEN)
        token: Self = cls.fresh(
            owner_id=target.owner_id,
            target_id=target.id,
            digest=credentials.fingerprint(secret),
            masked_token=credentials.mask(secret),
            with_upload=int(with_upload),
        )
        token.target = target
        token.sealed_secret = target.seal("secret/1", token.id, secret)
        token._set(vars(options))
        permissions = options.permissions.split()
        terms = {"permissions": permissions, "max_views": options.max_views}
        with transaction(target.owner_id):
            if not with_upload:
                cls._refuse_if_many(target.owner_id)
            token.insert_row()
            keep_text(target, token.agreement)
            token.record_event("token.created", expires_at=options.expires_at, **terms)
        return Issued(token, secret)

    @classmethod
    def first_link(cls, owner_id: str, **options: Any) -> Callable[[Target], Issued[Self]]:
        """What issues the first link of a new document, in the transaction that stores its row.

        To be called before it: a password is hashed.
        """
        return partial(cls.issue, options=LinkOptions.of(owner_id, **options), with_upload=True)

    @classmethod
    def _refuse_if_many(cls, owner_id: str) -> None:
        """`QuotaExceeded` if there is no room for one more, which the same transaction makes. The
        links that uploads made are not counted.
        """
        count = cls.select().where(
            cls.owner_id == owner_id,
            cls.with_upload == SQL("0"),  # as the condition of the index says it
            cls.revoked_at.is_null(),
            cls.spent_at.is_null(),
            cls.expires_at.is_null() | (cls.expires_at > now()),
        )
        most = current_runtime().settings.quota_links
        refuse_if_full(count.count(), most, "links beside those of uploads", "Revoke one first.")

    @classmethod
    def page_of_target(cls, target: Target, limit: int, after: str | None) -> ResultPage:
        tokens, further = cls.page_of(target.owner_id, limit, after, target_id=target.id)
        for token in tokens:
            token.target = target
        return tokens, further

    @classmethod
    def one_of_target(cls, target: Target, id: str) -> Self:
        token = cls.one_of(target.owner_id, id, target_id=target.id)
        token.target = target
        return token

    @classmethod
    def edit(cls, owner_id: str, id: str, target: Target | None = None, **options: Any) -> Self:
        """The token with new values of some options, as `stored_options` takes them; None removes
        one. With a `target` it opens that from now on: its secret, terms and views stay.

        One that had expired or was used up is live again if it now has time and views left. Raises
        `NotFound`, `Invalid`, `TokenRevoked`, `QuotaExceeded`.
        """
        changes = stored_options(owner_id, **options)
        require_future(changes.get("expires_at"))
        with transaction(owner_id):
            token = cls.one_of(owner_id, id)
            if token.revoked_at is not None:
                raise TokenRevoked
            token.target = target_of(owner_id, token.target_id)
            if token.has_ended() and not token.with_upload:
                cls._refuse_if_many(token.owner_id)
            if target and target.id != token.target_id:
                token.lead_to(target_of(owner_id, target.id))
            changed = [name for name, value in changes.items() if getattr(token, name) != value]
            token._set({name: changes[name] for name in changed})
            if changed:
                token._store_options(changed)
        return token

    def _set(self, options: dict[str, Any]) -> None:
        """Raises `Invalid` for what the link then may not be."""
        before = self.permissions
        for name in options.keys() - ASKED:
            setattr(self, name, options[name])
        asks = {name: options[name] for name in ASKED if name in options}
        if asks and (self.sealed_gate is not None or any(asks.values())):
            self.gate = replace(self.gate, **asks)
        gate = self.gate
        limits = self.max_views, self.allowed_origins, gate
        refuse_wrong_terms(self.target_id, before, self.permissions, *limits)
        if gate.watermark:
            require_pages(self.target, self.permissions)

    def lead_to(self, target: Target) -> None:
        """From now on it opens another target, whose key seals what that of the former one has
        sealed. In a transaction. Raises `Invalid`.
        """
        former, label, digest, gate = self.target, self.label, self.password_digest, self.gate
        self.record_event("token.updated", changed=["target"], to=target.id)
        if self.sealed_secret is not None:
            secret = former.unseal("secret/1", self.id, self.sealed_secret)
            self.sealed_secret = target.seal("secret/1", self.id, secret)
        self.target, self.label, self.password_digest, self.gate = target, label, digest, gate
        keep_text(target, gate.agreement)
        sealed = ("sealed_label", "sealed_password", "sealed_secret", "sealed_gate")
        self.change(target_id=target.id, **{name: getattr(self, name) for name in sealed})
        self.record_event("token.updated", changed=["target"], **{"from": former.id})
        FormerTarget.add(self.id, self.owner_id, former.id)
        self._set({})

    def _store_options(self, changed: list[str]) -> None:
        """With an event, and another one if this uses the token up."""
        was_spent = self.spent_at is not None
        is_used_up = self.max_views is not None and self.views >= self.max_views
        is_spent = self.has_expired or is_used_up
        spent_at = (self.spent_at or now()) if is_spent else None
        self.change(spent_at=spent_at, **{name: getattr(self, name) for name in _OPTION_COLUMNS})
        keep_text(self.target, self.agreement)
        self.record_event("token.updated", changed=[OPTIONS[name] for name in changed])
        if is_spent and not was_spent:
            self.record_event("token.spent")

    @classmethod
    def revoke_all_of(cls, target: Target) -> None:
        """In the transaction that deletes the target."""
        for token in cls.genuine(cls.select().where(cls.target_id == target.id)):
            token._end()

    @classmethod
    def all_expired(cls) -> list[Self]:
        """Those that are not marked as spent yet."""
        expired = cls.select().where(
            cls.expires_at <= now(), cls.spent_at.is_null(), cls.revoked_at.is_null()
        )
        return cls.genuine(expired)

    def spend_if_expired(self) -> None:
        """Mark it as spent, with an event, unless meanwhile its end was changed."""
        with transaction(self.owner_id):
            token = self.find(self.id)  # read again under the writer lock
            if token and not token.spent_at and not token.revoked_at and token.has_expired:
                token.change(spent_at=now())
                token.record_event("token.spent")

    @property
    def label(self) -> str | None:
        label: str | None = self.target.unseal("label/1", self.id, self.sealed_label)
        return label

    @label.setter
    def label(self, label: str | None) -> None:
        self.sealed_label = self.target.seal("label/1", self.id, label)

    @property
    def has_password(self) -> bool:
        return self.sealed_password is not None

    @property
    def password_digest(self) -> str | None:
        sealed = self.sealed_password
        return None if sealed is None else self.target.unseal("password/1", self.id, sealed)

    @password_digest.setter
    def password_digest(self, digest: str | None) -> None:
        seal = self.target.seal
        self.sealed_password = None if digest is None else seal("password/1", self.id, digest)

    @property
    def gate(self) -> Gate:
        """What it asks of whoever opens it."""
        return Gate.opened(self.target, self.id, self.sealed_gate)

    @gate.setter
    def gate(self, gate: Gate) -> None:
        self.sealed_gate = gate.sealed(self.target, self.id)

    recipients = asked("recipients")
    agreement = asked("agreement")
    watermark = asked("watermark")
    agreement_sha256 = asked("agreement_sha256")

    @property
    def has_expired(self) -> bool:
        return has_passed(self.expires_at)

    def has_ended(self) -> bool:
        """Whether it was used up, or has expired since."""
        return self.spent_at is not None or self.has_expired

    def revoke(self) -> None:
        with transaction(self.owner_id):
            if stored := self.find(self.id):  # read again under the writer lock
                stored._end()

    def _end(self) -> None:
        """With an event, unless it had been used up. `self` is as it is stored."""
        if self.revoked_at is None:
            type = "token.spent" if self.has_expired else "token.revoked"
            self.change(revoked_at=now())
            if self.spent_at is None:
                self.record_event(type)

    def record_event(self, type: str, **facts: Any) -> Event:
        about = {"document_id": None, **facts_about(self.target_id), "token_id": self.id}
        return Event.record(self.owner_id, type, about | facts)


for table in (Document, Collection):
    table.at_deletion.append(DocumentToken.revoke_all_of)
