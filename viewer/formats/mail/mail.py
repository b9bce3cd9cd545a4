"""E-mail, also that of Outlook: headers, attachments, the body as a sanitized page or as text."""

from collections.abc import Iterable
from functools import partial
from typing import Any

from ...content.detection import OUTLOOK
from ...markup.formatting import CUT_NOTE, format_count
from ...sandbox.messages import Message, filled
from ...sandbox.process import Job, SandboxError
from .. import card
from ..original import Original
from ..preview import SECTION_STYLES, Preview, section
from ..text import text
from ..web.html import SCRIPTS, STYLES, iframe

MAX_SIZE = 32 << 20
JOB = Job("viewer.formats.mail.letter", memory_mb=768, cpu_seconds=8, seconds=15)
TOO_LARGE = "This message is too large to be shown here. Save the original to open it."
FRAME_TITLE = "The message, with scripts and network off"
REMOTE = "Pictures from the web are not loaded."
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
    (facts, _), *others = messages
    files = [file for file in others if "format" not in file[0]]
    enclosed = [message for message in others if "format" in message[0]]
    attached = int(facts["attachments"])
    is_html = any(message["format"] == "html" for message, _ in (messages[0], *enclosed))
    source = facts.get("source", {})
    reread = (*text.LINES[: 1 if facts["format"] == "html" else 2], *text.MENU)
    letter = filled(messages[0], partial(framed_body, facts))
    letters = _opened("Enclosed messages", enclosed) if enclosed else b""
    said = {CUT_NOTE: facts["cut"], MISSING: len(files) < attached, REMOTE: facts.get("remote")}
    return Preview(
        "mail",
        "E-mail",
        letter + section("Attachments", files) + letters,
        facts=(format_count(attached, "attachment"),) if attached else (),
        note=" ".join(note for note, is_true in said.items() if is_true),
        source=source,
        scripts=(*(reread if source else ()), *(SCRIPTS if is_html else ())),
        styles=(*SECTION_STYLES, *STYLES),
        foreign_style=is_html,
    )


def framed_body(facts: dict[str, Any], body: bytes) -> bytes:
    """Return the body of a message, in an iframe if it is a page; nothing if it has no text."""
    if facts["format"] == "html":
        return iframe(body, FRAME_TITLE)
    return b'<div class="message">%b</div>' % body if body else b""


def _opened(heading: str, messages: Iterable[Message], *others: bytes) -> bytes:
    """Return a list of messages that open, and of others."""
    items = (filled(message, partial(framed_body, message[0])) for message in messages)
    start = f'<section class="enclosed mailbox"><h2>{heading}</h2><ul>'.encode()
    return b"".join((start, *items, *others, b"</ul></section>"))
