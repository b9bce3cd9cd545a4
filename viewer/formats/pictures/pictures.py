"""Runs in the child process. Turns pictures that browsers do not show into ones that they do.

Pillow reads TIFF with all its pages, PSD as it was saved flat, JPEG 2000, TGA and PNM; pi-heif
reads HEIC. Each page becomes a PNG, a WebP or a JPEG picture, upright and at most
MAX_SHOWN pixels large.
"""

import importlib
import io
from collections.abc import Iterator
from typing import Any, Final, cast

from PIL import Image, ImageOps

from ...sandbox.messages import Message

PLUGINS: Final = ("Tiff", "Psd", "Jpeg2K", "Tga", "WebP")  # the others are in `preinit`
FORMATS: Final = ("TIFF", "PSD", "JPEG2000", "TGA", "PPM", "HEIF")
MAX_DECODED: Final = 400 << 20  # bytes of one decoded page
MAX_SHOWN: Final = 16_000_000  # pixels of a single picture
MAX_SHOWN_OF_MANY: Final = 4_000_000  # pixels of each of several pages
MAX_PAGES: Final = 100
MAX_BYTES: Final = 24 << 20  # of all pages in their new format
BYTES_OF_PIXEL: Final = {"1": 1, "L": 1, "P": 1, "LA": 4, "I;16": 2, "I;16B": 2, "I;16L": 2}
DEEP: Final = frozenset({"I", "F", "I;16", "I;16B", "I;16L", "I;16N"})
QUALITY: Final = 88
ORIENTATION: Final = 0x0112  # the tag of TIFF 6.0 and Exif 3.0


class TooLargeError(Exception):
    """A page has more pixels than may be decoded."""

    reason = "size"


def prepare(_data: bytes, options: dict[str, Any]) -> None:
    """Import what Pillow would import on first use."""
    Image.MAX_IMAGE_PIXELS = None  # `_checked` has a limit of its own, in bytes
    Image.preinit()
    for name in PLUGINS:
        importlib.import_module(f"PIL.{name}ImagePlugin")
    if options["heif"]:  # its libraries are loaded for no other type
        pi_heif = importlib.import_module("pi_heif")
        pi_heif.options.DECODE_THREADS = 1
        pi_heif.register_heif_opener(thumbnails=False)


def render(data: bytes, _options: dict[str, Any]) -> Iterator[Message]:
    """Yield the number of pages, then each page with its size before it was made smaller.

    Raises TooLargeError if the first page is too large to be decoded.
    """
    image = Image.open(io.BytesIO(data), formats=FORMATS)
    total = 1 if image.format == "PSD" else getattr(image, "n_frames", 1)
    yield {"pages": total}, b""
    size = 0
    for index in range(min(total, MAX_PAGES)):
        image.seek(index + (image.format == "PSD"))
        facts, picture = _page(_checked(image), MAX_SHOWN if total == 1 else MAX_SHOWN_OF_MANY)
        size += len(picture)
        if index and size > MAX_BYTES:
            break
        yield {"page": index + 1, **facts}, picture


def _checked(image: Image.Image) -> Image.Image:
    if image.width * image.height * BYTES_OF_PIXEL.get(image.mode, 4) > MAX_DECODED:
        raise TooLargeError
    return image


def _page(image: Image.Image, most: int) -> Message:
    upright = ImageOps.exif_transpose(_eight_bit(image))
    width, height = upright.size
    scale = min(1.0, (most / (width * height)) ** 0.5)
    if scale < 1:
        smooth = upright.convert("L") if upright.mode == "1" else upright
        size = max(1, int(width * scale)), max(1, int(height * scale))
        upright = smooth.resize(size, Image.Resampling.BICUBIC, reducing_gap=1.1)
    form, picture = _encoded(upright)
    shown_width, shown_height = upright.size
    facts = {"width": width, "height": height, "type": f"image/{form.lower()}"}
    return facts | {"shown_width": shown_width, "shown_height": shown_height}, picture


def _eight_bit(image: Image.Image) -> Image.Image:
    """Return grey levels of more than 8 bits spread over 8; the result keeps the orientation."""
    if image.mode not in DEEP:
        return image
    wide = image.convert("F")
    low, high = cast(tuple[float, float], wide.getextrema())
    factor = 255 / (high - low) if high > low else 0
    narrow = wide.point(lambda level: level * factor - low * factor).convert("L")
    narrow.info = image.info
    narrow.getexif()[ORIENTATION] = image.getexif().get(ORIENTATION, 1)
    return narrow


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
