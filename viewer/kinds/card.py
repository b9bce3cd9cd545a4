"""Whatever has no preview: a card that says what it is, and its first bytes."""

from viewer.escaping import escape
from viewer.original import Original
from viewer.preview import Preview
from viewer.templating import fragment
from viewer.wording import human_size

SHOWN_BYTES = 1024
ROW_BYTES = 16


def preview(
    original: Original, kind: str, message: str = "There is no preview for this type."
) -> Preview:
    """Name, type, size, digest and the first kibibyte in hexadecimal."""
    first = original.first(SHOWN_BYTES)
    body = fragment(
        "kinds/card.html",
        original=original,
        kind=kind,
        size=human_size(original.size),
        message=message,
        count=len(first),
        rows=[_row(first, start) for start in range(0, len(first), ROW_BYTES)],
    )
    return Preview("unknown", kind, body)


def _row(data: bytes, start: int) -> str:
    row = data[start : start + ROW_BYTES]
    readable = "".join(chr(byte) if 32 <= byte < 127 else "·" for byte in row)
    return f"{start:08x}  {row[:8].hex(' '):<23}  {row[8:].hex(' '):<23}  {escape(readable)}"
