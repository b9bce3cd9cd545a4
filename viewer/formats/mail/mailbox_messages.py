"""Runs in the child process. Lists the messages of a mailbox and renders the first ones.

Source: RFC 4155 (mbox): each message begins after an empty line with a line `From …`, and such a
line in its text with `>`. Some programs leave out the empty line: the time in such a line, and the
header behind it, then tell it from text.
"""

import re
from collections.abc import Iterator
from itertools import islice
from typing import Any, Final

from ...sandbox.messages import Message
from . import letter

START: Final = re.compile(
    rb"(?:\A|(?<=\n\n)|(?<=\n\r\n))From [^\n]*\n"
    rb"|^From [^\n]*\d:\d\d[^\n]*\n(?=[\w-]+:)",
    re.M,
)
QUOTED: Final = re.compile(rb"^>(>*From )", re.M)
MAX_LISTED: Final = 1_000

prepare = letter.prepare


def render(data: bytes, _options: dict[str, Any]) -> Iterator[Message]:
    """Yield facts; list items of the first messages, with their bodies; then those of the others.

    Fewer messages open if their items exceed MAX_HTML. Raises ValueError if there is no message.
    """
    starts = list(islice(START.finditer(data), MAX_LISTED + 1))
    if not starts:
        raise ValueError("no message")
    ends = [*(start.start() for start in starts[1:]), len(data)]
    messages = [
        QUOTED.sub(rb"\1", data[start.end() : end])
        for start, end in zip(starts[:MAX_LISTED], ends, strict=False)
    ]
    yield {"listed": len(messages), "cut": len(starts) > MAX_LISTED}, b""
    opened = 0
    for opened, message in enumerate(letter.opened(messages), 1):  # noqa: B007
        yield message
    others = (f"<li>\n{letter.title(message)}\n</li>\n" for message in messages[opened:])
    yield {}, "".join(others).encode("utf-8", "replace")
