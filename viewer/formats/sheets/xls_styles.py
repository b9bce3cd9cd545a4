"""The styles of XLS workbooks, as xlrd reads them: number formats and looks.

Source: MS-XLS 2.5.20 (CellXF), which numbers what XLSX names.
"""

from collections.abc import Sequence
from typing import Any, Final

from .cell_look import MAX_INDENT, PLAIN, Line, Look
from .number_format import BUILT_IN, GENERAL
from .xlsx_styles import ALIGNS, PATTERNS, VERTICALS, Fields, Style, fill, line, turned

LOCAL_DATES: Final = (14, 22)  # xlrd has one country's
USUAL_HEIGHT: Final = 200  # twentieths of a point
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


class Styles(dict[int, Style]):
    """The styles of a workbook by their numbers, each made when it is asked for."""

    def __init__(self, book: Any) -> None:
        super().__init__()
        self.book = book
        first = next(iter(book.font_list), None)
        self.usual_height = (first.height if first else 0) or USUAL_HEIGHT

    def __missing__(self, number: int) -> Style:
        item = self.book.xf_list[number] if number < len(self.book.xf_list) else None
        self[number] = Style(self._code(item), self._look(item)) if item else Style()
        return self[number]

    def _code(self, style: Any) -> str:
        known = self.book.format_map.get(style.format_key)
        if style.format_key in LOCAL_DATES or not known:
            return BUILT_IN.get(style.format_key, GENERAL)
        return str(known.format_str)

    def _look(self, style: Any) -> Look:
        filled, aligned = style.background, style.alignment
        return PLAIN._replace(
            **self._font(self.book.font_list[style.font_index]),
            **_fill(
                filled.fill_pattern,
                self._color(filled.pattern_colour_index),
                self._color(filled.background_colour_index),
            ),
            **self._lines(style.border),
            **_alignment(
                aligned.hor_align,
                aligned.vert_align,
                wraps=bool(aligned.text_wrapped),
                indent=aligned.indent_level,
                degrees=aligned.rotation,
            ),
        )

    def _lines(self, border: Any) -> Fields:
        return {
            side: _line(
                getattr(border, f"{side}_line_style"),
                self._color(getattr(border, f"{side}_colour_index")),
            )
            for side in ("left", "right", "top", "bottom")
        }

    def _font(self, font: Any) -> Fields:
        return {
            "bold": bool(font.bold),
            "italic": bool(font.italic),
            "struck": bool(font.struck_out),
            "underlined": bool(font.underline_type),
            "color": self._color(font.colour_index) or None,
            "size": round(100 * font.height / self.usual_height),
        }

    def _color(self, number: int) -> int | None:
        parts = self.book.colour_map.get(number)
        return int.from_bytes(parts) if parts else None


def _line(number: int, color: int | None) -> Line:
    return line(_name(LINES, number), color)


def _fill(number: int, front: int | None, back: int | None) -> Fields:
    return fill(front, back, PATTERNS[FILLS.get(number, "gray125")])


def _alignment(across: int, down: int, *, wraps: bool, indent: int, degrees: int) -> Fields:
    return {
        "align": ALIGNS.get(_name(HORIZONTAL, across), ""),
        "vertical": VERTICALS.get(_name(VERTICAL, down), ""),
        "wraps": wraps,
        "indent": min(indent, MAX_INDENT),
        "turned": turned(degrees),
    }


def _name(names: Sequence[str], number: int) -> str:
    return names[number] if number < len(names) else ""
