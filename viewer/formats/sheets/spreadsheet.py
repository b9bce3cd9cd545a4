"""Spreadsheets: a grid for each sheet, with values as their number formats show them."""

from typing import Final

from ...content.media_types import OPEN_DOCUMENT, OPEN_XML
from ...markup.formatting import format_count, left_out_note
from ...sandbox.process import Job
from ..original import Original
from ..preview import Preview
from ..web import html
from . import table

JOB: Final = Job("viewer.formats.sheets.sheets", memory_mb=768, cpu_seconds=10, seconds=15)
TYPES: Final = (
    "application/vnd.ms-excel",
    f"{OPEN_XML}spreadsheetml.",
    f"{OPEN_DOCUMENT}spreadsheet",
)
WORKBOOK_STARTS: Final = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0", b"\x09\x08", b"\x09\x04", b"\x09\x02")
FORMULAS_NOTE: Final = "The file holds no results for some formulas: the formulas are shown."


def preview(original: Original, media_type: str) -> Preview:
    """Return the sheets; a page or a table where the name says Excel and the content is one."""
    start = original.first(64)
    if not start.startswith(WORKBOOK_STARTS):
        is_page = start.lstrip(b"\xef\xbb\xbf\r\n\t ").startswith(b"<")
        return (html.preview if is_page else table.preview)(original, media_type)
    facts, body = original.run_html_job(JOB, {})
    notes = (left_out_note(facts["left_out"]), FORMULAS_NOTE if facts["formulas"] else "")
    return Preview(
        "sheets",
        "Spreadsheet",
        body,
        facts=(format_count(int(facts["sheets"]), "sheet"),),
        note=" ".join(filter(None, notes)),
        tools=frozenset({"zoom"}),
        styles=("grid.css",),
        scripts=("sheets/sheets.js",),
    )
