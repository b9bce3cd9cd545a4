"""The colours of Excel workbooks: by number, or from the theme with a tint.

Source: ECMA-376 part 1, 18.8.27 (indexedColors), 18.8.19 (tint), 20.1.6.2 (clrScheme).
"""

import colorsys
import re
from collections.abc import Sequence
from typing import Final
from xml.etree.ElementTree import Element

from ..packages.elements import descendants, first_child, parse_float, parse_int
from ..packages.package import Package

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
HEX: Final = re.compile(r"(?:[\dA-Fa-f]{2})?([\dA-Fa-f]{6})")
MAX_COLORS: Final = 256


class Palette:
    def __init__(self, package: Package, own: Sequence[int] = ()) -> None:
        """`own` are the colours that the workbook has in place of the usual ones."""
        self.indexed = [*own[:MAX_COLORS], *INDEXED[len(own) :]]
        self.theme = _theme(package.xml_if_sound(THEME))

    def of_element(self, item: Element | None) -> int | None:
        """Return the colour of an element of a style; None for that of the page."""
        if item is None or item.get("auto") in ("1", "true"):
            return None
        tint = parse_float(item.get("tint"), 0, -1, 1)
        if number := item.get("theme"):
            return self.of_theme(parse_int(number, MAX_COLORS), tint)
        if number := item.get("indexed"):
            return self.of_index(parse_int(number, MAX_COLORS), tint)
        color = parse_color(item.get("rgb"))
        return color if color is None else tinted(color, tint)

    def of_theme(self, number: int, tint: float) -> int | None:
        return tinted(self.theme[number], tint) if number < len(self.theme) else None

    def of_index(self, number: int, tint: float) -> int | None:
        return tinted(self.indexed[number], tint) if number < len(self.indexed) else None


def parse_color(text: str | None) -> int | None:
    """Return the colour of six hexadecimal digits, or of eight that begin with opacity."""
    found = HEX.fullmatch(text or "")
    return int(found[1], 16) if found else None


def tinted(color: int, tint: float) -> int:
    """Return a colour made darker, down to -1, or lighter, up to 1."""
    if not tint:
        return color
    red, green, blue = color.to_bytes(3)
    hue, light, saturation = colorsys.rgb_to_hls(red / 255, green / 255, blue / 255)
    light = light * (1 + tint) if tint < 0 else light + (1 - light) * tint
    parts = colorsys.hls_to_rgb(hue, min(max(light, 0), 1), saturation)
    return int.from_bytes(round(min(max(part, 0), 1) * 255) for part in parts)


def _theme(root: Element) -> list[int]:
    scheme = next(descendants(root, "clrScheme"), None)
    names = zip(THEME_ORDER, OFFICE_THEME, strict=True)
    return [_theme_color(first_child(scheme, name), usual) for name, usual in names]


def _theme_color(item: Element | None, usual: int) -> int:
    value = next(iter(item), None) if item is not None else None
    if value is None:
        return usual
    found = parse_color(value.get("lastClr") or value.get("val"))
    return usual if found is None else found
