"""Encodes pixels as PNG. Grey pages are reduced to 4 bits: small and fast."""

import struct
import zlib

NIBBLE = bytes(min(15, (level + 8) // 17) for level in range(256))
HIGH_NIBBLE = bytes(level << 4 for level in NIBBLE)
GREY, RGB, RGBA = 0, 2, 6


def encode_png(width: int, height: int, channels: int, pixels: bytes) -> bytes:
    """Return a 4-bit grey PNG if no pixel has a colour, else an RGB or RGBA one.

    `pixels` are rows without padding: grey, RGB or RGBA by the number of channels.
    """
    red, green, blue = (pixels[min(n, channels - 1) :: channels] for n in (0, 1, 2))
    if red == green == blue:
        packed = _pack(_even_rows(width, height, red))
        return _file(width, height, 4, GREY, _rows(height, packed))
    return _file(width, height, 8, RGB if channels == 3 else RGBA, _rows(height, pixels))


def _even_rows(width: int, height: int, levels: bytes) -> bytes:
    if width % 2 == 0:
        return levels
    starts = range(0, height * width, width)
    return b"".join(levels[start : start + width] + b"\xff" for start in starts)


def _rows(height: int, data: bytes) -> bytes:
    """Put the filter type before each row."""
    length = len(data) // height
    starts = range(0, height * length, length)
    return b"".join(b"\0" + data[start : start + length] for start in starts)


def _pack(levels: bytes) -> bytes:
    """Pack two levels into each byte, by integer arithmetic instead of a loop."""
    high = int.from_bytes(levels[0::2].translate(HIGH_NIBBLE), "big")
    low = int.from_bytes(levels[1::2].translate(NIBBLE), "big")
    return (high | low).to_bytes(len(levels) // 2, "big")


def _file(width: int, height: int, depth: int, colour: int, rows: bytes) -> bytes:
    header = struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + _chunk(b"IHDR", header)
        + _chunk(b"IDAT", zlib.compress(rows, 6))
        + _chunk(b"IEND", b"")
    )


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
