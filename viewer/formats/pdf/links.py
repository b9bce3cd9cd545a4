"""Runs in the child process. Reads a PDF's outline, and the links of a page, with PDFium."""

import contextlib
import ctypes
from collections.abc import Iterator
from functools import cache
from itertools import islice
from typing import Any, Final

import pypdfium2
import pypdfium2.raw as pdfium

MAX_ENTRIES: Final = 3_000
MAX_DEPTH: Final = 6
MAX_TITLE: Final = 200
MAX_LINKS: Final = 500  # of a page
MAX_ADDRESS: Final = 2_000

TOP_AT: Final = {  # place of the upper edge among the numbers of a destination, by its kind
    pdfium.PDFDEST_VIEW_XYZ: 1,
    pdfium.PDFDEST_VIEW_FITH: 0,
    pdfium.PDFDEST_VIEW_FITR: 3,
    pdfium.PDFDEST_VIEW_FITBH: 0,
}

Place = tuple[int, float]  # page from 1, distance from its upper edge in points
Entry = tuple[int, str, int, float]  # depth from 0, title, place
Box = tuple[float, float, float, float]  # left, bottom, right, top in points


@cache
def page_size(document: Any, index: int) -> tuple[float, float]:
    """Return width and height in points; PdfiumError if the page can't be read.

    Kept, because the outline and links ask again and PDFium reads the page each time.
    """
    width, height = document.get_page_size(index)
    return width, height


def outline(document: Any) -> list[Entry]:
    """Return the entries that lead to a page; as many as were read before a fault."""
    entries: list[Entry] = []
    try:
        for bookmark in islice(document.get_toc(max_depth=MAX_DEPTH), MAX_ENTRIES):
            if place := _place(document, bookmark.get_dest()):
                entries.append((bookmark.level, bookmark.get_title()[:MAX_TITLE], *place))
    except (pypdfium2.PdfiumError, ValueError, RecursionError):
        pass
    return entries


def links(document: Any, page: Any) -> Iterator[tuple[Box, int | str, float]]:
    """Yield the box of each link, and where it leads: a place, or an address as it is and 0."""
    position, link = ctypes.c_int(0), pdfium.FPDF_LINK()
    for _ in range(MAX_LINKS):
        if not pdfium.FPDFLink_Enumerate(page, position, link):
            return
        box, target = pdfium.FS_RECTF(), _target(document, link)
        if target and pdfium.FPDFLink_GetAnnotRect(link, box):
            yield (box.left, box.bottom, box.right, box.top), *target


def _target(document: Any, link: Any) -> Place | tuple[str, float] | None:
    if destination := pdfium.FPDFLink_GetDest(document, link):
        return _place(document, pypdfium2.PdfDest(destination, document))
    action = pdfium.FPDFLink_GetAction(link)
    kind = pdfium.FPDFAction_GetType(action) if action else None
    if kind == pdfium.PDFACTION_GOTO:
        destination = pdfium.FPDFAction_GetDest(document, action)
        return _place(document, pypdfium2.PdfDest(destination, document)) if destination else None
    address = _address(document, action) if kind == pdfium.PDFACTION_URI else None
    return (address, 0.0) if address else None


def _place(document: Any, destination: Any) -> Place | None:
    """Return where a destination leads; its page's upper edge if it names no height.

    Files write 0, the lower edge, for none. A rotated page is taken as if it were not.
    """
    index = destination.get_index() if destination else None
    if index is None or index < 0:
        return None
    kind, numbers = destination.get_view()
    at = TOP_AT.get(kind, len(numbers))
    bottom = numbers[at] if at < len(numbers) else 0.0
    with contextlib.suppress(pypdfium2.PdfiumError):
        height = page_size(document, index)[1]
        return index + 1, round(height - bottom, 1) if 0 < bottom < height else 0.0
    return index + 1, 0.0


def _address(document: Any, action: Any) -> str | None:
    length = pdfium.FPDFAction_GetURIPath(document, action, None, 0)
    if not 1 < length <= MAX_ADDRESS:
        return None
    buffer = ctypes.create_string_buffer(length)
    pdfium.FPDFAction_GetURIPath(document, action, buffer, length)
    return buffer.value.decode("utf-8", "replace")
