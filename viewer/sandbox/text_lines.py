"""Renders text as numbered lines, up to MAX_LINES and MAX_HTML."""

from collections.abc import Iterable, Iterator
from typing import Any, Final

from ..decoding import decode
from ..escaping import escape
from . import MAX_HTML
from .messages import Message

MAX_LINES: Final = 20_000
BLOCK: Final = 64 << 10  # characters escaped at once
START: Final = b'<pre class="code" tabindex="0" role="region" aria-label="Text"><code>'
END: Final = b"</code></pre>"


def render(data: bytes, options: dict[str, Any]) -> Iterator[Message]:
    """Yield one message with the lines; its facts are those of `text_lines` and the encoding."""
    text, encoding = decode(data, options["charset"])
    facts, html = text_lines(text)
    yield {"encoding": encoding, **facts}, html


def text_lines(text: str) -> Message:
    text = text.removesuffix("\n")
    lines = text.split("\n", MAX_LINES)[:MAX_LINES]
    return _numbered(map(_escaped_blocks, lines), text.count("\n") + 1)


def html_lines(html: str) -> Message:
    """Return lines of ready HTML, at most MAX_HTML of them, as numbered lines."""
    lines = html.split("\n", MAX_LINES)[:MAX_LINES]
    return _numbered(([line] for line in lines), html.count("\n") + 1)


def _numbered(lines: Iterable[Iterable[str]], total: int) -> Message:
    """Join lines, given in blocks. The facts are the numbers of lines and of those shown.

    CSS adds the line numbers, so that they are not copied with the text.
    """
    out, shown, full = bytearray(START), 0, False
    for shown, blocks in enumerate(lines, 1):  # noqa: B007
        out += f'<span class="ln" id="L{shown}">'.encode()
        for block in blocks:
            out += block.encode("utf-8", "replace")
            if full := len(out) > MAX_HTML:
                break
        out += b"\n</span>"
        if full:
            break
    return {"lines": total, "shown": shown, "cut": full or shown < total}, bytes(out + END)


def _escaped_blocks(line: str) -> Iterator[str]:
    return (escape(line[start : start + BLOCK]) for start in range(0, len(line), BLOCK))
