"""Mail to be sent: an outbox, which the dispatcher of the webhooks empties.

A row is stored in the transaction of the change that it reports. It is deleted with its key once
the server has taken the mail or refused it for good, or its life is over. Address and text are
sealed under a key of the row's own. `Message-ID` comes from the row's id, so that a mail that a
crash repeats is the same one. `mail_limit.py` says how many are sent.
"""

import logging
import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from email.errors import MessageError
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime
from typing import Any, Self

from peewee import BigIntegerField, IntegerField, TextField, Tuple, fn

from ..core import NotFound, now
from ..records import KeyedRow, Owner, Sealed, Table, log_altered
from ..runtime import current_runtime
from ..storage import database, separate_transaction, transaction
from .attempt import Outcome, Sendable, delivery_queued
from .mail_limit import MAIL_KINDS, MailLimit

_ATOM = r"[\w!#$%&'*+/=?^`{|}~-]+"  # RFC 5322, 3.2.3
_ADDRESS = re.compile(rf"{_ATOM}(?:\.{_ATOM})*@[\w-]+(?:\.[\w-]+)*", re.ASCII)
_POLICY = SMTP.clone(cte_type="7bit", max_line_length=900)  # an address is not broken in two
NO_MAIL = "This service sends no mail: SMTP_URL is not set."
MOST_WAITING_REQUESTS = 1000  # of one person and all spaces of theirs; further ones are dropped
Composer = Callable[[str, str], tuple[str, str, str] | None]
"""A function that makes address, subject and text of a mail from the address and the text of a
request; None if there is nothing to send."""


class Mail(Sendable, KeyedRow):
    PREFIX = "mal"
    UNBOUND = (*KeyedRow.UNBOUND, "due_at", "attempts")

    owner_id = TextField()
    kind = TextField()
    due_at = BigIntegerField()
    attempts = IntegerField(default=0)
    expires_at = BigIntegerField()

    content = Sealed[list[Any]](never_remembered="A mail, with addresses, codes and links.")
    """Address, subject, text, and perhaps a receipt and an agreement to be attached."""

    @classmethod
    def enqueue(  # noqa: PLR0917
        cls,
        owner_id: str,
        kind: str,
        address: str,
        subject: str,
        text: str = "",
        *,
        link_id: str = "",
        attachments: tuple[str, ...] = (),
    ) -> bool:
        """Store a mail in the open transaction, and return whether it will be sent.

        It is not stored if a limit is reached, or no mail can be sent to this address.
        """
        with transaction(None):
            if not is_mail_address(address) or MailLimit.wait_ms(owner_id, kind, address, link_id):
                return False
            cls._store(owner_id, kind, [address, subject, text, *attachments])
        return True

    @classmethod
    def enqueue_request(cls, owner_id: str, kind: str, address: str, text: str = "") -> None:
        """Store that somebody has asked for a mail: a `Composer` writes it when it is first tried,
        and counts it if there is one. Too many that wait are dropped.

        So to ask for a mail takes as long, and stores as much, whether or not somebody has this
        address; and spends no budget of anybody's.
        """
        waiting = cls.select().where(cls.owner_id.in_(Owner.sharing_with(owner_id)))
        with transaction(None):
            if is_mail_address(address) and waiting.count() < MOST_WAITING_REQUESTS:
                cls._store(owner_id, kind, [address, None, text])

    @classmethod
    def _store(cls, owner_id: str, kind: str, message: list[str | None]) -> None:
        mail = cls.fresh(owner_id=owner_id, kind=kind, attempts=0)
        mail.due_at = mail.created_at
        mail.expires_at = mail.created_at + MAIL_KINDS[kind].life_seconds * 1000
        mail.generate_key()
        mail.content = message
        mail.store()
        database.after_commit(delivery_queued.set)

    @classmethod
    def next_due_per_owner(cls) -> list[Self]:
        """Return the mail of each owner that is due first, also if it was altered."""
        lasts = cls.expires_at > now()
        first = cls.select(cls.owner_id, fn.MIN(cls.due_at)).where(lasts).group_by(cls.owner_id)
        due = cls.select().where(lasts, Tuple(cls.owner_id, cls.due_at).in_(first))
        return list({mail.owner_id: mail for mail in cls.rows_as_stored(due)}.values())

    @classmethod
    def forget_old(cls) -> None:
        """Delete mail that is too late to be sent."""
        cls.delete_in_batches(cls.expires_at <= now())

    @property
    def lane(self) -> str:
        return self.owner_id

    def binding(self) -> tuple[str, ...]:
        return self.owner_id, self.kind, str(self.expires_at)

    def message(self, composers: Mapping[str, Composer]) -> EmailMessage | None:
        """Return the message to be sent; None if there is none, and then delete the row.

        `composers` write, by their kinds, the mails that somebody has asked for.
        """
        if not self.opens():
            log_altered(self.id)
            self._delete()
            return None
        address, subject, text, *attached = self.content
        if subject is None:
            with transaction():
                composed = composers[self.kind](address, text)
                if composed is None:
                    self._delete()
                    return None
                address, subject, text = composed
                self.change(content=list(composed))
        message = compose(self, address, subject, text)
        receipt, agreement = [*attached, None, None][:2]
        if receipt:
            message.add_attachment(receipt, subtype="jsonl", filename="receipt.jsonl")
        if agreement:  # byte for byte, so that its SHA-256 is the one of the receipt
            message.add_attachment(
                agreement.encode(),
                maintype="text",
                subtype="plain",
                params={"charset": "utf-8"},
                filename="agreement.txt",
            )
        return message

    def record_outcome(self, outcome: Outcome, due_at: int | None) -> None:
        """Delete the mail, unless it is tried again at `due_at`.

        It is not synced: a power cut costs one repeated mail.
        """
        if not outcome.succeeded:
            why = outcome.error or f"the server answered {outcome.status}"
            log = logging.getLogger("docservice")
            log.error("%s (%s) was not sent: %s", self.id, self.kind, why)
        if self._end_attempt(due_at) and not outcome.succeeded:
            current_runtime().failures.give_up("mail", self.id)

    def record_failure(self, due_at: int | None) -> bool:
        return self._end_attempt(due_at)

    def _end_attempt(self, due_at: int | None) -> bool:
        """Record an attempt, not synced, and return whether it was the last one."""
        is_last = due_at is None or due_at >= self.expires_at
        with separate_transaction(self.owner_id, synced=False):
            if is_last:
                self._delete()
            else:
                self.change(due_at=due_at, attempts=self.attempts + 1)
        return is_last

    def _delete(self) -> None:
        type(self).delete().where(self.itself()).execute()


def is_mail_address(text: str) -> bool:
    """Return whether an address can stand in a header as it is: ASCII, a domain as `xn--…`.

    The header's own parser judges as well: it reads some atoms as encoded words (RFC 2047).
    """
    if len(text) > 254 or not _ADDRESS.fullmatch(text):
        return False
    try:
        Address(addr_spec=text)
    except (ValueError, MessageError):
        return False
    return True


def name_in_mail(address: str) -> str:
    """Return the name of an account in mails: nobody has proved the addresses of accounts."""
    return address if is_mail_address(address) and "/" not in address else "Somebody"


def compose(row: Table, address: str, subject: str, text: str) -> EmailMessage:
    """Return the mail of a row with this id and moment of creation: always the same mail."""
    settings = current_runtime().settings
    if settings.smtp_url is None:
        raise NotFound(NO_MAIL)
    name = settings.brand_name or "Document Service"
    sender = settings.smtp_url.sender
    message = EmailMessage(policy=_POLICY)
    message["From"] = Address(name, addr_spec=sender)
    message["To"] = Address(addr_spec=address)
    message["Subject"] = subject
    message["Date"] = format_datetime(datetime.fromtimestamp(row.created_at // 1000, UTC))
    message["Message-ID"] = f"<{row.id}@{sender.rpartition('@')[2]}>"
    message["Auto-Submitted"] = "auto-generated"
    message.set_content(f"{text}\n\n-- \n{name}, {settings.base_url}\n")
    return message
