"""Runs in the child process. Renders subtitles as a table of times and texts.

Source: WebVTT (W3C), 4: blocks with an empty line between them, of which those with `-->` have a
text; SubRip has numbers before the times, and a comma in them.
"""

import re
from collections.abc import Iterator
from html import unescape
from typing import Any, Final

from ...content.decoding import decode
from ...markup.escaping import escape
from ...markup.formatting import CUT_NOTE, format_count
from ...sandbox.messages import Message, shown_as

MAX_SHOWN: Final = 5_000  # texts, which a film has fewer of
MAX_TEXT: Final = 2_000  # characters of one
TIME: Final = r"((?:\d{1,4}:)?\d\d:\d\d)[.,]\d{1,3}"
TIMES: Final = re.compile(rf"^[ \t]*{TIME}[ \t]*-->[ \t]*{TIME}[^\n]*\n?", re.M | re.ASCII)
BLANK: Final = re.compile(r"\n[ \t]*\n")
TAG: Final = re.compile(r"<[^<>\n]{0,200}>|\{\\[^{}\n]{0,100}\}")
START: Final = (
    '<div class="grid" tabindex="0" role="region" aria-label="Subtitles"><table>'
    "<thead><tr><th>From<th>To<th>Text<tbody>"
)
END: Final = "</table></div>"


def render(data: bytes, options: dict[str, Any]) -> Iterator[Message]:
    """Yield one message with the table. Raises ValueError if there is no text."""
    text = decode(data, options.get("charset"))[0]
    found = list(TIMES.finditer(text))
    if not found:
        raise ValueError("no subtitles")
    out = [START]
    ends = [*(match.start() for match in found[1:]), len(text)]
    for match, end in zip(found[:MAX_SHOWN], ends, strict=False):
        block = BLANK.split(text[match.end() : end][:MAX_TEXT], maxsplit=1)[0]
        said = escape(unescape(TAG.sub("", block)).strip(), quotes=False)
        out.append(f"<tr><td>{match[1]}<td>{match[2]}<td class=long>{said}")
    counted, cut = format_count(len(found), "text"), len(found) > MAX_SHOWN
    facts = shown_as("Subtitles", counted, f"until {found[-1][2]}", notes=[CUT_NOTE] if cut else ())
    yield facts, "".join((*out, END)).encode("utf-8", "replace")
