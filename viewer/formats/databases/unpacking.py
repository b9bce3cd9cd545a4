"""Unpacks the beginning of data that is packed as in Parquet files.

Source: Compression.md of the Apache Parquet format, format_description.txt of Snappy, TIFF 6.0.
"""

import gzip
import io
import struct
from typing import Final

from PIL.TiffImagePlugin import TiffImageFile

from .thrift import read_number

OTHERS: Final = {3: "LZO", 4: "Brotli", 5: "LZ4", 7: "LZ4"}  # whose codecs are none of `unpack`'s
FIELD: Final = struct.Struct("<HHII")  # tag, type, number of values, value
ZSTANDARD_IN_TIFF: Final = 50_000
HEAD: Final = 110  # bytes of a TIFF file of eight fields


class UnreadableError(ValueError):
    """It may be sound, but is not read here, for the reason that is the text."""


def unpack(codec: int, data: bytes, most: int) -> bytes:
    """Return at most `most` bytes.

    Raises UnreadableError; ValueError, LookupError, OSError or zlib.error if it is damaged.
    """
    match codec:
        case 0:
            return data[:most]
        case 1:
            return _snappy(data, most)
        case 2:
            return gzip.GzipFile(fileobj=io.BytesIO(data)).read(most)
        case 6:
            return _zstandard(data, most)
    raise UnreadableError(f"compressed with {OTHERS[codec]}")


def _snappy(data: bytes, most: int) -> bytes:
    stream, out = io.BytesIO(data), bytearray()
    read_number(stream)  # the length
    while len(out) < most and (tag := stream.read(1)):
        kind, length = tag[0] & 3, tag[0] >> 2
        if kind == 0:  # bytes as they are; the length of many follows
            if length > 59:
                length = int.from_bytes(stream.read(length - 59), "little")
            out += stream.read(length + 1)
            continue
        distance = int.from_bytes(stream.read((1, 2, 4)[kind - 1]), "little")
        if kind == 1:
            distance, length = distance | length >> 3 << 8, (length & 7) + 3
        if not 0 < distance <= len(out):
            raise ValueError("a copy from before the beginning")
        copied = out[-distance:][: length + 1]
        out += (copied * (length // distance + 1))[: length + 1]
    return bytes(out[:most])


def _zstandard(data: bytes, most: int) -> bytes:
    """Return what libtiff unpacks, as the row of a picture. Python's own module is one of 3.14."""
    fields = {
        **{256: most, 257: 1, 258: 8, 259: ZSTANDARD_IN_TIFF},  # width, height, bits, compression
        **{262: 1, 273: HEAD, 278: 1, 279: len(data)},  # grey, where it begins, rows, its length
    }
    head = b"".join(FIELD.pack(tag, 4, 1, value) for tag, value in fields.items())
    packed = struct.pack("<2sHIH", b"II", 42, 8, len(fields)) + head
    return TiffImageFile(io.BytesIO(packed + bytes(4) + data)).tobytes()
