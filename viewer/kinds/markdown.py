"""Markdown: CommonMark with tables, drawn in the child; plain text where that fails."""

from viewer.kinds import text
from viewer.media_types import charset
from viewer.original import Original
from viewer.preview import Preview
from viewer.sandbox.process import ChildFailed, result

LIMIT = 512 << 10
SECONDS = 10


def preview(original: Original, kind: str) -> Preview:
    """The text as its writer meant it."""
    if original.size > LIMIT:
        return text.preview(original, kind, label="Markdown")
    order = {"charset": charset(original.content_type)}
    try:
        _, html = result("markdown", original.pieces(), order, seconds=SECONDS)
    except ChildFailed:
        return text.preview(original, kind, label="Markdown")
    body = f'<article class="prose">{html}</article>'
    return Preview("markdown", "Markdown", body, tools=frozenset({"zoom"}))
