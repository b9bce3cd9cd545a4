"""E-mail: headers, attachments, and the body as a sanitized page in an iframe or as text."""

from viewer.formatting import format_count, format_size
from viewer.kinds import text
from viewer.kinds.html import CUT_NOTE, iframe
from viewer.original import Original
from viewer.preview import Preview
from viewer.sandbox.process import run_html_job
from viewer.templating import render

MAX_SIZE = 32 << 20
SECONDS = 15


def preview(original: Original, media_type: str) -> Preview:
    """Return the message as a mail program shows it; its source above MAX_SIZE."""
    if original.size > MAX_SIZE:
        return text.preview(original, media_type, label="E-mail")
    facts, body = run_html_job("mail", original.pieces(), {}, seconds=SECONDS)
    is_html = facts["format"] == "html"
    attachments = [
        (name, part_type, format_size(int(size))) for name, part_type, size in facts["attachments"]
    ]
    head = render("kinds/mail.html", headers=facts["headers"], attachments=attachments)
    return Preview(
        "mail",
        "E-mail",
        head.encode("utf-8", "replace") + _body(body, is_html=is_html),
        facts=(format_count(len(attachments), "attachment"),) if attachments else (),
        note=CUT_NOTE if facts["cut"] else "",
        foreign_style=is_html,
    )


def _body(html: bytes, *, is_html: bool) -> bytes:
    if is_html:
        return iframe(html, "The message, with scripts and network off")
    return b'<div class="message">%b</div>' % html
