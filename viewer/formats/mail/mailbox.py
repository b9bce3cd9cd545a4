"""Mailboxes (mbox): a list of the messages, of which the first open in the page."""

from collections.abc import Sequence
from functools import partial
from typing import Any, Final

from ...markup.formatting import format_count
from ...sandbox.messages import Message, filled
from ...sandbox.process import Job
from ..original import Original
from ..preview import Preview
from ..text import text
from ..web.html import SCRIPTS, STYLES
from .mail import framed_body

MBOX: Final = "application/mbox"
MAX_SIZE: Final = 32 << 20
JOB: Final = Job("viewer.formats.mail.mailbox_messages", memory_mb=768, cpu_seconds=10, seconds=15)


def preview(original: Original, media_type: str) -> Preview:
    """Return the list of messages; the source above MAX_SIZE, or if there is no message."""
    if original.size > MAX_SIZE:
        return text.preview(original, media_type, label="Mailbox")
    messages = original.run(JOB, original.pieces(), {}).messages
    if not messages:
        return text.preview(original, media_type)
    facts, _ = messages[0]
    opened = [message for message in messages if "format" in message[0]]
    items = (filled(message, partial(framed_body, message[0])) for message in opened)
    others = (html for facts, html in messages if "format" not in facts)
    start = b'<section class="enclosed mailbox"><h2>Messages</h2><ul>'
    more = "more than " if facts["cut"] else ""
    return Preview(
        "mailbox",
        "Mailbox",
        b"".join((start, *items, *others, b"</ul></section>")),
        facts=(more + format_count(int(facts["listed"]), "message"),),
        note=_note(facts, opened),
        scripts=SCRIPTS,
        styles=("archives/files.css", *STYLES),
        foreign_style=True,
    )


def _note(facts: dict[str, Any], opened: Sequence[Message]) -> str:
    notes = []
    if len(opened) < facts["listed"]:
        notes.append(f"Only the first {len(opened)} of them open here.")
    if any(message["attached"] for message, _ in opened):
        notes.append("Save the original to open attachments.")
    return " ".join(notes)
