"""The styles of XLSX workbooks: number formats, looks, and colours by number or from the theme.

Source: ECMA-376 part 1, 18.8 (styles), 18.8.27 (indexedColors), 18.8.19 (tint), 20.1.6.2
(clrScheme).
"""

import colorsys
from collections.abc import Iterator
from typing import Final
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
from .number_format import BUILT_IN, GENERAL
from .sheet import (
    PATTERNS,
    PLAIN,
    SIDES,
    Fields,
    Line,
    Style,
    alignment,
    border_line,
    parse_color,
    pattern_fill,
)

STYLES: Final = "xl/styles.xml"
USUAL_SIZE: Final = 11.0  # points
THEME: Final = "xl/theme/theme1.xml"
BASIC: Final = (0x000000, 0xFFFFFF, 0xFF0000, 0x00FF00, 0x0000FF, 0xFFFF00, 0xFF00FF, 0x00FFFF)
INDEXED: Final = (
    *(BASIC + BASIC),
    *(0x800000, 0x008000, 0x000080, 0x808000, 0x800080, 0x008080, 0xC0C0C0, 0x808080),
    *(0x9999FF, 0x993366, 0xFFFFCC, 0xCCFFFF, 0x660066, 0xFF8080, 0x0066CC, 0xCCCCFF),
    *(0x000080, 0xFF00FF, 0xFFFF00, 0x00FFFF, 0x800080, 0x800000, 0x008080, 0x0000FF),
    *(0x00CCFF, 0xCCFFFF, 0xCCFFCC, 0xFFFF99, 0x99CCFF, 0xFF99CC, 0xCC99FF, 0xFFCC99),
    *(0x3366FF, 0x33CCCC, 0x99CC00, 0xFFCC00, 0xFF9900, 0xFF6600, 0x666699, 0x969696),
    *(0x003366, 0x339966, 0x003300, 0x333300, 0x993300, 0x993366, 0x333399, 0x333333),
)
OFFICE_THEME: Final = (
    *(0xFFFFFF, 0x000000, 0xEEECE1, 0x1F497D, 0x4F81BD, 0xC0504D, 0x9BBB59, 0x8064A2),
    *(0x4BACC6, 0xF79646, 0x0000FF, 0x800080),
)
THEME_ORDER: Final = (
    *("lt1", "dk1", "lt2", "dk2", "accent1", "accent2", "accent3", "accent4"),
    *("accent5", "accent6", "hlink", "folHlink"),
)
MAX_COLORS: Final = 256
OTHER_NAMES: Final = {"left": "start", "right": "end"}  # of the sides of a border


def read_styles(package: Package) -> list[Style]:
    """Return the styles that the cells refer to by their index."""
    return list(_Styles(package).all())


class _Styles:
    def __init__(self, package: Package) -> None:
        self.root = package.xml(STYLES)
        listed = children(first_child(self.root, "colors", "indexedColors"), "rgbColor")
        own = [parse_color(item.get("rgb")) or 0 for item in listed]
        self.indexed = [*own[:MAX_COLORS], *INDEXED[len(own) :]]
        scheme = next(descendants(package.xml_if_sound(THEME), "clrScheme"), None)
        names = zip(THEME_ORDER, OFFICE_THEME, strict=True)
        self.theme = [_theme_color(first_child(scheme, name), usual) for name, usual in names]
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
            aligned = first_child(item, "alignment")
            attributes = {} if aligned is None else aligned.attrib
            look = PLAIN._replace(
                **_at(self.fonts, item.get("fontId")),
                **_at(self.fills, item.get("fillId")),
                **_at(self.borders, item.get("borderId")),
                **alignment(
                    attributes.get("horizontal", ""),
                    attributes.get("vertical", ""),
                    wraps=attributes.get("wrapText") in ("1", "true"),
                    indent=parse_int(attributes.get("indent"), 0),
                    degrees=parse_int(attributes.get("textRotation"), 0),
                ),
            )
            yield Style(code, look)

    def _items(self, group: str, name: str) -> Iterator[Element]:
        return children(first_child(self.root, group), name)

    def _font(self, item: Element) -> Fields:
        underline = first_child(item, "u")
        return {
            "bold": _is_on(item, "b"),
            "italic": _is_on(item, "i"),
            "struck": _is_on(item, "strike"),
            "underlined": underline is not None and attribute(underline, "val") != "none",
            "color": self._color(first_child(item, "color")) or None,
            "size": round(100 * _size(item, self.usual_size) / self.usual_size),
        }

    def _fill(self, item: Element) -> Fields:
        pattern = first_child(item, "patternFill")
        if pattern is None:
            stop = first_child(item, "gradientFill", "stop", "color")
            return pattern_fill(self._color(stop), None, 1)
        share = PATTERNS.get(pattern.get("patternType", "none"), PATTERNS["gray125"])
        front, back = (self._color(first_child(pattern, name)) for name in ("fgColor", "bgColor"))
        return pattern_fill(front, back, share)

    def _border(self, item: Element) -> Fields:
        return {side: self._line(item, side, OTHER_NAMES.get(side, side)) for side in SIDES}

    def _line(self, border: Element, *names: str) -> Line:
        line = next((item for name in names for item in children(border, name)), None)
        return border_line(attribute(line, "style") or "", self._color(first_child(line, "color")))

    def _color(self, item: Element | None) -> int | None:
        """Return the colour of an element; None for that of the page."""
        if item is None or item.get("auto") in ("1", "true"):
            return None
        for name, colors in (("theme", self.theme), ("indexed", self.indexed)):
            if number := item.get(name):
                index = parse_int(number, MAX_COLORS)
                color = colors[index] if index < len(colors) else None
                break
        else:
            color = parse_color(item.get("rgb"))
        return None if color is None else tinted(color, parse_float(item.get("tint"), 0, -1, 1))


def _theme_color(item: Element | None, usual: int) -> int:
    value = next(iter(item if item is not None else ()), None)
    color = None if value is None else parse_color(value.get("lastClr") or value.get("val"))
    return usual if color is None else color


def tinted(color: int, tint: float) -> int:
    """Return a colour made darker, down to -1, or lighter, up to 1."""
    if not tint:
        return color
    red, green, blue = color.to_bytes(3)
    hue, light, saturation = colorsys.rgb_to_hls(red / 255, green / 255, blue / 255)
    light = light * (1 + tint) if tint < 0 else light + (1 - light) * tint
    parts = colorsys.hls_to_rgb(hue, min(max(light, 0), 1), saturation)
    return int.from_bytes(round(min(max(part, 0), 1) * 255) for part in parts)


def _at(fields: list[Fields], index: str | None) -> Fields:
    number = parse_int(index, 0)
    return fields[number] if number < len(fields) else {}


def _is_on(font: Element, name: str) -> bool:
    item = first_child(font, name)
    return item is not None and attribute(item, "val") not in ("0", "false")


def _size(font: Element | None, usual: float) -> float:
    """Return the size of a font in points."""
    return parse_float(attribute(first_child(font, "sz"), "val"), usual, 1, 409)
