"""In the child process: a mail message as HTML, with head, readable body and attachments.

Messages that it encloses are list items that open.
"""

import email
import email.policy
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from email.message import EmailMessage
from typing import Any, Final

from ...content.media_types import canonical_type
from ...markup.escaping import escape
from ...markup.formatting import CUT_NOTE, format_count, format_size, left_out_note
from ...sandbox import MAX_HTML
from ...sandbox.messages import Message, shown_as
from ..archives.enclosed import File, section, without_ids
from ..web.foreign_html import SCRIPTS, iframe
from . import mail_message
from .mail_message import ENCLOSED, header, parse

EXTENSIONS: Final = {ENCLOSED: ".eml", "text/plain": ".txt", "text/html": ".html"}
REPORTS: Final = ("message/delivery-status", "message/disposition-notification")  # RFC 3464, 8098
END_OF_HEADERS: Final = re.compile(rb"\r?\n\r?\n")
LISTED_HEADERS: Final = ("Subject", "From", "Date")
FRAME_TITLE: Final = "The message, with scripts and network off"
REMOTE: Final = "Pictures from the web are not loaded."
MAX_SHOWN: Final = 30  # messages that open
MAX_TITLE: Final = 200  # characters of a subject; of sender and date
LONG_HEADER: Final = 400  # characters: a longer one is as high as a few lines, and scrolls
MAX_HEADERS: Final = 16 << 10  # bytes of a message that is only listed

prepare = mail_message.prepare


def render(data: bytes, _options: dict[str, Any]) -> Iterator[Message]:
    """Yield one message: the head, the body, the attachments, and the messages among these."""
    (facts, body), *contents = parse(data)
    files = list(_files(facts["attachments"], contents))
    links = (f'<a href="#file-{n}">{escape(file.name)}</a>' for n, file in enumerate(files, 1))
    head = letter_head(facts["headers"], links).encode("utf-8", "replace")
    inner = [file.data for file in files if file.media_type == ENCLOSED and file.data]
    letters, has_page = _opened(inner)
    is_page = facts["format"] == "html"
    about = shown_as(
        "E-mail",
        format_count(len(files), "attachment") if files else "",
        notes=[
            CUT_NOTE if facts["cut"] else "",
            REMOTE if facts.get("remote") else "",
            left_out_note(+Counter({"further attachment": facts["left_out"]})),
        ],
        scripts=SCRIPTS if is_page or has_page else (),
        foreign_style=is_page or has_page,
        holds_files=bool(files),
    )
    yield about, head + _framed(is_page, body) + section("Attachments", files) + letters


def _framed(is_page: bool, body: bytes) -> bytes:  # noqa: FBT001
    """Return the body of a message, in an iframe if it is a page; nothing if it has no text."""
    if is_page:
        return iframe(body, FRAME_TITLE)
    return b'<div class="message">%b</div>' % body if body else b""


def letter_head(headers: Iterable[tuple[str, str]], attached: Iterable[str]) -> str:
    """Return a table of the headers, and of what is attached, given as HTML; empty without any."""
    rows = [(name, _header_text(name, text)) for name, text in headers]
    if names := ", ".join(attached):
        rows.append(("Attached", names))
    if not rows:
        return ""
    lines = (f'<tr><th scope="row">{name}</th><td>{html}</td></tr>\n' for name, html in rows)
    return f'<table class="letter">\n<tbody>\n{"".join(lines)}</tbody>\n</table>\n'


def _header_text(name: str, text: str) -> str:
    if len(text) <= LONG_HEADER:
        return escape(text)
    return f'<div class="long" tabindex="0" role="region" aria-label="{name}">{escape(text)}</div>'


def _opened(messages: Sequence[bytes]) -> tuple[bytes, bool]:
    """Return a list of the first messages, fewer if they exceed MAX_HTML, and if one is a page."""
    out = bytearray()
    has_page = False
    for number, message in enumerate(messages[:MAX_SHOWN], 1):
        facts, body = next(parse(message))
        attached = [
            f"{escape(name or kind)} ({format_size(size)})"
            for name, kind, size in facts["attachments"]
        ]
        start = "<details open>" if number == 1 else "<details>"
        head = f"<li>\n{start}<summary>{title(message)}</summary>\n"
        head += letter_head(facts["headers"], attached)
        is_page = facts["format"] == "html"
        item = head.encode("utf-8", "replace") + _framed(is_page, without_ids(body))
        if len(out) + len(item) > MAX_HTML:
            break
        out += item + b"\n</details>\n</li>\n"
        has_page = has_page or is_page
    if not messages:
        return b"", False
    whole = b'<section class="enclosed letters"><h2>Enclosed messages</h2><ul>%b</ul></section>'
    return whole % bytes(out), has_page


def title(message: bytes) -> str:
    """Return the subject, the sender and the date of a message as HTML."""
    head = END_OF_HEADERS.split(message[:MAX_HEADERS], maxsplit=1)[0]
    parsed: EmailMessage = email.message_from_bytes(head, policy=email.policy.default)
    subject, *more = [header(parsed, name) for name in LISTED_HEADERS]
    about = escape(", ".join(filter(None, more))[:MAX_TITLE])
    shown = escape(subject[:MAX_TITLE]) or "Without a subject"
    return f'<b>{shown}</b> <span class="dim">{about}</span>'


def _files(listed: Iterable[Any], contents: Iterable[Message]) -> Iterator[File]:
    for number, (attachment, content) in enumerate(zip(listed, contents, strict=True), 1):
        name, kind, size = attachment
        facts, data = content
        kind = "text/plain" if kind in REPORTS else kind
        default = f"attachment {number}{EXTENSIONS.get(kind, '')}"
        yield File(name or default, canonical_type(kind), size, data if facts["complete"] else None)
