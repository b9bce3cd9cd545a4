"""E-mail, also that of Outlook: headers, attachments, the body as a sanitized page or as text."""

from functools import partial
from typing import Any

from ...markup.formatting import CUT_NOTE, format_count
from ...sandbox.messages import filled
from ...sandbox.process import Job, SandboxError
from .. import card
from ..archives.files import section
from ..original import Original
from ..preview import Preview
from ..text import text
from ..web.html import SCRIPTS, STYLES, iframe

MAX_SIZE = 32 << 20
OUTLOOK = "application/vnd.ms-outlook"
JOB = Job("viewer.formats.mail.mail_page", memory_mb=768, cpu_seconds=8, seconds=15)
TOO_LARGE = "This message is too large to be shown here. Save the original to open it."
FRAME_TITLE = "The message, with scripts and network off"
MISSING = "Not all attachments could be taken out. Save the original to open them."


def preview(original: Original, media_type: str) -> Preview:
    """Return the message as a mail program shows it; its source above MAX_SIZE."""
    if original.size > MAX_SIZE and media_type == OUTLOOK:
        return card.preview(original, media_type, TOO_LARGE)
    if original.size > MAX_SIZE:
        return text.preview(original, media_type, label="E-mail")
    messages = original.run(JOB, original.pieces(), {}).messages
    if not messages:
        raise SandboxError("no message")
    (facts, _), *files = messages
    is_html, attached = facts["format"] == "html", int(facts["attachments"])
    letter = filled(messages[0], partial(framed_body, facts))
    notes = (CUT_NOTE if facts["cut"] else "", MISSING if len(files) < attached else "")
    return Preview(
        "mail",
        "E-mail",
        letter + section("Attachments", files),
        facts=(format_count(attached, "attachment"),) if attached else (),
        note=" ".join(filter(None, notes)),
        scripts=SCRIPTS if is_html else (),
        styles=("archives/files.css", *STYLES),
        foreign_style=is_html,
    )


def framed_body(facts: dict[str, Any], body: bytes) -> bytes:
    """Return the body of a message, in an iframe if it is a page."""
    is_html = facts["format"] == "html"
    return iframe(body, FRAME_TITLE) if is_html else b'<div class="message">%b</div>' % body
