"""E-mail: headers, attachments, and the body as a sanitized page in an iframe or as text."""

from ..formatting import format_count, format_size
from ..original import Original
from ..preview import Preview
from ..templating import render
from . import text
from .html import CUT_NOTE, iframe

MAX_SIZE = 32 << 20
SECONDS = 15
FRAME_TITLE = "The message, with scripts and network off"


def preview(original: Original, media_type: str) -> Preview:
    """Return the message as a mail program shows it; its source above MAX_SIZE."""
    if original.size > MAX_SIZE:
        return text.preview(original, media_type, label="E-mail")
    facts, body = original.run_html_job("mail", {}, seconds=SECONDS)
    is_html = facts["format"] == "html"
    framed = iframe(body, FRAME_TITLE) if is_html else b'<div class="message">%b</div>' % body
    attachments = [
        (name, part_type, format_size(int(size))) for name, part_type, size in facts["attachments"]
    ]
    head = render("kinds/mail.html", headers=facts["headers"], attachments=attachments)
    return Preview(
        "mail",
        "E-mail",
        head.encode("utf-8", "replace") + framed,
        facts=(format_count(len(attachments), "attachment"),) if attachments else (),
        note=CUT_NOTE if facts["cut"] else "",
        foreign_style=is_html,
    )
