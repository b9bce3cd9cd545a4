"""Workbooks: a grid for each sheet, with values as their number formats show them.

One reader, of XLSX: LibreOffice makes it of the others.
"""

from typing import Final

from ...content.detection import EXCEL_2003, detect
from ...content.media_types import OPEN_DOCUMENT, OPEN_XML, UNKNOWN
from ...sandbox.process import Job, SandboxError
from .. import card
from ..job_format import JobFormat
from ..original import Original
from ..preview import Preview
from ..words.converted import FAILED, NOT_INSTALLED, OLE, ZIP, made_of

WORKBOOK: Final = JobFormat(
    "sheets",
    Job("viewer.formats.sheets.sheets", memory_mb=768, cpu_seconds=10, seconds=15),
    styles=("grid.css", "sheets/workbook.css"),
    scripts=("sheets/sheets.js",),
)
TYPES: Final = (
    "application/vnd.ms-excel",
    f"{OPEN_XML}spreadsheetml.",
    f"{OPEN_DOCUMENT}spreadsheet",
)
XLSX: Final = f"{OPEN_XML}spreadsheetml.sheet"
STARTS: Final = (ZIP, OLE, b"\x09\x08", b"\x09\x04", b"\x09\x02")


def is_table(original: Original) -> bool:
    """Whether the name says Excel and the content is a table in text."""
    start = original.beginning
    is_text = detect("", start) != UNKNOWN and EXCEL_2003 not in start
    return is_text and not start.startswith(STARTS)


def preview(original: Original, media_type: str) -> Preview:
    """Return the sheets."""
    start = original.beginning
    is_other = ".binary." in media_type or media_type.startswith(OPEN_DOCUMENT)
    if start.startswith(ZIP) and not is_other:
        return WORKBOOK.preview(original, media_type)
    kind = ("ods" if media_type.startswith(OPEN_DOCUMENT) else "xlsb") if is_other else "xls"
    try:
        return WORKBOOK.preview(made_of(original, kind, "xlsx", XLSX), media_type)
    except SandboxError:
        return card.preview(original, media_type, FAILED if original.converter else NOT_INSTALLED)
