"""Workbooks: a grid for each sheet, with values as their number formats show them.

One reader, of XLSX: LibreOffice makes it of the others. Asked for pages, LibreOffice
draws those that it would print, with charts and colours.
"""

import json
from typing import Final

from ...content.detection import EXCEL_2003, detect
from ...content.media_types import OPEN_DOCUMENT, OPEN_XML, PDF, UNKNOWN
from ...sandbox.process import TIME, Job, SandboxError
from .. import card
from ..job_format import JobFormat
from ..original import Original
from ..pdf import pdf
from ..preview import Preview
from ..words.converted import (
    FAILED,
    NOT_INSTALLED,
    OLE,
    TOO_SLOW,
    ZIP,
    labelled,
    made_of,
)

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
PAGE_SETUP: Final = Job(
    "viewer.formats.sheets.page_setup", memory_mb=768, cpu_seconds=20, seconds=30
)
STORED_RESULTS: Final = Job(
    "viewer.formats.sheets.stored_results", memory_mb=768, cpu_seconds=10, seconds=15
)
MAX_PAGES: Final = 200
PAGE_RANGE: Final = {"PageRange": {"type": "string", "value": f"1-{MAX_PAGES}"}}
PAGES: Final = f"pdf:calc_pdf_Export:{json.dumps(PAGE_RANGE)}"
PAGES_NOTE: Final = (
    "Drawn by LibreOffice as it would be printed: the layout may differ, and comments, hidden "
    "sheets and hidden cells are not shown."
)
CUT_NOTE: Final = f"Only the first {MAX_PAGES} pages are drawn."
TOO_LARGE: Final = "This workbook is too large to be drawn as pages. Its table shows what it holds."
NOT_DRAWN: Final = (
    "LibreOffice could not draw this workbook as pages: it may be too large, locked with a "
    "password, or damaged."
)
DAMAGED: Final = "This workbook is damaged, and cannot be read. Save the original to open it."
MESSAGES: Final = {TIME: TOO_SLOW, "damaged": DAMAGED}  # by why there is no table
MESSAGES_OF_PAGES: Final = MESSAGES | {"size": TOO_LARGE}
STARTS: Final = (ZIP, OLE, b"\x09\x08", b"\x09\x04", b"\x09\x02")


def is_table(original: Original) -> bool:
    """Whether the name says Excel and the content is a table in text."""
    start = original.beginning
    is_text = detect("", start) != UNKNOWN and EXCEL_2003 not in start
    return is_text and not start.startswith(STARTS)


def preview(original: Original, media_type: str) -> Preview:
    """Return the sheets."""
    try:
        return WORKBOOK.preview(_xlsx_of(original, media_type), media_type)
    except SandboxError as error:
        if _other_kind(original, media_type) is None:
            raise
        failed = MESSAGES.get(str(error), FAILED)
        return card.preview(original, media_type, failed if original.converter else NOT_INSTALLED)


def pages_preview(original: Original, media_type: str) -> Preview:
    """Return the pages that LibreOffice draws; a card if it fails."""
    try:
        shown = pdf.preview(to_pdf(original, media_type), PDF, is_converted=True)
    except SandboxError as error:
        return card.preview(original, media_type, MESSAGES_OF_PAGES.get(str(error), NOT_DRAWN))
    if shown.kind != "pdf":
        return card.preview(original, media_type, NOT_DRAWN)
    is_cut = shown.source.get("count") == MAX_PAGES
    return labelled(shown, "Spreadsheet", f"{PAGES_NOTE} {CUT_NOTE}" if is_cut else PAGES_NOTE)


def to_pdf(original: Original, media_type: str) -> Original:
    """Return the PDF of the pages, each as wide as its sheet. Raises SandboxError."""
    return made_of(_xlsx_of(original, media_type), "xlsx", PAGES, PDF, PAGE_SETUP)


def _xlsx_of(original: Original, media_type: str) -> Original:
    """Return the workbook as XLSX. Raises SandboxError if LibreOffice can't make it of another."""
    kind = _other_kind(original, media_type)
    if kind is None:
        return original
    has_records = kind == "xls" and EXCEL_2003 not in original.beginning
    return made_of(original, kind, "xlsx", XLSX, STORED_RESULTS if has_records else None)


def _other_kind(original: Original, media_type: str) -> str | None:
    """Return the extension of a workbook that is no XLSX."""
    is_other = ".binary." in media_type or media_type.startswith(OPEN_DOCUMENT)
    if original.beginning.startswith(ZIP) and not is_other:
        return None
    if not is_other:
        return "xls"
    return "ods" if media_type.startswith(OPEN_DOCUMENT) else "xlsb"
