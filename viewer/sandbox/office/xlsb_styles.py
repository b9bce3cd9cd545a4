"""The styles of XLSB workbooks: number formats and looks.

Source: MS-XLSB 2.4 (BrtFmt, BrtFont, BrtFill, BrtBorder, BrtXF), 2.5.11 (BrtColor).
"""

from collections.abc import Callable
from struct import unpack_from
from typing import Final

from .cell_look import PLAIN
from .number_format import BUILT_IN, GENERAL
from .numbered_styles import numbered_alignment, numbered_fill, numbered_line
from .package import Package
from .palette import Palette
from .xlsb_records import records, text_at
from .xlsx_styles import USUAL_SIZE, Fields, Style

PART: Final = "xl/styles.bin"
FONT, FORMAT, FILL, BORDER, CELL_STYLE, OWN_COLOR = 43, 44, 45, 46, 47, 475
BEGIN_CELL_STYLES, END_CELL_STYLES = 617, 618
BOLD: Final = 600  # the least weight of a bold font
ITALIC, STRUCK = 0x02, 0x08
INDEXED, RGB, THEMED = 1, 2, 3


def styles(package: Package) -> list[Style]:
    """Return the styles that the cells refer to by their place; struct.error if damaged."""
    return _Styles(package).found


class _Styles:
    def __init__(self, package: Package) -> None:
        self.found: list[Style] = []
        self.codes: dict[int, str] = {}
        self.fonts: list[Fields] = []
        self.fills: list[Fields] = []
        self.borders: list[Fields] = []
        self.usual_size = 0.0
        parts = list(records(package, PART))
        own = [int.from_bytes(data[:3]) for kind, data in parts if kind == OWN_COLOR]
        self.palette = Palette(package, own)
        take: dict[int, Callable[[bytes], None]] = {
            **{FORMAT: self._format, FONT: self._font, FILL: self._fill, BORDER: self._border},
        }
        is_cell_style = False
        for kind, data in parts:
            if kind in (BEGIN_CELL_STYLES, END_CELL_STYLES):
                is_cell_style = kind == BEGIN_CELL_STYLES
            elif kind == CELL_STYLE and is_cell_style:
                self.found.append(self._style(data))
            elif kind in take:
                take[kind](data)

    def _format(self, data: bytes) -> None:
        self.codes[unpack_from("<H", data)[0]] = text_at(data, 2)[0]

    def _font(self, data: bytes) -> None:
        height, flags, weight, _, underline = unpack_from("<HHHHB", data)
        self.usual_size = self.usual_size or height or 20 * USUAL_SIZE
        self.fonts.append(
            {
                "bold": weight >= BOLD,
                "italic": bool(flags & ITALIC),
                "struck": bool(flags & STRUCK),
                "underlined": underline != 0,
                "color": self._color(data, 12) or None,
                "size": round(100 * height / self.usual_size),
            }
        )

    def _fill(self, data: bytes) -> None:
        (pattern,) = unpack_from("<I", data)
        self.fills.append(numbered_fill(pattern, self._color(data, 4), self._color(data, 12)))

    def _border(self, data: bytes) -> None:
        places = {"top": 1, "bottom": 11, "left": 21, "right": 31}
        self.borders.append(
            {
                side: numbered_line(data[at], self._color(data, at + 2))
                for side, at in places.items()
            }
        )

    def _style(self, data: bytes) -> Style:
        number, font, fill, border, degrees, indent, flags = unpack_from("<2x4HBBH", data)
        code = self.codes.get(number) or BUILT_IN.get(number, GENERAL)
        look = PLAIN._replace(
            **_at(self.fonts, font),
            **_at(self.fills, fill),
            **_at(self.borders, border),
            **numbered_alignment(
                flags & 7,
                flags >> 3 & 7,
                wraps=bool(flags & 0x40),
                indent=indent,
                degrees=degrees,
            ),
        )
        return Style(code, look)

    def _color(self, data: bytes, at: int) -> int | None:
        """Return a colour; None for that of the page."""
        kind, number, tint = unpack_from("<BBh", data, at)
        if kind >> 1 == INDEXED:
            return self.palette.of_index(number, tint / 32767)
        if kind >> 1 == THEMED:
            return self.palette.of_theme(number, tint / 32767)
        return int.from_bytes(data[at + 4 : at + 7]) if kind >> 1 == RGB else None


def _at(found: list[Fields], place: int) -> Fields:
    return found[place] if place < len(found) else {}
