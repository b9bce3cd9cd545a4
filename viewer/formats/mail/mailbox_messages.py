"""Runs in the child process. Lists the messages of a mailbox and renders the first ones.

Source: RFC 4155 (mbox): each message begins after an empty line with a line `From …`, and such a
line in its text with `>`.
"""

import email
import email.policy
import re
from collections.abc import Iterator
from email.message import EmailMessage
from itertools import islice
from typing import Any, Final

from ...markup.escaping import escape
from ...markup.formatting import format_size
from ...sandbox import MAX_HTML
from ...sandbox.messages import DATA_PLACEHOLDER, Message, with_data
from ..archives.enclosed import without_ids
from . import mail_message

START: Final = re.compile(rb"(?:\A|(?<=\n\n)|(?<=\n\r\n))From [^\n]*\n")
QUOTED: Final = re.compile(rb"^>(>*From )", re.M)
END_OF_HEADERS: Final = re.compile(rb"\r?\n\r?\n")
LISTED_HEADERS: Final = ("Subject", "From", "Date")
MAX_LISTED: Final = 1_000
MAX_SHOWN: Final = 30
MAX_TITLE: Final = 200  # characters of a subject; of sender and date
MAX_HEADERS: Final = 16 << 10  # bytes of a message that is only listed

prepare = mail_message.prepare


def render(data: bytes, _options: dict[str, Any]) -> Iterator[Message]:
    """Yield facts; list items of the first messages, with their bodies; then those of the others.

    Fewer messages open if their items exceed MAX_HTML. Raises ValueError if there is no message.
    """
    starts = list(islice(START.finditer(data), MAX_LISTED + 1))
    if not starts:
        raise ValueError("no message")
    ends = [*(start.start() for start in starts[1:]), len(data)]
    messages = [
        data[start.end() : end] for start, end in zip(starts[:MAX_LISTED], ends, strict=False)
    ]
    yield {"listed": len(messages), "cut": len(starts) > MAX_LISTED}, b""
    opened = 0
    for opened, message in enumerate(_opened(messages[:MAX_SHOWN]), 1):  # noqa: B007
        yield message
    others = (f"<li>\n{_title(message)}\n</li>\n" for message in messages[opened:])
    yield {}, "".join(others).encode("utf-8", "replace")


def _opened(messages: list[bytes]) -> Iterator[Message]:
    left = MAX_HTML
    for number, message in enumerate(messages, 1):
        facts, body = next(mail_message.parse(QUOTED.sub(rb"\1", message)))
        attached = [
            f"{escape(name or kind)} ({format_size(size)})"
            for name, kind, size in facts["attachments"]
        ]
        head = mail_message.letter_head(facts["headers"], attached)
        start = "<details open>" if number == 1 else "<details>"
        html = (
            f"<li>\n{start}<summary>{_title(message)}</summary>\n{head}{DATA_PLACEHOLDER}\n"
            "</details>\n</li>\n"
        ).encode("utf-8", "replace")
        about = {"format": facts["format"], "attached": bool(attached)}
        opened = with_data(html, without_ids(body), **about)
        left -= len(opened[1])
        if left < 0:
            return
        yield opened


def _title(message: bytes) -> str:
    subject, *more = _listed(message)
    about = escape(", ".join(filter(None, more))[:MAX_TITLE])
    shown = escape(subject[:MAX_TITLE]) or "Without a subject"
    return f'<b>{shown}</b> <span class="dim">{about}</span>'


def _listed(message: bytes) -> list[str]:
    head = END_OF_HEADERS.split(message[:MAX_HEADERS], maxsplit=1)[0]
    parsed: EmailMessage = email.message_from_bytes(head, policy=email.policy.default)
    return [mail_message.header(parsed, name) for name in LISTED_HEADERS]
