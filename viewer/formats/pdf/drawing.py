"""Runs in the child process. Reads a PDF with PDFium: its pages' sizes, pictures and text.

All coordinates are points of a page as it is shown, from its upper left corner.
"""

import contextlib
from collections.abc import Iterator
from typing import Any, Final

import pypdfium2
import pypdfium2.raw

from ...sandbox.messages import Message
from . import fonts as pdf_fonts  # noqa: F401  (gives PDFium its font)
from .copy import unlocked
from .links import links, outline, page_size
from .page_picture import encode_picture

MAX_PAGES: Final = 10_000
MAX_PIXELS: Final = 4_000_000  # of one page
MAX_TEXT: Final = 20_000  # characters of one page
MAX_RUNS: Final = 4_000
MAX_ATTACHED: Final = 20
MAX_NAME: Final = 100
MAX_SIDE: Final = 20_000.0  # points

TextRun = tuple[float, float, float, float, str]  # left, top, width, height, text


class UnreadablePdfError(Exception):
    """PDFium can't open the file; the reason is "password" or "format"."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def render(data: bytes, options: dict[str, Any]) -> Iterator[Message]:
    """Yield what is `asked`, of pages from `first`, `count` of them:

    "sizes": one message with the number of pages, the size of each page, the outline and the names
    of attached files, then "pictures"; "pictures": a page's picture with its text and links;
    "text": a page's text; "unlocked": the document without its password.
    """
    document = _open(data, options.get("password"))
    if options["asked"] == "unlocked":
        yield {}, unlocked(document)
    if options["asked"] == "sizes":
        yield _sizes(document), b""
    first, last = options["first"] - 1, options["first"] - 1 + options["count"]
    for index in range(first, min(last, len(document), MAX_PAGES)):
        if options["asked"] == "text":
            yield {"page": index + 1}, _plain_text(document[index]).encode("utf-8", "replace")
        else:
            facts, picture = _drawn(document, index, **options["drawing"])
            yield {"page": index + 1, **facts}, picture


def _open(data: bytes, password: str | None) -> Any:
    try:
        document = pypdfium2.PdfDocument(data, password)
    except pypdfium2.PdfiumError as error:
        locked = error.err_code == pypdfium2.raw.FPDF_ERR_PASSWORD
        raise UnreadablePdfError("password" if locked else "format") from error
    with contextlib.suppress(pypdfium2.PdfiumError):
        document.init_forms()  # values of fields are drawn by the form environment
    return document


def _sizes(document: Any) -> dict[str, Any]:
    total = len(document)
    sizes = [_size(document, index) for index in range(min(total, MAX_PAGES))]
    facts = {"pages": total, "sizes": sizes, "outline": outline(document)}
    return {**facts, "attached": list(_attached(document))}


def _attached(document: Any) -> Iterator[str]:
    """Yield the names of the files in the document."""
    for index in range(min(document.count_attachments(), MAX_ATTACHED)):
        with contextlib.suppress(pypdfium2.PdfiumError):
            yield document.get_attachment(index).get_name()[:MAX_NAME]


def _size(document: Any, index: int) -> tuple[float, float]:
    """Width and height in points; a page that can't be read has those of A4."""
    try:
        width, height = page_size(document, index)
    except pypdfium2.PdfiumError:
        width, height = 595.0, 842.0
    return min(max(round(width, 1), 1.0), MAX_SIDE), min(max(round(height, 1), 1.0), MAX_SIDE)


def _drawn(
    document: Any, index: int, scale: float, palettes: list[int], most_bytes: int
) -> Message:
    page = document[index]
    width, height = page.get_size()
    scale = min(scale, (MAX_PIXELS / max(width * height, 1)) ** 0.5)
    bitmap = page.render(scale=scale, rev_byteorder=True, force_bitmap_format=RGB)
    size = bitmap.width, bitmap.height
    kind, picture = encode_picture(size, _pixels(bitmap), palettes, most_bytes)
    place = _Place(bitmap.get_posconv(page), scale)
    facts = {
        **dict(zip(("width", "height"), _size(document, index), strict=True)),
        "type": kind,
        "text": _text(page, place),
        "links": [(*place(box), *target) for box, *target in links(document, page)],
    }
    page.close()
    return facts, picture


RGB: Final = pypdfium2.raw.FPDFBitmap_BGR  # three bytes a pixel, reversed by `rev_byteorder`


def _pixels(bitmap: Any) -> bytes:
    """Return the rows without the padding that PDFium may put between them."""
    pixels, row = bytes(bitmap.buffer), bitmap.width * 3
    if bitmap.stride == row:
        return pixels
    starts = range(0, bitmap.stride * bitmap.height, bitmap.stride)
    return b"".join(pixels[start : start + row] for start in starts)


class _Place:
    """Converts a box in the page's own coordinates; its rotation and origin are applied."""

    def __init__(self, position: Any, scale: float) -> None:
        self._position, self._scale = position, scale

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
        return list(_runs(page.get_textpage(), place))
    except (pypdfium2.PdfiumError, ValueError):
        return []


def _runs(layer: Any, place: _Place) -> Iterator[tuple[Any, ...]]:
    """Yield `TextRun`s."""
    length = 0
    for index in range(min(layer.count_rects(), MAX_RUNS)):
        box = layer.get_rect(index)
        text = layer.get_text_bounded(*box).replace("\r\n", " ").strip()
        length += len(text)
        if length > MAX_TEXT:
            break
        if text:
            yield *place(box), text
