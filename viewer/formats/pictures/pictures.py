"""In the child process: pictures that browsers do not show, as pictures that they do.

Pillow reads TIFF with all its pages, PSD as it was saved flat, JPEG 2000, TGA, PNM, DDS, PCX, SGI,
QOI and the icons of macOS; pi-heif reads HEIC. Each page becomes a PNG, a WebP or a JPEG picture,
upright and at most MAX_SHOWN pixels large.
"""

import base64
import gzip
import importlib
import io
from collections.abc import Iterator
from typing import Any, Final, NamedTuple, cast

from PIL import Image, ImageCms, ImageOps
from PIL.Jpeg2KImagePlugin import Jpeg2KImageFile

from ...markup.formatting import format_count
from ...sandbox.messages import Message, RefusedError, shown_as
from .picture import HEIF, LABELS, is_bounded

SMALLER_NOTE: Final = "Shown with fewer pixels than the original has."
PSD_NOTE: Final = "Shown as it was saved flat, without its layers."
STAGE: Final = b'<div class="stage" tabindex="0" role="region" aria-label="Picture">%b</div>\n'
ALONE: Final = {"tools": ["zoom", "fit"], "scripts": ["pictures/picture.js"]}
MANY: Final = {
    "kind": "pictures",
    "tools": ["zoom", "pages"],
    "scripts": ["pdf/pages.js"],
    "styles": ["pdf/pages.css"],
}
PLUGINS: Final = (
    "Tiff",
    "Psd",
    "Jpeg2K",
    "Tga",
    "WebP",
    "Icns",
    "Dds",
    "Pcx",
    "Sgi",
    "Qoi",
)  # the others are in `preinit`
FORMATS: Final = (
    "TIFF",
    "PSD",
    "JPEG2000",
    "TGA",
    "PPM",
    "ICNS",
    "DDS",
    "PCX",
    "SGI",
    "QOI",
    "HEIF",
)
MAX_DECODED: Final = 900 << 20  # bytes of one decoded page
MAX_DECODED_HEIF: Final = 400 << 20  # whose library needs twice as many
REDUCED: Final = 3  # a large JPEG 2000 picture is decoded with an eighth of its width and height
GZIP: Final = b"\x1f\x8b"
MAX_DRAWING: Final = 8 << 20  # bytes of an SVG drawing
MAX_SHOWN: Final = 16_000_000  # pixels of a single picture
MAX_SHOWN_OF_MANY: Final = 4_000_000  # pixels of each of several pages
MAX_PAGES: Final = 100
MAX_BYTES: Final = 24 << 20  # of all pages in their new format
DEEP: Final = frozenset({"I", "F", "I;16", "I;16B", "I;16L", "I;16N"})
BYTES_OF_PIXEL: Final = {"1": 1, "L": 1, "P": 1} | dict.fromkeys(DEEP, 12)  # with their copies
QUALITY: Final = 88
ORIENTATION: Final = 0x0112  # the tag of TIFF 6.0 and Exif 3.0
TURNED: Final = range(5, 9)  # its values for a picture that lies on its side


def prepare(_data: bytes, options: dict[str, Any]) -> None:
    """Import what Pillow would import on first use."""
    Image.MAX_IMAGE_PIXELS = None  # `_checked` has a limit of its own, in bytes
    Image.preinit()
    ImageCms.createProfile("sRGB")  # loads the library that converts from LAB
    for name in PLUGINS:
        importlib.import_module(f"PIL.{name}ImagePlugin")
    if options["type"] in HEIF:  # its libraries are loaded for no other type
        pi_heif = importlib.import_module("pi_heif")
        pi_heif.options.DECODE_THREADS = 1
        pi_heif.register_heif_opener(thumbnails=False)


def render(data: bytes, options: dict[str, Any]) -> Iterator[Message]:
    """Yield one message with the pages. Raises RefusedError if the first is too large to decode."""
    if data.startswith(GZIP):
        yield _drawing(data)
        return
    image = _opened(data)
    total = 1 if image.format == "PSD" else getattr(image, "n_frames", 1)
    pages = _pages(image, total)
    notes = [
        PSD_NOTE if image.format == "PSD" else "",
        _cut_note(len(pages), total) if len(pages) < total else "",
        SMALLER_NOTE if any(page.is_smaller for page in pages) else "",
    ]
    html = b"".join(page.html for page in pages)
    label = LABELS[options["type"]]
    if total == 1:
        yield shown_as(label, pages[0].size, notes=notes, **ALONE), html
    else:
        yield shown_as(label, format_count(total, "page"), notes=notes, **MANY), html


class Page(NamedTuple):
    """A page as it is shown; its `size` is that of the original, in words."""

    html: bytes
    size: str
    is_smaller: bool


def _pages(image: Image.Image, total: int) -> list[Page]:
    """Return the first pages, as far as they take MAX_BYTES; at least one."""
    pages: list[Page] = []
    taken = 0
    for index in range(min(total, MAX_PAGES)):
        image.seek(index + (image.format == "PSD"))
        page = _page(image, index + 1, total)
        if pages and taken > MAX_BYTES:
            break
        taken += len(page.html)
        pages.append(page)
    return pages


def _page(image: Image.Image, number: int, total: int) -> Page:
    width, height = image.size  # of a TIFF as it is turned by Pillow
    if image.format != "TIFF" and image.getexif().get(ORIENTATION) in TURNED:
        width, height = height, width
    most = MAX_SHOWN if total == 1 else MAX_SHOWN_OF_MANY
    facts, picture = _converted(_decodable(image), most)
    size = f"{width:,} × {height:,} pixels"
    html = _html(number, total, size, facts, picture)
    return Page(html, size, facts["shown_width"] < width)


def _cut_note(shown: int, total: int) -> str:
    return (
        f"Showing {shown:,} of {format_count(total, 'page')}. Save the original to see all of it."
    )


def _drawing(data: bytes) -> Message:
    """Return a packed SVG drawing, in an <img>, where it can neither run nor load anything."""
    picture = b'<img alt="The drawing" src="data:image/svg+xml;base64,%b">'
    html = STAGE % (picture % base64.b64encode(_unpacked(data)))
    return shown_as("SVG image", kind="image", **ALONE), html


def _html(number: int, total: int, size: str, page: dict[str, Any], picture: bytes) -> bytes:
    shape = f'width="{page["shown_width"]}" height="{page["shown_height"]}"'
    source = f'src="data:{page["type"]};base64,{base64.b64encode(picture).decode()}"'
    if total == 1:
        return STAGE % f'<img {shape} alt="The picture, {size}" {source}>'.encode()
    return (
        f'<section class="page" id="p{number}" aria-label="Page {number} of {total}">\n'
        f'<img {shape} decoding="async" alt="Page {number}, {size}" {source}>\n</section>\n'
    ).encode()


def _unpacked(data: bytes) -> bytes:
    drawing = gzip.GzipFile(fileobj=io.BytesIO(data)).read(MAX_DRAWING + 1)
    if len(drawing) > MAX_DRAWING or b"<svg" not in drawing or not is_bounded(drawing):
        raise ValueError("no drawing, or a large one")
    return drawing


def _opened(data: bytes) -> Image.Image:
    formats = tuple(one for one in FORMATS if one in Image.OPEN)  # HEIF is there if it is needed
    return Image.open(io.BytesIO(data), formats=formats)


def _decodable(image: Image.Image) -> Image.Image:
    """Return a page that is small enough to be decoded. Raises RefusedError."""
    if isinstance(image, Jpeg2KImageFile) and not _fits(image, image.size):
        image.reduce = REDUCED
        if _fits(image, (image.width >> REDUCED, image.height >> REDUCED)):
            return image
    if not _fits(image, image.size):
        raise RefusedError("size")
    return image


def _fits(image: Image.Image, size: tuple[int, int]) -> bool:
    limit = MAX_DECODED_HEIF if image.format == "HEIF" else MAX_DECODED
    return size[0] * size[1] * BYTES_OF_PIXEL.get(image.mode, 4) <= limit


def _converted(image: Image.Image, most: int) -> Message:
    """Return a page upright, with at most so many pixels."""
    image.load()  # Pillow turns a TIFF here
    orientation = image.getexif().get(ORIENTATION, 1)
    if image.mode == "RGBA" and image.getchannel("A").getextrema() == (0, 0):
        image = image.convert("RGB")  # whose fourth byte means nothing, as in many a TGA
    scale = min(1.0, (most / (image.width * image.height)) ** 0.5)
    small = _eight_bit(image)
    if scale < 1:
        smooth = small.convert("L") if small.mode == "1" else small
        size = max(1, int(image.width * scale)), max(1, int(image.height * scale))
        small = smooth.resize(size, Image.Resampling.BICUBIC, reducing_gap=1.1)
    small.getexif()[ORIENTATION] = orientation
    form, picture = _encoded(upright := ImageOps.exif_transpose(small))
    facts = {"shown_width": upright.width, "shown_height": upright.height}
    return facts | {"type": f"image/{form.lower()}"}, picture


def _eight_bit(image: Image.Image) -> Image.Image:
    """Return grey levels of more than 8 bits spread over 8."""
    if image.mode not in DEEP:
        return image
    wide = image.convert("F")
    low, high = cast(tuple[float, float], wide.getextrema())
    factor = 255 / (high - low) if high > low else 0
    return wide.point(lambda level: level * factor - low * factor).convert("L")


def _encoded(image: Image.Image) -> tuple[str, bytes]:
    """Return the format and the bytes: PNG for black and white, WebP if transparent, JPEG."""
    profile = image.info.get("icc_profile") if image.mode in ("RGB", "RGBA") else None
    out = io.BytesIO()
    if image.mode == "1":
        image.save(out, "PNG")
        return "PNG", out.getvalue()
    if image.has_transparency_data:
        image.convert("RGBA").save(out, "WEBP", quality=QUALITY, method=2, icc_profile=profile)
        return "WEBP", out.getvalue()
    plain = image if image.mode in ("L", "RGB") else image.convert("RGB")
    plain.save(out, "JPEG", quality=QUALITY, icc_profile=profile)
    return "JPEG", out.getvalue()
