"""The grid of a sheet: its rows and columns that are drawn, with merged cells, lines and fills."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from ...markup.escaping import escape
from .cell_css import Stylesheet, column_width
from .sheet import EMPTY, MAX_COLUMNS, Cell, Line, Merge, Row, Sheet

MAX_AREA: Final = 120_000  # cells of a sheet, empty ones included, that are drawn one by one
MAX_CELL_LENGTH: Final = 5_000
MAX_GAP: Final = 20  # empty rows shown in a row
MAX_FROZEN: Final = 5  # rows that stay in view
LONG_CELL: Final = 60
LONG_WORD: Final = 30
LONG_LINE: Final = 200  # characters of a text over several columns that stay on one line
OVERFLOWING: Final = 12  # characters: a longer text reaches over the empty cells on its right


class Grid:
    """Columns are counted as they are drawn: `places` are those of the file that are not hidden."""

    def __init__(self, sheet: Sheet, rows: Sequence[Row], css: Stylesheet) -> None:
        self.sheet, self.css = sheet, css
        width = width_of(rows)
        self.places = [n for n in range(min(width, MAX_COLUMNS)) if not _is_hidden(sheet, n)]
        self.hidden_columns = min(width, MAX_COLUMNS) - len(self.places)
        self.columns = len(self.places)
        self.cells = {number: self._visible(cells) for number, cells in rows}
        drawn = _with_gaps([number for number, _ in rows])
        self.numbers = [number for number in drawn if number not in sheet.hidden_rows]
        self.joins_empty = len(self.numbers) * self.columns > MAX_AREA
        self.spans: dict[tuple[int, int], tuple[int, int]] = {}
        self.covered: set[tuple[int, int]] = set()
        self.area_left = MAX_AREA
        for merge in sheet.merges:
            self._merge(merge)
        self.frozen = self._frozen()

    def head(self) -> str:
        """Return what is before the rows: the widths of the columns, and their letters."""
        letters = "".join(f'<th scope="col">{column_name(n)}</th>' for n in self.places)
        corner = '<th scope="col"><span class="hidden">Row</span></th>'
        return f"{self._widths()}<thead><tr>{corner}{letters}</tr>"

    def row(self, index: int) -> Iterator[str]:
        """Yield the HTML of a row, by its place in `numbers`."""
        number = self.numbers[index]
        yield f'<tr><th scope="row">{number}</th>'
        column = 0
        while column < self.columns:
            if (number, column) in self.covered:
                column += 1
                continue
            cell = self._cell(number, column)
            rows, columns = self.spans.get((number, column), (1, 0))
            columns = columns or 1 + self._free_cells(number, column, cell)
            css_class = self._css_class(index, column, rows, columns)
            over = rows == 1 < columns and column + columns == self.columns
            yield self._html(cell, css_class, columns, rows, over=over)
            column += columns
        yield "</tr>"

    def formulas(self, index: int) -> int:
        """Return how many cells of a row show their formula."""
        return sum(cell.kind == "formula" for cell in self._cells(index).values())

    def _visible(self, cells: Mapping[int, Cell]) -> Mapping[int, Cell]:
        if not self.hidden_columns:
            return cells
        return {at: cells[place] for at, place in enumerate(self.places) if place in cells}

    def _widths(self) -> str:
        """Return the columns' widths; without any in the file, they are as wide as their texts."""
        known, usual = self.sheet.columns, self.sheet.usual_width
        if not known:
            return ""
        widths = (known[n].width if n in known else usual for n in self.places)
        names = (self.css.name(column_width(width)) for width in widths)
        return f"<colgroup><col>{''.join(f'<col class={name}>' for name in names)}</colgroup>"

    def _merge(self, merge: Merge) -> None:
        """Add a merged area, as far as it is drawn; leave out one that overlaps another."""
        first, stop = bisect_left(self.numbers, merge.top), bisect_right(self.numbers, merge.bottom)
        left, end = bisect_left(self.places, merge.left), bisect_right(self.places, merge.right)
        rows, columns = self.numbers[first:stop], range(left, end)
        self.area_left -= len(rows) * len(columns)
        if len(rows) * len(columns) < 2 or self.area_left < 0:
            return
        area = {(row, column) for row in rows for column in columns}
        start = (rows[0], left)
        is_whole = start == (merge.top, left) and self.places[left] == merge.left
        if is_whole and area.isdisjoint(self.covered) and area.isdisjoint(self.spans):
            self.spans[start] = (len(rows), len(columns))
            self.covered |= area - {start}

    def _frozen(self) -> int:
        """Return how many rows at the start stay in view; none that a merged area leaves."""
        count = bisect_right(self.numbers, self.sheet.frozen)
        inside = all(
            bisect_left(self.numbers, top) + rows <= count
            for (top, _), (rows, _) in self.spans.items()
            if top <= self.sheet.frozen
        )
        return count if count <= MAX_FROZEN and inside else 0

    def _cells(self, index: int) -> Mapping[int, Cell]:
        return self.cells.get(self.numbers[index], {}) if 0 <= index < len(self.numbers) else {}

    def _cell(self, number: int, column: int) -> Cell:
        return self.cells.get(number, {}).get(column, EMPTY)

    def _css_class(self, index: int, column: int, rows: int, columns: int) -> str:
        """Return the class of a cell; lines between two cells are drawn on the left and below."""
        first, last, below = (self._cells(index + n) for n in (0, rows - 1, rows))
        look = first.get(column, EMPTY).look
        end = column + columns
        left = max(look.left, first.get(column - 1, EMPTY).look.right)
        bottom = max(last.get(column, EMPTY).look.bottom, below.get(column, EMPTY).look.top)
        right = first.get(end - 1, EMPTY).look.right if end == self.columns else Line()
        top = look.top if not index else Line()
        return self.css.name_of_cell(look, left, bottom, right, top)

    def _free_cells(self, number: int, column: int, cell: Cell) -> int:
        """Return over how many cells on its right a long text reaches, or an empty cell."""
        if not (_overflows(cell) if cell.text else self.joins_empty):
            return 0
        end = column + 1
        while end < self.columns and self._is_free(number, end, cell):
            end += 1
        return end - column - 1

    def _is_free(self, number: int, column: int, cell: Cell) -> bool:
        """Whether a text may go over this cell: it is empty, single, and has the same fill."""
        place, other = (number, column), self._cell(number, column)
        if other.text or place in self.covered or place in self.spans:
            return False
        before = self._cell(number, column - 1).look
        same = other.look.fill == cell.look.fill and other.look.bottom == cell.look.bottom
        return same and not (other.look.left.width or before.right.width)

    def _html(self, cell: Cell, look: str, columns: int, rows: int, *, over: bool) -> str:
        """Return a cell; one text over the last columns does not make them wider."""
        text = cell.text[:MAX_CELL_LENGTH].replace("\r\n", "\n").replace("\r", "\n")
        shape = self._shape(text, cell, columns, over=over)
        classes = (cell.kind, shape, cell.look.turned, look)
        names = " ".join(filter(None, classes))
        attributes = f' class="{names}"' if names else ""
        attributes += f' colspan="{columns}"' if columns > 1 else ""
        attributes += f' rowspan="{rows}"' if rows > 1 else ""
        return f"<td{attributes}>{escape(text)}</td>"

    def _shape(self, text: str, cell: Cell, columns: int, *, over: bool) -> str:
        """Return the CSS class by which a text is broken into lines, or goes over others."""
        if cell.look.wraps and self.sheet.columns and cell.kind != "num":
            is_one_word = any(len(word) > LONG_WORD for word in text.split())
            return "breaks" if is_one_word else "wraps"
        if max(map(len, text.split("\n"))) > (LONG_CELL if columns == 1 else LONG_LINE):
            return "long"
        if "\n" in text:
            return "lines"
        return "over" if over and text else ""


def _overflows(cell: Cell) -> bool:
    is_left = cell.look.align in ("", "left") and not (cell.kind or cell.look.wraps)
    return is_left and len(cell.text) > OVERFLOWING


def _is_hidden(sheet: Sheet, column: int) -> bool:
    return column in sheet.columns and sheet.columns[column].hidden


def width_of(rows: Iterable[Row]) -> int:
    """Return the number of columns up to the last one."""
    return max((max(cells) + 1 for _, cells in rows if cells), default=0)


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
