"""The styles of OpenDocument spreadsheets: looks of cells, widths of columns, hidden tables.

Source: OpenDocument 1.3 part 3, 16 (styles), 17.18 (cells), 20 (formatting attributes).
"""

import re
from collections.abc import Iterator
from typing import Final
from xml.etree.ElementTree import Element

from ..packages.elements import attribute, first_child, local_name
from .sheet import (
    BLACK,
    MAX_INDENT,
    PLAIN,
    SIDES,
    WHITE,
    Fields,
    Line,
    Look,
    parse_color,
    turned,
)

PIXELS: Final = {"pt": 96 / 72, "in": 96.0, "cm": 96 / 2.54, "mm": 96 / 25.4, "px": 1.0}
COLOR: Final = re.compile(r"#[\dA-Fa-f]{6}")
LENGTH: Final = re.compile(r"(\d{1,6}(?:\.\d{1,12})?)(pt|in|cm|mm|px)")
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
    match = LENGTH.fullmatch(text or "")
    return float(match[1]) * PIXELS[match[2]] if match else None


def _font(item: Element | None) -> Fields:
    """Return what a style says of the font, and nothing of what it leaves to others."""
    fields: Fields = {}
    if weight := attribute(item, "font-weight"):
        fields["bold"] = weight in ("bold", "600", "700", "800", "900")
    if slant := attribute(item, "font-style"):
        fields["italic"] = slant in ("italic", "oblique")
    if line := attribute(item, "text-line-through-style"):
        fields["struck"] = line != "none"
    if line := attribute(item, "text-underline-style"):
        fields["underlined"] = line != "none"
    if size := pixels(attribute(item, "font-size")):
        fields["size"] = round(100 * size / USUAL_SIZE)
    if color := attribute(item, "color"):
        fields["color"] = _color(color) or None
    return fields


def _cell(item: Element | None) -> Fields:
    fields: Fields = {}
    if fill := attribute(item, "background-color"):
        color = _color(fill)
        fields["fill"] = None if color == WHITE else color
    if wraps := attribute(item, "wrap-option"):
        fields["wraps"] = wraps == "wrap"
    if vertical := attribute(item, "vertical-align"):
        fields["vertical"] = VERTICALS.get(vertical, "")
    if angle := attribute(item, "rotation-angle"):
        degrees = int(angle) if re.fullmatch(r"\d{1,3}", angle) else 0
        fields["turned"] = turned(180 if 240 <= degrees <= 300 else min(degrees, 91))
    for side in SIDES:
        if border := attribute(item, f"border-{side}") or attribute(item, "border"):
            fields[side] = _line(border)
    return fields


def _paragraph(item: Element | None) -> Fields:
    fields: Fields = {}
    if align := attribute(item, "text-align"):
        fields["align"] = ALIGNS.get(align, "")
    if (indent := pixels(attribute(item, "margin-left"))) is not None:
        fields["indent"] = min(round(indent / INDENT), MAX_INDENT)
    return fields


def _line(text: str) -> Line:
    """Return the line of `0.74pt solid #000000`; none for any other text."""
    width, _, rest = text.partition(" ")
    style, _, color = rest.partition(" ")
    size = pixels(width)
    if not size or not style:
        return Line()
    pixels_wide = min(max(round(size * 0.8), 1), 3)
    return Line(pixels_wide, LINES.get(style, "solid"), _color(color) or BLACK)


def _color(text: str) -> int | None:
    return parse_color(text[1:]) if COLOR.fullmatch(text) else None
