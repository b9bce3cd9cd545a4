"""The grant of a caller who opens a link, a page or a document, and the tickets of opened pages.

By its ticket a page loads drawn pages, or the original.

A link that counts its views gives each view of an original an entity tag of its own, by which a
client goes on with the transfer of this view when the line has broken (RFC 9110, section 13.1.5).
The tag is sealed: it holds link, target and document, and nobody else can make or know one.
"""

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Self

from crypto import DecryptionError, TokenClaims, credentials
from viewer import ShownDocument

from ..accounts import ApiKey, Session
from ..core import (
    NotAuthenticated,
    NotFound,
    Payer,
    TokenSpent,
    WrongCredentials,
    rfc3339,
)
from ..documents import Client, Collection, Document, UnfinishedUpload, shown_document
from ..events import Event
from ..records import Presented, cached_property, payer_of
from ..runtime import current_runtime
from .document_token import PERMISSIONS, UPLOAD, DocumentToken, count_view
from .gate import NOTHING, Gate, Proof
from .opening import Opening, Reader
from .recipient import Recipient, WrongCode
from .state import LinkState, end_of, presented_state
from .target import Target, table_of

TICKET_SECONDS = 3600
LIMITED_TICKET_SECONDS = 600  # of a link with a view limit
UPLOAD_TICKET_SECONDS = 8 * 86_400  # the longest life of an upload by a link, and of its receipt
VIEW_TAG_SECONDS = 600  # for which a transfer may be gone on with
OPENS_PAGES = "pages"  # scopes of tickets: one opens drawn pages,
OPENS_SHOWN = "shown"  # the original as well, because the page shows it as it is,
OPENS_ORIGINAL = "original"  # or the original, as long as the link permits to save it

_NO_CLAIMS = TokenClaims("", "")
TOO_LATE = "This page was opened too long ago. Open it again."

_OF_OWNER: dict[str, type[ApiKey | Session]] = {"ses": Session, "key": ApiKey}


@dataclass(frozen=True)
class TokenGrant:
    """The rights of a reader: by a link, as its row says, or as the owner.

    The grant of an owner has no link: `owner_id` is set, and `id` is that of the session or API
    key. The grant of a page that the owner opened is for one document alone, `target_id`.
    """

    id: str
    target_id: str
    permissions: frozenset[str]
    origins: tuple[str, ...]
    expires_at: int | None
    views_left: int | None  # without a view limit None
    password_digest: str | None
    owner_id: str = ""  # the owner, who reads without a link
    link_owner_id: str = ""  # the owner of the link, if there is a link
    came_by: str = ""  # the ticket that was presented, if it was a ticket,
    opens_original: bool = True  # and whether this ticket opens the original
    gate: Gate = NOTHING  # the questions that the link asks whoever opens it
    answers_id: str = ""
    hides_name: bool = False  # as its owner has chosen; see `names_target`
    notifies_owner: bool = False
    masked_token: str = ""
    upload_id: str = ""  # the unfinished upload that the presented ticket opens, and nothing else
    view_tag: str = ""  # the tag of an earlier view by this link, if one was presented
    acting_user_id: str = ""  # the member who acts as the owner, which is a space
    opening: Opening | None = None  # begun by this request
    reader: Reader | None = None  # for whom a guarded link was opened, or is now
    presented: Presented[DocumentToken] | None = None  # the link, as this request has found it

    @property
    def is_link(self) -> bool:
        """Whether the reader came by a link, or by a page that a link opened."""
        return bool(self.link_owner_id)

    @property
    def is_page_of_owner(self) -> bool:
        """Whether the reader is a page that the owner opened, which reads one document alone."""
        return bool(self.owner_id and self.target_id)

    def payer(self, address: str = "") -> Payer:
        """Return for whom it counts what is asked by this grant, from the network of `address`."""
        link_id = self.id if self.is_link else ""
        owner_id = self.owner_id or self.link_owner_id
        acting_id = self.acting_user_id
        return payer_of(owner_id, acting_user_id=acting_id, link_id=link_id, address=address)

    @property
    def may_save(self) -> bool:
        return "download" in self.permissions

    @property
    def collection_id(self) -> str | None:
        """None if the target is a document."""
        return self.target_id if table_of(self.target_id) is Collection else None

    @cached_property
    def collection(self) -> Collection | None:
        """The target, if it is a collection, as it was when this grant was first asked for it."""
        return Collection.find(self.target_id) if self.collection_id else None

    def document(self, id: str) -> Document:
        """Return a document that the link opens now. Raises `NotFound` for every other one."""
        opens = self.permissions != {UPLOAD}
        if opens and self.collection:
            return self.collection.document(id)
        if id != self.target_id:
            raise NotFound
        return Document.of_id(id)

    def shown(
        self,
        document: Document,
        client: Client = Client.WAITS,
        *,
        password: str | None = None,
        as_pages: bool = False,
    ) -> ShownDocument:
        """Return a document that the link opens as the viewer takes it."""
        return shown_document(
            document,
            client,
            password=password,
            watermark=self.watermark,
            as_pages=as_pages,
            payer=self.payer(),  # known behind the request as well
        )

    def record_reading(self, target: Target, type: str) -> None:
        """Record that the target was read, after it was decrypted.

        By token it is a view of the link; by ticket, or by the owner, an event alone.
        """
        if self.is_link and not self.came_by:
            self.count_view(target, type)
        else:
            target.record_reading(type)

    def count_view(self, target: Target, type: str) -> None:
        """Count a view, after the document that the link opens was decrypted."""
        viewed = self.collection or target
        count_view(viewed, self.id, type, target, self.opening, self.presented)

    def new_view_tag(self, document: Document) -> str:
        """Return the entity tag of a new view of the document."""
        claims = TokenClaims(self.id, self._view_of(document))
        return current_runtime().view_tags.issue(claims, VIEW_TAG_SECONDS)

    def goes_on_with_view_of(self, document: Document) -> bool:
        """Return whether the tag of an earlier view of the document was presented in time."""
        return _claims_of(self.view_tag).user_id == self._view_of(document)

    def _view_of(self, document: Document) -> str:
        return f"{self._bound_to} {document.id}"

    @property
    def has_view_limit(self) -> bool:
        return self.views_left is not None

    @property
    def counts_views(self) -> bool:
        """Whether each use is counted, since there is a limit or the owner is notified."""
        return self.has_view_limit or self.notifies_owner

    @property
    def has_password(self) -> bool:
        return self.password_digest is not None

    @property
    def is_guarded(self) -> bool:
        return self.gate != NOTHING

    @property
    def asks_first(self) -> bool:
        """Whether a reader has to send an answer before the link opens."""
        return self.has_password or self.is_guarded

    @property
    def names_target(self) -> bool:
        """Whether a prompt may name what the link opens: never if the link is for named people."""
        return not (self.hides_name or self.gate.recipients)

    @cached_property
    def watermark(self) -> str:
        """The mark of the pages: who opened the link, and when; empty if they have none."""
        if not self.gate.watermark:
            return ""
        opening = self.opening or (self.reader and Opening.find(self.reader.opening_id))
        if not opening:  # forgotten meanwhile
            raise NotAuthenticated(TOO_LATE)
        opening.target = Document.of_id(self.target_id)
        who = opening.address or opening.name or self.masked_token
        return f"{who}\n{rfc3339(opening.created_at)[:16].replace('T', ' ')} UTC"

    @classmethod
    def of_secret(cls, secret: str, view_tag: str = "") -> Self:
        """Return the grant of a link. `view_tag` is that of an earlier view, to go on with.

        Raise `NotAuthenticated` if there is no such token, `TokenSpent` if it has ended, unless its
        last view is the earlier one.
        """
        if not credentials.well_formed(secret, credentials.DOCUMENT_TOKEN):
            raise NotAuthenticated("This is no document token of ours. Check how it was copied.")
        presented = DocumentToken.presented("digest", credentials.fingerprint(secret))
        if presented is None:
            raise NotAuthenticated("This document token is unknown. Ask its sender for a new one.")
        try:
            knows_view = _claims_of(view_tag).id == presented.row.id
            grant = cls._of_row(presented, may_be_used_up=knows_view)
            return replace(grant, view_tag=view_tag) if knows_view else grant
        except TokenSpent:
            if presented.owner.disabled_at is None:
                token = presented.row
                Event.record_refusal(token.owner_id, token.id, token.target_id, "ended")
            raise

    @classmethod
    @lru_cache(256)  # of its words alone: 1 % of an upload, as it has many fields
    def of_owner(
        cls,
        owner_id: str,
        credential_id: str = "",
        document_id: str = "",
        acting_user_id: str = "",
    ) -> Self:
        """Return the grant of an owner who reads with a session or an API key.

        `document_id` is that of an opened page, which reads this document alone; `acting_user_id`
        that of the member by whose session a space reads.
        """
        return cls(
            id=credential_id,
            target_id=document_id,
            permissions=frozenset(PERMISSIONS),
            origins=(),
            expires_at=None,
            views_left=None,
            password_digest=None,
            owner_id=owner_id,
            acting_user_id=acting_user_id,
        )

    @classmethod
    def of_ticket(cls, ticket: str) -> Self:
        """Return the grant of an opened page.

        The page of a token loads what it shows also after the token's last view, while the token
        has the same password and still permits to view. The page of an owner loads it as long as
        the session or API key lasts.
        """
        try:
            claims = current_runtime().tickets.open(ticket)
        except DecryptionError:
            raise NotAuthenticated(TOO_LATE) from None
        if credential := _OF_OWNER.get(claims.id[:3]):
            owner_id, _, document_id = claims.user_id.partition(" ")
            owner_id, id, acting_user_id = credential.live_of(claims.id, owner_id)
            grant = cls.of_owner(owner_id, id, document_id, acting_user_id)
            return replace(grant, came_by=ticket)
        presented = DocumentToken.presented("id", claims.id)
        if presented is None:
            raise TokenSpent
        grant = cls._of_row(presented, may_be_used_up=True)
        bound, *reader = claims.user_id.split(" ")
        if bound != grant._bound_to or grant.permissions.isdisjoint({"view", UPLOAD}):
            raise NotAuthenticated(TOO_LATE)
        may_save = claims.scope == OPENS_ORIGINAL and grant.may_save
        is_of_upload = claims.scope.startswith(UnfinishedUpload.PREFIX + "_")
        return replace(
            grant,
            came_by=ticket,
            upload_id=claims.scope if is_of_upload else "",
            opens_original=may_save or claims.scope == OPENS_SHOWN,
            reader=Reader.of_ticket(reader),
        )

    @classmethod
    def _of_row(cls, presented: Presented[DocumentToken], *, may_be_used_up: bool) -> Self:
        """Return the grant of a link that opens something, or raise `TokenSpent`.

        `may_be_used_up` is for a reader who has opened the link before its last view was used.
        """
        token = presented.row
        permissions = frozenset(token.permissions.split())
        origins = tuple(token.allowed_origins.split())
        takes_files = UPLOAD in permissions
        is_open = _is_open(presented, may_be_used_up=may_be_used_up or takes_files)
        if takes_files and current_runtime().settings.inbound == "off":
            is_open = False
        if not is_open:
            raise end_of(presented)
        return cls(
            id=token.id,
            target_id=token.target_id,
            permissions=permissions,
            origins=origins,
            expires_at=token.expires_at,
            views_left=None if token.max_views is None else max(0, token.max_views - token.views),
            password_digest=token.password_digest,
            gate=token.gate,
            answers_id=token.answers_id,
            hides_name=token.hides_name,
            notifies_owner=token.notifies_owner,
            masked_token=token.masked_token,
            link_owner_id=token.owner_id,
            presented=presented,
        )

    def refuse_if_ended(self) -> None:
        """Raise `SessionExpired` or `KeyRevoked` if the session or API key of an owner has ended.

        A transfer by a link goes on when the link has ended.
        """
        if credential := _OF_OWNER.get(self.id[:3]):
            credential.live_of(self.id, self.owner_id)

    def on_page_of(self, document_id: str) -> Self:
        """Return the grant of a page of this document. A page of the owner opens nothing else."""
        return self if self.is_link else replace(self, target_id=document_id)

    def spent(self, cause: str = "") -> TokenSpent:
        """Return the error that the link opens nothing any more; it may say who sent the link."""
        return TokenSpent(cause, None, self.origins, self.link_owner_id)

    def refuse_without_files_left(self) -> None:
        """Raise `TokenSpent` if the link has taken its last file."""
        if UPLOAD in self.permissions and not (self.views_left or self.came_by):
            if self.collection:
                Event.record_refusal(self.collection.owner_id, self.id, self.target_id, "ended")
            raise self.spent("used_up")

    def ticket(self, *, shows_original: bool) -> str:
        """Return the ticket of a page; `shows_original` says that it shows the original as it is.

        The ticket of a collection opens all that the link opens. A page that was opened by a ticket
        passes it on: none is issued by a ticket. The grant of an owner has to be that of a page.
        """
        if not self.target_id:
            raise ValueError("A ticket is for a target.")
        if self.came_by:
            return self.came_by
        is_short = self.has_view_limit and not self.collection_id
        seconds = LIMITED_TICKET_SECONDS if is_short else TICKET_SECONDS
        scope = OPENS_ORIGINAL if self.may_save else OPENS_PAGES
        if shows_original and not self.collection_id:
            scope = OPENS_SHOWN
        made_for = self._bound_to
        if self.reader:
            made_for += f" {self.reader.to_ticket()}"
        return current_runtime().tickets.issue(TokenClaims(self.id, made_for, scope), seconds)

    def upload_ticket(self, upload_id: str) -> str:
        """Return the ticket of an upload that was begun by this link. It opens nothing else.

        It is the only ticket that may be had by a ticket, that of an opened page.
        """
        claims = TokenClaims(self.id, self._bound_to, upload_id)
        return current_runtime().tickets.issue(claims, UPLOAD_TICKET_SECONDS)

    @property
    def _bound_to(self) -> str:
        """The text that binds a ticket to its target, and to the questions of its link, if any.

        The ticket of a session or API key is bound to the owner and the document.
        """
        if self.owner_id:
            return f"{self.owner_id} {self.target_id}"
        return self.target_id + (self.answers_id if self.asks_first else "")

    def accept_proof(self, target: Target, proof: Proof, address: str) -> Self:
        """Return the grant of a reader who has answered all that the link asks.

        For a guarded link it has an opening, which is stored with the view. Raises `Invalid`,
        `WrongCredentials`, `TooManyRequests`.
        """
        if self.came_by:
            return self
        if self.gate.recipients and not proof.code.strip():
            raise WrongCode
        self.gate.require_acceptance(proof)
        if self.has_password:
            self.check_password(target, proof.password or "", address)
        if not self.is_guarded:
            return self
        recipient = None
        if self.gate.recipients:
            recipient = Recipient.prove(target, self, proof.email.lower(), proof.code)
        opening = Opening.begin(target, self, recipient, proof)
        return replace(self, opening=opening, reader=opening.reader)

    def check_password(self, target: Target, password: str, address: str) -> None:
        """Raise `WrongCredentials` for a wrong password, `TooManyRequests` after many of them."""
        failures = current_runtime().link_password_failures
        failures.refuse_if_many(self.id, address)
        digest = self.password_digest or ""
        is_right = current_runtime().link_passwords.verify_password(password, digest)
        if not is_right:
            failures.record_failure(self.id, address)
            Event.record_refusal(target.owner_id, self.id, self.target_id, "password")
            raise WrongCredentials("This is not the password of the link.")
        failures.refuse_if_many(self.id, address)  # many may have been judged beside this one


NO_GRANT = TokenGrant(
    id="",
    target_id="",
    permissions=frozenset(),
    origins=(),
    expires_at=None,
    views_left=None,
    password_digest=None,
)


def _claims_of(view_tag: str) -> TokenClaims:
    """Return the claims of a view's entity tag; without any if it is another text, or too old."""
    if not view_tag:
        return _NO_CLAIMS
    try:
        return current_runtime().view_tags.open(view_tag)
    except DecryptionError:
        return _NO_CLAIMS


def _is_open(presented: Presented[DocumentToken], *, may_be_used_up: bool) -> bool:
    """Return whether a link opens its target. One that is used up may be off as well."""
    if presented.owner.disabled_at is not None:
        return False
    state = presented_state(presented)
    if state is LinkState.USED_UP and may_be_used_up:
        return presented.row.enabled
    return state is LinkState.LIVE
