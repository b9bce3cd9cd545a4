"""The looks of the cells of XLS workbooks, as xlrd reads them."""

from typing import Any, Final

from .cell_look import PLAIN, Look
from .numbered_styles import numbered_alignment, numbered_fill, numbered_line
from .xlsx_styles import Fields

USUAL_HEIGHT: Final = 200  # twentieths of a point


class Looks(dict[int, Look]):
    """The look of each style of a workbook by its number, made when it is asked for."""

    def __init__(self, book: Any) -> None:
        super().__init__()
        self.book = book
        first = next(iter(book.font_list), None)
        self.usual_height = (first.height if first else 0) or USUAL_HEIGHT

    def __missing__(self, number: int) -> Look:
        known = number < len(self.book.xf_list)
        self[number] = self._look(self.book.xf_list[number]) if known else PLAIN
        return self[number]

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
