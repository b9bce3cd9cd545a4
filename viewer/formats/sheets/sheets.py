"""Runs in the child process. Renders a workbook as grids; the format is read from the file."""

from collections.abc import Iterator
from typing import Any, Final

from ...content.decoding import CHARSETS, preload_codecs
from ...markup.formatting import format_count, left_out_note
from ...sandbox.messages import Message, shown_as
from ..packages.package import Package
from . import ods, xls, xlsx
from .workbook import MAX_SHEETS, sheets_html

ZIP: Final = b"PK\x03\x04"
FORMULAS_NOTE: Final = "The file holds no results for some formulas: the formulas are shown."


def prepare(data: bytes, _options: dict[str, Any]) -> None:
    """Import what old workbooks may name as the encoding of their texts."""
    if not data.startswith(ZIP):
        preload_codecs(*CHARSETS.split())


def render(data: bytes, _options: dict[str, Any]) -> Iterator[Message]:
    """Yield one message with all grids.

    Raises ValueError if this is no workbook, and what a reader raises for a damaged one.
    """
    if not data.startswith(ZIP):
        workbook = xls.read(data)
    else:
        package = Package(data)
        workbook = (xlsx if xlsx.WORKBOOK in package.names else ods).read(package)
    if not workbook.sheets:
        raise ValueError("no sheets")
    html, formulas = sheets_html(workbook.sheets)
    left_out = workbook.left_out
    left_out["further sheet"] = max(0, len(workbook.sheets) - MAX_SHEETS)
    notes = (left_out_note(+left_out), FORMULAS_NOTE if formulas else "")
    facts = shown_as("Spreadsheet", format_count(len(workbook.sheets), "sheet"), notes=notes)
    yield facts, html.encode("utf-8", "replace")
