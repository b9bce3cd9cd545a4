"""Runs in the child process. Reads a PDF's outline, and the links of a page, with PDFium."""

import ctypes
from collections.abc import Iterator
from itertools import islice
from typing import Any, Final

import pypdfium2
import pypdfium2.raw as pdfium

MAX_ENTRIES: Final = 3_000
MAX_DEPTH: Final = 6
MAX_TITLE: Final = 200
MAX_LINKS: Final = 500  # of a page
MAX_ADDRESS: Final = 2_000

Entry = tuple[int, str, int]  # depth from 0, title, page from 1
Box = tuple[float, float, float, float]  # left, bottom, right, top in points


def outline(document: Any) -> list[Entry]:
    """Return the entries that lead to a page; as many as were read before a fault."""
    entries: list[Entry] = []
    try:
        for bookmark in islice(document.get_toc(max_depth=MAX_DEPTH), MAX_ENTRIES):
            index = destination.get_index() if (destination := bookmark.get_dest()) else None
            if index is not None and index >= 0:
                entries.append((bookmark.level, bookmark.get_title()[:MAX_TITLE], index + 1))
    except (pypdfium2.PdfiumError, ValueError, RecursionError):
        pass
    return entries


def links(document: Any, page: Any) -> Iterator[tuple[Box, int | str]]:
    """Yield the place of each link, and where it leads: a page from 1, or an address as it is."""
    position, link = ctypes.c_int(0), pdfium.FPDF_LINK()
    for _ in range(MAX_LINKS):
        if not pdfium.FPDFLink_Enumerate(page, position, link):
            return
        box, target = pdfium.FS_RECTF(), _target(document, link)
        if target and pdfium.FPDFLink_GetAnnotRect(link, box):
            yield (box.left, box.bottom, box.right, box.top), target


def _target(document: Any, link: Any) -> int | str | None:
    if destination := pdfium.FPDFLink_GetDest(document, link):
        return _page_of(document, destination)
    action = pdfium.FPDFLink_GetAction(link)
    kind = pdfium.FPDFAction_GetType(action) if action else None
    if kind == pdfium.PDFACTION_GOTO:
        return _page_of(document, pdfium.FPDFAction_GetDest(document, action))
    return _address(document, action) if kind == pdfium.PDFACTION_URI else None


def _page_of(document: Any, destination: Any) -> int | None:
    index = pdfium.FPDFDest_GetDestPageIndex(document, destination) if destination else -1
    return index + 1 if index >= 0 else None


def _address(document: Any, action: Any) -> str | None:
    length = pdfium.FPDFAction_GetURIPath(document, action, None, 0)
    if not 1 < length <= MAX_ADDRESS:
        return None
    buffer = ctypes.create_string_buffer(length)
    pdfium.FPDFAction_GetURIPath(document, action, buffer, length)
    return buffer.value.decode("utf-8", "replace")
