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

from . import MAX_HTML, mail_message
from .messages import Message

START: Final = re.compile(rb"(?:\A|(?<=\n\n)|(?<=\n\r\n))From [^\n]*\n")
QUOTED: Final = re.compile(rb"^>(>*From )", re.M)
END_OF_HEADERS: Final = re.compile(rb"\r?\n\r?\n")
LISTED_HEADERS: Final = ("Subject", "From", "Date")
MAX_LISTED: Final = 1_000
MAX_SHOWN: Final = 30
MAX_HEADERS: Final = 16 << 10  # bytes of a message that is only listed

prepare = mail_message.prepare


def render(data: bytes, _options: dict[str, Any]) -> Iterator[Message]:
    """Yield subject, sender and date of the messages; then facts and body of the first ones.

    The facts of these are those of `mail_message`; their attachments are only named. Fewer are
    yielded if their bodies exceed MAX_HTML. Raises ValueError if there is no message.
    """
    starts = list(islice(START.finditer(data), MAX_LISTED + 1))
    if not starts:
        raise ValueError("no message")
    ends = [*(start.start() for start in starts[1:]), len(data)]
    messages = [
        data[start.end() : end] for start, end in zip(starts[:MAX_LISTED], ends, strict=False)
    ]
    yield {"listed": list(map(_listed, messages)), "cut": len(starts) > MAX_LISTED}, b""
    left = MAX_HTML
    for message in messages[:MAX_SHOWN]:
        facts, body = next(mail_message.render(QUOTED.sub(rb"\1", message), {}))
        left -= len(body)
        if left < 0:
            return
        yield facts, body


def _listed(message: bytes) -> list[str]:
    head = END_OF_HEADERS.split(message[:MAX_HEADERS], maxsplit=1)[0]
    parsed: EmailMessage = email.message_from_bytes(head, policy=email.policy.default)
    return [mail_message.header(parsed, name) for name in LISTED_HEADERS]
