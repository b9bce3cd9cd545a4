"""Webhooks whose address gets mail: it is asked first, and gets one mail for several notices.

The link in each mail holds a code, a MAC, by which whoever reads the mail says yes, or later no. A
notice says who opened what, as far as that is known when it is made, and links to a page about it.
"""

from collections.abc import Iterable
from datetime import UTC, datetime
from email.message import EmailMessage
from typing import Protocol

from crypto import is_authentic, mac

from ..core import Allowance, TooManyRequests, counted
from ..records import Owner, Table
from ..runtime import current_runtime
from .event import Event
from .event_types import REFUSALS
from .mail import Mail, compose, name_in_mail
from .mail_limit import MAIL_KINDS

MOST_LINES = 50
_QUESTION = """Hello,

{} asks to have notices sent to this address
from {}: when links to documents are opened, end, or are refused.

If you want that, press the button on this page:

{}

If not, do nothing: this address gets no notices."""


class MailWebhook(Protocol):
    """The row of a `Webhook` whose address gets mail."""

    @property
    def id(self) -> str: ...

    @property
    def owner_id(self) -> str: ...

    @property
    def mail_address(self) -> str: ...


def ask(webhook: MailWebhook, email: str) -> None:
    """Send the question to the address, in the open transaction.

    Raises `TooManyRequests` if it was asked often enough.
    """
    base = current_runtime().settings.base_url
    text = _QUESTION.format(name_in_mail(email), base, _page(webhook))
    subject = "Confirm notifications"
    if not Mail.enqueue(webhook.owner_id, "confirmation", webhook.mail_address, subject, text):
        limit = MAIL_KINDS["confirmation"].limits[0]
        raise TooManyRequests(Allowance(limit, 0, limit.seconds))


def is_code(webhook: MailWebhook, code: str) -> bool:
    """Return whether this is the code in the mails to its address."""
    given = bytes.fromhex(code) if len(code) == 64 and set(code) <= set("0123456789abcdef") else b""
    return is_authentic(*_signed(webhook), given)


def compose_notice(webhook: MailWebhook, first: Table, lines: Iterable[str]) -> EmailMessage:
    """Return the mail of these lines; it is named after the first delivery."""
    shown = list(dict.fromkeys(lines))  # several events may be one opening
    subject = shown[0].split("  ")[1] if len(shown) == 1 else counted(len(shown), "notice")
    stop = f"To end these notices: {_page(webhook)}"
    return compose(first, webhook.mail_address, subject, "\n".join([*shown, "", stop]))


def line_of(event: Event, sentence: str | None) -> str:
    """Return the line of a notice about an event.

    The sentence says who did what, with their names; None if these are not known any more.
    """
    data = event.data
    moment = datetime.fromtimestamp(event.created_at / 1000, UTC)
    what = sentence or event.event_type.nameless or event.event_type.words.capitalize()
    if reason := REFUSALS.get(data.get("reason", "")):
        what += f", as {reason}"
    if data.get("count", 1) > 1:
        what += f", {counted(data['count'], 'time')}"
    return f"{moment:%Y-%m-%d %H:%M} UTC  {what}  {_page_about(event)}".rstrip()


def email_of(owner_id: str) -> str:
    """Return the e-mail address of an account."""
    return str(Owner.select(Owner.email).where(Owner.id == owner_id).scalar())


def _page_about(event: Event) -> str:
    """Return the address of a page: of what was opened, or else of the link, if there is one."""
    settings = current_runtime().settings
    data = event.data
    pages = {"documentId": "documents", "collectionId": "collections", "tokenId": "links"}
    if not event.event_type.leads_to_target:
        pages = {"tokenId": "links"} | pages
    known = (f"{path}/{data[name]}" for name, path in pages.items() if data.get(name))
    return f"{settings.base_url}/app/{next(known, 'activity')}" if settings.console == "on" else ""


def _page(webhook: MailWebhook) -> str:
    code = mac(*_signed(webhook)).hex()
    return f"{current_runtime().settings.base_url}/app/webhooks/{webhook.id}/confirm?code={code}"


def _signed(webhook: MailWebhook) -> tuple[bytes, str, tuple[str, ...]]:
    about = webhook.id, webhook.owner_id, webhook.mail_address
    return current_runtime().service_key, "confirmation", about
