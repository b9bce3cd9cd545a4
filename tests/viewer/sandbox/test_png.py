"""viewer/sandbox/png.py"""

import struct
import zlib

import pytest

from viewer.sandbox.png import encode_png


def decoded(png):
    """Width, height, bit depth, colour type and the rows, each after its filter byte."""
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    width, height, depth, colour = struct.unpack(">IIBB", png[16:26])
    at = png.index(b"IDAT")
    size = struct.unpack(">I", png[at - 4 : at])[0]
    data, length = zlib.decompress(png[at + 4 : at + 4 + size]), 0
    length = len(data) // height
    rows = [data[start + 1 : start + length] for start in range(0, len(data), length)]
    return width, height, depth, colour, rows


@pytest.mark.parametrize("width", [1, 2, 3, 8])
def test_grey_pixels_are_encoded_with_four_bits(width):
    levels = bytes(range(0, width * 17, 17))
    shown = decoded(encode_png(width, 2, 3, bytes(v for v in levels * 2 for _ in range(3))))
    padded = levels + (b"\xff" if width % 2 else b"")
    packed = bytes(a // 17 << 4 | b // 17 for a, b in zip(padded[::2], padded[1::2], strict=True))

    assert shown == (width, 2, 4, 0, [packed, packed])


def test_one_channel_is_encoded_as_grey():
    assert decoded(encode_png(2, 1, 1, b"\x00\xff")) == (2, 1, 4, 0, [b"\x0f"])


@pytest.mark.parametrize(("channels", "colour"), [(3, 2), (4, 6)])
def test_colours_are_encoded_unchanged(channels, colour):
    pixels = bytes(range(channels)) * 4

    assert decoded(encode_png(2, 2, channels, pixels)) == (
        2,
        2,
        8,
        colour,
        [pixels[: 2 * channels]] * 2,
    )
