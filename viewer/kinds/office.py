"""Office and OpenDocument files: reading views rendered in the sandbox."""

from typing import Final

from ..original import Original
from ..preview import Preview
from . import archive, spreadsheet
from .html import CUT_NOTE

SECONDS: Final = 15
LABELS: Final = {
    "docx": "Word document",
    "pptx": "Presentation",
    "odt": "Text document",
    "odp": "Presentation",
}
WIDE: Final = frozenset({"pptx", "odp"})
NOTE: Final = "Reading view: text, tables and pictures. The layout may differ from the original."


def preview(original: Original, media_type: str) -> Preview:
    """Return structure, text, tables and pictures. The format is read from the file itself."""
    facts, html = original.run_html_job("office", {}, seconds=SECONDS)
    file_format = str(facts["format"])
    if file_format == "sheets":
        return spreadsheet.preview(original, media_type)
    if file_format == "zip":
        return archive.preview(original, media_type)
    wide = b" broad" if file_format in WIDE else b""
    notes = (NOTE, CUT_NOTE if facts["cut"] else "")
    return Preview(
        "office",
        LABELS[file_format],
        b'<article class="prose%b">%b</article>' % (wide, html),
        facts=tuple(map(str, facts["counts"])),
        note=" ".join(filter(None, notes)),
        tools=frozenset({"zoom"}),
    )
