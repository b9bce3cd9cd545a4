"""Runs in the child process. Renders documents and slides as a plain reading view.

It shows text, headings, tables, pictures and links in the order of the file, and counts what else
there is: LibreOffice shows that.
"""

from collections.abc import Iterator
from typing import Any, Final

from ...markup.formatting import CUT_NOTE, format_count, left_out_note
from ...markup.sanitizer import sanitize_fragment
from ...sandbox import MAX_HTML, MAX_PICTURES
from ...sandbox.messages import Message, RefusedError, shown_as
from ..packages.package import Package
from . import open_document, open_xml
from .blocks import SLIDE

FORMATS: Final = {  # by a part that each has
    open_xml.DOCUMENT: ("Word document", open_xml.document),
    open_xml.PRESENTATION: ("Presentation", open_xml.slides),
}
WORKBOOK: Final = "xl/workbook.xml"
MISSING: Final = "LibreOffice on the server would show its pages."
FAILED: Final = "LibreOffice could not show its pages."
NOTE: Final = "Reading view: text, tables and pictures, without layout, formats and list numbers."


def render(data: bytes, options: dict[str, Any]) -> Iterator[Message]:
    """Yield one message with the view; the option says whether LibreOffice has failed.

    Raises RefusedError for a workbook, and for an archive that is none of these documents: "zip".
    """
    package = Package(data)
    label, html = _read(package)
    limit = MAX_HTML + MAX_PICTURES - package.picture_bytes_left
    cut = len(html) > limit or package.pictures_left_out
    slides = html.count(SLIDE)
    facts = shown_as(
        label,
        *([format_count(slides, "slide")] if slides else ()),
        notes=(
            *(NOTE, left_out_note(+package.left_out), CUT_NOTE if cut else ""),
            FAILED if options["failed"] else MISSING,
        ),
    )
    start = f'<article class="prose{" broad" if slides else ""}">'
    yield facts, f"{start}{sanitize_fragment(html[:limit])}</article>".encode("utf-8", "replace")


def _read(package: Package) -> tuple[str, str]:
    """Return what the document is, and its HTML, which still has to be sanitized."""
    for part, (label, read) in FORMATS.items():
        if part in package.names:
            return label, read(package)
    if WORKBOOK in package.names:
        raise RefusedError("sheets")
    return open_document.read(package)
