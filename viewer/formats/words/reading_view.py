"""Runs in the child process. Renders documents and slides as a plain reading view.

It shows text, headings, tables, pictures and links in the order of the file, and counts what else
there is: LibreOffice shows that.
"""

from collections.abc import Callable, Iterator
from typing import Any, Final

from ...markup.sanitizer import sanitize_fragment
from ...sandbox import MAX_HTML, MAX_PICTURES
from ...sandbox.messages import Message
from ..packages.package import Package
from . import open_document, open_xml
from .blocks import SLIDE

Read = Callable[[Package], str]
FORMATS: Final[tuple[tuple[str, str, Read], ...]] = (  # by a part that each has
    (open_xml.DOCUMENT, "docx", open_xml.document),
    (open_xml.PRESENTATION, "pptx", open_xml.slides),
    ("xl/workbook.xml", "sheets", lambda _: ""),  # shown by another job
)


def render(data: bytes, _options: dict[str, Any]) -> Iterator[Message]:
    """Yield one message with the view, the format, the number of slides, and what is left out.

    The format is "zip" for an archive that is none of these documents.
    """
    package = Package(data)
    file_format, read = _detect_format(package)
    html = read(package)
    limit = MAX_HTML + MAX_PICTURES - package.picture_bytes_left
    facts = {
        "format": file_format,
        "slides": html.count(SLIDE),
        "left_out": +package.left_out,
        "cut": len(html) > limit or package.pictures_left_out,
    }
    yield facts, sanitize_fragment(html[:limit]).encode("utf-8", "replace")


def _detect_format(package: Package) -> tuple[str, Read]:
    for part, file_format, read in FORMATS:
        if part in package.names:
            return file_format, read
    return open_document.detect_format(package) or "zip", open_document.read
