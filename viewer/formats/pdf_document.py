"""In the child process: a PDF that PDFium opens, with its password if it has one."""

from typing import Any

import pypdfium2
from pypdfium2 import raw as pdfium

_UNSEEN_BLANKS = "\u200b\u2060\ufeff"


def open_pdf(data: bytes, password: str | None) -> Any:
    """Return the document. Raise `PdfiumError`, by the password as it was typed.

    A password that does not open it as typed is tried once more without blanks at its ends.
    """
    try:
        return pypdfium2.PdfDocument(data, password)
    except pypdfium2.PdfiumError as error:
        shorter = (password or "").strip().strip(_UNSEEN_BLANKS).strip()
        is_locked = error.err_code == pdfium.FPDF_ERR_PASSWORD
        if not (is_locked and shorter and shorter != password):
            raise
    return pypdfium2.PdfDocument(data, shorter)
