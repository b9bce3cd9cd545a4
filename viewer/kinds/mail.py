"""E-mail, also that of Outlook: headers, attachments, the body as a sanitized page or as text."""

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Any

from ..formatting import CUT_NOTE, format_count
from ..media_types import canonical_type
from ..original import Original
from ..preview import Preview
from ..sandbox.messages import Message
from ..sandbox.process import SandboxError
from ..templating import render
from . import card, text
from .files import File, section
from .html import SCRIPTS, STYLES, iframe

MAX_SIZE = 32 << 20
OUTLOOK = "application/vnd.ms-outlook"
SECONDS = 15
TOO_LARGE = "This message is too large to be shown here. Save the original to open it."
FRAME_TITLE = "The message, with scripts and network off"
EXTENSIONS = {"message/rfc822": ".eml", "text/plain": ".txt", "text/html": ".html"}


def preview(original: Original, media_type: str) -> Preview:
    """Return the message as a mail program shows it; its source above MAX_SIZE."""
    if original.size > MAX_SIZE and media_type == OUTLOOK:
        return card.preview(original, media_type, TOO_LARGE)
    if original.size > MAX_SIZE:
        return text.preview(original, media_type, label="E-mail")
    messages = original.run("mail", original.pieces(), {}, seconds=SECONDS).messages
    if not messages:
        raise SandboxError("no message")
    (facts, body), *contents = messages
    is_html = facts["format"] == "html"
    attached = list(_attached(facts["attachments"], contents))
    head = render("kinds/mail.html", headers=facts["headers"], attachments=attached)
    return Preview(
        "mail",
        "E-mail",
        head.encode("utf-8", "replace") + framed_body(facts, body) + _section(attached),
        facts=(format_count(len(attached), "attachment"),) if attached else (),
        note=CUT_NOTE if facts["cut"] else "",
        scripts=SCRIPTS if is_html else (),
        styles=("files.css", *STYLES),
        foreign_style=is_html,
    )


def framed_body(facts: dict[str, Any], body: bytes) -> bytes:
    """Return the body of a message, in an iframe if it is a page."""
    is_html = facts["format"] == "html"
    return iframe(body, FRAME_TITLE) if is_html else b'<div class="message">%b</div>' % body


def _attached(listed: Sequence[Any], contents: Sequence[Message]) -> Iterator[File]:
    """Yield the attachments; those after a failure of the child process have no data."""
    missing: Message = ({"complete": False}, b"")
    for number, (attachment, content) in enumerate(zip_longest(listed, contents), 1):
        (name, kind, size), (facts, data) = attachment, content or missing
        default = f"attachment {number}{EXTENSIONS.get(kind, '')}"
        taken = data if facts["complete"] else None
        yield File(name or default, canonical_type(kind), size, taken)


def _section(attached: Sequence[File]) -> bytes:
    return section("Attachments", attached) if attached else b""
