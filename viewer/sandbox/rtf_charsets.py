"""The encodings of the bytes in an RTF file: one for the file, and one for each font that has one.

Source: Rich Text Format (RTF) Specification, version 1.9.1: "Font Table".
"""

import re
from typing import Final

from ..decoding import safe_codec

CODE_PAGE: Final = re.compile(rb"\\ansicpg(\d{3,5})")
FONT: Final = re.compile(rb"\\f(\d{1,5})(?!\d)[^;]{0,300}?\\fcharset(\d{1,3})")
FONT_TABLE: Final = b"{\\fonttbl"
MAX_FONT_TABLE: Final = 256 << 10
CODE_PAGES: Final = {  # by \fcharset; 0 is that of the file
    **{128: 932, 129: 949, 134: 936, 136: 950, 161: 1253, 162: 1254, 163: 1258},
    **{177: 1255, 178: 1256, 186: 1257, 204: 1251, 222: 874, 238: 1250},
}


def of_file(data: bytes) -> str | None:
    """Return the codec of the file's code page; None if it names none, or an unknown one."""
    found = CODE_PAGE.search(data[:4096])
    return safe_codec(f"cp{found[1].decode()}") if found else None


def of_fonts(data: bytes) -> dict[int, str]:
    """Return the codecs of the fonts whose code page is not that of the file, by their number."""
    start = data.find(FONT_TABLE)
    table = data[start : start + MAX_FONT_TABLE] if start >= 0 else b""
    pairs = ((int(number), int(charset)) for number, charset in FONT.findall(table))
    codecs = ((font, safe_codec(f"cp{CODE_PAGES.get(charset)}")) for font, charset in pairs)
    return {font: codec for font, codec in codecs if codec}
