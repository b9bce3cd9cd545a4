"""A document token: a revocable link to a document or a collection, and what its owner sets for it.

When its target is deleted the row stays, revoked: the link is answered with `token_spent`.
"""

import secrets
from collections.abc import Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Self

from peewee import SQL, BigIntegerField, BlobField, IntegerField, TextField, fn

import viewer
from crypto import credentials

from ..core import Invalid, ScopeMissing, TargetChanged, TokenRevoked, TokenSpent, now
from ..documents import Collection, Document, shown_document
from ..events import (
    Event,
    MailLimit,
    Webhook,
    acting,
    current_actor,
    facts_about,
    has_mail,
    sends_notices,
)
from ..records import (
    Credential,
    Issued,
    Presented,
    ResultPage,
    Sealed,
    SealedByOwner,
    SealedName,
    has_passed,
    require_future,
)
from ..runtime import Use, current_runtime, refuse_if_full
from ..storage import transaction
from .agreements import keep_text
from .gate import ASKED, NOTHING, Gate, asked, recipients_of
from .opening import Opening
from .state import LinkState, end_of, presented_state, sql_state, sql_text, state_of
from .target import OfTarget, Target, sql_is_there, target_of

PERMISSIONS = ("view", "download")
UPLOAD = "upload"  # alone, of a link to a collection: it takes files, and opens nothing
MOST_FILES = 200  # that a link for uploads takes
MOST_LIVE_LINKS = 200  # to one target; a newer version moves all of them in one transaction
MOST_FORMER_TARGETS = 20  # of a link; the oldest go: the log of its owner holds all changes
OPTIONS = {  # the options that an owner sets, and the names of their fields in events
    "label": "label",
    "permissions": "permissions",
    "allowed_origins": "allowedOrigins",
    "recipients": "recipients",
    "agreement": "agreement",
    "watermark": "watermark",
    "hides_name": "hideName",
    "notifies_owner": "notifyOwner",
    "enabled": "enabled",
    "expires_at": "expiresAt",
    "max_views": "maxViews",
    "password_digest": "password",
}
_NO_NOTICES = "This service sends no notices by mail: SMTP_URL is not set, or CONSOLE is off."
_STORED_OPTIONS = (
    "label",
    "permissions",
    "allowed_origins",
    "expires_at",
    "max_views",
    "password_digest",
    "questions",
    "answers_id",
    "name_hidden",
    "notifies_owner",
    "disabled_at",
)
_KEPT_WITHOUT_TARGET = {  # of the sealed values of a link whose target is gone
    "password_digest": "whether it had a password, and nothing that one could try",
    "notifies_owner": "a choice, no words of the owner",
}
_ANSWERED = ("password_digest", *ASKED)  # the options that a reader answers


def _new_answers_id() -> str:
    return secrets.token_hex(8)


def stored_options(**options: Any) -> dict[str, Any]:
    """Return the `OPTIONS` that are given, as a token stores them: lists as words, `password` as
    its digest.

    Call it before a transaction begins: to hash a password is slow.
    """
    for name in options.keys() & {"permissions", "allowed_origins"}:
        options[name] = " ".join(dict.fromkeys(options[name]))
    if "recipients" in options:
        options["recipients"] = recipients_of(options["recipients"])
    if "watermark" in options:
        options["watermark"] = bool(options["watermark"])
    if "hides_name" in options:
        options["hides_name"] = bool(options["hides_name"])
    if "notifies_owner" in options:
        options["notifies_owner"] = bool(options["notifies_owner"])
        if options["notifies_owner"] and not sends_notices():
            raise Invalid("#/notifyOwner", _NO_NOTICES)
    if "password" in options:
        password = options.pop("password")
        digest = None
        if password is not None:
            digest = current_runtime().link_passwords.hash_password(password)
        options["password_digest"] = digest
    return options


@dataclass(frozen=True)
class LinkOptions:
    """The options of a new token: what it permits, until when; lists are words with spaces."""

    label: str | None = None
    permissions: str = "view"
    allowed_origins: str = ""
    expires_at: int | None = None
    max_views: int | None = None
    password_digest: str | None = None
    recipients: tuple[str, ...] = ()
    agreement: str | None = None
    watermark: bool = False
    hides_name: bool = False
    notifies_owner: bool = False

    @classmethod
    def of(cls, **options: Any) -> Self:
        """Return the options from those of `stored_options`; without an end the usual lifetime.

        Raises `ScopeMissing` for a link that takes files, where the service has none.
        """
        if UPLOAD in options.get("permissions", ()) and current_runtime().settings.inbound == "off":
            raise ScopeMissing("Links take no files here: INBOUND is off.")
        return cls.of_stored(stored_options(**options))

    def refuse_for_document(self, size: int) -> None:
        """Raise `Invalid` for what no link to a document of so many bytes may have, before there is
        the document.
        """
        require_future(self.expires_at)
        if UPLOAD in self.permissions.split():
            raise Invalid("#/permissions", "Only a link to a collection takes files.")
        if self.watermark:
            _require_views_alone(self.permissions)
            if size > viewer.MOST_PARSED_BYTES:
                raise Invalid("#/watermark", "No pages are made of a file as large as this one.")

    @classmethod
    def of_stored(cls, options: Mapping[str, Any]) -> Self:
        """Return the options from what `stored_options` has returned, also a while ago, as JSON;
        without an end the usual lifetime from now on.
        """
        usual_end = now() + current_runtime().settings.token_seconds * 1000
        recipients = tuple(options.get("recipients", ()))
        return cls(**{"expires_at": usual_end, **options, "recipients": recipients})


class DocumentToken(Credential, OfTarget):
    PREFIX = "tok"
    JUDGED = ("permissions",)

    target_id = TextField(column_name="document_id")
    digest = BlobField()
    masked_token = TextField()
    permissions = TextField()
    allowed_origins = TextField()
    expires_at = BigIntegerField(null=True)
    max_views = IntegerField(null=True)
    views = IntegerField(default=0)
    revoked_at = BigIntegerField(null=True)
    spent_at = BigIntegerField(null=True)
    name_hidden = IntegerField(null=True)  # 1, or null
    disabled_at = BigIntegerField(null=True)  # when its owner turned it off; null while it is on
    with_upload = IntegerField(default=1)  # 1 for the link that an upload made, else 0

    label = SealedName[str | None]()
    kept_secret = Sealed[str | None](never_remembered="It opens the link.")
    """For its owner, who copies the link again; None of an old link."""
    password_digest = Sealed[str | None](never_remembered="Passwords can be tried on it.")
    questions = Sealed[dict[str, Any] | None](never_remembered="Recipients have addresses.")
    """The facts of its gate; None if it asks nothing."""
    answers_id = Sealed[str](default="")
    """A random text: tickets hold while it does. It changes with password, questions and target."""

    notifies_owner = Sealed[bool](default=False)
    """Whether its owner gets a mail when it is opened, or takes files."""

    sent_at = Sealed[dict[str, int]](default={}, never_remembered="Recipients have addresses.")
    """When it was last sent by mail, in milliseconds, by the address that got the mail."""

    target: Target  # set where a token is issued or listed
    target_since = 0  # when it was led to this target; set where it is listed

    @classmethod
    def condition(cls, name: str, value: Any, moment: Any) -> Any:
        """Return a condition by state, `live` or `ended`, by the id of a target, or by a column.

        `takes_files`, which is always true, is said as the index says it.
        """
        if name == "takes_files":
            return cls.permissions == SQL(f"'{UPLOAD}'")
        if name in ("document_id", "collection_id"):
            return cls.target_id == value
        if name in ("live", "ended"):
            is_live = cls.is_live(moment)
            return is_live if name == "live" else ~is_live
        return super().condition(name, value, moment)

    @classmethod
    def is_live(cls, moment: Any) -> Any:
        """Return the condition that its state is `LIVE`."""
        return sql_state(cls, moment) == sql_text(LinkState.LIVE)

    @classmethod
    def extra_columns(cls, moment: Any) -> list[Any]:
        """Return the expression of its state: see `presented_state`."""
        return [sql_state(cls, moment)]

    @classmethod
    def is_unended(cls, moment: Any) -> list[Any]:
        return [
            *super().is_unended(moment),
            cls.revoked_at.is_null(),
            cls.disabled_at.is_null(),
            sql_is_there(cls.target_id, moment),
        ]

    @classmethod
    def permits(cls, id: str, judged: tuple[Any, ...], needed: Set[str]) -> bool:  # noqa: ARG003
        """Return whether the link permits this.

        Its views are counted, and its end is judged, where it is used.
        """
        (permissions,) = judged
        return needed <= set(permissions.split())

    @classmethod
    def issue(cls, target: Target, options: LinkOptions, with_upload: bool = False) -> Issued[Self]:
        """Return a new token that opens the target. Raises `Invalid`, `QuotaExceeded`."""
        require_future(options.expires_at)
        secret = credentials.generate(credentials.DOCUMENT_TOKEN)
        token = cls.fresh(
            owner_id=target.owner_id,
            target_id=target.id,
            digest=credentials.fingerprint(secret),
            masked_token=credentials.mask(secret),
            with_upload=int(with_upload),
        )
        token.target = target
        token.kept_secret = secret
        token._set_options(vars(options))
        token._refuse_wrong_terms()
        with transaction(target.owner_id):
            if not with_upload:  # a new document has no other link
                cls._refuse_if_many(target.owner_id)
                token._refuse_if_target_has_many()
            if token.notifies_owner:
                Webhook.notify_owner(target.owner_id)
            token.store()
            keep_text(target, token.agreement)
            token.record_event(
                "token.created",
                expires_at=options.expires_at,
                permissions=options.permissions.split(),
                max_views=options.max_views,
            )
        return Issued(token, secret)

    @classmethod
    def _refuse_if_many(cls, owner_id: str) -> None:
        """Raise `QuotaExceeded` if there is no room for one more link in the same transaction.

        The links that uploads made are not counted. Those that are off are: each can be turned on.
        """
        counted = cls.select().where(
            cls.owner_id == owner_id,
            cls.with_upload == SQL("0"),  # as the condition of the index says it
            cls.revoked_at.is_null(),
            cls.spent_at.is_null(),
            cls.expires_at.is_null() | (cls.expires_at > now()),
        )
        most = current_runtime().settings.quota_links
        refuse_if_full(
            counted.count(), most, "link", "Revoke one first.", "beside those of uploads"
        )

    @classmethod
    def live_to(cls, target: Target) -> Any:
        """Return the query of the live links to a target."""
        return cls.select().where(
            cls.owner_id == target.owner_id,
            cls.target_id == target.id,
            cls.is_live(now()),
        )

    def _refuse_if_target_has_many(self) -> None:
        """Raise `QuotaExceeded` if the target has the most live links without this one."""
        others = self.live_to(self.target).where(DocumentToken.id != self.id).count()
        noun = "collection" if isinstance(self.target, Collection) else "document"
        remedy = "Turn one off, or revoke it, first."
        refuse_if_full(others, MOST_LIVE_LINKS, "live link", remedy, f"to this {noun}")

    @classmethod
    def page_of_target(cls, target: Target, limit: int, after: str | None) -> ResultPage[Self]:
        Event.record_readings_of(target.owner_id)  # and the views of recent moments
        tokens, next_after = cls.page(target.owner_id, limit, after, target_id=target.id)
        for token in tokens:
            token.target = target
        FormerTarget.set_target_since(tokens)
        return tokens, next_after

    @classmethod
    def one_of_target(cls, target: Target, id: str) -> Self:
        Event.record_readings_of(target.owner_id)
        token = cls.one_of(target.owner_id, id, target_id=target.id)
        token.target = target
        return token

    @classmethod
    def edit(cls, owner_id: str, id: str, target: Target | None = None, **options: Any) -> Self:
        """Return the token with new values of some options, given as for `stored_options`.

        None removes an option. With a `target` the link opens this one from now on: its secret,
        terms and views stay. A link that had expired or was used up is live again if it now has
        time and views left. Raises `NotFound`, `Invalid`, `TokenRevoked`, `QuotaExceeded`.
        """
        changes = stored_options(**options)
        require_future(changes.get("expires_at"))
        with transaction(owner_id):
            # Read the link as it is now, with the views before a limit begins to count them.
            Event.record_due_before(owner_id)
            token = cls.one_of(owner_id, id)
            if token.revoked_at is not None:
                raise TokenRevoked
            token.target = target_of(owner_id, token.target_id)
            was_live = token.state is LinkState.LIVE
            former_id = token.target_id
            former_permissions = token.permissions
            if token.state.has_ended and not token.with_upload:
                cls._refuse_if_many(token.owner_id)
            # Lead it to another target.
            if target and target.id != token.target_id:
                token.change_target(target_of(owner_id, target.id))
            # Store the options that change, as far as they are right together.
            if changes.get("notifies_owner"):
                Webhook.notify_owner(owner_id)
            changed = [name for name, value in changes.items() if getattr(token, name) != value]
            token._set_options({name: changes[name] for name in changed})
            token._refuse_wrong_terms(former_permissions)
            if changed:
                token._store_options(changed)
            # Count it among the live links of its target, if it is one of them from now on.
            is_moved = token.target_id != former_id
            if token.state is LinkState.LIVE and (is_moved or not was_live):
                token._refuse_if_target_has_many()
        return token

    def _set_options(self, options: dict[str, Any]) -> None:
        """Set these options, which need not be right together: see `_refuse_wrong_terms`.

        With another answer that a reader has to give, tickets hold no longer.
        """
        for name in options.keys() - ASKED:
            setattr(self, name, options[name])
        asks = {name: options[name] for name in ASKED if name in options}
        if asks and (self.questions is not None or any(asks.values())):
            self.gate = replace(self.gate, **asks)
        if not options.keys().isdisjoint(_ANSWERED):
            self.answers_id = _new_answers_id()

    def _refuse_wrong_terms(self, former_permissions: str | None = None) -> None:
        """Raise `Invalid` for options that the link may not have together, or with its target.

        A new link has no former permissions.
        """
        if UPLOAD in (former_permissions, *self.permissions.split()):
            self._refuse_wrong_terms_of_uploads(former_permissions)
        if self.gate.watermark:
            self._require_pages()

    def _refuse_wrong_terms_of_uploads(self, former_permissions: str | None) -> None:
        """Raise `Invalid` for terms that a link which takes files may not have."""
        if self.permissions.split() != [UPLOAD]:
            raise Invalid("#/permissions", "'upload' stands alone: what takes files opens nothing.")
        if former_permissions not in (None, UPLOAD):
            raise Invalid(
                "#/permissions", "What opens something takes no files. Make another link."
            )
        if not self.collection_id:
            raise Invalid("#/permissions", "Only a link to a collection takes files.")
        if self.max_views is None or self.max_views > MOST_FILES:
            raise Invalid("#/maxViews", f"The link takes 1 to {MOST_FILES} files.")
        for name, value in vars(self.gate).items():
            if value:
                raise Invalid(
                    f"#/{name}", "A link that takes files asks for nothing but a password."
                )
        if self.allowed_origins:
            raise Invalid("#/allowedOrigins", "No other site may frame the page that takes files.")

    def _require_pages(self) -> None:
        """Raise `Invalid` unless the link opens pages that can be marked."""
        _require_views_alone(self.permissions)
        if not (isinstance(self.target, Document) and shown_document(self.target).has_pages):
            raise Invalid("#/watermark", "Only a PDF, or what is shown as one, has pages to mark.")

    def change_target(self, target: Target) -> None:
        """Open another target from now on. Call it in a transaction. Raises `Invalid`."""
        former = self.target
        self.record_event("token.updated", changed=["target"], to=target.id)
        self.target = target
        keep_text(target, self.agreement)
        self.change(target_id=target.id, answers_id=_new_answers_id())
        self.record_event("token.updated", changed=["target"], **{"from": former.id})
        FormerTarget.add(self, former.id)
        self._refuse_wrong_terms(self.permissions)

    def _store_options(self, changed: list[str]) -> None:
        """Store all options, with an event, and another one if this uses the token up."""
        was_spent = self.spent_at is not None
        is_spent = self.has_expired or self.is_used_up
        spent_at = (self.spent_at or now()) if is_spent else None
        self.change(spent_at=spent_at, **{name: getattr(self, name) for name in _STORED_OPTIONS})
        keep_text(self.target, self.agreement)
        facts = {"enabled": self.enabled} if "enabled" in changed else {}
        self.record_event("token.updated", changed=[OPTIONS[name] for name in changed], **facts)
        if is_spent and not was_spent:
            self.record_event("token.spent")

    @classmethod
    def live_one(cls, id: str, target: Target, known: Presented[Self] | None = None) -> Self:
        """Return the token, as it is stored, if it opens this target.

        `known` is the token as it was presented. Raises `TokenSpent`, `TargetChanged`.
        """
        presented = cls.presented("id", id, known)
        if presented is None:
            raise TokenSpent
        if presented_state(presented) is not LinkState.LIVE:
            raise end_of(presented)
        if presented.row.target_id != target.id:
            raise TargetChanged
        return presented.row

    @contextmanager
    def counted_use(self, use: Use | None = None) -> Iterator[None]:
        """Count a use, one of this moment if none is given, under the owner's lock.

        The block records its event. The last use has an event of its own, after that of the block.
        """
        use = use or Use(1, now())
        views = self.views + use.times
        is_last = self.max_views is not None and self.views < self.max_views <= views
        changes = {"spent_at": use.moment} if is_last else {}
        last_used_at = max(use.moment, self.last_used_at or 0)
        self.change(views=views, last_used_at=last_used_at, **changes)
        yield
        if is_last and self.revoked_at is None:
            self.record_event("token.spent")

    @classmethod
    def record_views(cls, view: "View", use: Use) -> None:
        """Record views that `count_view` has noted, in the transaction of what is due."""
        token = cls.find(view.token_id)
        if token is None:  # deleted meanwhile
            return
        is_first = token.views == 0
        with token.counted_use(use):
            if is_first and has_mail():
                with acting(view.actor):
                    Event.record(token.owner_id, "token.opened", token._facts_about(view.target_id))

    def record_visit(self, reader: str = "", **facts: Any) -> None:
        """Record a use of a link whose owner wants to know, in the transaction that counts it.

        It is recorded once in 24 hours for each reader, and 200 times for all; '' stands for all
        readers of whom nothing is known.
        """
        if self.notifies_owner and has_mail() and MailLimit.permits_notice(self.id, reader):
            self.record_event("token.visited", **facts)

    @classmethod
    def revoke_all(cls, condition: Any) -> None:
        """Revoke the tokens that meet a condition, and forget what they say, in a transaction.

        It is for tokens whose target is deleted.
        """
        for token in cls.rows(cls.select().where(condition)):
            token._revoke_as_stored()
            token.change(**token._words_forgotten())

    def without_words(self) -> Self:
        """Return the link as it is shown when its target is not there: without its words."""
        shown = self.with_only(self.value_names())
        shown.set_values(self._words_forgotten())
        shown.target_since = self.target_since
        return shown

    def _words_forgotten(self) -> dict[str, Any]:
        """Return what stands in place of the sealed values when the target is gone."""
        words = set(self.sealed_names()).difference(_KEPT_WITHOUT_TARGET)
        digest = "" if self.has_password else None  # which no password meets
        unsaid = {name: getattr(DocumentToken, name).default for name in words}
        return unsaid | {"password_digest": digest}

    @classmethod
    def end_is_recorded(cls) -> Any:
        """Return the condition that an event has recorded its end; an index says it so, too."""
        return cls.revoked_at.is_null(False) | cls.spent_at.is_null(False)

    @classmethod
    def all_expired(cls) -> Iterator[Self]:
        """Yield the expired tokens that are not marked as spent yet, in pages."""
        is_unmarked = cls.spent_at.is_null() & cls.revoked_at.is_null()  # as the index has it
        return cls.each_that((cls.expires_at <= now()) & is_unmarked)

    def spend_if_expired(self) -> None:
        """Mark it as spent, with an event, unless meanwhile its end was changed."""
        with transaction(self.owner_id):
            token = self.find(self.id)  # read again under the writer lock
            if token and not token.spent_at and not token.revoked_at and token.has_expired:
                token.change(spent_at=now())
                token.record_event("token.spent")

    @property
    def has_password(self) -> bool:
        return self.password_digest is not None

    @property
    def is_plain(self) -> bool:
        """Whether it opens for everybody, without a limit, and its owner is sent no notice."""
        is_unlimited = self.max_views is None and not self.notifies_owner
        return is_unlimited and not self.has_password and self.gate == NOTHING

    @property
    def hides_name(self) -> bool:
        """Whether a page that asks for something first does not name what the link opens."""
        return self.name_hidden is not None

    @hides_name.setter
    def hides_name(self, hides: bool) -> None:
        self.name_hidden = 1 if hides else None

    @property
    def enabled(self) -> bool:
        """Whether the link is on. One that is off opens nothing until it is turned on again."""
        return self.disabled_at is None

    @enabled.setter
    def enabled(self, enabled: bool) -> None:
        self.disabled_at = None if enabled else now()

    @property
    def gate(self) -> Gate:
        """The questions that the link asks whoever opens it."""
        return Gate.of(self.questions)

    @gate.setter
    def gate(self, gate: Gate) -> None:
        self.questions = gate.facts

    recipients = asked("recipients")
    agreement = asked("agreement")
    watermark = asked("watermark")
    agreement_sha256 = asked("agreement_sha256")

    @property
    def has_opened_target(self) -> bool:
        """Whether it was used since it opens its present target: see `target_since`."""
        return self.last_used_at is not None and self.last_used_at > self.target_since

    @property
    def has_expired(self) -> bool:
        return has_passed(self.expires_at)

    @property
    def is_used_up(self) -> bool:
        return self.max_views is not None and self.views >= self.max_views

    @property
    def state(self) -> LinkState:
        return state_of(self, self.target)

    def revoke(self) -> None:
        with transaction(self.owner_id):
            Event.record_due_before(self.owner_id)  # views come before the end
            if stored := self.find(self.id):  # read again under the writer lock
                stored._revoke_as_stored()

    def _revoke_as_stored(self) -> None:
        """Revoke this row, as it is stored, with an event unless it had been used up."""
        if self.revoked_at is None:
            type = "token.spent" if self.has_expired else "token.revoked"
            self.change(revoked_at=now())
            if self.spent_at is None:
                self.record_event(type)

    def record_event(self, type: str, **facts: Any) -> Event:
        return Event.record(self.owner_id, type, self._facts_about(self.target_id) | facts)

    def _facts_about(self, target_id: str) -> dict[str, Any]:
        """Return the facts of an event about the link and what it opens."""
        return {"document_id": None, **facts_about(target_id), "token_id": self.id}


@dataclass(frozen=True)
class View:
    """A view of a link, by whom and of what: those that are alike are recorded together."""

    token_id: str
    target_id: str
    actor: tuple[tuple[str, str], ...]


def count_view(
    target: Target,
    id: str,
    type: str,
    read: Target | None = None,
    opening: Opening | None = None,
    known: Presented[DocumentToken] | None = None,
) -> None:
    """Count a view of the token with this id, after what was read was decrypted.

    `read` is a document where the target is its collection; `opening` is that of a guarded link;
    `known` is the token as it was presented, before anything was read.
    Token and count are read and written under the owner's lock: two requests cannot take the same
    last view. A view of a link that `is_plain` is noted as a reading is, and recorded soon. Raises
    `TokenSpent` if there is none left, `TargetChanged` if the link opens another target now.
    """
    if opening is None:
        token = DocumentToken.live_one(id, target, known)
        if token.is_plain:
            _note_view(token, type, read or target)
            return
    with transaction(target.owner_id):
        token = DocumentToken.live_one(id, target)
        with token.counted_use():
            is_first_by_recipient = opening.store_with_events(token) if opening else False
            Event.record_reading(token.owner_id, type, (read or target).id)
            if (token.views == 1 or is_first_by_recipient) and has_mail():
                token.record_event("token.opened")
            if not (opening and opening.is_by_owner):
                token.record_visit(opening.folded_name if opening else "")


def _note_view(token: DocumentToken, type: str, read: Target) -> None:
    view = View(token.id, token.target_id, tuple(current_actor.get().items()))
    unrecorded = current_runtime().unrecorded
    unrecorded.add_use(token.owner_id, DocumentToken.record_views, view, now())
    Event.record_reading(token.owner_id, type, read.id)
    Event.record_if_shared(token.owner_id)


def _require_views_alone(permissions: str) -> None:
    """Raise `Invalid` unless a link that marks pages permits to view alone."""
    if permissions != "view":
        raise Invalid("#/watermark", "Pages are marked by a link that permits to view alone.")


class FormerTarget(SealedByOwner, OfTarget):
    """A target that a link has opened before; `created_at` is when the link was changed."""

    PREFIX = "fmt"

    token_id = TextField()
    target_id = TextField(column_name="document_id")

    @classmethod
    def add(cls, token: DocumentToken, target_id: str) -> None:
        """Keep a former target, in the transaction that changes the target of the link."""
        former = cls.fresh(owner_id=token.owner_id, token_id=token.id, target_id=target_id)
        former.owner = token.owner
        former.store()
        cls.keep_newest(MOST_FORMER_TARGETS, token_id=token.id)

    @classmethod
    def set_target_since(cls, tokens: Sequence[DocumentToken]) -> None:
        """Set since when each token opens its target; 0 for those that opened no other."""
        ids = [token.id for token in tokens]
        led = cls.select(cls.token_id, fn.MAX(cls.created_at)).where(cls.token_id.in_(ids))
        since: dict[str, int] = dict(led.group_by(cls.token_id).tuples().execute()) if ids else {}
        for token in tokens:
            token.target_since = since.get(token.id, 0)

    @classmethod
    def all_of(cls, token_id: str) -> list[Self]:
        """Return the former targets of a link, the last one first."""
        rows = cls.select().where(cls.token_id == token_id).order_by(cls.id.desc())
        return cls.rows(rows.limit(MOST_FORMER_TARGETS))
