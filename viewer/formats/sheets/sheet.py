"""What the readers of workbooks give: sheets of cells, each with its text and its look.

Colours are 24 bits, red first; None is that of the page.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from .number_format import GENERAL, format_number

MAX_COLUMNS: Final = 200
MAX_MERGES: Final = 10_000  # of a sheet
MAX_INDENT: Final = 15
WHITE, BLACK = 0xFFFFFF, 0x000000
HEX: Final = re.compile(r"(?:[\dA-Fa-f]{2})?([\dA-Fa-f]{6})")
SIDES: Final = ("left", "right", "top", "bottom")
# By the names of XLSX, which XLS numbers (ECMA-376 part 1, 18.18).
ALIGNS: Final = {
    **{"left": "left", "right": "right", "center": "center", "centerContinuous": "center"},
    **{"justify": "justify", "distributed": "justify"},
}
VERTICALS: Final = {"top": "top", "center": "middle", "justify": "top", "distributed": "middle"}
PATTERNS: Final = {  # the share of the front colour
    **{"none": 0.0, "solid": 1.0, "darkGray": 0.75, "mediumGray": 0.5, "lightGray": 0.25},
    **{"gray125": 0.125, "gray0625": 0.0625},
}
LINES: Final = {  # pixels, and the style of CSS
    **dict.fromkeys(("thin", "hair"), (1, "solid")),
    **dict.fromkeys(("dotted", "dashed", "dashDot", "dashDotDot"), (1, "dashed")),
    **dict.fromkeys(("medium", "slantDashDot"), (2, "solid")),
    **dict.fromkeys(("mediumDashed", "mediumDashDot", "mediumDashDotDot"), (2, "dashed")),
    **{"thick": (3, "solid"), "double": (3, "double")},
}

Fields = dict[str, Any]  # of a look


class Line(NamedTuple):
    """A line at the edge of a cell: pixels, a style of CSS, and a colour."""

    width: int = 0
    style: str = "solid"
    color: int = BLACK


class Look(NamedTuple):
    """`size` is a percentage of the usual one; `align` and `vertical` are values of CSS.

    `turned` is `up` or `down` for a text that stands.
    """

    bold: bool = False
    italic: bool = False
    struck: bool = False
    underlined: bool = False
    color: int | None = None
    fill: int | None = None
    size: int = 100
    align: str = ""
    vertical: str = ""
    wraps: bool = False
    indent: int = 0
    turned: str = ""
    left: Line = Line()
    right: Line = Line()
    top: Line = Line()
    bottom: Line = Line()

    @property
    def shows_empty(self) -> bool:
        """Whether it is seen in a cell without text."""
        lines = (self.left, self.right, self.top, self.bottom)
        return self.fill is not None or any(line.width and line.color != WHITE for line in lines)


PLAIN: Final = Look()


class Cell(NamedTuple):
    """The text of a cell as its format shows it; `kind` is a CSS class."""

    text: str
    kind: str = ""
    look: Look = PLAIN


EMPTY: Final = Cell("")
Row = tuple[int, Mapping[int, Cell]]  # number from 1, cells by column from 0


class Style(NamedTuple):
    """What the cells of a workbook refer to: a number format and a look."""

    code: str = GENERAL
    look: Look = PLAIN

    def number(self, value: float, *, from_1904: bool) -> Cell:
        """Return the cell of a number, to which the format may give a colour."""
        text, color = format_number(value, self.code, from_1904=from_1904)
        return Cell(text, "num", self.look if color is None else self.look._replace(color=color))


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
    rows: Iterable[Row] = ()
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
        self.columns |= dict.fromkeys(range(first, min(last + 1, MAX_COLUMNS)), column)


class Workbook(NamedTuple):
    """The visible sheets, the number of hidden ones, and what a grid can't show, by its noun."""

    sheets: list[Sheet]
    hidden: int
    beside_cells: Counter[str]


def pattern_fill(front: int | None, back: int | None, share: float) -> Fields:
    """Return the fill of a pattern; white is that of the page."""
    if not share or (share == 1 and front is None):
        return {}
    color = mixed(WHITE if back is None else back, front or BLACK, share)
    return {} if color == WHITE else {"fill": color}


def border_line(style: str, color: int | None) -> Line:
    """Return a line by the name of its style; none for an unknown one."""
    width, css_style = LINES.get(style, (0, ""))
    return Line(width, css_style, color or BLACK) if width else Line()


def alignment(across: str, down: str, *, wraps: bool, indent: int, degrees: int) -> Fields:
    return {
        "align": ALIGNS.get(across, ""),
        "vertical": VERTICALS.get(down, ""),
        "wraps": wraps,
        "indent": min(indent, MAX_INDENT),
        "turned": turned(degrees),
    }


def turned(degrees: int) -> str:
    """Return the direction of a text that stands: from 1 to 90 it rises, above it falls."""
    return "up" if 60 <= degrees <= 90 else "down" if degrees >= 150 else ""


def parse_color(text: str | None) -> int | None:
    """Return the colour of six hexadecimal digits, or of eight that begin with opacity."""
    match = HEX.fullmatch(text or "")
    return int(match[1], 16) if match else None


def mixed(color: int, other: int, share: float) -> int:
    """Return a color with a share of another."""
    pairs = zip(color.to_bytes(3), other.to_bytes(3), strict=True)
    return int.from_bytes(round(a + (b - a) * share) for a, b in pairs)
