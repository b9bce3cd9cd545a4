"""What the reader of a workbook gives for each sheet."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from .cell_look import PLAIN, Look

MAX_COLUMNS: Final = 200
MAX_MERGES: Final = 10_000  # of a sheet


class Cell(NamedTuple):
    """The text of a cell as its format shows it; `kind` is a CSS class."""

    text: str
    kind: str = ""
    look: Look = PLAIN


EMPTY: Final = Cell("")
Row = tuple[int, Mapping[int, Cell]]  # number from 1, cells by column from 0


class Merge(NamedTuple):
    """Rows from 1, columns from 0, both ends included."""

    top: int
    left: int
    bottom: int
    right: int


class Column(NamedTuple):
    """The width is in digits of the usual font."""

    width: float
    hidden: bool = False


@dataclass(slots=True, eq=False)
class Sheet:
    """`rows` is read once, and first: the other facts may be known only then.

    `total` is the number of the last row, 0 if unknown; `cut` whether `rows` lacks some; `frozen`
    the number of the last row that stays in view.
    """

    name: str
    rows: Iterable[Row]
    merges: Iterable[Merge] = ()
    total: int = 0
    cut: bool = False
    columns: dict[int, Column] = field(default_factory=dict)
    usual_width: float = 8.43
    hidden_rows: set[int] = field(default_factory=set)
    hidden_texts: int = 0  # of these rows, those with a text
    frozen: int = 0
    has_grid_lines: bool = True
    from_right: bool = False  # whether the first column is on the right

    def add_columns(self, first: int, last: int, column: Column) -> None:
        """Describe the columns from the first to the last, as far as they can be shown."""
        for place in range(first, min(last, MAX_COLUMNS - 1) + 1):
            self.columns[place] = column
