"""Files inside a document: the attachments of a mail, the entries of an archive.

Each is listed with a link that saves it byte for byte, and drawn where its type can be shown.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

import pybase64

from ..detection import FIRST_BYTES, shown_type
from ..formatting import format_size
from ..media_types import IMAGES, UNKNOWN
from ..names import display_name, safe_file_name
from ..sandbox import text_lines
from ..templating import render
from . import code, text

MAX_DRAWN: Final = 30  # files of one document
MAX_DRAWN_BYTES: Final = 4 << 20  # of these files in all, and so about of their HTML
CUT_NOTE: Final = b'<p class="dim">Only its beginning is shown. Save it to read all of it.</p>'
DRAWN_PLACEHOLDER: Final = b"\0drawn\0"
DATA_PLACEHOLDER: Final = b"\0data\0"
LINE_ID: Final = re.compile(rb' id="L\d+"')  # unique in a page, unlike the lines of many files


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


def section(heading: str, files: Iterable[File]) -> bytes:
    """Return a list of the files; the parts that save them are marked for `FILE_LINK`."""
    items = b"".join(_items(files))
    return b'<section class="enclosed"><h2>%b</h2><ul>%b</ul></section>' % (heading.encode(), items)


def _items(files: Iterable[File]) -> Iterator[bytes]:
    left, count = MAX_DRAWN_BYTES, MAX_DRAWN
    for number, file in enumerate(files, 1):
        drawn = _drawn(file) if file.data and count and file.size <= left else b""
        left, count = (left - len(drawn), count - 1) if drawn else (left, count)
        yield _item(number, file, drawn)


def _item(number: int, file: File, drawn: bytes) -> bytes:
    name = display_name(file.name, f"attachment {number}")
    html = render(
        "kinds/file.html",
        number=number,
        file=file,
        name=name,
        file_name=safe_file_name(name),
        type="" if file.shown_type() == UNKNOWN else file.shown_type(),
        size=format_size(file.size),
        is_drawn=bool(drawn),
    )
    item = html.encode("utf-8", "replace").replace(DRAWN_PLACEHOLDER, drawn)
    if file.data is None:
        return item
    before, _, after = item.rpartition(DATA_PLACEHOLDER)
    return before + pybase64.b64encode(file.data) + after


def _drawn(file: File) -> bytes:
    """Return HTML that shows the file; nothing if its type can't be shown, or not inside."""
    media_type, data = file.shown_type(), file.data or b""
    if media_type in IMAGES:
        source = pybase64.b64encode(data)
        return b'<img alt="" src="data:%b;base64,%b">' % (media_type.encode(), source)
    if not (media_type.startswith("text/") or code.is_code(media_type, file.name)):
        return b""
    ((_, html),) = text_lines.render(data[: text.MAX_INLINE], {"charset": None})
    return LINE_ID.sub(b"", html) + (CUT_NOTE if len(data) > text.MAX_INLINE else b"")
