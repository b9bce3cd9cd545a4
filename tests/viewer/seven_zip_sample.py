"""Makes small 7z archives. Source: 7zFormat.txt of the LZMA SDK."""

import lzma
import struct
import zlib


def seven_zip(method=b"\3\1\1", folder="", **files):
    """A 7z archive: files stored one after another, and their list packed by this method."""
    stored, full = b"".join(files.values()), [data for data in files.values() if data]
    names = "".join(f"{name}\0" for name in (*files, *filter(None, [folder]))).encode("utf-16-le")
    data = [*files.values(), *([b""] if folder else [])]
    empty, is_file = [not one for one in data], [name in files for name in (*files, folder)]
    sizes = b"".join(_number(len(one)) for one in full[:-1])
    streams = (
        b"\4"
        + _stream(0, len(stored), b"\1\0", len(stored))
        + b"\x08\x0d"
        + _number(len(full))
        + (b"\x09" + sizes if sizes else b"")
        + b"\0\0"
        if full
        else b""
    )
    lists = {
        0x0E: _bits(empty),
        0x0F: _bits([flag for flag, none in zip(is_file, empty, strict=False) if none]),
        0x11: b"\0" + names,
    }
    parts = b"".join(bytes([kind]) + _number(len(part)) + part for kind, part in lists.items())
    header = b"\1" + streams + b"\5" + _number(len(data)) + parts + b"\0\0"
    packed = header
    coder = bytes([len(method)]) + method
    if method == b"\3\1\1":
        packed = lzma.compress(header, lzma.FORMAT_ALONE)
        coder = b"\x23" + method + b"\5" + packed[:5]
        packed = packed[13:]
    outer = b"\x17" + _stream(len(stored), len(packed), coder, len(header)) + b"\0"
    start = struct.pack("<QQI", len(stored) + len(packed), len(outer), zlib.crc32(outer))
    return (
        b"7z\xbc\xaf\x27\x1c\0\4"
        + struct.pack("<I", zlib.crc32(start))
        + start
        + stored
        + packed
        + outer
    )


def _stream(place, packed_size, coder, size):
    """One packed stream, and the folder with this one coder that it is unpacked by."""
    number = _number
    packed = b"\6" + number(place) + b"\1\x09" + number(packed_size) + b"\0"
    return packed + b"\7\x0b\1\0\1" + coder + b"\x0c" + number(size) + b"\0"


def _number(value):
    return bytes([value]) if value < 0x80 else b"\xe0" + value.to_bytes(3, "little")


def _bits(flags):
    text = "".join("1" if flag else "0" for flag in flags)
    return bytes(int(text[at : at + 8].ljust(8, "0"), 2) for at in range(0, len(text), 8))
