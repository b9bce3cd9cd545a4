"""The styles of Excel's binary workbooks, which number what XLSX names.

Source: MS-XLSB 2.5.4 (Blxf), 2.5.160 (XFProps); MS-XLS 2.5.20 (CellXF).
"""

from collections.abc import Sequence
from typing import Final

from .cell_look import MAX_INDENT, Line
from .xlsx_styles import ALIGNS, PATTERNS, VERTICALS, Fields, fill, line, turned

LINES: Final = (
    *("none", "thin", "medium", "dashed", "dotted", "thick", "double", "hair", "mediumDashed"),
    *("dashDot", "mediumDashDot", "dashDotDot", "mediumDashDotDot", "slantDashDot"),
)
FILLS: Final = {
    **{0: "none", 1: "solid", 2: "mediumGray", 3: "darkGray", 4: "lightGray"},
    **{17: "gray125", 18: "gray0625"},
}
HORIZONTAL: Final = (
    *("general", "left", "center", "right", "fill", "justify", "centerContinuous"),
    "distributed",
)
VERTICAL: Final = ("top", "center", "bottom", "justify", "distributed")


def numbered_line(number: int, color: int | None) -> Line:
    return line(_name(LINES, number), color)


def numbered_fill(number: int, front: int | None, back: int | None) -> Fields:
    return fill(front, back, PATTERNS[FILLS.get(number, "gray125")])


def numbered_alignment(across: int, down: int, *, wraps: bool, indent: int, degrees: int) -> Fields:
    return {
        "align": ALIGNS.get(_name(HORIZONTAL, across), ""),
        "vertical": VERTICALS.get(_name(VERTICAL, down), ""),
        "wraps": wraps,
        "indent": min(indent, MAX_INDENT),
        "turned": turned(degrees),
    }


def _name(names: Sequence[str], number: int) -> str:
    return names[number] if number < len(names) else ""
