"""Renders the sheets of a workbook: a grid for each, with column letters and row numbers."""

import time
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from ...escaping import escape
from ...formatting import format_count
from .. import MAX_HTML

MAX_SHEETS: Final = 100
MAX_CELLS: Final = 60_000  # of all sheets; half of them shared out evenly, half as needed
MAX_COLUMNS: Final = 200
MAX_CELL_LENGTH: Final = 5_000
MAX_MERGES: Final = 10_000  # of a sheet
MAX_GAP: Final = 20  # empty rows shown in a row
SECONDS: Final = 6.0  # of CPU time
LONG_CELL: Final = 60
LONG_LINE: Final = 200  # characters of a text over several columns that stay on one line
OVERFLOWING: Final = 12  # characters: a longer text reaches over the empty cells on its right
ROW_COST: Final = 2  # a row costs as much as so many cells


class Cell(NamedTuple):
    """The text of a cell as its format shows it; `style` is a CSS class."""

    text: str
    style: str = ""
    bold: bool = False


Row = tuple[int, Mapping[int, Cell]]  # number from 1, cells by column from 0


class Merge(NamedTuple):
    """Rows from 1, columns from 0, both ends included."""

    top: int
    left: int
    bottom: int
    right: int


@dataclass(slots=True, eq=False)
class Sheet:
    """`rows` is read once, and first: the other facts may be known only then.

    `total` is the number of the last row, 0 if unknown; `cut` whether `rows` lacks some.
    """

    name: str
    rows: Iterable[Row]
    merges: Iterable[Merge] = ()
    total: int = 0
    cut: bool = False


@dataclass(slots=True)
class Budget:
    """What all sheets together may cost."""

    shared: int = MAX_CELLS // 2
    html: int = MAX_HTML
    formulas: int = 0
    deadline: float = field(default_factory=lambda: time.process_time() + SECONDS)

    def is_spent(self) -> bool:
        return self.html <= 0 or time.process_time() > self.deadline


def sheets_html(sheets: Sequence[Sheet]) -> tuple[str, int]:
    """Return a section for each of at most MAX_SHEETS sheets, and the number of bare formulas."""
    shown, budget = sheets[:MAX_SHEETS], Budget()
    sections = (
        _section(n, sheet, budget, MAX_CELLS // 2 // len(shown)) for n, sheet in enumerate(shown, 1)
    )
    tabs = _tabs(shown) if len(shown) > 1 else ""
    return tabs + "".join(sections), budget.formulas


def _tabs(sheets: Sequence[Sheet]) -> str:
    links = "".join(
        f'<a href="#sheet-{n}" id="tab-{n}">{escape(sheet.name[:80])}</a>'
        for n, sheet in enumerate(sheets, 1)
    )
    return f'<nav class="tabs" aria-label="Sheets">{links}</nav>'


def _section(number: int, sheet: Sheet, budget: Budget, share: int) -> str:
    rows, cut = _rows(sheet.rows, budget, share)
    columns = _width(rows)
    view = _View(rows, sheet.merges, min(columns, MAX_COLUMNS))
    html, shown = view.table(budget)
    name = escape(sheet.name[:80])
    is_cut = cut or sheet.cut or shown < len(rows)
    note = _note(shown if is_cut else None, sheet.total, columns)
    return (
        f'<section class="worksheet" id="sheet-{number}">'
        f"<h2>{name}</h2>{note}"
        f'<div class="grid" tabindex="0" role="region" aria-label="{name}">{html}</div></section>'
    )


def _rows(rows: Iterable[Row], budget: Budget, share: int) -> tuple[list[Row], bool]:
    """Return the rows with content that the budget pays for, and whether there are more."""
    kept: list[Row] = []
    left = share + budget.shared
    for number, cells in rows:
        if left <= 0 or budget.is_spent() or (kept and number <= kept[-1][0]):
            return kept, True
        filled = {column: cell for column, cell in cells.items() if cell.text}
        if filled:
            kept.append((number, filled))
            left -= len(filled) + ROW_COST
    budget.shared = min(budget.shared, max(left, 0))
    return kept, False


def _width(rows: Sequence[Row]) -> int:
    return max((max(cells) + 1 for _, cells in rows), default=0)


def _note(shown: int | None, total: int, columns: int) -> str:
    parts = []
    if shown is not None:
        of = f" of {total:,}" if total > shown else ""
        parts.append(f"the first {format_count(shown, 'row')}{of}")
    if columns > MAX_COLUMNS:
        parts.append(f"{MAX_COLUMNS} of {columns:,} columns")
    if not parts:
        return "" if columns else '<p class="note">This sheet is empty.</p>'
    text = f"Showing {' and '.join(parts)}. Save the original to read all of it."
    return f'<p class="note" role="note">{text}</p>'


class _View:
    """A grid: the rows that are drawn, some of them empty, and the cells that are merged."""

    def __init__(self, rows: Sequence[Row], merges: Iterable[Merge], columns: int) -> None:
        self.cells = dict(rows)
        self.numbers = list(_with_gaps([number for number, _ in rows]))
        self.columns = columns
        self.spans: dict[tuple[int, int], tuple[int, int]] = {}
        self.covered: set[tuple[int, int]] = set()
        self.area_left = 2 * MAX_CELLS
        for merge in merges:
            self._merge(merge)

    def table(self, budget: Budget) -> tuple[str, int]:
        """Return the table, and how many rows with content are in it."""
        letters = "".join(f'<th scope="col">{column_name(n)}</th>' for n in range(self.columns))
        corner = '<th scope="col"><span class="hidden">Row</span></th>'
        out, shown = [f"<thead><tr>{corner}{letters}</tr></thead>"], 0
        for number in self.numbers:
            if budget.html <= 0:
                break
            row = "".join(self._row(number, budget))
            budget.html -= len(row)
            shown += number in self.cells
            out.append(row)
        return f"<table>{''.join(out)}</table>" if self.numbers else "", shown

    def _merge(self, merge: Merge) -> None:
        """Add a merged area, as far as it is drawn; leave out one that overlaps another."""
        first, stop = bisect_left(self.numbers, merge.top), bisect_right(self.numbers, merge.bottom)
        rows, columns = (
            self.numbers[first:stop],
            range(merge.left, min(merge.right + 1, self.columns)),
        )
        self.area_left -= len(rows) * len(columns)
        if len(rows) * len(columns) < 2 or self.area_left < 0:
            return
        area = {(row, column) for row in rows for column in columns}
        if rows[0] == merge.top and area.isdisjoint(self.covered) and area.isdisjoint(self.spans):
            self.spans[merge.top, merge.left] = (len(rows), len(columns))
            self.covered |= area - {(merge.top, merge.left)}

    def _row(self, number: int, budget: Budget) -> Iterator[str]:
        yield f'<tr><th scope="row">{number}</th>'
        cells = self.cells.get(number, {})
        column = 0
        while column < self.columns:
            if (number, column) in self.covered:
                column += 1
                continue
            cell = cells.get(column, EMPTY)
            rows, columns = self.spans.get((number, column), (1, 0))
            columns = columns or 1 + self._free_cells(number, column, cell)
            budget.formulas += cell.style == "formula"
            yield _cell(cell, rows, columns, reaches_end=column + columns == self.columns)
            column += columns
        yield "</tr>"

    def _free_cells(self, number: int, column: int, cell: Cell) -> int:
        """Return over how many cells on its right an empty cell or a long text reaches."""
        if cell.text and (cell.style or len(cell.text) <= OVERFLOWING):
            return 0
        cells, end = self.cells.get(number, {}), column + 1
        while end < self.columns and end not in cells and self._is_single(number, end):
            end += 1
        return end - column - 1

    def _is_single(self, number: int, column: int) -> bool:
        return (number, column) not in self.covered and (number, column) not in self.spans


EMPTY: Final = Cell("")


def column_name(column: int) -> str:
    """`A` for 0, `AB` for 27."""
    name, rest = "", column + 1
    while rest:
        rest, digit = divmod(rest - 1, 26)
        name = chr(65 + digit) + name
    return name


def _with_gaps(numbers: Sequence[int]) -> Iterator[int]:
    """Yield the numbers with the empty rows before them, at most MAX_GAP."""
    before = 0
    for number in numbers:
        if number - before <= MAX_GAP:
            yield from range(before + 1, number)
        yield number
        before = number


def _cell(cell: Cell, rows: int, columns: int, *, reaches_end: bool) -> str:
    """Return a cell; one text over the last columns does not make them wider."""
    text = cell.text[:MAX_CELL_LENGTH].replace("\r\n", "\n").replace("\r", "\n")
    shape = _shape(text, columns, over=columns > 1 and rows == 1 and reaches_end)
    names = filter(None, (cell.style, shape, "bold" if cell.bold else ""))
    classes = " ".join(names)
    attributes = f' class="{classes}"' if classes else ""
    attributes += f' colspan="{columns}"' if columns > 1 else ""
    attributes += f' rowspan="{rows}"' if rows > 1 else ""
    return f"<td{attributes}>{escape(text)}</td>"


def _shape(text: str, columns: int, *, over: bool) -> str:
    """Return the CSS class by which a text is broken into lines, or goes over others."""
    if max(map(len, text.split("\n"))) > (LONG_CELL if columns == 1 else LONG_LINE):
        return "long"
    if "\n" in text:
        return "lines"
    return "over" if over and text else ""
