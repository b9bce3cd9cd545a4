"""The styles of XLS workbooks, as xlrd reads them: number formats and looks."""

from typing import Any, Final

from .cell_look import PLAIN, Look
from .number_format import BUILT_IN, GENERAL
from .numbered_styles import numbered_alignment, numbered_fill, numbered_line
from .xlsx_styles import Fields, Style

LOCAL_DATES: Final = (14, 22)  # xlrd has one country's
USUAL_HEIGHT: Final = 200  # twentieths of a point


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
            **numbered_fill(
                filled.fill_pattern,
                self._color(filled.pattern_colour_index),
                self._color(filled.background_colour_index),
            ),
            **self._lines(style.border),
            **numbered_alignment(
                aligned.hor_align,
                aligned.vert_align,
                wraps=bool(aligned.text_wrapped),
                indent=aligned.indent_level,
                degrees=aligned.rotation,
            ),
        )

    def _lines(self, border: Any) -> Fields:
        return {
            side: numbered_line(
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
