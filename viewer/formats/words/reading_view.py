"""Runs in the child process. Renders documents and slides as a plain reading view.

It shows text, headings, tables, pictures and links in the order of the file, and counts what else
there is: LibreOffice shows that.
"""

import re
from collections.abc import Iterator
from typing import Any, Final

from ...markup.formatting import CUT_NOTE, format_count, left_out_note
from ...markup.sanitizer import sanitize_fragment
from ...sandbox import MAX_HTML, MAX_PICTURES
from ...sandbox.messages import Message, RefusedError, shown_as
from ..packages.package import Package
from . import open_document, open_xml
from .blocks import SLIDE

FORMATS: Final = {  # by the usual name of their main part
    "word/document.xml": ("Word document", open_xml.document),
    "ppt/presentation.xml": ("Presentation", open_xml.slides),
}
WORKBOOK: Final = "xl/workbook.xml"
TEXT: Final = re.compile(r">[^<]*[^<\s]|<img")
NO_TEXT: Final = "There is no text in it."
IWORK: Final = re.compile(r"(?:^|/)(?:Index/Document\.iwa|buildVersionHistory\.plist)$", re.I)
IWORK_PICTURE: Final = re.compile(r"(?:[^/]+/)?(?:preview|QuickLook/Thumbnail)\.jpg")
IWORK_NOTE: Final = "Only the picture of its first page that is in the file is shown."
MISSING: Final = "LibreOffice on the server would show its pages."
FAILED: Final = "LibreOffice could not show its pages."
NOTE: Final = "Reading view: text, tables and pictures, without layout, formats and list numbers."


def render(data: bytes, options: dict[str, Any]) -> Iterator[Message]:
    """Yield one message with the view; the option says whether LibreOffice has failed.

    Raises RefusedError for a workbook, and for an archive that is none of these documents: "zip".
    """
    package = Package(data)
    label, html, note = _read(package)
    limit = MAX_HTML + MAX_PICTURES - package.picture_bytes_left
    cut = len(html) > limit or package.pictures_left_out
    slides = html.count(SLIDE)
    facts = shown_as(
        label,
        *([format_count(slides, "slide")] if slides else ()),
        notes=(
            *(
                note,
                "" if TEXT.search(html) else NO_TEXT,
                left_out_note(+package.left_out),
                CUT_NOTE if cut else "",
            ),
            FAILED if options["failed"] else MISSING,
        ),
    )
    start = f'<article class="prose{" broad" if slides else ""}">'
    yield facts, f"{start}{sanitize_fragment(html[:limit])}</article>".encode("utf-8", "replace")


def _read(package: Package) -> tuple[str, str, str]:
    """Return what the document is, its HTML, which still has to be sanitized, and a note."""
    for usual, (label, read) in FORMATS.items():
        if part := _main_part(package, usual):
            return label, read(package, part), NOTE
    if WORKBOOK in package.names:
        raise RefusedError("sheets")
    pictures = sorted(filter(IWORK_PICTURE.fullmatch, package.names))
    if pictures and any(map(IWORK.search, package.names)):
        return "iWork document", package.shown_picture(pictures[0]), IWORK_NOTE
    return *open_document.read(package), NOTE


def _main_part(package: Package, usual: str) -> str:
    """Return the part of this name, else the one in its folder that the package says is the main
    part: some programs number it.
    """
    named = (target.address for target in package.relationships("").values())
    folder = usual.partition("/")[0] + "/"
    found = (part for part in (usual, *named) if part in package.names)
    return next((part for part in found if part.startswith(folder)), "")
