"""The sheets of a workbook as HTML: a section for each, within one budget."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from ...markup.escaping import escape
from ...markup.formatting import format_count
from ...sandbox import MAX_HTML
from .cell_css import Stylesheet
from .sheet import MAX_COLUMNS, Row, Sheet
from .sheet_grid import MAX_GAP, Grid, width_of

MAX_SHEETS: Final = 100
MAX_CELLS: Final = 60_000  # of all sheets; half of them shared out evenly, half as needed
MAX_EMPTY_COLUMNS: Final = 12  # with lines or fills, right of the last text
SECONDS: Final = 6.0  # of CPU time
ROW_COST: Final = 2  # a row costs as much as so many cells


@dataclass(slots=True)
class Budget:
    """What all sheets together may cost, and what was counted and named in them."""

    shared: int = MAX_CELLS // 2
    html: int = MAX_HTML
    formulas: int = 0
    css: Stylesheet = field(default_factory=Stylesheet)
    deadline: float = field(default_factory=lambda: time.process_time() + SECONDS)

    def is_spent(self) -> bool:
        return self.html <= 0 or time.process_time() > self.deadline


def sheets_html(sheets: Sequence[Sheet]) -> tuple[str, str, int]:
    """Return a section for each of at most MAX_SHEETS sheets, their CSS, and the bare formulas."""
    shown, budget = sheets[:MAX_SHEETS], Budget()
    sections = [
        _section(n, sheet, budget, MAX_CELLS // 2 // len(shown)) for n, sheet in enumerate(shown, 1)
    ]
    tabs = "".join(
        f'<a href="#sheet-{n}" id="tab-{n}">{escape(sheet.name[:80])}</a>'
        for n, sheet in enumerate(shown, 1)
    )
    nav = f'<nav class="tabs" aria-label="Sheets">{tabs}</nav>' if len(shown) > 1 else ""
    return nav + "".join(sections), budget.css.text(), budget.formulas


def _section(number: int, sheet: Sheet, budget: Budget, share: int) -> str:
    kept, cut = _rows(sheet, budget, share)
    rows = _near_text(kept)
    grid = Grid(sheet, rows, budget.css)
    html, shown = _table(grid, budget)
    name = escape(sheet.name[:80])
    is_cut = cut or sheet.cut or shown < len(grid.cells)
    notes = (_cut_note(shown if is_cut else None, sheet.total, width_of(rows)), _hidden_note(grid))
    text = " ".join(filter(None, notes)) or ("" if rows else "This sheet is empty.")
    note = f'<p class="note" role="note">{text}</p>' if text else ""
    region = f'tabindex="0" role="region" aria-label="{name}"{" dir=rtl" * sheet.from_right}'
    return (
        f'<section class="worksheet" id="sheet-{number}">'
        f'<h2>{name}</h2>{note}<div class="grid" {region}>{html}</div></section>'
    )


def _rows(sheet: Sheet, budget: Budget, share: int) -> tuple[list[Row], bool]:
    """Return the rows with content that the budget pays for, and whether there are more."""
    kept: list[Row] = []
    left = share + budget.shared
    for number, cells in sheet.rows:
        if left <= 0 or budget.is_spent() or (kept and number <= kept[-1][0]):
            return kept, True
        filled = {
            column: cell
            for column, cell in cells.items()
            if cell.text or (column < MAX_COLUMNS and cell.look.shows_empty)
        }
        if number in sheet.hidden_rows:
            sheet.hidden_texts += bool(filled)
        elif filled:
            kept.append((number, filled))
            left -= len(filled) + ROW_COST
    budget.shared = min(budget.shared, max(left, 0))
    return kept, False


def _near_text(rows: Sequence[Row]) -> list[Row]:
    """Leave out cells without a text that are far behind the last text, on the right or below."""
    texts = [(number, [c for c, cell in cells.items() if cell.text]) for number, cells in rows]
    last = max((number for number, columns in texts if columns), default=0)
    end = max((max(columns) + 1 for _, columns in texts if columns), default=0) + MAX_EMPTY_COLUMNS
    near = ((n, {c: cells[c] for c in cells if c < end}) for n, cells in rows)
    return [(number, cells) for number, cells in near if cells and number <= last + MAX_GAP]


def _cut_note(shown: int | None, total: int, columns: int) -> str:
    parts = []
    if shown is not None:
        of = f" of {total:,}" if total > shown else ""
        parts.append(f"the first {format_count(shown, 'row')}{of}")
    if columns > MAX_COLUMNS:
        parts.append(f"{MAX_COLUMNS} of {columns:,} columns")
    return f"Showing {' and '.join(parts)}. Save the original to read all of it." if parts else ""


def _hidden_note(grid: Grid) -> str:
    counts = {"row": grid.sheet.hidden_texts, "column": grid.hidden_columns}
    parts = [format_count(count, f"hidden {noun}") for noun, count in counts.items() if count]
    verb = "is" if sum(counts.values()) == 1 else "are"
    return f"{' and '.join(parts)} {verb} not shown." if parts else ""


def _table(grid: Grid, budget: Budget) -> tuple[str, int]:
    """Return the table, and how many rows with content are in it."""
    if not grid.numbers:
        return "", 0
    out, shown = [grid.head()], 0
    for index, number in enumerate(grid.numbers):
        if budget.html <= 0:
            break
        row = "".join(grid.row(index))
        budget.html -= len(row)
        budget.formulas += grid.formulas(index)
        shown += number in grid.cells
        out.append(("</thead><tbody>" if index == grid.frozen else "") + row)
    names = {"sized": grid.sheet.columns, "unruled": not grid.sheet.has_grid_lines}
    classes = " ".join(name for name, applies in names.items() if applies)
    attribute = f' class="{classes}"' if classes else ""
    end = "</thead>" if len(out) <= grid.frozen + 1 else "</tbody>"
    return f"<table{attribute}>{''.join(out)}{end}</table>", shown
