"""Openings of guarded links: who opened one, and what they accepted, sealed; and the receipt.

Events say of a reader only a hash. With salt, address and name, which are sealed here, owner and
reader can show who it was; without them, once the target is deleted, nobody can.
"""

import json
import secrets
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Self

from peewee import BigIntegerField, BlobField, TextField

from crypto import reader_hash

from ..core import NotFound, QuotaExceeded, TargetChanged, first_id, rfc3339
from ..documents import Collection, Document
from ..events import Event, EventHead, Mail, current_actor, oldest_kept_at
from ..records import Authenticated, Owned, cached_property
from ..runtime import current_runtime
from .gate import Proof, drop_texts_of, kept_text, texts_of
from .recipient import Recipient
from .target import OfTarget, Target, table_of

MOST = 10_000  # of a link, which then opens no more: each is kept as long as its event
NAMED_MS = 24 * 60 * 60 * 1000  # within which all events are recorded that name an opening
_OPENED_TOO_OFTEN = "This link has been opened as often as it can be. Ask its sender for a new one."
_MAIL = """Hello,

at {} you accepted a text, to open a link that was sent to you.
The attached receipt is the line of the sender's log that records it: keep it. The log's own
verifier checks it. It names you by a hash, of these:

    name     {}
    address  {}
    salt     {}

and the text by its SHA-256: {}"""


@dataclass(frozen=True)
class Reader:
    """Whoever opened a link, as tickets and events name them."""

    opening_id: str
    recipient_id: str | None
    reader: str

    @classmethod
    def of_ticket(cls, words: list[str]) -> Self | None:
        return cls(words[0], words[1].strip("-") or None, words[2]) if words else None

    def to_ticket(self) -> str:
        return f"{self.opening_id} {self.recipient_id or '-'} {self.reader}"


def _fact(name: str) -> Any:
    return property(lambda opening: opening.facts[name])


class Opening(Authenticated, Owned, OfTarget):
    PREFIX = "opn"
    AUTHORITY = (
        *("id", "created_at", "owner_id", "target_id"),
        *("token_id", "recipient_id", "sequence"),
    )

    target_id = TextField(column_name="document_id")
    token_id = TextField()
    recipient_id = TextField(null=True)
    sequence = BigIntegerField(null=True)  # of the event of what was accepted
    sealed_facts = BlobField()

    target: Target
    who: Recipient | None  # of a new one
    sealed_gate: bytes | None

    @classmethod
    def begin(cls, target: Target, token: Any, recipient: Recipient | None, proof: Proof) -> Self:
        """A new one, to be stored when the link has opened what it opens.

        `TooManyRequests` beyond some of a link in an hour.
        """
        current_runtime().opening_limiter.spend(token.id)
        recipient_id = recipient and recipient.id
        opening: Self = cls.fresh(
            owner_id=target.owner_id,
            target_id=target.id,
            token_id=token.id,
            recipient_id=recipient_id,
        )
        opening.target, opening.who = target, recipient
        opening.sealed_gate = token.sealed_gate
        address = proof.email.lower() if recipient else None
        opening.facts = {
            **{"address": address, "name": proof.name.strip() or None},
            **{"salt": secrets.token_hex(32), "agreement": token.gate.agreement_sha256},
        }
        return opening

    @cached_property
    def facts(self) -> dict[str, Any]:
        facts: dict[str, Any] = self.target.unseal("opening/1", self.id, self.sealed_facts)
        return facts

    address, name, salt, agreement_sha256 = map(_fact, ("address", "name", "salt", "agreement"))

    @property
    def known_as(self) -> str | None:
        """The address that a code has proved; or else, in quotation marks, the name."""
        address: str | None = self.address
        return address or (f"“{self.name}”" if self.name else None)

    @property
    def reader(self) -> Reader:
        salt = bytes.fromhex(self.facts["salt"])
        address, name = self.facts["address"] or "", self.facts["name"] or ""
        return Reader(self.id, self.recipient_id, reader_hash(salt, address, name))

    def store(self, token: Any) -> bool:
        """In the transaction that counts the view of the token: the row, and the event of what was
        accepted. Returns whether it is the first one by a recipient.

        `TargetChanged` if the link asks for something else by now; `QuotaExceeded` if too many of
        its openings are kept.
        """
        if token.sealed_gate != self.sealed_gate:
            raise TargetChanged
        if Opening.select().where(Opening.token_id == self.token_id).count() >= MOST:
            raise QuotaExceeded(_OPENED_TOO_OFTEN)
        current_actor.set(MappingProxyType({**current_actor.get(), **vars(self.reader)}))
        if sha256 := self.facts["agreement"]:
            event = token.record_event("agreement.accepted", agreement_sha256=sha256)
            self.sequence = event.sequence
            self._send_receipt(event)
        self.sealed_facts = self.target.seal("opening/1", self.id, self.facts)
        self.insert_row()
        return bool(self.who and self.who.note_opening())

    def _send_receipt(self, event: Event) -> None:
        """To a reader whose address is known."""
        if address := self.facts["address"]:
            of = self.facts["name"], address, self.facts["salt"], self.facts["agreement"]
            text = _MAIL.format(rfc3339(event.created_at), *of)
            receipt = receipt_of(self.owner_id, event.sequence, self.created_at)
            subject = "Your receipt"
            Mail.enqueue(self.owner_id, "receipt", address, subject, text, attachment=receipt)

    @classmethod
    def page_of_link(cls, token: Any, limit: int, after: str | None) -> tuple[list[Self], Any]:
        """Newest first; also those of what it has opened before."""
        found, further = cls.page_of(token.owner_id, limit, after, token_id=token.id)
        return [opening.with_target() for opening in found], further

    def with_target(self) -> Self:
        """What it has opened is there, perhaps in the bin: it goes with that."""
        found: Any = table_of(self.target_id).find(self.target_id)
        self.target = found
        return self

    @classmethod
    def of_reader(cls, id: str, target_id: str, owner_id: str, reader: Reader | None) -> Self:
        """For its owner, or whoever opened a page by it; `NotFound` for anybody else."""
        found = cls.find(id)
        may = found and (found.owner_id == owner_id or (reader and reader.opening_id == id))
        if not found or not may or found.target_id != target_id:
            raise NotFound
        return found

    def receipt(self) -> str:
        """Raises `NotFound` if nothing was accepted, or the log no longer goes back so far."""
        if self.sequence is None:
            raise NotFound("Nothing was accepted at this opening.")
        return receipt_of(self.owner_id, self.sequence, self.created_at)

    @classmethod
    def forget_old(cls) -> None:
        """Delete those that are a day older than events are kept, and than all events of their
        owner: a delivery that waits keeps events for longer.
        """
        kept_from = oldest_kept_at()
        old = cls.id < first_id(cls.PREFIX, kept_from - NAMED_MS)
        owners: Any = cls.select(cls.owner_id).where(old).distinct()
        for (owner_id,) in list(owners.tuples()):
            of_owner = Event.select().where(Event.owner_id == owner_id)
            oldest_event = of_owner.order_by(Event.id).first()
            moment = min(kept_from, oldest_event.created_at) if oldest_event else kept_from
            before = cls.id < first_id(cls.PREFIX, moment - NAMED_MS)
            cls.delete_in_batches((cls.owner_id == owner_id) & before)


def receipt_of(owner_id: str, sequence: int, since: int) -> str:
    """A line of the owner's log that can be verified by itself, of an event that is not older than
    the moment; `NotFound` if it is not kept.
    """
    of_owner = Event.select().where(Event.owner_id == owner_id)
    later = of_owner.where(Event.id >= first_id(Event.PREFIX, since), Event.sequence == sequence)
    event = later.order_by(Event.id).first()
    if event is None:
        raise NotFound("The log no longer goes back to this opening.")
    before = of_owner.where(Event.id < event.id).order_by(Event.id.desc()).first()
    previous = before.hash if before else EventHead.of(owner_id).hash_before
    line = {"owner": owner_id, "sequence": sequence, "body": event.body, "hash": event.hash.hex()}
    return json.dumps(line | {"previous": bytes(previous).hex()}) + "\n"


def open_all_of(target: Target) -> None:
    """Decrypt what guarded links of a target have left. `DecryptionError` if it was altered."""
    for recipient in Recipient.select().where(Recipient.target_id == target.id):
        target.unseal("recipient/1", recipient.id, recipient.sealed_address)
    for opening in Opening.select().where(Opening.target_id == target.id):
        target.unseal("opening/1", opening.id, opening.sealed_facts)
    for sha256 in texts_of(target):
        kept_text(target, sha256)


def drop_all_of(target: Target) -> None:
    """What guarded links of a target have left, in the transaction that deletes it."""
    for table in (Opening, Recipient):
        table.delete().where(table.target_id == target.id).execute()
    drop_texts_of(target)


for table in (Document, Collection):
    table.at_deletion.append(drop_all_of)
