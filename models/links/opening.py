"""Openings: who opened a guarded link, and what they accepted, sealed.

Events say of a reader only a hash. With salt, address and name, which the opening seals, owner and
reader can show who it was; without them, once the target is deleted, nobody can.
"""

import json
import secrets
from dataclasses import dataclass
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Any, Protocol, Self

from peewee import BigIntegerField, TextField

from crypto import reader_hash

from ..accounts import sender_of
from ..core import NotFound, QuotaExceeded, TargetChanged, first_id, is_seen
from ..events import (
    Event,
    EventHead,
    Mail,
    current_actor,
    email_of,
    name_in_mail,
    oldest_kept_at,
)
from ..records import ResultPage, Sealed
from ..runtime import current_runtime
from .agreements import kept_text
from .gate import Gated, Proof
from .recipient import Recipient
from .target import SealedByTarget, Target, table_of

MOST_OPENINGS = 10_000  # of a link, which then opens no more: each is kept as long as its event
NAMED_MS = 24 * 60 * 60 * 1000  # within which all events are recorded that name an opening
MOST_WORDS_CHARACTERS = 200  # of a name in a mail
_OPENED_TOO_OFTEN = "This link has been opened as often as it can be. Ask its sender for a new one."
_RECEIPT_MAIL = """Hello,

on {moment} you accepted an agreement, to open {what}{sender}.

    accepted by  {name}
    address      {address}

The text of the agreement is attached as agreement.txt. Keep this mail: it is your receipt.

For audits: receipt.jsonl is the line of the sender's log that records this, and the log's own
verifier checks it. It names you by a hash of name, address and the salt {salt},
and the text by its SHA-256, {sha256}."""


class GatedLink(Gated, Protocol):
    """The row of a link, a `DocumentToken`."""

    @property
    def owner_id(self) -> str: ...

    @property
    def agreement(self) -> str: ...

    def record_event(self, type: str, **facts: Any) -> Event: ...


@dataclass(frozen=True)
class Reader:
    """The reader who opened a link, as tickets and events name that person."""

    opening_id: str
    recipient_id: str | None
    reader: str

    @classmethod
    def of_ticket(cls, words: list[str]) -> Self | None:
        return cls(words[0], words[1].strip("-") or None, words[2]) if words else None

    def to_ticket(self) -> str:
        return f"{self.opening_id} {self.recipient_id or '-'} {self.reader}"


class Opening(SealedByTarget):
    """One use of a guarded link."""

    PREFIX = "opn"
    token_id = TextField()
    recipient_id = TextField(null=True)
    sequence = BigIntegerField(null=True)  # of the event `agreement.accepted`

    address = Sealed[str | None](never_remembered="The address of a person.")
    name = Sealed[str | None](never_remembered="The name of a reader.")
    salt = Sealed[str](never_remembered="With it the log names the reader.")
    agreement_sha256 = Sealed[str | None]()
    """Of the text that was accepted; None if the link asked for none."""

    recipient: Recipient | None  # of a new one
    answers_id: str

    @classmethod
    def begin(cls, target: Target, grant: Gated, recipient: Recipient | None, proof: Proof) -> Self:
        """Return a new opening, to be stored when the link has opened its document.

        Raises `TooManyRequests` if the link was opened too often within an hour.
        """
        current_runtime().opening_limiter.spend(grant.id)
        opening = cls.fresh(
            owner_id=target.owner_id,
            target_id=target.id,
            token_id=grant.id,
            recipient_id=recipient and recipient.id,
        )
        opening.target = target
        opening.recipient = recipient
        opening.answers_id = grant.answers_id
        opening.address = proof.email.lower() if recipient else None
        opening.name = proof.name.strip() if is_seen(proof.name) else None
        opening.salt = secrets.token_hex(32)
        opening.agreement_sha256 = grant.gate.agreement_sha256
        return opening

    @property
    def known_as(self) -> str | None:
        """The address that a code has proved; or else, in quotation marks, the name."""
        has_name = self.name and is_seen(self.name)
        return self.address or (f"“{self.name}”" if has_name else None)

    @property
    def folded_name(self) -> str:
        """The address or the name in small letters, one of each reader; '' if neither is known."""
        return (self.address or self.name or "").casefold()

    @property
    def is_by_owner(self) -> bool:
        """Whether the address that was proved is the one of the link's owner."""
        return self.address is not None and self.address == email_of(self.owner_id).lower()

    @property
    def reader(self) -> Reader:
        hashed = reader_hash(bytes.fromhex(self.salt), self.address or "", self.name or "")
        return Reader(self.id, self.recipient_id, hashed)

    def store_with_events(self, token: GatedLink) -> bool:
        """Store the row, and the event of the text that was accepted; return whether it is the
        first opening by a recipient.

        Call it in the transaction that counts the view of the token. Raises `TargetChanged` if the
        link asks for something else by now, `QuotaExceeded` if too many of its openings are kept.
        """
        if token.answers_id != self.answers_id:
            raise TargetChanged
        if Opening.select().where(Opening.token_id == self.token_id).count() >= MOST_OPENINGS:
            raise QuotaExceeded(_OPENED_TOO_OFTEN)
        current_actor.set(MappingProxyType({**current_actor.get(), **vars(self.reader)}))
        if sha256 := self.agreement_sha256:
            event = token.record_event("agreement.accepted", agreement_sha256=sha256)
            self.sequence = event.sequence
            self._send_receipt(event, token)
        self.store()
        return bool(self.recipient and self.recipient.note_opening())

    def _send_receipt(self, event: Event, token: GatedLink) -> None:
        """Send it to a reader whose address is known."""
        if not self.address:
            return
        moment = datetime.fromtimestamp(event.created_at / 1000, UTC)
        target = table_of(self.target_id).one_of(self.owner_id, self.target_id)
        text = _RECEIPT_MAIL.format(
            moment=f"{moment.day} {moment:%B %Y at %H:%M:%S} UTC",
            what=_named(target.name),
            sender=_sent_by(self.owner_id),
            name=self.name,
            address=self.address,
            salt=self.salt,
            sha256=self.agreement_sha256,
        )
        receipt = receipt_of(self.owner_id, event.sequence, self.created_at)
        Mail.enqueue(
            self.owner_id,
            "receipt",
            self.address,
            "Receipt of the agreement that you accepted",
            text,
            attachments=(receipt, token.agreement),
        )

    @classmethod
    def page_of_link(cls, token: GatedLink, limit: int, after: str | None) -> ResultPage[Self]:
        """Return openings of a link, newest first, also those of its former targets."""
        found, next_after = cls.page(token.owner_id, limit, after, token_id=token.id)
        return [opening.with_target() for opening in found], next_after

    def with_target(self) -> Self:
        """Look up the target, which may be in the bin; None if its row was altered.

        Its deletion ends its openings.
        """
        self.target = table_of(self.target_id).find(self.target_id)
        return self

    @classmethod
    def of_reader(cls, id: str, target_id: str, owner_id: str, reader: Reader | None) -> Self:
        """Return an opening for its owner, or for the reader who opened a page by it.

        Raises `NotFound` for anybody else.
        """
        found = cls.find(id)
        if not found or found.target_id != target_id:
            raise NotFound
        is_owner = found.owner_id == owner_id
        is_reader = reader is not None and reader.opening_id == id
        if not (is_owner or is_reader):
            raise NotFound
        return found

    def accepted_text(self) -> str:
        """Return the text that was accepted. Raise `NotFound` if there is none, or no target."""
        if self.target is None:
            raise NotFound
        return kept_text(self.target, self.agreement_sha256 or "")

    def receipt(self) -> str:
        """Raise `NotFound` if nothing was accepted, or the log no longer goes back so far."""
        if self.sequence is None:
            raise NotFound("Nothing was accepted at this opening.")
        return receipt_of(self.owner_id, self.sequence, self.created_at)

    @classmethod
    def forget_old(cls) -> None:
        """Delete openings that are a day older than events are kept, and than all events of their
        owner: a delivery that waits keeps events for longer.
        """
        kept_from = oldest_kept_at()
        old = cls.id < first_id(cls.PREFIX, kept_from - NAMED_MS)
        owners: Any = cls.select(cls.owner_id).where(old)  # sorted, it would read all openings
        for owner_id in {owner_id for (owner_id,) in owners.tuples()}:
            of_owner = Event.select().where(Event.owner_id == owner_id)
            oldest_event = of_owner.order_by(Event.id).first()
            moment = min(kept_from, oldest_event.created_at) if oldest_event else kept_from
            before = cls.id < first_id(cls.PREFIX, moment - NAMED_MS)
            cls.delete_in_batches((cls.owner_id == owner_id) & before)


def _sent_by(owner_id: str) -> str:
    """Return whose document it is, for the mail of a receipt; '' of a sender who is not shown."""
    sender = sender_of(owner_id)
    return f", sent by {_in_one_line(sender.name or name_in_mail(sender.email))}" if sender else ""


def _named(name: str) -> str:
    """Return a name in quotation marks; other words for one that a client could make a link of."""
    is_like_address = any(sign in name for sign in "/:@")
    return "what it leads to" if is_like_address else f"“{_in_one_line(name)}”"


def _in_one_line(words: str) -> str:
    return " ".join(words.split())[:MOST_WORDS_CHARACTERS]


def receipt_of(owner_id: str, sequence: int, since: int) -> str:
    """Return the line of the owner's log about an event, which can be verified by itself.

    The event is not older than `since`. Raises `NotFound` if it is not kept.
    """
    of_owner = Event.select().where(Event.owner_id == owner_id)
    later = of_owner.where(Event.id >= first_id(Event.PREFIX, since), Event.sequence == sequence)
    event = later.order_by(Event.id).first()
    if event is None:
        raise NotFound("The log no longer goes back to this opening.")
    before = of_owner.where(Event.id < event.id).order_by(Event.id.desc()).first()
    previous = before.hash if before else EventHead.of(owner_id).hash_before
    line = {
        "owner": owner_id,
        "sequence": sequence,
        "body": event.body,
        "hash": event.hash.hex(),
        "previous": bytes(previous).hex(),
    }
    return json.dumps(line) + "\n"
