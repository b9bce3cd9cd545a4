"""Mailboxes (mbox): a list of the messages, of which the first open in the page."""

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Any, Final

from ..formatting import format_count, format_size
from ..original import Original
from ..preview import Preview
from ..sandbox.messages import Message
from ..templating import render
from . import text
from .files import LINE_ID
from .html import SCRIPTS, STYLES
from .mail import framed_body

MBOX: Final = "application/mbox"
MAX_SIZE: Final = 32 << 20
SECONDS: Final = 15
BODY_PLACEHOLDER: Final = "\0body\0"


def preview(original: Original, media_type: str) -> Preview:
    """Return the list of messages; the source above MAX_SIZE, or if there is no message."""
    if original.size > MAX_SIZE:
        return text.preview(original, media_type, label="Mailbox")
    messages = original.run("mailbox", original.pieces(), {}, seconds=SECONDS).messages
    if not messages:
        return text.preview(original, media_type)
    (facts, _), *shown = messages
    items = b"".join(_items(facts["listed"], shown))
    more = "more than " if facts["cut"] else ""
    return Preview(
        "mailbox",
        "Mailbox",
        b'<section class="enclosed mailbox"><h2>Messages</h2><ul>%b</ul></section>' % items,
        facts=(more + format_count(len(facts["listed"]), "message"),),
        note=_note(facts["listed"], shown),
        scripts=SCRIPTS,
        styles=("files.css", *STYLES),
        foreign_style=True,
    )


def _items(listed: Sequence[Any], shown: Sequence[Message]) -> Iterator[bytes]:
    for number, (about, message) in enumerate(zip_longest(listed, shown), 1):
        facts, body = message or (None, b"")
        attached = facts["attachments"] if facts else []
        html = render(
            "kinds/message.html",
            number=number,
            about=about,
            headers=facts["headers"] if facts else [],
            attached=[(name or kind, format_size(size)) for name, kind, size in attached],
            body=BODY_PLACEHOLDER if facts else "",
        ).encode("utf-8", "replace")
        framed = framed_body(facts, LINE_ID.sub(b"", body)) if facts else b""
        yield framed.join(html.rsplit(BODY_PLACEHOLDER.encode(), 1)) if facts else html


def _note(listed: Sequence[Any], shown: Sequence[Message]) -> str:
    notes = []
    if len(shown) < len(listed):
        notes.append(f"Only the first {len(shown)} of them open here.")
    if any(facts["attachments"] for facts, _ in shown):
        notes.append("Save the original to open attachments.")
    return " ".join(notes)
