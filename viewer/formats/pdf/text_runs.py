"""In the child process: the text of a page in runs, each with its place."""

from collections.abc import Iterator
from typing import Any, Final

MAX_TEXT: Final = 20_000  # characters of one page
MAX_RUNS: Final = 4_000
MAX_HEIGHT: Final = 40.0  # points of letters that are joined; what is higher may stand upright
NEAR: Final = 0.3  # of the height: less than a space

Box = tuple[float, float, float, float]  # left, bottom, right, top in points


def runs(layer: Any) -> Iterator[tuple[Box, str]]:
    """Yield the runs of a text page of PDFium's: words or lines, in the order of the file."""
    length = 0
    for box in _joined(map(layer.get_rect, range(min(layer.count_rects(), MAX_RUNS)))):
        text = layer.get_text_bounded(*box).replace("\r\n", " ").strip()
        length += len(text)
        if length > MAX_TEXT:
            break
        if text:
            yield box, text


def _joined(boxes: Iterator[Box]) -> Iterator[Box]:
    """Yield one box for those that touch in a line: some files place each letter by itself."""
    last: Box | None = None
    for box in boxes:
        if last and _touch(last, box):
            x0, y0, x1, y1 = last
            left, bottom, right, top = box
            last = min(x0, left), min(y0, bottom), max(x1, right), max(y1, top)
        else:
            if last:
                yield last
            last = box
    if last:
        yield last


def _touch(one: Box, other: Box) -> bool:
    x0, y0, x1, y1 = one
    left, bottom, right, top = other
    low, high = sorted((y1 - y0, top - bottom))
    return (
        high < MAX_HEIGHT
        and min(y1, top) - max(y0, bottom) > low / 2
        and max(x0, left) - min(x1, right) < NEAR * high
    )
