"""The rules of CSS for the cells of a workbook: a class for each distinct look.

Colours are 24 bits, red first. A cell with a fill keeps its colours in dark mode too, but for
pale greys; all others get a second shade for it. Texts get a contrast of at least 4.5 (WCAG 2.1,
1.4.3).
"""

from functools import lru_cache
from typing import Final

from .sheet import BLACK, PLAIN, WHITE, Line, Look, mixed

LIGHT_PAGE, DARK_PAGE = 0xF2F2F2, 0x2C2D31  # behind the cells of the row under the pointer
LEAST_CONTRAST: Final = 4.5  # of texts
LEAST_OF_LINES: Final = 3.0
PALE, PALE_IN_DARK = 0xE0, 0x303238
GREY: Final = 24  # the parts of a grey differ by less
MAX_RULES: Final = 2_000
SIZES: Final = (70, 240)  # percent


class Stylesheet:
    """The classes of all cells and columns, by their declarations."""

    def __init__(self) -> None:
        self.names: dict[str, str] = {}
        self.cells: dict[tuple[Look, Line, Line, Line, Line], str] = {}

    def name(self, declarations: str) -> str:
        """Return the class with these declarations; none above MAX_RULES."""
        if declarations not in self.names and declarations and len(self.names) < MAX_RULES:
            self.names[declarations] = f"s{len(self.names)}"
        return self.names.get(declarations, "")

    def name_of_cell(self, look: Look, left: Line, bottom: Line, right: Line, top: Line) -> str:
        """Return the class of a cell between these lines; none above MAX_RULES."""
        key = (look, left, bottom, right, top)
        if key not in self.cells and len(self.cells) < MAX_RULES:
            self.cells[key] = self.name(declarations(*key))
        return self.cells.get(key, "")

    def text(self) -> str:
        return "".join(f".grid .{name}{{{rule}}}\n" for rule, name in self.names.items())


def declarations(look: Look, left: Line, bottom: Line, right: Line, top: Line) -> str:
    """Return the CSS of a cell between these lines; each is drawn by one of its two neighbours."""
    lines = {"inline-start": left, "bottom": bottom, "inline-end": right, "top": top}
    drawn = (f"border-{side}:{_line_css(line)}" for side, line in lines.items() if line.width)
    return ";".join((*_text_css(look), *_fill_css(look), *drawn))


def column_width(characters: float) -> str:
    """Return the CSS of a column that is as wide as so many digits of the usual font."""
    return f"width:{min(max(characters, 2), 60) * 0.58 + 0.8:.1f}em"


def _text_css(look: Look) -> list[str]:
    size = min(max(look.size, SIZES[0]), SIZES[1])
    inner = {"right": "right", "left": "left"}.get(look.align, "inline-start")
    line = "underline " * look.underlined + "line-through" * look.struck
    found = {
        "font-weight:650": look.bold,
        "font-style:italic": look.italic,
        f"text-decoration:{line.strip()}": line,
        f"font-size:{size}%": size != PLAIN.size,
        f"text-align:{look.align}": look.align,
        f"vertical-align:{look.vertical}": look.vertical,
        f"padding-{inner}:{look.indent + 0.5}em": look.indent,
    }
    return [rule for rule, applies in found.items() if applies]


def _fill_css(look: Look) -> list[str]:
    if look.fill is None:
        known = look.color is not None
        return [f"color:{_shades(look.color or BLACK, LIGHT_PAGE, DARK_PAGE)}"] if known else []
    if _is_pale_grey(look.fill):
        fill = f"light-dark({_hex(look.fill)},{_hex(PALE_IN_DARK)})"
        color = _shades(look.color or BLACK, look.fill, PALE_IN_DARK)
    else:
        ink = _ink(look.fill) if look.color is None else readable(look.color, look.fill)
        fill, color = _hex(look.fill), _hex(ink)
    return [f"background:{fill}", f"color:{color}", "border-color:transparent"]


def _shades(color: int, light_page: int, dark_page: int) -> str:
    """Return the colour of a text on a light and on a dark page, where greys are inverted."""
    parts = color.to_bytes(3)
    inverted = WHITE - color if max(parts) - min(parts) < GREY else color
    return f"light-dark({_hex(readable(color, light_page))},{_hex(readable(inverted, dark_page))})"


def _line_css(line: Line) -> str:
    """Return a border; black and white are those of the page."""
    if line.color == WHITE:
        return f"{line.width}px {line.style} var(--card)"
    dark = readable(line.color, DARK_PAGE, LEAST_OF_LINES)
    return f"{line.width}px {line.style} light-dark({_hex(line.color)},{_hex(dark)})"


@lru_cache(maxsize=4_096)
def readable(color: int, background: int, least: float = LEAST_CONTRAST) -> int:
    """Return the nearest shade towards black or white that can be read on a background."""
    target = _ink(background)
    shades = (mixed(color, target, tenths / 10) for tenths in range(11))
    return next((shade for shade in shades if contrast(shade, background) >= least), target)


def _ink(background: int) -> int:
    """Return black or white, whichever is read better."""
    return max((BLACK, WHITE), key=lambda color: contrast(color, background))


def _is_pale_grey(color: int) -> bool:
    parts = color.to_bytes(3)
    return min(parts) >= PALE and max(parts) - min(parts) < GREY


def contrast(color: int, other: int) -> float:
    """Return the contrast ratio, from 1 to 21 (WCAG 2.1)."""
    low, high = sorted((_luminance(color), _luminance(other)))
    return (high + 0.05) / (low + 0.05)


def _luminance(color: int) -> float:
    """Return the relative luminance, from 0 to 1 (WCAG 2.1)."""
    parts = (part / 255 for part in color.to_bytes(3))
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _hex(color: int) -> str:
    return f"#{color:06x}"
