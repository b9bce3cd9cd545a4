"""Pictures and pages that no kept library draws: what their first bytes say of them.

Source: DjVu 3 (IFF85 chunks INFO and DIRM), XCF of GIMP, the comments of PostScript's document
structuring conventions 3.0.
"""

import re
from collections.abc import Iterator
from struct import unpack_from
from typing import Final

from .. import card
from ..original import Original
from ..preview import Preview

DJVU: Final = "image/vnd.djvu"
XCF: Final = "image/x-xcf"
POSTSCRIPT: Final = "application/postscript"
COMMENT: Final = re.compile(rb"^%%(Title|Creator|Pages):[ \t]*([^\r\n]{1,120})", re.M)
WITHOUT_SIZE: Final = b"(atend)"
MESSAGES: Final = {
    DJVU: "DjVu pages can\u2019t be drawn here. Save the original to read them.",
    XCF: "Pictures of GIMP can\u2019t be drawn here. Save the original to open it.",
    POSTSCRIPT: "PostScript is a program, which is not run here. Save the original to open it.",
}


def preview(original: Original, media_type: str) -> Preview:
    """Return a card with what the first bytes say."""
    read = {DJVU: _djvu, XCF: _xcf, POSTSCRIPT: _postscript}[media_type]
    return card.preview(original, media_type, MESSAGES[media_type], tuple(read(original.beginning)))


def _djvu(first: bytes) -> Iterator[tuple[str, str]]:
    if first[12:20] == b"DJVMDIRM" and len(first) >= 27:
        yield "Parts", f"{unpack_from('>H', first, 25)[0]:,}"
    at = first.find(b"INFO")
    if 0 < at <= len(first) - 12:
        yield "First page", _pixels(*unpack_from(">HH", first, at + 8))


def _xcf(first: bytes) -> Iterator[tuple[str, str]]:
    if len(first) >= 22:
        yield "Picture", _pixels(*unpack_from(">II", first, 14))


def _postscript(first: bytes) -> Iterator[tuple[str, str]]:
    comments = reversed(COMMENT.findall(first))  # the first of a name counts
    found = {name.decode(): value.strip() for name, value in comments}
    for name, value in found.items():
        if value != WITHOUT_SIZE:
            yield name, value.decode("latin-1").strip("()")


def _pixels(width: int, height: int) -> str:
    return f"{width:,} × {height:,} pixels"
