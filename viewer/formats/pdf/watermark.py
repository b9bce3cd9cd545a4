"""In the child process: the mark in the picture of a page that says for whom it was drawn.

Every window of half the width and half the height of the page holds the mark whole. It is dark with
a light edge, so that it is seen on any ground. Letters that no font has are written by their code.
"""

import textwrap
from functools import cache, lru_cache
from io import BytesIO
from itertools import chain, islice
from typing import Any, Final, cast

from PIL import Image, ImageDraw, ImageFont

from ...sandbox.version import FONTS

NAMES: Final = ("LiberationSans-Regular.ttf", "DejaVuSans.ttf", "DroidSansFallbackFull.ttf")
LETTER: Final = 40  # pixels of its height, before it is fitted into a page
LINE: Final = 50  # pixels from one to the next
LEAST: Final = 12  # pixels of it that can be read
COLUMNS: Final = 32
ANGLE: Final = 30
EDGE: Final = 3
# Grey, opaque.
DARK: Final = (0, 255)
LIGHT: Final = (255, 255)
NONE: Final = (255, 0)
OPACITY: Final = 64
SHARP: Final = [255 * (level > 170) for level in range(256)]  # thin lines stay
MARKS: Final = 4  # across the page, and down
SHARE: Final = 0.23  # of width and height for each

Font = ImageFont.FreeTypeFont
Run = tuple[Font, str]


def prepare(_data: bytes, options: dict[str, Any]) -> None:
    """Read the font that the mark needs, if there is one, before files are closed."""
    if text := options.pop("watermark", None):
        options["drawing"]["mark"] = Watermark(text)


class Watermark:
    def __init__(self, text: str) -> None:
        fonts = _fonts_for(text)
        lines = (_known(line, fonts) for line in text.split("\n"))
        wrapped = (textwrap.wrap(line, COLUMNS, break_on_hyphens=False) for line in lines)
        self._tile = _tile([_runs(line, fonts) for line in chain(*wrapped)])
        self._fitted = lru_cache(8)(self._fit)

    def least_scale(self, width: float, height: float) -> float:
        """Return the pixels a point that a page of this size needs for letters that can be read."""
        shares = self._tile.width / width, self._tile.height / height
        return LEAST / LETTER * max(shares) / SHARE

    def draw(self, image: Image.Image) -> None:
        tile, mask = self._fitted(image.size)
        across, down = (side / MARKS for side in image.size)
        for row in range(MARKS):
            for column in range(-1, MARKS):
                left = across * (column + row % 2 / 2) + (across - tile.width) / 2
                top = down * row + (down - tile.height) / 2
                image.paste(tile, (round(left), round(top)), mask)

    def _fit(self, size: tuple[int, int]) -> tuple[Image.Image, Image.Image]:
        """Return the mark and its mask for a picture, without shades, which would make more colours
        of each colour of the page.
        """
        width, height = self._tile.size
        scale = min(SHARE * size[0] / width, SHARE * size[1] / height)
        fitted = self._tile.resize((max(1, round(width * scale)), max(1, round(height * scale))))
        light, opaque = (band.point(SHARP) for band in fitted.split())
        return light.convert("RGB"), opaque.point(lambda level: level and OPACITY)


def _fonts_for(text: str) -> list[Font]:
    """Return Pillow's own, which has Latin letters, and if that is not enough those of the system.

    They are read here: later the process can open no file.
    """
    own = cast(Font, ImageFont.load_default(LETTER))
    if _has(own, text.replace("\n", "")):
        return [own]
    found = chain(*(islice(FONTS.rglob(name), 1) for name in NAMES))
    return [own, *(ImageFont.truetype(BytesIO(path.read_bytes()), LETTER) for path in found)]


def _has(font: Font, text: str) -> bool:
    """Whether it has a picture of each letter."""
    plain = _plain(font)
    none = bytes(plain.getmask("\uffff"))
    return all(one.isprintable() and bytes(plain.getmask(one)) != none for one in text)


@cache
def _plain(font: Font) -> Font:
    """Return the font without what joins letters, and adds some."""
    return font.font_variant(layout_engine=ImageFont.Layout.BASIC)


def _known(text: str, fonts: list[Font]) -> str:
    """Return the text with the codes of letters that none of the fonts has."""
    return "".join(
        one if any(_has(font, one) for font in fonts) else one.encode("unicode_escape").decode()
        for one in text
    )


def _runs(line: str, fonts: list[Font]) -> list[Run]:
    """Return the line in one font, or where none has all its letters, each in one that has it."""
    for font in fonts:
        if _has(font, line):
            return [(font, line)]
    return [(next(font for font in fonts if _has(font, one)), one) for one in line]


def _tile(lines: list[list[Run]]) -> Image.Image:
    """Return the lines, slanted, on transparent ground."""
    widths = [sum(font.getlength(text) for font, text in runs) for runs in lines]
    tile = Image.new("LA", (round(max(widths)) + 2 * EDGE, LINE * len(lines)), NONE)
    drawing = ImageDraw.Draw(tile)
    for number, runs in enumerate(lines, 1):
        left = (tile.width - widths[number - 1]) / 2
        for font, text in runs:
            place = left, LINE * number - LINE // 4
            drawing.text(place, text, DARK, font, "ls", stroke_width=EDGE, stroke_fill=LIGHT)
            left += font.getlength(text)
    return tile.rotate(ANGLE, Image.Resampling.BICUBIC, expand=True, fillcolor=NONE)
