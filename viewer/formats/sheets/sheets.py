"""In the child process: a workbook as HTML, a section with a grid for each sheet.

All sheets are within one budget.
"""

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from ...markup.escaping import escape, escape_attribute
from ...markup.formatting import format_count, left_out_note
from ...sandbox import MAX_HTML
from ...sandbox.messages import Message, shown_as
from ..packages.package import Package
from . import xlsx
from .cells import MAX_CELLS, MAX_COLUMNS, SECONDS, Row, Sheet
from .grid import Grid, width_of

FORMULAS_NOTE: Final = "The file holds no results for some formulas: the formulas are shown."
CALCULATED_NOTE: Final = (
    "LibreOffice has read this file. It may have calculated formulas again, with other results."
)
MAX_SHEETS: Final = 100
ROW_COST: Final = 2  # a row costs as much as so many cells


def render(data: bytes, options: dict[str, Any]) -> Iterator[Message]:
    """Yield one message with all grids; a note on results if LibreOffice has made the file
    (option "converted").

    Raises ValueError if this is no workbook, and what a reader raises for a damaged one.
    """
    workbook = xlsx.read(Package(data))
    if not workbook.sheets:
        raise ValueError("no sheets")
    html, formulas = sheets_html(workbook.sheets)
    left_out = sum((sheet.left_out for sheet in workbook.sheets), workbook.left_out)
    left_out["further sheet"] = max(0, len(workbook.sheets) - MAX_SHEETS)
    is_calculated = options.get("converted") and any(one.has_formulas for one in workbook.sheets)
    notes = (
        left_out_note(+left_out),
        FORMULAS_NOTE if formulas else "",
        CALCULATED_NOTE if is_calculated else "",
    )
    facts = shown_as("Spreadsheet", format_count(len(workbook.sheets), "sheet"), notes=notes)
    yield facts, html.encode("utf-8", "replace")


@dataclass(slots=True)
class Budget:
    """The limits of all sheets together, and the formulas without results that were counted."""

    shared: int = MAX_CELLS // 2
    html: int = MAX_HTML
    formulas: int = 0
    deadline: float = field(default_factory=lambda: time.process_time() + SECONDS)

    def is_spent(self) -> bool:
        return self.html <= 0 or time.process_time() > self.deadline


def sheets_html(sheets: Sequence[Sheet]) -> tuple[str, int]:
    """Return a section for each of at most MAX_SHEETS sheets, and how many cells show formulas."""
    shown = sheets[:MAX_SHEETS]
    budget = Budget()
    sections = [
        _section(n, sheet, budget, MAX_CELLS // 2 // len(shown)) for n, sheet in enumerate(shown, 1)
    ]
    tabs = "".join(
        f'<a href="#sheet-{n}" id="tab-{n}">{escape(sheet.name[:80])}</a>'
        for n, sheet in enumerate(shown, 1)
    )
    nav = f'<nav class="tabs" aria-label="Sheets">{tabs}</nav>' if len(shown) > 1 else ""
    return nav + "".join(sections), budget.formulas


def _section(number: int, sheet: Sheet, budget: Budget, share: int) -> str:
    rows, hidden, cut = _rows(sheet, budget, share)
    grid = Grid(sheet, rows)
    html, shown = _table(grid, budget)
    name = escape(sheet.name[:80])
    label = escape_attribute(sheet.name[:80])
    is_cut = cut or sheet.cut or shown < len(grid.rows)
    notes = (
        _cut_note(shown if is_cut else None, sheet.total, width_of(rows)),
        left_out_note(
            +Counter(
                {
                    "hidden row": hidden,
                    "hidden column": grid.hidden_columns,
                    "comment": sheet.comments - grid.comments,
                }
            )
        ),
    )
    text = " ".join(filter(None, notes)) or ("" if rows else _empty_note(sheet))
    note = f'<p class="note" role="note">{text}</p>' if text else ""
    region = f'tabindex="0" role="region" aria-label="{label}"{" dir=rtl" * sheet.from_right}'
    table = f'<div class="grid" {region}>{html}</div>' if html else ""
    return f'<section class="worksheet" id="sheet-{number}"><h2>{name}</h2>{note}{table}</section>'


def _empty_note(sheet: Sheet) -> str:
    is_empty = not (sheet.has_drawing or +sheet.left_out)
    return "This sheet is empty." if is_empty else "This sheet has no values."


def _rows(sheet: Sheet, budget: Budget, share: int) -> tuple[list[Row], int, bool]:
    """Return the rows with a text or a comment that the budget pays for, how many are hidden, and
    whether there are more.
    """
    kept: list[Row] = []
    left = share + budget.shared
    hidden = 0
    for number, cells in sheet.rows:
        if left <= 0 or budget.is_spent() or (kept and number <= kept[-1][0]):
            return kept, hidden, True
        filled = {column: cell for column, cell in cells.items() if cell.text or cell.comment}
        if number in sheet.hidden_rows:
            hidden += bool(filled)
        elif filled:
            kept.append((number, filled))
            left -= len(filled) + ROW_COST
    budget.shared = min(budget.shared, max(left, 0))
    return kept, hidden, False


def _cut_note(shown: int | None, total: int, columns: int) -> str:
    parts = []
    if shown is not None:
        of = f" of {total:,}" if total > shown else ""
        parts.append(f"the first {format_count(shown, 'row')}{of}")
    if columns > MAX_COLUMNS:
        parts.append(f"{MAX_COLUMNS} of {columns:,} columns")
    return f"Showing {' and '.join(parts)}. Save the original to read all of it." if parts else ""


def _table(grid: Grid, budget: Budget) -> tuple[str, int]:
    """Return the table, and how many rows with a text are in it."""
    if not grid.numbers:
        return "", 0
    out = [grid.head(), "<tbody>"]
    shown = 0
    for number in grid.numbers:
        if budget.html <= 0:
            break
        out.append("".join(grid.row(number)))
        budget.html -= len(out[-1])
        cells = grid.rows.get(number, {})
        budget.formulas += sum(cell.kind == "formula" for cell in cells.values())
        shown += bool(cells)
    return f"<table>{''.join(out)}</table>", shown
