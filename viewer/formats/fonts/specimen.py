"""Runs in the child process. Draws a specimen of each font in a file, with FreeType.

It is drawn rather than set by the browser: so the font itself does not leave the service, and no
page loads it. Characters that a font lacks are drawn as its glyph for that: they are left out.
"""

import base64
import io
from collections.abc import Iterator
from contextlib import suppress
from html import escape
from itertools import chain, islice
from typing import Any, Final

from PIL import Image, ImageDraw, ImageFont, ImagePalette

from ...markup.formatting import format_count
from ...sandbox.messages import Message, shown_as

MAX_FONTS: Final = 12  # of a collection
MAX_WIDTH: Final = 900  # pixels of a picture
MAX_NAMES: Final = 30  # of a variable font
MAX_NAME: Final = 200
SIZES: Final = (96, 48, 34, 24, 18)  # the first one is the largest
SMALL: Final = 34
SCALE: Final = 2  # pixels for each that is shown
SHADES: Final = 16  # of black: half of the bytes of 256, and looks the same
ABSENT: Final = "\U0010ffff"
# Characters of fonts that have no alphabet of ours: other scripts and symbols.
OTHERS: Final = (range(0x21, 0x3000), range(0xE000, 0xF900), range(0x1F300, 0x1FB00))
MAX_OTHERS: Final = 120
OTHERS_IN_LINE: Final = 15
RIGHT_TO_LEFT: Final = range(0x590, 0x700)  # the letters of Hebrew and Arabic
PANGRAM: Final = "The quick brown fox jumps over the lazy dog."
ALPHABETS: Final = (
    "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
    "abcdefghijklmnopqrstuvwxyz",
    "0123456789 .,:;!?&@#%$€£ «»()[]{}*+-=/",
    "ÄÖÜäöüß ÀÉÎÑÇàéîñç ŁŐŠŽłőšž",
    "ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩ",
    "αβγδεζηθικλμνξοπρστυφχψω",
    "АБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬ",
    "абвгдежзийклмнопрстуфхцчшщъыь",
    "א ב ג ד ה ו ז ח ט י כ ל מ נ ס ע פ צ ק ר ש ת",
    "ا ب ت ث ج ح خ د ذ ر ز س ش ص ض ط ظ ع غ ف ق ك ل م ن ه و ي",
    "अ आ इ ई उ ऊ क ख ग घ च छ ज झ ट ठ ड ढ त थ द ध न प फ ब भ म",
    "ก ข ค ง จ ฉ ช ซ ด ต ถ ท น บ ป ผ ฝ พ ฟ ภ ม ย ร ล ว ส ห อ",
    "あいうえおかきくけこ アイウエオ 日本語の文字",
    "你好世界永和九年歲在癸丑",
    "가나다라마바사아자차카타파하",
    "★☆☎✓✗♠♣♥♦←↑→↓∑∫√∞≠≤≥",
)


def prepare(_data: bytes, _options: dict[str, Any]) -> None:
    """Import what Pillow would import on first use."""
    Image.preinit()


def render(data: bytes, _options: dict[str, Any]) -> Iterator[Message]:
    """Yield one message with a specimen of each font. Raises OSError if no font can be read."""
    fonts: list[ImageFont.FreeTypeFont] = []
    with suppress(OSError):  # there is no further one
        fonts.extend(_font(data, SIZES[0], index) for index in range(MAX_FONTS))
    if not fonts:
        raise OSError("no font")
    html = "".join(part for at, font in enumerate(fonts) for part in _specimen(data, at, font))
    several = format_count(len(fonts), "font")
    counted = several if len(fonts) > 1 else format_count(int(fonts[0].font.glyphs), "glyph")
    yield shown_as("Font", counted), html.encode("utf-8", "replace")


def _font(data: bytes, size: int, index: int) -> ImageFont.FreeTypeFont:
    engine = ImageFont.Layout.BASIC
    return ImageFont.truetype(io.BytesIO(data), size * SCALE, index, layout_engine=engine)


def _specimen(data: bytes, index: int, font: ImageFont.FreeTypeFont) -> Iterator[str]:
    title = escape(" ".join((name or "")[:MAX_NAME] for name in font.getname()).strip())
    yield f'<section class="specimen"><h2>{title or "Without a name"}</h2>\n'
    with suppress(OSError, NotImplementedError):  # most fonts have one weight and width
        found = (name.decode("latin-1")[:MAX_NAME] for name in font.get_variation_names())
        yield f'<p class="dim">Variable: {escape(", ".join(islice(found, MAX_NAMES)))}</p>\n'
    absent = _glyph(font, ABSENT)
    if all(one == " " or _glyph(font, one) != absent for one in PANGRAM):
        for size in SIZES:
            yield _line(_font(data, size, index), PANGRAM, f"{size} px")
    small = _font(data, SMALL, index)
    lines = []
    for alphabet in ALPHABETS:
        known = "".join(one for one in alphabet if one == " " or _glyph(font, one) != absent)
        if len(known.replace(" ", "")) > len(alphabet.replace(" ", "")) // 2:
            lines.append(known)
    for line in lines or _others(small):
        yield _line(small, line)
    yield "</section>\n"


def _others(font: ImageFont.FreeTypeFont) -> Iterator[str]:
    """Yield lines of the first characters that it has."""
    absent = _glyph(font, ABSENT)
    glyphs = ((one, _glyph(font, one)) for one in map(chr, chain.from_iterable(OTHERS)))
    drawn = (one for one, glyph in glyphs if glyph != absent and any(glyph[0]))  # not a space
    known = list(islice(drawn, MAX_OTHERS))
    gap = "" if _glyph(font, " ") == absent else " "
    for start in range(0, len(known), OTHERS_IN_LINE):
        yield gap.join(known[start : start + OTHERS_IN_LINE])


def _glyph(font: ImageFont.FreeTypeFont, character: str) -> tuple[bytes, tuple[int, int]]:
    """Return the pixels and the size of a character; the same for all that the font lacks."""
    mask = font.getmask(character)
    return bytes(mask), mask.size


def _line(font: ImageFont.FreeTypeFont, text: str, size: str = "") -> str:
    """Return a text, or what there is room for, as a picture: black on a transparent ground."""
    while text and font.getlength(text) > MAX_WIDTH * SCALE:
        text = text[:-1].rpartition(" ")[0] or text[:-1]
    shown = text[::-1] if text and ord(text[0]) in RIGHT_TO_LEFT else text
    left, top, right, bottom = (round(one) for one in font.getbbox(shown)) if text else (0,) * 4
    width, height = min(right - left, MAX_WIDTH * SCALE), min(bottom - top, 4 * SIZES[0] * SCALE)
    if width <= 0 or height <= 0:
        return ""
    ink = Image.new("L", (width, height))
    ImageDraw.Draw(ink).text((-left, -top), shown, 255, font)
    shades = ink.point([value * SHADES // 256 for value in range(256)]).tobytes()
    picture, out = Image.frombytes("P", (width, height), shades), io.BytesIO()
    picture.putpalette(ImagePalette.ImagePalette("RGB", bytes(3 * SHADES)))
    opacities = bytes(255 * shade // (SHADES - 1) for shade in range(SHADES))
    picture.save(out, "PNG", transparency=opacities, bits=4)
    source = f"data:image/png;base64,{base64.b64encode(out.getvalue()).decode()}"
    label = f'<span class="dim">{size}</span>' if size else ""
    return (
        f'<p>{label}<img alt="{escape(text)}" src="{source}" width="{width // SCALE}"'
        f' height="{height // SCALE}"></p>\n'
    )
