"""E-mail: headers, attachments, and the body as a sanitized page in an iframe or as text."""

from viewer.escaping import escape
from viewer.formatting import format_count, format_size
from viewer.kinds import text
from viewer.kinds.html import iframe
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
    page = render(
        "kinds/mail.html",
        headers=facts["headers"],
        attachments=attachments,
        body=iframe(body, "The message, with scripts and network off") if is_html else _plain(body),
    )
    count = (format_count(len(attachments), "attachment"),) if attachments else ()
    return Preview("mail", "E-mail", page, facts=count, foreign_style=is_html)


def _plain(body: str) -> str:
    lines = body.rstrip().split("\n")[: text.MAX_LINES]
    return f'<div class="message">{text.numbered(map(escape, lines))}</div>'
