"""The styles of OpenDocument spreadsheets: looks of cells, widths of columns, hidden tables.

Source: OpenDocument 1.3 part 3, 16 (styles), 17.18 (cells), 20 (formatting attributes).
"""

import re
from collections.abc import Iterator
from typing import Final
from xml.etree.ElementTree import Element

from ..packages.elements import attribute, first_child, local_name
from .cell_look import BLACK, MAX_INDENT, PLAIN, WHITE, Line, Look
from .palette import parse_color
from .xlsx_styles import Fields, turned

PIXELS: Final = {"pt": 96 / 72, "in": 96.0, "cm": 96 / 2.54, "mm": 96 / 25.4, "px": 1.0}
LENGTH: Final = re.compile(r"(\d{1,6}(?:\.\d{1,12})?)(pt|in|cm|mm|px)")
COLOR: Final = re.compile(r"#[\dA-Fa-f]{6}")
USUAL_SIZE: Final = 10 * PIXELS["pt"]
DIGIT: Final = 0.52  # the width of a digit by the size of its font
INDENT: Final = 12.0  # pixels of one step
ALIGNS: Final = {
    **{"start": "left", "left": "left", "end": "right", "right": "right"},
    **{"center": "center", "justify": "justify"},
}
VERTICALS: Final = {"top": "top", "middle": "middle"}
LINES: Final = {"dashed": "dashed", "dotted": "dashed", "double": "double"}
FAMILIES: Final = (None, "table-cell", "table-column", "table")
SIDES: Final = ("left", "right", "top", "bottom")
MAX_PARENTS: Final = 10


class Styles:
    def __init__(self) -> None:
        self.items: dict[str | None, Element] = {}
        self.looks: dict[str | None, Look] = {None: PLAIN}

    def take(self, item: Element) -> None:
        """Take a style of cells, columns or tables."""
        if local_name(item) == "style" and attribute(item, "family") in FAMILIES:
            self.items[attribute(item, "name")] = item

    def hides(self, name: str | None) -> bool:
        """Whether the tables of a style are not shown."""
        return self._value(name, "table-properties", "display") == "false"

    def is_from_right(self, name: str | None) -> bool:
        """Whether the first column of the tables of a style is on the right."""
        return (self._value(name, "table-properties", "writing-mode") or "").startswith("rl")

    def column_width(self, name: str | None) -> float | None:
        """Return the width of the columns of a style in digits."""
        width = pixels(self._value(name, "table-column-properties", "column-width"))
        return None if width is None else width / USUAL_SIZE / DIGIT - 1

    def look(self, name: str | None) -> Look:
        if name not in self.looks:
            fields: Fields = {}
            for item in reversed(list(self._family(name))):
                fields |= _font(first_child(item, "text-properties"))
                fields |= _cell(first_child(item, "table-cell-properties"))
                fields |= _paragraph(first_child(item, "paragraph-properties"))
            self.looks[name] = PLAIN._replace(**fields)
        return self.looks[name]

    def _family(self, name: str | None) -> Iterator[Element]:
        """Yield a style and those that it builds on."""
        for _ in range(MAX_PARENTS):
            item = self.items.get(name)
            if item is None:
                return
            yield item
            name = attribute(item, "parent-style-name")

    def _value(self, name: str | None, properties: str, key: str) -> str | None:
        item = self.items.get(name)
        return attribute(first_child(item, properties), key) if item is not None else None


def pixels(text: str | None) -> float | None:
    """Return a length; None for one that is relative or malformed."""
    found = LENGTH.fullmatch(text or "")
    return float(found[1]) * PIXELS[found[2]] if found else None


def _font(item: Element | None) -> Fields:
    """Return what a style says of the font, and nothing of what it leaves to others."""
    found: Fields = {}
    if weight := attribute(item, "font-weight"):
        found["bold"] = weight in ("bold", "600", "700", "800", "900")
    if slant := attribute(item, "font-style"):
        found["italic"] = slant in ("italic", "oblique")
    for field, key in (
        ("struck", "text-line-through-style"),
        ("underlined", "text-underline-style"),
    ):
        if line := attribute(item, key):
            found[field] = line != "none"
    if size := pixels(attribute(item, "font-size")):
        found["size"] = round(100 * size / USUAL_SIZE)
    if color := attribute(item, "color"):
        found["color"] = _color(color) or None
    return found


def _cell(item: Element | None) -> Fields:
    found: Fields = {}
    if fill := attribute(item, "background-color"):
        color = _color(fill)
        found["fill"] = None if color == WHITE else color
    if wraps := attribute(item, "wrap-option"):
        found["wraps"] = wraps == "wrap"
    if vertical := attribute(item, "vertical-align"):
        found["vertical"] = VERTICALS.get(vertical, "")
    if angle := attribute(item, "rotation-angle"):
        degrees = int(angle) if re.fullmatch(r"\d{1,3}", angle) else 0
        found["turned"] = turned(180 if 240 <= degrees <= 300 else min(degrees, 91))
    for side in SIDES:
        border = attribute(item, f"border-{side}") or attribute(item, "border")
        if border:
            found[side] = _line(border)
    return found


def _paragraph(item: Element | None) -> Fields:
    found: Fields = {}
    if align := attribute(item, "text-align"):
        found["align"] = ALIGNS.get(align, "")
    if (indent := pixels(attribute(item, "margin-left"))) is not None:
        found["indent"] = min(round(indent / INDENT), MAX_INDENT)
    return found


def _line(text: str) -> Line:
    """Return the line of `0.74pt solid #000000`; none for any other text."""
    width, _, rest = text.partition(" ")
    style, _, color = rest.partition(" ")
    size = pixels(width)
    if not size or not style:
        return Line()
    return Line(
        min(max(round(size * 0.8), 1), 3), LINES.get(style, "solid"), _color(color) or BLACK
    )


def _color(text: str) -> int | None:
    return parse_color(text[1:]) if COLOR.fullmatch(text) else None
