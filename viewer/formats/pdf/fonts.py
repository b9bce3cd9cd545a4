"""A font of the system for Chinese, Japanese and Korean that a PDF does not hold.

The child process can open no file when PDFium asks for one: the font is read when this is imported,
before any document, and once for all child processes that are forked.

Source: PDFium's public/fpdf_sysfontinfo.h.
"""

import ctypes
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pypdfium2  # noqa: F401  (initialises PDFium)
import pypdfium2.raw as pdfium

from ...sandbox.version import east_asian_font

# FXFONT_*_CHARSET.
SHIFT_JIS: Final = 128
HANGUL: Final = 129
SIMPLIFIED: Final = 134
TRADITIONAL: Final = 136
EAST_ASIAN: Final = frozenset({SHIFT_JIS, HANGUL, SIMPLIFIED, TRADITIONAL})
HANDLE: Final = 1  # any but None: there is one font
WHOLE_FILE: Final = 0  # in place of the name of a table


def use_font(path: Path) -> Any:
    """Let PDFium draw East Asian text with this TrueType font; keep what is returned."""
    font = path.read_bytes()
    functions: dict[str, Callable[..., int | None]] = {
        "MapFont": lambda *asked: HANDLE if asked[3] in EAST_ASIAN else None,
        "GetFontData": lambda _info, _font, table, buffer, size: _copy(font, table, buffer, size),
        "GetFont": lambda *_: None,
        "GetFaceName": lambda *_: 0,
        "GetFontCharset": lambda *_: 0,
        "Release": lambda *_: None,
        "EnumFonts": lambda *_: None,
        "DeleteFont": lambda *_: None,
    }
    types = dict(pdfium.FPDF_SYSFONTINFO._fields_)
    made = {name: types[name](function) for name, function in functions.items()}
    info = pdfium.FPDF_SYSFONTINFO(version=1, **made)
    pdfium.FPDF_SetSystemFontInfo(ctypes.byref(info))
    return info


def _copy(font: bytes, table: int, buffer: Any, size: int) -> int:
    """Return the size of the font, copied if it fits into the buffer; 0 for a single table."""
    if table != WHOLE_FILE:
        return 0
    if buffer and size >= len(font):
        ctypes.memmove(buffer, font, len(font))
    return len(font)


_PATH: Final = east_asian_font()
_USED: Final = use_font(_PATH) if _PATH else None  # PDFium calls it until the process ends
