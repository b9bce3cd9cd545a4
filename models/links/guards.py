"""Guards of a link: its questions, the addresses that were proved, the texts that were accepted.

All that a link asks is its gate. A text to accept
stays readable for the owner as long as the target lives, also when the link asks for another one.

A recipient is an address that the link is for. Its code is drawn when the mail is first tried, so a
request for a code takes as long for any address. One wrong try after another is counted, under the
owner's lock, before the code is compared.

An opening says who opened a guarded link, and what they accepted, sealed. Events say of a reader
only a hash. With salt, address and name, which the opening seals, owner and reader can show who it
was; without them, once the target is deleted, nobody can.
"""

import hashlib
import hmac
import json
import re
import secrets
from dataclasses import dataclass
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Any, Self

from peewee import BigIntegerField, IntegerField, TextField

from crypto import reader_hash, sealing
from crypto.typed import without_blanks

from ..accounts import sender_of
from ..core import (
    Invalid,
    NotFound,
    QuotaExceeded,
    TargetChanged,
    WrongCredentials,
    first_id,
    is_seen,
    now,
)
from ..events import (
    MAIL_KINDS,
    Event,
    EventHead,
    Mail,
    current_actor,
    email_of,
    has_mail,
    is_mail_address,
    name_in_mail,
    oldest_kept_at,
)
from ..records import Sealed, has_passed
from ..runtime import current_runtime, refuse_if_full
from ..storage import transaction
from .target import SealedByTarget, Target, table_of

MOST_TEXTS = 1000  # that links of one target ask to accept, in all
MOST_TRIES = 5
CODE_MS = MAIL_KINDS["code"].life_seconds * 1000
OPENED_CODE_MS = 12 * 60 * 60 * 1000
MOST_RECIPIENTS = 10_000  # of a link; the oldest go
MOST_OPENINGS = 10_000  # of a link, which then opens no more: each is kept as long as its event
NAMED_MS = 24 * 60 * 60 * 1000  # within which all events are recorded that name an opening
MOST_WORDS_CHARACTERS = 200  # of a name in a mail
_NEEDS_MAIL = "This service sends no mail, so it cannot ask who readers are: SMTP_URL is not set."
_NO_RECIPIENT = "Use addresses as ana@example.org, or @example.org for all of a domain."
_OPENED_TOO_OFTEN = "This link has been opened as often as it can be. Ask its sender for a new one."
_RECEIPT_MAIL = """Hello,

on {moment} you accepted an agreement, to open {what}{sender}.

    accepted by  {name}
    address      {address}

The text of the agreement is attached as agreement.txt. Keep this mail: it is your receipt.

For audits: receipt.jsonl is the line of the sender's log that records this, and the log's own
verifier checks it. It names you by a hash of name, address and the salt {salt},
and the text by its SHA-256, {sha256}."""


@dataclass(frozen=True)
class Proof:
    """The answers of whoever opens a link, all of them in one request."""

    password: str | None = None
    email: str = ""
    code: str = ""
    name: str = ""
    accept: str = ""


@dataclass(frozen=True)
class Gate:
    """The questions of a link. `recipients` are addresses, or domains as `@example.org`, in small
    letters.
    """

    recipients: tuple[str, ...] = ()
    agreement: str | None = None
    watermark: bool = False

    @classmethod
    def of(cls, facts: dict[str, Any] | None) -> "Gate":
        """Return the gate of `facts`, as a link has them."""
        if facts is None:
            return NOTHING
        return cls(**facts | {"recipients": tuple(facts["recipients"])})

    @property
    def facts(self) -> dict[str, Any] | None:
        """The questions as a link stores them; None if the link asks nothing."""
        if self == NOTHING:
            return None
        return {**vars(self), "recipients": list(self.recipients)}

    @property
    def agreement_sha256(self) -> str | None:
        return None if self.agreement is None else digest_of(self.agreement)

    def lists_recipient(self, address: str) -> bool:
        """Return whether the address, in small letters, is one of the recipients."""
        local, at, domain = address.rpartition("@")
        return bool(local) and not {address, at + domain}.isdisjoint(self.recipients)

    def require_acceptance(self, proof: Proof) -> None:
        """Raise `Invalid` unless the text in force was accepted, with a name."""
        if self.agreement is None:
            return
        if proof.accept.lower() != self.agreement_sha256:
            raise Invalid("#/accept", "Read the text as it is now, and accept it to go on.")
        if not is_seen(proof.name):
            raise Invalid("#/name", "Write your name: it stands with the agreement.")


NOTHING = Gate()
ASKED = tuple(vars(NOTHING))  # the questions that a link can ask


def asked(name: str) -> Any:
    """Return a property of a link: one of the questions of its gate."""
    return property(lambda token: getattr(token.gate, name))


def recipients_of(given: list[str] | None) -> tuple[str, ...]:
    """Return the recipients as a gate has them. Raises `Invalid`."""
    if not given:
        return ()
    if not has_mail():
        raise Invalid("#/recipients", _NEEDS_MAIL)
    folded = dict.fromkeys(address.lower() for address in given)
    for address in folded:
        if not is_mail_address(re.sub("^@", "anybody@", address)):
            raise Invalid("#/recipients", _NO_RECIPIENT)
    return tuple(folded)


def digest_of(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


class KeptText(SealedByTarget):
    """A text that links of a target have asked to accept."""

    PREFIX = "txt"

    sha256 = TextField()

    text = Sealed()

    class Meta:
        table_name = "kept_text"

    @classmethod
    def of(cls, target: Target, sha256: str) -> Self | None:
        return cls.first(cls.select().where(cls.target_id == target.id, cls.sha256 == sha256))


def keep_text(target: Target, text: str | None) -> None:
    """Keep the text that a link asks to accept from now on, if any.

    Call it in the transaction that stores the link. Raises `QuotaExceeded` if the target has kept
    too many others.
    """
    if text is None:
        return
    sha256 = digest_of(text)
    if KeptText.of(target, sha256):
        return
    of_target = KeptText.target_id == target.id
    KeptText.delete().where(of_target, KeptText.sha256 == sha256).execute()  # altered
    count = KeptText.select().where(of_target).count()
    refuse_if_full(count, MOST_TEXTS, "text", "Use one of them.", "to be accepted here")
    kept = KeptText.fresh(owner_id=target.owner_id, target_id=target.id, sha256=sha256, text=text)
    kept.target = target
    kept.store()


def texts_of(target: Target) -> set[str]:
    """Return the SHA-256 of each text that links of the target have asked to accept."""
    kept = KeptText.rows(KeptText.select().where(KeptText.target_id == target.id))
    return {one.sha256 for one in kept}


def kept_text(target: Target, sha256: str) -> str:
    """Return a text that a link of the target has asked to accept, or raise `NotFound`."""
    kept = KeptText.of(target, sha256)
    if kept is None:
        raise NotFound
    return str(kept.text)


def drop_texts_of(target: Target) -> None:
    KeptText.delete().where(KeptText.target_id == target.id).execute()


class WrongCode(WrongCredentials):
    sentence = "This code is not right, or it has ended. Check the address, or ask for a new code."


class Recipient(SealedByTarget):
    """An address that a link is for, with the last code that was sent to it."""

    PREFIX = "rcp"
    UNBOUND = ("opened_at",)

    token_id = TextField()
    digest = TextField()  # of the address, by the key of the target
    code_digest = TextField(null=True)
    code_until = BigIntegerField(null=True)
    code_failures = IntegerField(default=0)
    opened_at = BigIntegerField(null=True)

    address = Sealed()
    """'' of the row that stands for all addresses without a code."""

    @classmethod
    def of_address(cls, target: Target, token_id: str, address: str) -> Self:
        """Return the row of an address; call it in a transaction.

        All addresses that were sent no code share one row, so that to judge a code takes as long
        for them.
        """
        wanted = _keyed_digest(target, token_id, address)
        others = _keyed_digest(target, token_id, "")
        found = cls.select().where(cls.token_id == token_id, cls.digest.in_([wanted, others]))
        rows = {row.digest: row for row in cls.rows(found)}
        row: Self = rows.get(wanted) or rows.get(others) or cls._add(target, token_id, "")
        row.target = target
        return row

    @classmethod
    def _add(cls, target: Target, token_id: str, address: str) -> Self:
        digest = _keyed_digest(target, token_id, address)
        cls.delete().where(cls.token_id == token_id, cls.digest == digest).execute()  # altered
        row: Self = cls.fresh(owner_id=target.owner_id, token_id=token_id)
        row.store_without_code(target, address)
        cls.keep_newest(MOST_RECIPIENTS, cls.token_id == token_id)
        return row

    def store_without_code(self, target: Target, address: str) -> None:
        """Store the row of an address that was sent no code."""
        self.target_id = target.id
        self.digest = _keyed_digest(target, self.token_id, address)
        self.target = target
        self.address = address
        self.code_failures = 0
        self.store()

    @classmethod
    def draw_code(cls, target: Target, token_id: str, address: str) -> str:
        """Return a new code, which replaces the former one."""
        with transaction(target.owner_id):
            row = cls.of_address(target, token_id, address)
            if row.digest != _keyed_digest(target, token_id, address):
                row = cls._add(target, token_id, address)
            code = f"{secrets.randbelow(10**8):08}"
            digest = _keyed_digest(target, row.id, code, "code/1")
            row.change(code_digest=digest, code_until=now() + CODE_MS, code_failures=0)
        return code

    @classmethod
    def prove(cls, target: Target, token: Any, address: str, code: str) -> Self:
        """Return the recipient with this address and code; raise `WrongCode` for any other."""
        is_listed = token.gate.lists_recipient(address)
        with transaction(target.owner_id):
            row = cls.of_address(target, token.id, address)
            row.change(code_failures=row.code_failures + 1)
            opens = is_listed and row._accepts_code(re.sub(r"\s", "", without_blanks(code)))
        if not opens:
            reason = "code" if is_listed else "recipient"
            Event.record_refusal(target.owner_id, token.id, target.id, reason)
            raise WrongCode
        return row

    def _accepts_code(self, code: str) -> bool:
        """Return whether the code is right, in the transaction that has counted the try.

        A right code was no wrong try, and goes on working for 12 hours from its first use.
        """
        stored = self.code_digest or ""
        as_sent = _keyed_digest(self.target, self.id, code, "code/1")
        as_opened = _keyed_digest(self.target, self.id, code, "opened/1")
        is_first_use = hmac.compare_digest(as_sent, stored)
        is_later_use = hmac.compare_digest(as_opened, stored)
        is_right = is_first_use or is_later_use
        if self.code_failures > MOST_TRIES or has_passed(self.code_until) or not is_right:
            return False
        changes: dict[str, Any] = {"code_failures": self.code_failures - 1}
        if is_first_use:
            changes["code_digest"] = as_opened
            changes["code_until"] = now() + OPENED_CODE_MS
        self.change(**changes)
        return True

    def note_opening(self) -> bool:
        """Return whether this is the first opening by this recipient; call it in a transaction."""
        is_first = (Recipient.id == self.id) & Recipient.opened_at.is_null()
        return bool(Recipient.update(opened_at=now()).where(is_first).execute())


def _keyed_digest(target: Target, of: str, text: str, purpose: str = "recipient/1") -> str:
    return sealing.keyed_digest(target.key, purpose, of, text)


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

    address = Sealed()
    name = Sealed()
    salt = Sealed()
    agreement_sha256 = Sealed()
    """Of the text that was accepted; None if the link asked for none."""

    recipient: Recipient | None  # of a new one
    answers_id: str

    @classmethod
    def begin(cls, target: Target, token: Any, recipient: Recipient | None, proof: Proof) -> Self:
        """Return a new opening, to be stored when the link has opened its document.

        Raises `TooManyRequests` if the link was opened too often within an hour.
        """
        current_runtime().opening_limiter.spend(token.id)
        opening: Self = cls.fresh(
            owner_id=target.owner_id,
            target_id=target.id,
            token_id=token.id,
            recipient_id=recipient and recipient.id,
        )
        opening.target = target
        opening.recipient = recipient
        opening.answers_id = token.answers_id
        opening.address = proof.email.lower() if recipient else None
        opening.name = proof.name.strip() if is_seen(proof.name) else None
        opening.salt = secrets.token_hex(32)
        opening.agreement_sha256 = token.gate.agreement_sha256
        return opening

    @property
    def facts(self) -> dict[str, Any]:
        """Return the values that the opening seals, as an export carries them."""
        return {
            "address": self.address,
            "name": self.name,
            "salt": self.salt,
            "agreement": self.agreement_sha256,
        }

    @facts.setter
    def facts(self, facts: dict[str, Any]) -> None:
        self.address = facts["address"]
        self.name = facts["name"]
        self.salt = facts["salt"]
        self.agreement_sha256 = facts["agreement"]

    @property
    def known_as(self) -> str | None:
        """The address that a code has proved; or else, in quotation marks, the name."""
        address: str | None = self.address
        has_name = self.name and is_seen(self.name)
        return address or (f"“{self.name}”" if has_name else None)

    @property
    def called(self) -> str:
        """The address or the name in small letters, by which readers are told apart; '' of none."""
        return (self.address or self.name or "").casefold()

    @property
    def is_by_owner(self) -> bool:
        """Whether the address that was proved is the one of the link's owner."""
        return self.address is not None and self.address == email_of(self.owner_id).lower()

    @property
    def reader(self) -> Reader:
        hashed = reader_hash(bytes.fromhex(self.salt), self.address or "", self.name or "")
        return Reader(self.id, self.recipient_id, hashed)

    def record(self, token: Any) -> bool:
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

    def _send_receipt(self, event: Event, token: Any) -> None:
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
    def page_of_link(cls, token: Any, limit: int, after: str | None) -> tuple[list[Self], Any]:
        """Return openings of a link, newest first, also those of its former targets."""
        found, next_after = cls.page(token.owner_id, limit, after, token_id=token.id)
        return [opening.with_target() for opening in found], next_after

    def with_target(self) -> Self:
        """Look up the target. It is there, perhaps in the bin: its deletion ends its openings."""
        found: Any = table_of(self.target_id).find(self.target_id)
        self.target = found
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
        owners: Any = cls.select(cls.owner_id).where(old).distinct()
        for (owner_id,) in list(owners.tuples()):
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
