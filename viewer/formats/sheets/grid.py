"""The table of a sheet: its rows and columns that are drawn, with merged cells."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from ...markup.escaping import escape
from .cells import EMPTY, MAX_COLUMNS, Cell, Merge, Row, Sheet

MAX_AREA: Final = 120_000  # cells of a sheet, empty ones included, that are drawn one by one
MAX_CELL_LENGTH: Final = 5_000
MAX_GAP: Final = 19  # empty rows between two others that are drawn; of more none is
LONG_CELL: Final = 60
LONG_LINE: Final = 200  # characters of a text over several columns that stay on one line
OVERFLOWING: Final = 12  # characters: a longer text reaches over the empty cells on its right


class Grid:
    """Rows by `numbers`, columns by `places`: those of the file that are not hidden."""

    def __init__(self, sheet: Sheet, rows: Sequence[Row]) -> None:
        self.rows = dict(rows)
        columns = range(min(width_of(rows), MAX_COLUMNS))
        self.places = [place for place in columns if place not in sheet.hidden_columns]
        self.hidden_columns = len(columns) - len(self.places)
        drawn = _with_gaps([number for number, _ in rows])
        self.numbers = [number for number in drawn if number not in sheet.hidden_rows]
        self.joins_empty = len(self.numbers) * len(self.places) > MAX_AREA
        self.spans: dict[tuple[int, int], tuple[int, int]] = {}  # by row and column as drawn
        self.covered: set[tuple[int, int]] = set()
        self.area_left = MAX_AREA
        self.comments = 0  # that have been drawn
        for merge in sheet.merges:
            self._merge(merge)

    def head(self) -> str:
        """Return the letters of the columns."""
        letters = "".join(f"<th>{column_name(place)}" for place in self.places)
        return f"<thead><tr><th><span class=hidden>Row</span>{letters}"

    def row(self, number: int) -> Iterator[str]:
        """Yield the HTML of a row, without end tags and scopes, which are optional."""
        yield f"<tr><th>{number}"
        at = 0
        while at < len(self.places):
            if (number, at) in self.covered:
                at += 1
                continue
            cell = self._cell(number, at)
            rows, columns = self.spans.get((number, at)) or (1, self._reach(number, at, cell))
            yield _html(cell, rows, columns, ends=at + columns == len(self.places))
            if cell.comment:
                self.comments += 1
                yield _comment(cell.comment, f"{column_name(self.places[at])}{number}")
            at += columns

    def _cell(self, number: int, at: int) -> Cell:
        return self.rows.get(number, {}).get(self.places[at], EMPTY)

    def _merge(self, merge: Merge) -> None:
        """Add a merged area, as far as it is drawn; leave out one that overlaps another."""
        first = bisect_left(self.numbers, merge.top)
        stop = bisect_right(self.numbers, merge.bottom)
        left = bisect_left(self.places, merge.left)
        end = bisect_right(self.places, merge.right)
        rows = self.numbers[first:stop]
        columns = range(left, end)
        self.area_left -= len(rows) * len(columns)
        if len(rows) * len(columns) < 2 or self.area_left < 0:
            return
        area = {(row, column) for row in rows for column in columns}
        start = (rows[0], left)
        is_whole = start == (merge.top, left) and self.places[left] == merge.left
        if is_whole and area.isdisjoint(self.covered) and area.isdisjoint(self.spans):
            self.spans[start] = (len(rows), len(columns))
            self.covered |= area - {start}

    def _reach(self, number: int, at: int, cell: Cell) -> int:
        """Return how many columns a long text takes, or an empty cell of a large sheet."""
        end = at + 1
        joins = len(cell.text) > OVERFLOWING and not cell.kind if cell.text else self.joins_empty
        if joins and not cell.comment:
            while end < len(self.places) and self._is_free(number, end):
                end += 1
        return end - at

    def _is_free(self, number: int, at: int) -> bool:
        place = (number, at)
        cell = self._cell(*place)
        return not (cell.text or cell.comment or place in self.covered or place in self.spans)


def _html(cell: Cell, rows: int, columns: int, *, ends: bool) -> str:
    """Return a cell; one text over the last columns does not make them wider."""
    text = cell.text[:MAX_CELL_LENGTH].replace("\r\n", "\n").replace("\r", "\n")
    if max(map(len, text.split("\n"))) > (LONG_CELL if columns == 1 else LONG_LINE):
        shape = "long"
    elif "\n" in text:
        shape = "lines"
    else:
        shape = "over" if text and rows == 1 < columns and ends else ""
    weight = "bold" if cell.bold else ""
    names = " ".join(filter(None, (cell.kind, shape, weight)))
    attributes = (f' class="{names}"' if " " in names else f" class={names}") if names else ""
    attributes += f" colspan={columns}" if columns > 1 else ""
    attributes += f" rowspan={rows}" if rows > 1 else ""
    return f"<td{attributes}>{escape(text, quotes=False)}"


def _comment(text: str, place: str) -> str:
    """Return a comment that opens in its cell."""
    return (
        f'<details class=comment><summary aria-label="Comment on {place}"></summary>'
        f"<p>{escape(text[:MAX_CELL_LENGTH], quotes=False)}</p></details>"
    )


def width_of(rows: Iterable[Row]) -> int:
    """Return the number of columns up to the last one."""
    return max((max(cells) + 1 for _, cells in rows), default=0)


def column_name(column: int) -> str:
    """Return `A` for 0, `AB` for 27."""
    name = ""
    rest = column + 1
    while rest:
        rest, digit = divmod(rest - 1, 26)
        name = chr(65 + digit) + name
    return name


def _with_gaps(numbers: Sequence[int]) -> Iterator[int]:
    """Yield the numbers, each after those of the empty rows before it if they are few: MAX_GAP."""
    before = 0
    for number in numbers:
        empty = range(before + 1, number)
        if len(empty) <= MAX_GAP:
            yield from empty
        yield number
        before = number
