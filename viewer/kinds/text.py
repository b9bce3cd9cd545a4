"""Plain text: numbered lines without highlighting."""

from collections.abc import Iterable

from viewer.decoding import decode
from viewer.escaping import escape
from viewer.formatting import format_count, format_size
from viewer.media_types import charset
from viewer.original import Original
from viewer.preview import Preview

MAX_READ = 2 << 20
MAX_LINES = 20_000
PRE = '<pre class="code" tabindex="0" role="region" aria-label="Text">'
TOOLS = frozenset({"zoom", "wrap"})


def preview(original: Original, media_type: str, *, label: str = "", kind: str = "text") -> Preview:
    """Return the first lines of any text."""
    text, encoding = decode(original.first(MAX_READ), charset(original.content_type))
    lines = text.removesuffix("\n").split("\n")
    return Preview(
        kind,
        label or label_of(media_type),
        numbered(map(escape, lines[:MAX_LINES])),
        facts=_facts(lines, encoding, complete=original.size <= MAX_READ),
        note=_note(original.size, len(lines)),
        tools=TOOLS,
    )


def numbered(lines: Iterable[str]) -> str:
    """Return lines of HTML as a block. CSS adds the numbers, so that they are not copied."""
    body = "".join(f'<span class="ln" id="L{n}">{line}\n</span>' for n, line in enumerate(lines, 1))
    return f"{PRE}<code>{body}</code></pre>"


def label_of(media_type: str) -> str:
    """Return the name of this type in the toolbar."""
    subtype = media_type.partition("/")[2].removeprefix("x-")
    if media_type == "text/plain":
        return "Plain text"
    return subtype.upper() if len(subtype) < 8 else subtype


def _facts(lines: list[str], encoding: str, *, complete: bool) -> tuple[str, ...]:
    """Return the number of lines if all were read, and the encoding if it is not UTF-8."""
    count = (format_count(len(lines), "line"),) if complete else ()
    return count if encoding in ("utf-8", "ascii") else (*count, encoding)


def _note(size: int, lines: int) -> str:
    if lines > MAX_LINES:
        return f"Showing the first {MAX_LINES:,} lines. Save the original to read all of it."
    if size > MAX_READ:
        return f"Showing the first {format_size(MAX_READ)}. Save the original to read all of it."
    return ""
