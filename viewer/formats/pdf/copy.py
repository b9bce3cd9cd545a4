"""Runs in the child process. Writes a PDF without its password, with PDFium.

What PDFium calls to write is made when this is imported: later the process may map no code.

Source: PDFium's public/fpdf_save.h.
"""

import ctypes
from typing import Any, Final

import pypdfium2.raw as pdfium

_written: Final[list[bytes]] = []


def unlocked(document: Any) -> bytes:
    """Return a copy of an opened document; empty if it can't be written."""
    saved = pdfium.FPDF_SaveAsCopy(document, _WRITER, pdfium.FPDF_REMOVE_SECURITY)
    return b"".join(_written) if saved else b""


def _write(_writer: Any, data: Any, size: int) -> int:
    _written.append(ctypes.string_at(data, size))
    return 1


_WRITE: Final = dict(pdfium.FPDF_FILEWRITE._fields_)["WriteBlock"](_write)
_WRITER: Final = pdfium.FPDF_FILEWRITE(version=1, WriteBlock=_WRITE)
