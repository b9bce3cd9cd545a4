"""The parts of XLSB workbooks: records of a type, a size and content.

Source: MS-XLSB 2.1.4 (records), 2.5 (their parts).
"""

from collections.abc import Iterator
from struct import unpack_from

from .package import Package


def records(package: Package, part: str) -> Iterator[tuple[int, bytes]]:
    """Yield type and content of the records of a part, which may be absent or lack its end."""
    data, at = package.read_start(part)[0] if part in package.names else b"", 0
    while at + 2 <= len(data):
        kind, at = data[at], at + 1
        if kind & 0x80:
            kind, at = kind & 0x7F | data[at] << 7, at + 1
        size, at = _size(data, at)
        yield kind, data[at : at + size]
        at += size


def text_at(data: bytes, at: int) -> tuple[str, int]:
    """Return a text behind the number of its UTF-16 units, and where it ends."""
    (count,) = unpack_from("<I", data, at)
    end = at + 4 + 2 * count
    return data[at + 4 : end].decode("utf-16-le", "replace"), end


def _size(data: bytes, at: int) -> tuple[int, int]:
    """Return a number of at most four bytes, and where it ends."""
    size = 0
    for place in range(4):
        byte = data[at + place] if at + place < len(data) else 0
        size |= (byte & 0x7F) << 7 * place
        if byte < 0x80:
            return size, at + place + 1
    return size, at + 4
