"""Runs in the child process. Draws a mail message: its head, readable body, and what is attached.

Messages that it encloses are drawn like those of a mailbox: list items that open.
"""

import email
import email.policy
import re
from collections.abc import Iterable, Iterator
from email.message import EmailMessage
from itertools import islice
from typing import Any, Final

from ...content.media_types import canonical_type
from ...markup.escaping import escape
from ...markup.formatting import format_size
from ...sandbox import MAX_HTML
from ...sandbox.messages import DATA_PLACEHOLDER, Message, with_data
from ..archives.enclosed import File, draw, without_ids
from . import mail_message
from .mail_message import ENCLOSED, header, parse

EXTENSIONS: Final = {ENCLOSED: ".eml", "text/plain": ".txt", "text/html": ".html"}
REPORTS: Final = ("message/delivery-status", "message/disposition-notification")  # RFC 3464, 8098
END_OF_HEADERS: Final = re.compile(rb"\r?\n\r?\n")
LISTED_HEADERS: Final = ("Subject", "From", "Date")
MAX_SHOWN: Final = 30  # messages that open
MAX_TITLE: Final = 200  # characters of a subject; of sender and date
MAX_HEADERS: Final = 16 << 10  # bytes of a message that is only listed

prepare = mail_message.prepare


def render(data: bytes, _options: dict[str, Any]) -> Iterator[Message]:
    """Yield the head, with the body behind it; the attachments, as `enclosed` draws them; and the
    messages among these, as `opened` draws them.

    The facts are those of `parse`, but the attachments are their number.
    """
    (facts, body), *contents = parse(data)
    files = list(_files(facts["attachments"], contents))
    links = (f'<a href="#file-{n}">{escape(file.name)}</a>' for n, file in enumerate(files, 1))
    head = letter_head(facts["headers"], links) + DATA_PLACEHOLDER
    about = {**facts, "attachments": len(files)}
    yield with_data(head.encode("utf-8", "replace"), body, **about)
    yield from draw(files)
    yield from opened([file.data for file in files if file.media_type == ENCLOSED and file.data])


def letter_head(headers: Iterable[tuple[str, str]], attached: Iterable[str]) -> str:
    """Return a table of the headers, and of what is attached, given as HTML; empty without any."""
    rows = [(name, escape(text)) for name, text in headers]
    if names := ", ".join(attached):
        rows.append(("Attached", names))
    if not rows:
        return ""
    lines = (f'<tr><th scope="row">{name}</th><td>{html}</td></tr>\n' for name, html in rows)
    return f'<table class="letter">\n<tbody>\n{"".join(lines)}</tbody>\n</table>\n'


def opened(messages: Iterable[bytes]) -> Iterator[Message]:
    """Yield list items of the first messages, with their bodies: fewer if they exceed MAX_HTML."""
    left = MAX_HTML
    for number, message in enumerate(islice(messages, MAX_SHOWN), 1):
        facts, body = next(parse(message))
        attached = [
            f"{escape(name or kind)} ({format_size(size)})"
            for name, kind, size in facts["attachments"]
        ]
        head = letter_head(facts["headers"], attached)
        start = "<details open>" if number == 1 else "<details>"
        html = (
            f"<li>\n{start}<summary>{title(message)}</summary>\n{head}{DATA_PLACEHOLDER}\n"
            "</details>\n</li>\n"
        ).encode("utf-8", "replace")
        about = {"format": facts["format"], "attached": bool(attached)}
        item = with_data(html, without_ids(body), **about)
        left -= len(item[1])
        if left < 0:
            return
        yield item


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
        (name, kind, size), (facts, data) = attachment, content
        kind = "text/plain" if kind in REPORTS else kind
        default = f"attachment {number}{EXTENSIONS.get(kind, '')}"
        yield File(name or default, canonical_type(kind), size, data if facts["complete"] else None)
