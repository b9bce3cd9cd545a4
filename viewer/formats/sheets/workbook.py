"""Workbooks: a grid for each sheet, with values as their number formats show them."""

from typing import Final

from ...content.detection import EXCEL_2003, detect
from ...content.media_types import OPEN_DOCUMENT, OPEN_XML, UNKNOWN
from ...sandbox.process import Job
from ..job_format import LOCKED, JobFormat
from ..original import Original
from ..preview import Preview
from . import table

WORKBOOK: Final = JobFormat(
    "sheets",
    Job("viewer.formats.sheets.sheets", memory_mb=768, cpu_seconds=10, seconds=15),
    otherwise=LOCKED,
    styles=("grid.css", "sheets/workbook.css"),
    scripts=("sheets/sheets.js",),
)
TYPES: Final = (
    "application/vnd.ms-excel",
    f"{OPEN_XML}spreadsheetml.",
    f"{OPEN_DOCUMENT}spreadsheet",
)
STARTS: Final = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0", b"\x09\x08", b"\x09\x04", b"\x09\x02")


def preview(original: Original, media_type: str) -> Preview:
    """Return the sheets; a table where the name says Excel and the content is one."""
    start = original.beginning
    is_text = detect("", start) != UNKNOWN and EXCEL_2003 not in start
    if is_text and not start.startswith(STARTS):
        return table.preview(original, media_type)
    return WORKBOOK.preview(original, media_type)
