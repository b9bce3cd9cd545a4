"""In the child process: text as numbered lines, up to MAX_LINES and MAX_HTML."""

import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

from ...content.decoding import browser_label, decode, is_certain
from ...markup.escaping import escape
from ...markup.formatting import format_count, format_size
from ...sandbox import MAX_HTML
from ...sandbox.messages import Message, shown_as

LINES: Final = ("text/source.js", "text/lines.js")  # show more lines
MENU: Final = ("text/encodings.js",)  # of them in another encoding
GOTO: Final = ("text/goto.js",)  # a line by its number
MAX_LINES: Final = 20_000
LONG: Final = 100  # lines: a longer text has a field for the number of a line
COLOURS: Final = re.compile("\x1b\\[[0-9;]*m")  # of terminals, in logs (ECMA-48, SGR)
PART: Final = 16 << 10  # characters of a line that are escaped, and laid out, at once
BLOCK: Final = 2_000  # lines that a browser lays out together; lines.css numbers their first ones
START: Final = b'<pre class="code" tabindex="0" role="region" aria-label="Text"><code>'
END: Final = b"</code></pre>"


def render(data: bytes, options: dict[str, Any]) -> Iterator[Message]:
    """Yield one message with the lines."""
    text, encoding = decode(data, options["charset"])
    facts, html = text_lines(COLOURS.sub("", text))
    yield shown_lines(facts, data, encoding, options), html


def shown_lines(
    facts: dict[str, Any], data: bytes, encoding: str, options: dict[str, Any], label: str = ""
) -> dict[str, Any]:
    """Return the facts of lines: their number, the encoding if it is not UTF-8, what is left out,
    and what scripts need to show more of it, or all in another encoding.
    """
    is_cut = facts["cut"] or not options["whole"]
    menu = () if is_certain(data, encoding) else MENU
    count = format_count(facts["lines"], "line") if options["whole"] else ""
    shown = f"Showing {format_count(facts['shown'], 'line')}"
    start = "" if options["whole"] else f" of the first {format_size(len(data))}"
    is_long = is_cut or facts["lines"] > LONG
    return shown_as(
        label or label_of(options["type"]),
        count,
        "" if encoding == "utf-8" else encoding,
        notes=[f"{shown}{start}. Save the original to read all of it."] if is_cut else (),
        source={
            "charset": browser_label(encoding),
            **({"shown": facts["shown"]} if is_cut else {}),
        },
        scripts=(
            *(LINES if menu or is_cut else ()),
            *menu,
            *(GOTO if is_long else ()),
        ),
        **({"tools": ["lines", "zoom", "wrap", "copy"]} if is_long else {}),
    )


def label_of(media_type: str) -> str:
    subtype = media_type.partition("/")[2].removeprefix("x-")
    if media_type == "text/plain":
        return "Plain text"
    return subtype.upper() if len(subtype) < 8 else subtype


def text_lines(text: str, most: int = MAX_LINES) -> Message:
    """Return at most so many lines of a text."""
    text = text.removesuffix("\n")
    total = text.count("\n") + 1
    if len(text) <= PART:
        return _short(escape(text, quotes=False), total, most)
    lines = text.split("\n", most)[:most]
    return _numbered(map(_escaped_parts, lines), total)


def _short(html: str, total: int, most: int) -> Message:
    """Return lines whose HTML is too short for its limit, at once: each view makes them anew."""
    lines = enumerate(html.split("\n", most)[:most], 1)
    out = "".join([f"<a id=L{number}>{line}\n</a>" for number, line in lines])
    facts = {"lines": total, "shown": min(total, most), "cut": total > most}
    return facts, START + out.encode("utf-8", "replace") + END


def html_lines(html: str, total: int) -> Message:
    """Return lines of ready HTML, the first of `total`, at most MAX_HTML of them, numbered."""
    return _numbered(([line] for line in html.split("\n")), total)


def _numbered(lines: Iterable[Iterable[str]], total: int) -> Message:
    """Join lines, given in parts. The facts are the numbers of lines and of those shown.

    CSS adds the line numbers, so that they are not copied with the text. Lines are in blocks of
    BLOCK, of which a browser lays out those in view; fewer lines at the end are in none.
    """
    out = bytearray(START)
    block = bytearray()
    shown = 0
    full = False
    for shown, parts in enumerate(lines, 1):
        block += b"<a id=L%d>" % shown
        for part in parts:
            block += part.encode("utf-8", "replace")
            if full := len(out) + len(block) > MAX_HTML:
                break
        block += b"\n</a>"
        if full:
            break
        if shown % BLOCK == 0:
            out += b"<span class=block>" + block + b"</span>"
            block.clear()
    facts = {"lines": total, "shown": shown, "cut": full or shown < total}
    return facts, bytes(out + block + END)


def _escaped_parts(line: str) -> Iterator[str]:
    """Yield a line in parts: browsers take long to wrap a word of a megabyte."""
    for start in range(0, len(line), PART):
        html = escape(line[start : start + PART], quotes=False)
        yield html if len(line) <= PART else f"<span class=part>{html}</span>"
