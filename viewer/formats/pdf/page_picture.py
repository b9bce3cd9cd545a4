"""In the child process: the picture of a page, encoded small and good enough to read."""

from collections.abc import Iterator, Sequence
from io import BytesIO
from typing import Any, Final

from PIL import Image, PngImagePlugin, WebPImagePlugin  # noqa: F401  before no file can be opened

from .watermark import Watermark

MAX_TEXT_COLOURS: Final = 600  # of text in two colours and its smooth edges
MAX_DRAWN_COLOURS: Final = 2_048  # a photo has more
QUALITIES: Final = ((1.0, 60), (1.0, 35), (0.75, 35), (0.5, 30))  # of WebP, at parts of the size

Picture = tuple[str, bytes]  # media type, file


def encode_picture(
    image: Image.Image,
    palettes: Sequence[int],
    most_bytes: int,
    mark: Watermark | None = None,
) -> Picture:
    """Return a PNG of so many colours or a WebP: the first of several attempts small enough.

    The last attempt may be larger.
    """
    colours = image.getcolors(MAX_DRAWN_COLOURS)  # without the mark, which would make more of each
    if mark:
        mark.draw(image)
    picture = "image/png", b""
    for picture in _attempts(image, colours, palettes):
        if len(picture[1]) <= most_bytes:
            break
    return picture


def _attempts(image: Image.Image, colours: Any, palettes: Sequence[int]) -> Iterator[Picture]:
    """Yield the pictures: of text with the fewest colours at once, of a photo without palettes."""
    if colours:
        few = len(colours) <= MAX_TEXT_COLOURS
        reduced = _grays if _is_gray(colours) else _colours
        counts = palettes[-1:] if few else palettes
        yield from (_png(reduced(image, count)) for count in counts)
    yield from (_webp(image, part, quality) for part, quality in QUALITIES)


def _is_gray(colours: Any) -> bool:
    return all(r == g == b for _, (r, g, b) in colours)


def _colours(image: Image.Image, count: int) -> Image.Image:
    return image.quantize(count, Image.Quantize.FASTOCTREE)


def _grays(image: Image.Image, count: int) -> Image.Image:
    """Return the same as `_colours` for a page without any, in a tenth of the time."""
    last = count - 1
    reduced = image.getchannel(0).point([round(gray * last / 255) for gray in range(256)])
    reduced.putpalette([round(n * 255 / last) for n in range(count) for _ in "RGB"])
    return reduced


def _png(image: Image.Image) -> Picture:
    stream = BytesIO()
    image.save(stream, "PNG", compress_level=4)
    return "image/png", stream.getvalue()


def _webp(image: Image.Image, part: float, quality: int) -> Picture:
    stream = BytesIO()
    image.reduce(round(1 / part)).save(stream, "WEBP", quality=quality, method=1)
    return "image/webp", stream.getvalue()
