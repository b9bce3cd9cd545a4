"""E-mail: headers, attachments, and the body as a cleaned page in a frame or as text."""

from viewer.escaping import escape
from viewer.kinds import html as web
from viewer.kinds import text
from viewer.original import Original
from viewer.preview import Preview
from viewer.sandbox.process import result
from viewer.templating import fragment
from viewer.wording import counted, human_size

LIMIT = 32 << 20
SECONDS = 15


def preview(original: Original, kind: str) -> Preview:
    """The message as its reader would see it; its source where it is too large."""
    if original.size > LIMIT:
        return text.preview(original, kind, label="E-mail")
    facts, body = result("mail", original.pieces(), {}, seconds=SECONDS)
    framed = facts["form"] == "html"
    attachments = [
        (name, type_, human_size(int(size))) for name, type_, size in facts["attachments"]
    ]
    html = fragment(
        "kinds/mail.html",
        headers=facts["headers"],
        attachments=attachments,
        body=web.frame(body, "The message, with scripts and network off")
        if framed
        else _plain(body),
    )
    count = (counted(len(attachments), "attachment"),) if attachments else ()
    return Preview("mail", "E-mail", html, facts=count, foreign_style=framed)


def _plain(body: str) -> str:
    lines = body.rstrip().split("\n")[: text.LINE_LIMIT]
    return f'<div class="message">{text.numbered(map(escape, lines))}</div>'
