"""Spreadsheets: a grid for each sheet, with values as their number formats show them."""

import re
from typing import Any, Final

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
RULES: Final = re.compile(r"(?:\.grid \.s\d{1,4}\{[a-z0-9#%.,:;() -]*\}\n)*")
WORKBOOK_STARTS: Final = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0", b"\x09\x08", b"\x09\x04", b"\x09\x02")


def preview(original: Original, media_type: str) -> Preview:
    """Return the sheets; a page or a table where the name says Excel and the content is one."""
    start = original.first(64)
    if not start.startswith(WORKBOOK_STARTS):
        is_page = start.lstrip(b"\xef\xbb\xbf\r\n\t ").startswith(b"<")
        return (html.preview if is_page else table.preview)(original, media_type)
    facts, body = original.run_html_job(JOB, {})
    return Preview(
        "sheets",
        "Spreadsheet",
        body,
        facts=(format_count(int(facts["sheets"]), "sheet"),),
        note=" ".join(filter(None, _notes(facts))),
        tools=frozenset({"zoom"}),
        styles=("grid.css",),
        own_style=checked_rules(str(facts["css"])),
        scripts=("sheets/sheets.js",),
    )


def checked_rules(css: str) -> str:
    """Return the rules of the cells; none if they could be anything else."""
    return css if RULES.fullmatch(css) else ""


def _notes(facts: dict[str, Any]) -> list[str]:
    notes = [left_out_note(facts["beside_cells"])]
    if count := int(facts["left_out"]):
        notes.append(f"The last {format_count(count, 'sheet')} can't be shown here.")
    if count := int(facts["hidden"]):
        verb = "is" if count == 1 else "are"
        notes.append(f"{format_count(count, 'hidden sheet')} {verb} not shown.")
    if int(facts["formulas"]):
        notes.append("The file holds no results for some formulas: the formulas are shown.")
    return notes
