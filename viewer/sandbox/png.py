"""Encodes pixels as PNG. Grey pages are reduced to 4 bits: small and fast."""

import struct
import zlib
from dataclasses import dataclass

NIBBLE = bytes(min(15, (level + 8) // 17) for level in range(256))
HIGH_NIBBLE = bytes(level << 4 for level in NIBBLE)
GREY, RGB, RGBA = 0, 2, 6


@dataclass(frozen=True, slots=True)
class Bitmap:
    """Pixels in rows without padding: grey, RGB or RGBA by the number of channels."""

    width: int
    height: int
    channels: int
    pixels: bytes

    def png(self) -> bytes:
        """Return a 4-bit grey PNG if no pixel has a colour, else a colour PNG."""
        red, green, blue = (
            self.pixels[min(n, self.channels - 1) :: self.channels] for n in (0, 1, 2)
        )
        if red == green == blue:
            return self._grey(red)
        rows = self._rows(self.pixels, self.width * self.channels)
        return _file(self.width, self.height, 8, RGB if self.channels == 3 else RGBA, rows)

    def _grey(self, levels: bytes) -> bytes:
        width = self.width
        if width % 2:
            levels = b"".join(
                levels[row * width : (row + 1) * width] + b"\xff" for row in range(self.height)
            )
        packed = _pack(levels)
        return _file(width, self.height, 4, GREY, self._rows(packed, (width + 1) // 2))

    def _rows(self, data: bytes, length: int) -> bytes:
        starts = range(0, self.height * length, length)
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
