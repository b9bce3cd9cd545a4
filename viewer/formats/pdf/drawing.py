"""In the child process: the sizes, pictures, text and links of a PDF's pages, read by PDFium.

All coordinates are points of a page as it is shown, from its upper left corner.
"""

import contextlib
import ctypes
from collections import Counter
from collections.abc import Iterator
from functools import cache, partial
from itertools import islice
from typing import Any, Final

import pypdfium2
import pypdfium2.raw as pdfium

from ...sandbox.messages import Message
from ..pdf_document import open_pdf
from . import fonts as pdf_fonts  # noqa: F401  (gives PDFium its font)
from .page_picture import encode_picture
from .text_runs import MAX_TEXT, Box, runs
from .watermark import Watermark, prepare  # noqa: F401  (of this job)

MAX_PAGES: Final = 10_000
MAX_AREA: Final = 1_000_000.0  # square points of a page; a larger one is drawn smaller
MAX_ATTACHED: Final = 20
MAX_NAME: Final = 100
MAX_SIDE: Final = 20_000.0  # points


class UnreadablePdfError(Exception):
    """PDFium can't open the file; the reason is "password" or "format"."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def render(data: bytes, options: dict[str, Any]) -> Iterator[Message]:
    """Yield what is `asked`, of pages from `first`, `count` of them:

    "overview": one message with the number of pages, the size of the first and the names of
    attached files, then "pictures"; "pictures": a page's picture with its text and links; "text":
    one message with their sizes, and from the first page on the outline, then a page's text.
    """
    document = _open(data, options.get("password"))
    count = min(len(document), MAX_PAGES)
    first = options["first"] - 1
    asked = options["asked"]
    indices = range(first, min(first + options["count"], count))
    if asked == "overview":
        facts = {"total": len(document), "count": count, "size": _size(document, 0)}
        yield {**facts, "attached": list(_attached(document))}, b""
    if asked == "text":
        sizes = [_size(document, index) for index in indices]
        yield {"sizes": sizes, "outline": [] if first else outline(document)}, b""
    for index in indices:
        if asked == "text":
            text = _plain_text(_filled(document, index, document[index]))
            yield {"page": index + 1}, text.encode("utf-8", "replace")
        else:
            facts, picture = _drawn(document, index, **options["drawing"])
            yield {"page": index + 1, **facts}, picture


def _open(data: bytes, password: str | None) -> Any:
    try:
        document = open_pdf(data, password)
    except pypdfium2.PdfiumError as error:
        locked = error.err_code == pdfium.FPDF_ERR_PASSWORD
        raise UnreadablePdfError("password" if locked else "format") from error
    with contextlib.suppress(pypdfium2.PdfiumError):
        document.init_forms()  # values of fields are drawn by the form environment
    document.again = cache(partial(_open, data, password))
    return document


def _attached(document: Any) -> Iterator[str]:
    """Yield the names of the files in the document."""
    for index in range(min(document.count_attachments(), MAX_ATTACHED)):
        with contextlib.suppress(pypdfium2.PdfiumError):
            yield document.get_attachment(index).get_name()[:MAX_NAME]


def _size(document: Any, index: int) -> tuple[float, float]:
    """Return width and height in points; those of A4 for a page that can't be read."""
    try:
        width, height = page_size(document, index)
    except pypdfium2.PdfiumError:
        width = 595.0
        height = 842.0
    return min(max(round(width, 1), 1.0), MAX_SIDE), min(max(round(height, 1), 1.0), MAX_SIDE)


def _drawn(  # noqa: PLR0917
    document: Any,
    index: int,
    scale: float,
    palettes: list[int],
    most_bytes: int,
    mark: Watermark | None = None,
) -> Message:
    page = document[index]
    width, height = page.get_size()
    most = (MAX_AREA / max(width * height, 1)) ** 0.5
    scale *= min(1.0, most)
    if mark:
        scale = max(scale, min(mark.least_scale(width, height), 2 * most))
    bitmap = page.render(scale=scale, force_bitmap_format=pdfium.FPDFBitmap_BGR)
    kind, picture = encode_picture(bitmap.to_pil(), palettes, most_bytes, mark)
    place = _Place(bitmap.get_posconv(page), scale)
    found = list(links(document, page))
    shown_width, shown_height = _size(document, index)
    facts = {
        "width": shown_width,
        "height": shown_height,
        "type": kind,
        "text": _text(_filled(document, index, page), place),
        "links": [(*place(box), *target) for box, *target in found],
    }
    page.close()
    return facts, picture


def _filled(document: Any, index: int, page: Any) -> Any:
    """Return the page with the values of its form's fields in its text.

    PDFium makes them part of a page, which then has no links, and loses what it inherits from the
    tree of pages, such as fonts. A copy of a page inherits nothing, but all layers show in it.
    """
    if not page.formenv:
        return page
    text = _letters(page)
    with contextlib.suppress(pypdfium2.PdfiumError):
        page.flatten()
    filled = document[index]
    if text <= _letters(filled):
        return filled
    with contextlib.suppress(pypdfium2.PdfiumError):
        again = document.again()
        copy = pypdfium2.PdfDocument.new()
        page = again[index]  # now its fields have an appearance
        copy.import_pages(again, [index])
        pdfium.FPDFPage_Flatten(copy[0], pdfium.FLAT_NORMALDISPLAY)
        return copy[0]
    return page


def _letters(page: Any) -> Counter[str]:
    return Counter("".join(_plain_text(page).split()))


class _Place:
    """A place on a page: a box in the page's own coordinates, its rotation and origin applied."""

    def __init__(self, position: Any, scale: float) -> None:
        self._position = position
        self._scale = scale

    def __call__(self, box: tuple[float, float, float, float]) -> tuple[float, ...]:
        (x0, y0), (x1, y1) = (self._position.to_bitmap(*box[at : at + 2]) for at in (0, 2))
        shown = min(x0, x1), min(y0, y1), abs(x1 - x0), abs(y1 - y0)
        return tuple(round(one / self._scale, 1) for one in shown)


def _plain_text(page: Any) -> str:
    try:
        return str(page.get_textpage().get_text_bounded())[:MAX_TEXT]
    except (pypdfium2.PdfiumError, ValueError):
        return ""


def _text(page: Any, place: _Place) -> list[Any]:
    try:
        return [(*place(box), text) for box, text in runs(page.get_textpage())]
    except (pypdfium2.PdfiumError, ValueError):
        return []


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
    position = ctypes.c_int(0)
    link = pdfium.FPDF_LINK()
    for _ in range(MAX_LINKS):
        if not pdfium.FPDFLink_Enumerate(page, position, link):
            return
        box = pdfium.FS_RECTF()
        target = _target(document, link)
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
