"""Codes by mail, for links with recipients. A code is drawn as its mail is sent."""

from ..core import Allowance, NotFound, now
from ..events import Mail, MailLimit
from ..runtime import current_runtime
from .document_token import DocumentToken
from .gate import Gated
from .recipient import CODE_MS, Recipient
from .state import LinkState, presented_state
from .target import table_of

_MAIL = """Your code is

    {} {}

Type it into the page of the link that was sent to you, at {}.
It works for 15 minutes; once it has opened the link, for 12 hours. Don't share it.

If you did not ask for a code, do nothing."""


def count_code_request(network: str) -> Allowance | None:
    """Count a request for a code. Raises `TooManyRequests`."""
    return current_runtime().code_limiter.spend(network)


def request_code(owner_id: str, link: Gated, email: str) -> int:
    """Have a code sent if the link is for this address; return when it ends, in milliseconds."""
    if not link.gate.recipients:
        raise NotFound("This link asks for no code.")
    Mail.enqueue_request(owner_id, "code", email.lower(), link.id)
    return now() + CODE_MS


def compose_code(address: str, token_id: str) -> tuple[str, str, str] | None:
    """Return address, subject and text of a mail with a new code; None if no mail is to be sent."""
    presented = DocumentToken.presented("id", token_id)
    if presented is None or presented.owner.disabled_at:
        return None
    if presented_state(presented) is not LinkState.LIVE:
        return None
    token = presented.row
    token.target = table_of(token.target_id).one_of(token.owner_id, token.target_id)
    if not token.gate.lists_recipient(address):
        return None
    if MailLimit.wait_ms(token.owner_id, "code", address, token.id):
        return None
    code = Recipient.draw_code(token.target, token.id, address)
    text = _MAIL.format(code[:4], code[4:], current_runtime().settings.base_url)
    return address, "Your code", text
