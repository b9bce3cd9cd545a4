"""Runs in the child. PDF -> a picture of each page and its text, by PDFium."""

from collections.abc import Iterator
from typing import Any

import pypdfium2
import pypdfium2.raw

from viewer.decoding import load_codecs
from viewer.sandbox.frames import Frame
from viewer.sandbox.png import Bitmap

MOST_PAGES = 60
MOST_PIXELS = 4_000_000
MOST_OUTPUT = 24 << 20
MOST_TEXT = 20_000
MOST_RUNS = 4_000
FEW_PAGES = 10  # as many can be drawn finer
FINE, USUAL = 2.0, 1.5

Run = tuple[float, float, float, float, str]  # left, top, width, height in pixels, text


class Unreadable(Exception):
    """PDFium refused the file; the reason is one the reader can understand."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def prepare(_data: bytes, _order: dict[str, Any]) -> None:
    """PDFium's text is UTF-16."""
    load_codecs()


def frames(data: bytes, _order: dict[str, Any]) -> Iterator[Frame]:
    """How many pages there are, then page by page until a limit is reached."""
    document, size = _open(data), 0
    total = len(document)
    yield {"pages": total}, b""
    for index in range(min(total, MOST_PAGES)):
        facts, picture = _page(document[index], FINE if total <= FEW_PAGES else USUAL)
        yield {"page": index + 1, **facts}, picture
        size += len(picture)
        if size > MOST_OUTPUT:
            break


def _open(data: bytes) -> Any:
    try:
        return pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        locked = error.err_code == pypdfium2.raw.FPDF_ERR_PASSWORD
        raise Unreadable("password" if locked else "format") from error


def _page(page: Any, scale: float) -> Frame:
    width, height = page.get_size()
    scale = min(scale, (MOST_PIXELS / max(width * height, 1)) ** 0.5)
    bitmap = page.render(scale=scale, rev_byteorder=True, prefer_bgrx=False)
    drawn = Bitmap(bitmap.width, bitmap.height, bitmap.n_channels, _pixels(bitmap))
    text = _text(page, bitmap.get_posconv(page))
    page.close()
    return {"width": drawn.width, "height": drawn.height, "text": text}, drawn.png()


def _pixels(bitmap: Any) -> bytes:
    """The rows without the gaps that PDFium may leave between them."""
    pixels, row = bytes(bitmap.buffer), bitmap.width * bitmap.n_channels
    if bitmap.stride == row:
        return pixels
    starts = range(0, bitmap.stride * bitmap.height, bitmap.stride)
    return b"".join(pixels[start : start + row] for start in starts)


def _text(page: Any, position: Any) -> list[Run]:
    try:
        return list(_runs(page.get_textpage(), position))
    except (pypdfium2.PdfiumError, ValueError):
        return []


def _runs(layer: Any, position: Any) -> Iterator[Run]:
    """Runs of text where they stand in the picture, whatever the page's rotation and origin."""
    length = 0
    for index in range(min(layer.count_rects(), MOST_RUNS)):
        box = layer.get_rect(index)
        text = layer.get_text_bounded(*box).replace("\r\n", " ").strip()
        length += len(text)
        if length > MOST_TEXT:
            break
        if text:
            (x0, y0), (x1, y1) = position.to_bitmap(*box[:2]), position.to_bitmap(*box[2:])
            yield min(x0, x1), min(y0, y1), abs(x1 - x0), abs(y1 - y0), text
