"""Links that are sent by mail to the people whom they are for.

The mail holds the address of the link, and never what the link opens: who it is for proves that
first, by a code.
"""

from dataclasses import dataclass

from ..accounts import sender_of
from ..core import Invalid, NotFound, now
from ..events import NO_MAIL, Mail, has_mail, name_in_mail
from ..runtime import current_runtime
from ..storage import transaction
from .document_token import DocumentToken
from .lists import link_of_owner
from .state import LinkState

MOST_NOTE_CHARACTERS = 300
_NOT_NAMED = "The link names no addresses. Add them to its recipients first."
_NOT_ACTIVE = "The link opens nothing now. Turn it on, or change its end, before you send it."
_NO_ADDRESS = "The address of this link is not known any more. Create a new link."
_MAIL = """Hello,

{sender} sent you something.
{note}
Open it here:

{address}

The page asks for your e-mail address, and sends you a code.
If you do not know the sender, do nothing."""


@dataclass(frozen=True)
class SentLink:
    """The addresses that get a mail, and those that get none, as a limit of mails is reached."""

    sent_to: list[str]
    not_sent_to: list[str]


def send_link(owner_id: str, id: str, note: str | None = None) -> SentLink:
    """Send a link to each address among its recipients, with one line of text.

    A domain among the recipients gets no mail. Raises `NotFound`, `Invalid`.
    """
    if not has_mail():
        raise NotFound(NO_MAIL)
    with transaction(owner_id):
        link = link_of_owner(owner_id, id)
        address = _address_to_send(link)
        recipients = named_people(link)
        if not recipients:
            raise Invalid("#", _NOT_NAMED)
        subject, text = _compose(owner_id, address, note)
        sent_to: list[str] = []
        not_sent_to: list[str] = []
        for recipient in recipients:
            is_sent = Mail.enqueue(owner_id, "link", recipient, subject, text, link_id=link.id)
            (sent_to if is_sent else not_sent_to).append(recipient)
        if sent_to:
            still_named = {one: at for one, at in link.sent_at.items() if one in recipients}
            link.change(sent_at=still_named | dict.fromkeys(sent_to, now()))
            link.record_event("token.sent", recipients=len(sent_to))
    return SentLink(sent_to, not_sent_to)


def named_people(link: DocumentToken) -> list[str]:
    """Return the recipients of a link that are addresses, and not whole domains."""
    return [recipient for recipient in link.recipients if not recipient.startswith("@")]


def _address_to_send(link: DocumentToken) -> str:
    """Return the address at which the link opens, or saves if it permits nothing else."""
    if link.state is not LinkState.LIVE:
        raise Invalid("#", _NOT_ACTIVE)
    secret = link.kept_secret
    if secret is None:
        raise Invalid("#", _NO_ADDRESS)
    path = "/s/download" if link.permissions == "download" else "/s"
    return f"{current_runtime().settings.base_url}{path}?token={secret}"


def _compose(owner_id: str, address: str, note: str | None) -> tuple[str, str]:
    """Return the subject and the text of the mail."""
    sender = sender_of(owner_id)
    called = "Somebody"
    if sender:
        called = " ".join((sender.name or name_in_mail(sender.email)).split())
    words = f"\n    {note}\n" if note else ""
    return f"{called} sent you a link", _MAIL.format(sender=called, note=words, address=address)
