"""Workbooks as they are read: sheets of cells, each with its text."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from .number_format import GENERAL, format_number

MAX_COLUMNS: Final = 200
MAX_CELLS: Final = 60_000  # of all sheets; half of them shared out evenly, half as needed
SECONDS: Final = 6.0  # of CPU time
MAX_MERGES: Final = 10_000  # of a sheet


class Cell(NamedTuple):
    """The text of a cell as its format shows it; `kind` is a CSS class."""

    text: str
    kind: str = ""
    bold: bool = False
    comment: str = ""


EMPTY: Final = Cell("")
Row = tuple[int, Mapping[int, Cell]]  # number from 1, cells by column from 0


class Style(NamedTuple):
    """A number format and a weight, to which cells refer."""

    code: str = GENERAL
    bold: bool = False

    def number(self, value: float, *, from_1904: bool) -> Cell:
        return Cell(format_number(value, self.code, from_1904=from_1904), "num", self.bold)


class Merge(NamedTuple):
    """Rows from 1, columns from 0, both ends included."""

    top: int
    left: int
    bottom: int
    right: int


@dataclass(slots=True, eq=False)
class Sheet:
    """`rows` is read once, and first: the other facts may be known only then.

    `total` is the number of the last row, 0 if unknown; `cut` whether `rows` lacks some; `comments`
    the number of cells that have one.
    """

    name: str
    rows: Iterable[Row] = ()
    merges: Iterable[Merge] = ()
    total: int = 0
    cut: bool = False
    hidden_columns: set[int] = field(default_factory=set)
    hidden_rows: set[int] = field(default_factory=set)
    from_right: bool = False  # whether the first column is on the right
    comments: int = 0
    has_drawing: bool = False  # charts, pictures or shapes
    has_formulas: bool = False
    left_out: Counter[str] = field(default_factory=Counter)


class Workbook(NamedTuple):
    """The visible sheets, and what is not shown, by its noun."""

    sheets: list[Sheet]
    left_out: Counter[str]
