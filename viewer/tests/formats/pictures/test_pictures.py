"""viewer/formats/pictures/pictures.py"""

import base64
import io
import re
import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from viewer.formats.pictures import pictures
from viewer.rendering.registry import PICTURE
from viewer.sandbox.messages import RefusedError
from viewer.tests.samples import HEIC, picture, psd

ORIENTATION = 0x0112


@pytest.fixture(autouse=True, scope="module")
def prepared():
    pictures.prepare(b"", {"type": "image/heic"})


def drawn(data, kind="image/tiff"):
    """The facts, and the size of each page that is drawn, and its picture as it is shown."""
    ((facts, html),) = pictures.render(data, {"type": kind})
    sizes = re.findall(r"(?:picture|Page \d+), ([\d,]+) × ([\d,]+)", html.decode())
    sources = re.findall(rb'base64,([^"]+)"', html)
    shown = [Image.open(io.BytesIO(base64.b64decode(one))) for one in sources]
    numbers = [tuple(int(one.replace(",", "")) for one in size) for size in sizes]
    return facts, list(zip(numbers, shown, strict=True))


def colour(image):
    return image.convert("RGB").resize((1, 1)).getpixel((0, 0))


def close_to(one, other):
    return all(abs(a - b) < 12 for a, b in zip(one, other, strict=True))


@pytest.mark.parametrize(
    "data",
    [picture("TIFF"), picture("JPEG2000"), picture("TGA"), picture("PPM"), HEIC]
    + [picture("TIFF", compression=name) for name in ("tiff_lzw", "jpeg", "tiff_deflate")],
)
def test_a_picture_is_converted_in_its_colours(data):
    facts, ((size, image),) = drawn(data)

    assert image.size == size
    assert facts["facts"] == [f"{size[0]} × {size[1]} pixels"]
    assert image.get_format_mimetype() == "image/jpeg"
    assert close_to(colour(image), (0, 128, 128))


def test_a_photoshop_file_is_shown_as_it_was_saved_flat():
    _, ((size, image),) = drawn(psd())

    assert size == (6, 4)
    assert close_to(colour(image), (200, 80, 20))


def test_all_pages_of_a_tiff_are_drawn():
    facts, pages = drawn(picture("TIFF", "red", "lime", "blue"))

    assert facts["facts"] == ["3 pages"]
    colours = (255, 0, 0), (0, 255, 0), (0, 0, 255)
    assert all(close_to(colour(i), c) for (_, i), c in zip(pages, colours, strict=True))


def test_a_picture_stands_upright_as_its_exif_orientation_says():
    exif = Image.Exif()
    exif[ORIENTATION] = 6
    _, ((size, image),) = drawn(picture("TIFF", exif=exif))

    assert image.size == size == (40, 60)


@pytest.mark.parametrize(
    ("mode", "shown"),
    [("1", "PNG"), ("L", "JPEG"), ("CMYK", "JPEG"), ("RGBA", "WEBP"), ("P", "JPEG"), ("F", "JPEG")],
)
def test_every_mode_is_drawn(mode, shown):
    _, ((_, image),) = drawn(picture("TIFF", "red", mode=mode))

    assert image.format == shown


def test_a_picture_whose_every_pixel_is_transparent_is_shown_in_its_colours():
    out = io.BytesIO()
    Image.new("RGBA", (6, 4), (0, 128, 128, 0)).save(out, "TGA")
    _, ((_, image),) = drawn(out.getvalue())

    assert image.format == "JPEG"
    assert close_to(colour(image), (0, 128, 128))


def test_grey_levels_of_sixteen_bits_are_spread_over_eight():
    out = io.BytesIO()
    levels = struct.pack("<4H", 100, 200, 300, 400)
    Image.frombytes("I;16", (4, 1), levels).save(out, "TIFF")
    _, ((_, image),) = drawn(out.getvalue())

    assert image.convert("L").getextrema()[0] < 40
    assert image.convert("L").getextrema()[1] > 215


def test_a_large_picture_is_shown_with_fewer_pixels(monkeypatch):
    monkeypatch.setattr(pictures, "MAX_SHOWN", 600)
    _, ((size, image),) = drawn(picture("TIFF", mode="1"))

    assert (size, image.size) == ((60, 40), (30, 20))


def test_a_huge_jpeg_2000_picture_is_decoded_in_a_smaller_size(monkeypatch):
    monkeypatch.setattr(pictures, "MAX_DECODED", 4 * 60 * 40 - 1)
    _, ((size, image),) = drawn(picture("JPEG2000"))

    assert (size, image.size) == ((60, 40), (8, 5))


def test_a_huge_heic_picture_is_not_decoded(monkeypatch):
    monkeypatch.setattr(pictures, "MAX_DECODED_HEIF", 4 * 32 * 32)
    with pytest.raises(RefusedError, match="size"):
        drawn(HEIC)


def test_pages_are_limited_in_number_and_bytes(monkeypatch):
    data = picture("TIFF", *["red"] * 5)
    monkeypatch.setattr(pictures, "MAX_PAGES", 3)
    assert len(drawn(data)[1]) == 3
    monkeypatch.setattr(pictures, "MAX_BYTES", 1)
    assert len(drawn(data)[1]) == 1


@pytest.mark.parametrize(
    "data",
    [
        picture("PPM").replace(b"60 40", b"60000 40000"),
        psd().replace(struct.pack(">II", 4, 6), struct.pack(">II", 30_000, 30_000)),
    ],
)
def test_a_picture_with_too_many_pixels_is_not_decoded(data):
    with pytest.raises(RefusedError, match="size"):
        drawn(data)


def test_a_format_that_is_not_listed_is_not_read():
    with pytest.raises(OSError, match="cannot identify"):
        drawn(picture("GIF"))


SAMPLES = (picture("TIFF", "red", "blue"), picture("JPEG2000"), picture("TGA"), psd(), HEIC)


@pytest.mark.parametrize("data", SAMPLES)
@settings(max_examples=40)
@given(changes=st.lists(st.tuples(st.floats(0, 0.999), st.binary(min_size=1, max_size=4))))
def test_changed_bytes_raise_an_ordinary_error_at_most(data, changes):
    changed = bytearray(data)
    for place, content in changes:
        at = int(place * len(data))
        changed[at : at + len(content)] = content
    try:
        pages = list(pictures.render(bytes(changed), {"type": "image/tiff"}))
    except Exception:  # noqa: BLE001  (of any kind: the child process reports it)
        return
    assert sum(len(made) for _, made in pages) < 40 << 20


def test_the_child_names_the_reason_if_a_picture_is_too_large():
    data = picture("PPM").replace(b"60 40", b"60000 40000")

    assert PICTURE.job.run([data], {"type": "image/tiff"}).failure == "size"
