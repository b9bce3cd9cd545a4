"""Plain text: numbered lines, as the sender wrote them."""

from collections.abc import Iterable

from viewer.decoding import decode
from viewer.escaping import escape
from viewer.media_types import charset
from viewer.original import Original
from viewer.preview import Preview
from viewer.wording import counted, human_size

READ_LIMIT = 2 << 20
LINE_LIMIT = 20_000
PRE = '<pre class="code" tabindex="0" role="region" aria-label="Text">'
TOOLS = frozenset({"zoom", "wrap"})


def preview(original: Original, kind: str, *, label: str = "", look: str = "text") -> Preview:
    """The first lines of any text, without colours."""
    text, encoding = decode(original.first(READ_LIMIT), charset(original.content_type))
    lines = text.removesuffix("\n").split("\n")
    cut = len(lines) > LINE_LIMIT
    return Preview(
        look,
        label or label_of(kind),
        numbered(map(escape, lines[:LINE_LIMIT])),
        facts=facts(lines, encoding, whole=original.size <= READ_LIMIT),
        note=_note(original.size, cut=cut),
        tools=TOOLS,
    )


def numbered(lines: Iterable[str]) -> str:
    """Lines of ready HTML. Numbers come from the stylesheet, so that copying leaves them out."""
    body = "".join(f'<span class="ln" id="L{n}">{line}\n</span>' for n, line in enumerate(lines, 1))
    return f"{PRE}<code>{body}</code></pre>"


def label_of(kind: str) -> str:
    """What the toolbar calls this type."""
    form = kind.partition("/")[2].removeprefix("x-")
    return "Plain text" if kind == "text/plain" else form.upper() if len(form) < 8 else form


def facts(lines: list[str], encoding: str, *, whole: bool) -> tuple[str, ...]:
    """Number of lines, where all were read; the encoding, where it is not the usual one."""
    count = (counted(len(lines), "line"),) if whole else ()
    return count if encoding in ("utf-8", "ascii") else (*count, encoding)


def _note(size: int, *, cut: bool) -> str:
    if cut:
        return f"Showing the first {LINE_LIMIT:,} lines. Save the original to read all of it."
    if size > READ_LIMIT:
        return f"Showing the first {human_size(READ_LIMIT)}. Save the original to read all of it."
    return ""
