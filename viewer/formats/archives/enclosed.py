"""In the child process: the files inside a document, a mail or an archive, as HTML.

Each has a link that saves it byte for byte, and is shown where its type can be shown.
"""

import base64
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from ...content.decoding import decode
from ...content.detection import FIRST_BYTES, shown_type
from ...content.media_types import CODE_TYPE, IMAGES, UNKNOWN
from ...markup.escaping import escape
from ...markup.formatting import format_size
from ...markup.names import display_name, safe_file_name
from ..text.text_lines import text_lines

MAX_DRAWN: Final = 30  # files of one document
MAX_DRAWN_BYTES: Final = 4 << 20  # of their HTML in all, pictures in base64
MAX_DRAWN_LINES: Final = 20_000  # of them in all
MAX_READ: Final = 64 << 10  # bytes of a text that is drawn
MAX_NAME: Final = 300  # characters of a name that are shown
CUT_NOTE: Final = b'<p class="dim">Only its beginning is shown. Save it to read all of it.</p>'
SECTION_STYLES: Final = ("text/lines.css", "archives/files.css")
LEFT_OUT: Final = b'<p class="dim">Only the first are shown. Save the others to read them.</p>'
LINE_ID: Final = re.compile(rb"(?<=<a) id=L\d+")  # unique in a page, unlike the lines of many files


@dataclass(frozen=True, slots=True)
class File:
    """A file inside a document. Its data is None if it was not taken out."""

    name: str
    media_type: str
    size: int
    data: bytes | None

    def shown_type(self) -> str:
        """Return the declared type; the type detected in the content if none was declared."""
        return shown_type(self.media_type, "", (self.data or b"")[:FIRST_BYTES])


@dataclass(slots=True)
class Budget:
    """The room that is left for files to be drawn."""

    files: int
    size: int
    lines: int


def section(heading: str, files: Iterable[File]) -> bytes:
    """Return a list of files; nothing of none."""
    left = Budget(MAX_DRAWN, MAX_DRAWN_BYTES, MAX_DRAWN_LINES)
    out = bytearray()
    left_out = False
    for number, file in enumerate(files, 1):
        media_type = file.shown_type()
        data = base64.b64encode(file.data or b"")
        can_be_shown = bool(file.data) and _can_be_shown(media_type)
        drawn = _drawn(file.data or b"", data, media_type, left) if can_be_shown else b""
        left_out = left_out or (can_be_shown and not drawn)
        out += _item(number, file, media_type, drawn, data)
    if not out:
        return b""
    start = b'<section class="enclosed"><h2>%b</h2><ul>' % heading.encode()
    note = LEFT_OUT if left_out else b""
    return start + bytes(out) + b"</ul>" + note + b"</section>"


def without_ids(lines: bytes) -> bytes:
    return LINE_ID.sub(b"", lines)


def _item(number: int, file: File, media_type: str, drawn: bytes, data: bytes) -> bytes:
    name = display_name(file.name, f"attachment {number}")[:MAX_NAME]
    shown = escape(name)
    kind = "" if media_type == UNKNOWN else f"{escape(media_type)}, "
    about = f'<b>{shown}</b> <span class="dim">{kind}{format_size(file.size)}</span>'
    start = f'<div id="file-{number}">{about}'
    end = "</div>\n"
    if drawn:
        start = f'<details><summary>{about}</summary><div id="file-{number}">'
        end = "</div></details>\n"
    save = '<span class="dim">too large to be taken out here</span>'
    if file.data is not None:
        save = (
            f'<a class="take" download="{escape(safe_file_name(name))}" aria-label="Save {shown}"'
            f' href="data:application/octet-stream;base64,{data.decode()}">Save</a>'
        )
    return b"".join((_encode(f"<li>\n{start}"), drawn, _encode(f"{end}{save}\n</li>\n")))


def _can_be_shown(media_type: str) -> bool:
    is_text = media_type.startswith("text/") or CODE_TYPE.fullmatch(media_type)
    return bool(is_text) or media_type in IMAGES


def _drawn(data: bytes, encoded: bytes, media_type: str, left: Budget) -> bytes:
    """Return HTML that shows a file; nothing if that is more than is left."""
    if not left.files or not left.lines or len(data) > left.size:
        return b""
    lines = 0
    if media_type in IMAGES:
        html = b'<img alt="" src="data:%b;base64,%b">' % (_encode(escape(media_type)), encoded)
        size = len(html)
    else:
        facts, html = _text(data, left.lines)
        lines = facts["shown"]
        size = len(html)
    if size > left.size:
        return b""
    left.files -= 1
    left.size -= size
    left.lines -= lines
    return html


def _text(data: bytes, most_lines: int) -> tuple[dict[str, Any], bytes]:
    facts, html = text_lines(decode(data[:MAX_READ])[0], most_lines)
    is_cut = facts["cut"] or len(data) > MAX_READ
    return facts, without_ids(html) + (CUT_NOTE if is_cut else b"")


def _encode(html: str) -> bytes:
    return html.encode("utf-8", "replace")
