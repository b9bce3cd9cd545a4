"""Runs in the child process. Renders PDF pages with PDFium: a picture and the text of each."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pypdfium2
import pypdfium2.raw

from .messages import Message
from .png import encode_png

MAX_PIXELS = 4_000_000  # of one page
FEW_PAGES = 10  # documents up to this length are drawn at the high resolution
HIGH_SCALE, NORMAL_SCALE = 2.0, 1.5

TextRun = tuple[float, float, float, float, str]  # left, top, width, height in pixels, text


@dataclass(frozen=True, slots=True)
class Limits:
    """How much is rendered: pages, pictures and text runs in all, and the text of each page."""

    pages: int = 60
    picture_bytes: int = 24 << 20
    text_length: int = 20_000
    text_runs: int = 4_000
    all_text_runs: int = 60_000


class UnreadablePdfError(Exception):
    """PDFium can't open the file; the reason is "password" or "format"."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def render(data: bytes, _options: dict[str, Any], limits: Limits = Limits()) -> Iterator[Message]:
    """Yield the number of pages, then each page until a limit is reached."""
    document, size, runs = _open(data), 0, 0
    total = len(document)
    scale = HIGH_SCALE if total <= FEW_PAGES else NORMAL_SCALE
    yield {"pages": total}, b""
    for index in range(min(total, limits.pages)):
        max_runs = min(limits.text_runs, limits.all_text_runs - runs)
        facts, picture = _page(document[index], scale, max_runs, limits.text_length)
        size, runs = size + len(picture), runs + len(facts["text"])
        if index and size > limits.picture_bytes:
            break
        yield {"page": index + 1, **facts}, picture


def _open(data: bytes) -> Any:
    try:
        return pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        locked = error.err_code == pypdfium2.raw.FPDF_ERR_PASSWORD
        raise UnreadablePdfError("password" if locked else "format") from error


def _page(page: Any, scale: float, max_runs: int, max_length: int) -> Message:
    width, height = page.get_size()
    scale = min(scale, (MAX_PIXELS / max(width * height, 1)) ** 0.5)
    bitmap = page.render(scale=scale, rev_byteorder=True, prefer_bgrx=False)
    picture = encode_png(bitmap.width, bitmap.height, bitmap.n_channels, _pixels(bitmap))
    text = _text(page, bitmap.get_posconv(page), max_runs, max_length)
    page.close()
    return {"width": bitmap.width, "height": bitmap.height, "text": text}, picture


def _pixels(bitmap: Any) -> bytes:
    """Return the rows without the padding that PDFium may put between them."""
    pixels, row = bytes(bitmap.buffer), bitmap.width * bitmap.n_channels
    if bitmap.stride == row:
        return pixels
    starts = range(0, bitmap.stride * bitmap.height, bitmap.stride)
    return b"".join(pixels[start : start + row] for start in starts)


def _text(page: Any, position: Any, max_runs: int, max_length: int) -> list[TextRun]:
    try:
        return list(_runs(page.get_textpage(), position, max_runs, max_length))
    except (pypdfium2.PdfiumError, ValueError):
        return []


def _runs(layer: Any, position: Any, max_runs: int, max_length: int) -> Iterator[TextRun]:
    """Yield runs of text in picture coordinates; page rotation and origin are applied."""
    length = 0
    for index in range(min(layer.count_rects(), max_runs)):
        box = layer.get_rect(index)
        text = layer.get_text_bounded(*box).replace("\r\n", " ").strip()
        length += len(text)
        if length > max_length:
            break
        if text:
            (x0, y0), (x1, y1) = position.to_bitmap(*box[:2]), position.to_bitmap(*box[2:])
            yield min(x0, x1), min(y0, y1), abs(x1 - x0), abs(y1 - y0), text
