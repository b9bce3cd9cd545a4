"""A card for documents without a preview: type in words, size, digest and the first bytes."""

from collections.abc import Iterable

from ..content.type_names import type_in_words
from ..markup.escaping import escape
from ..markup.formatting import format_size
from ..markup.templating import render
from .original import Original
from .preview import Preview

SHOWN_BYTES = 1024
ROW_BYTES = 16


def preview(
    original: Original,
    media_type: str,
    message: str = "There is no preview for this type.",
    facts: Iterable[tuple[str, str]] = (),
) -> Preview:
    """Return the card with this message as its heading, and more facts, each with its name."""
    first = original.beginning[:SHOWN_BYTES]
    type_name = type_in_words(media_type, original.name)
    body = render(
        "card.html",
        original=original,
        type_name=type_name,
        media_type=media_type,
        size=format_size(original.size),
        message=message,
        facts=facts,
        count=len(first),
        rows=[_hex_row(first, start) for start in range(0, len(first), ROW_BYTES)],
    )
    return Preview("unknown", type_name, body.encode("utf-8", "replace"), styles=("card.css",))


def _hex_row(data: bytes, start: int) -> str:
    row = data[start : start + ROW_BYTES]
    readable = "".join(chr(byte) if 32 <= byte < 127 else "·" for byte in row)
    return f"{start:08x}  {row[:8].hex(' '):<23}  {row[8:].hex(' '):<23}  {escape(readable)}"
