"""The styles of XLSX workbooks: number formats and looks.

Source: ECMA-376 part 1, 18.8 (styles).
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple
from xml.etree.ElementTree import Element

from ..packages.elements import (
    attribute,
    children,
    descendants,
    first_child,
    parse_float,
    parse_int,
)
from ..packages.package import Package
from .cell_look import BLACK, MAX_INDENT, PLAIN, WHITE, Line, Look, mixed
from .number_format import BUILT_IN, GENERAL, format_color
from .palette import Palette, parse_color

STYLES: Final = "xl/styles.xml"
USUAL_SIZE: Final = 11.0  # points
ALIGNS: Final = {
    **{"left": "left", "right": "right", "center": "center", "centerContinuous": "center"},
    **{"justify": "justify", "distributed": "justify"},
}
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
VERTICALS: Final = {"top": "top", "center": "middle", "justify": "top", "distributed": "middle"}


Fields = dict[str, Any]  # of a look


class Style(NamedTuple):
    code: str = GENERAL
    look: Look = PLAIN

    def look_of(self, number: float) -> Look:
        """Return the look of a number, to which its format may give a colour."""
        color = format_color(number, self.code)
        return self.look if color is None else self.look._replace(color=color)


def styles(package: Package) -> list[Style]:
    """Return the styles that the cells refer to by their place."""
    return list(_Styles(package).all())


class _Styles:
    def __init__(self, package: Package) -> None:
        self.root = package.xml(STYLES)
        own = children(first_child(self.root, "colors", "indexedColors"), "rgbColor")
        self.palette = Palette(package, [parse_color(item.get("rgb")) or 0 for item in own])
        self.usual_size = _size(first_child(self.root, "fonts", "font"), USUAL_SIZE)
        self.fonts = [self._font(item) for item in self._items("fonts", "font")]
        self.fills = [self._fill(item) for item in self._items("fills", "fill")]
        self.borders = [self._border(item) for item in self._items("borders", "border")]

    def all(self) -> Iterator[Style]:
        codes = {
            item.get("numFmtId"): item.get("formatCode", "")
            for item in descendants(self.root, "numFmt")
        }
        for item in self._items("cellXfs", "xf"):
            number = item.get("numFmtId", "0")
            code = codes.get(number) or BUILT_IN.get(parse_int(number, 0), GENERAL)
            yield Style(code, self._look(item))

    def _items(self, group: str, name: str) -> Iterator[Element]:
        return children(first_child(self.root, group), name)

    def _look(self, item: Element) -> Look:
        aligned = first_child(item, "alignment")
        return PLAIN._replace(
            **_at(self.fonts, item.get("fontId")),
            **_at(self.fills, item.get("fillId")),
            **_at(self.borders, item.get("borderId")),
            **alignment(aligned.attrib if aligned is not None else {}),
        )

    def _font(self, item: Element) -> Fields:
        size = _size(item, self.usual_size)
        underline = first_child(item, "u")
        color = self.palette.of_element(first_child(item, "color"))
        return {
            "bold": _is_on(item, "b"),
            "italic": _is_on(item, "i"),
            "struck": _is_on(item, "strike"),
            "underlined": underline is not None and attribute(underline, "val") != "none",
            "color": color or None,
            "size": round(100 * size / self.usual_size),
        }

    def _fill(self, item: Element) -> Fields:
        pattern = first_child(item, "patternFill")
        if pattern is None:
            stop = first_child(item, "gradientFill", "stop", "color")
            return fill(self.palette.of_element(stop), None, 1)
        share = PATTERNS.get(pattern.get("patternType", "none"), PATTERNS["gray125"])
        front, back = (first_child(pattern, name) for name in ("fgColor", "bgColor"))
        return fill(self.palette.of_element(front), self.palette.of_element(back), share)

    def _border(self, item: Element) -> Fields:
        sides = {"left": ("left", "start"), "right": ("right", "end")}
        return {
            side: self._line(item, *sides.get(side, (side,)))
            for side in ("left", "right", "top", "bottom")
        }

    def _line(self, border: Element, *names: str) -> Line:
        found = next((item for name in names for item in children(border, name)), None)
        color = first_child(found, "color")
        return line(attribute(found, "style") or "", self.palette.of_element(color))


def fill(front: int | None, back: int | None, share: float) -> Fields:
    """Return the fill of a pattern; white is that of the page."""
    if not share or (share == 1 and front is None):
        return {}
    color = mixed(WHITE if back is None else back, front or BLACK, share)
    return {} if color == WHITE else {"fill": color}


def line(style: str, color: int | None) -> Line:
    """Return a line by the name of its style; none for an unknown one."""
    width, kind = LINES.get(style, (0, ""))
    return Line(width, kind, color or BLACK) if width else Line()


def alignment(attributes: Mapping[str, str]) -> Fields:
    turn = parse_int(attributes.get("textRotation"), 0)
    return {
        "align": ALIGNS.get(attributes.get("horizontal", ""), ""),
        "vertical": VERTICALS.get(attributes.get("vertical", ""), ""),
        "wraps": attributes.get("wrapText") in ("1", "true"),
        "indent": min(parse_int(attributes.get("indent"), 0), MAX_INDENT),
        "turned": turned(turn),
    }


def turned(degrees: int) -> str:
    """Return the direction of a text that stands: from 1 to 90 it rises, above it falls."""
    return "up" if 60 <= degrees <= 90 else "down" if degrees >= 150 else ""


def _at(found: list[Fields], index: str | None) -> Fields:
    place = parse_int(index, 0)
    return found[place] if place < len(found) else {}


def _is_on(font: Element, name: str) -> bool:
    item = first_child(font, name)
    return item is not None and attribute(item, "val") not in ("0", "false")


def _size(font: Element | None, usual: float) -> float:
    """Return the size of a font in points."""
    return parse_float(attribute(first_child(font, "sz"), "val"), usual, 1, 409)
