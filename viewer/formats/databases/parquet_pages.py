"""Reads the first values of a column of a Parquet file: its pages, their levels and encodings.

Source: parquet.thrift (ColumnChunk, PageHeader) and Encodings.md of the Apache Parquet format.
"""

import io
import struct
from collections.abc import Iterator
from itertools import islice, repeat
from typing import Any, Final

from .parquet_columns import TYPE, Column, Entry
from .thrift import Fields, read_number, read_struct
from .unpacking import UnreadableError, unpack

ABOUT, ENCRYPTION = 3, 8  # fields of ColumnChunk
CODEC, COUNT, DATA_START, DICTIONARY_START = 4, 5, 9, 11  # of its ColumnMetaData
SIZE_UNPACKED, SIZE_PACKED, DATA, DICTIONARY, DATA_2 = 2, 3, 5, 7, 8  # of PageHeader
RLE: Final = 3
ENCODINGS: Final = {  # that are not read
    **{5: "DELTA_BINARY_PACKED", 6: "DELTA_LENGTH_BYTE_ARRAY"},
    **{7: "DELTA_BYTE_ARRAY", 9: "BYTE_STREAM_SPLIT"},
}
BOOLEAN, BYTES = 0, 6  # of the types; these have a fixed size:
FORMS: Final = {1: "<i", 2: "<q", 3: "12s", 4: "<f", 5: "<d"}
FIXED_SIZE: Final = 2  # field of SchemaElement
MAX_PAGES: Final = 200
MAX_ENTRIES: Final = 20_000
FEW, MANY = 256 << 10, 8 << 20  # bytes of a column that are unpacked at first, or else


def first_entries(data: bytes, chunks: list[Fields], column: Column, rows: int) -> list[Entry]:
    """Return the entries of the first rows of a column, which begins with these chunks.

    They are of fewer rows if others are too large or damaged. Raises UnreadableError, or nearly any
    other exception, if there is none.
    """
    found: list[Entry] = []
    failure: Exception = ValueError("no values")
    for room in FEW, MANY:
        found.clear()
        try:
            found.extend(_Reader(data, column, room).entries(chunks, rows))
        except Exception as error:  # also if it is cut off
            failure = error
        else:
            return found
    whole = max((at for at, entry in enumerate(found) if not entry[0]), default=0)
    if not whole:
        raise failure
    return found[:whole]


class _Reader:
    """Reads a column, of which it unpacks `room` bytes."""

    def __init__(self, data: bytes, column: Column, room: int) -> None:
        self.stream, self.column, self.room = io.BytesIO(data), column, room
        self.codec = 0
        self.words: list[Any] = []  # the dictionary

    def entries(self, chunks: list[Fields], rows: int) -> Iterator[Entry]:
        """Yield the entries of so many rows; ValueError if there are fewer."""
        entries = (entry for chunk in chunks for entry in self._chunk(chunk))
        for entry in islice(entries, MAX_ENTRIES):
            rows -= not entry[0]
            if rows < 0:
                return
            yield entry
        if rows:
            raise ValueError("too few values")

    def _chunk(self, chunk: Fields) -> Iterator[Entry]:
        if ENCRYPTION in chunk:
            raise UnreadableError("encrypted")
        about = chunk[ABOUT]
        left, self.codec = about[COUNT], about[CODEC]
        self.stream.seek(about.get(DICTIONARY_START) or about[DATA_START])
        for _ in range(MAX_PAGES):
            if left <= 0:
                return
            head = read_struct(self.stream)
            packed, size = self.stream.read(head[SIZE_PACKED]), head[SIZE_UNPACKED]
            if DICTIONARY in head:
                self.words = list(self._plain(self._unpack(packed, size)))
            elif page := head.get(DATA) or head.get(DATA_2):
                left -= page[1]
                yield from self._page(page, packed, size, is_2=DATA_2 in head)

    def _page(self, page: Fields, data: bytes, size: int, *, is_2: bool) -> Iterator[Entry]:
        """Yield the entries of a page; in one of version 2 the levels are not packed."""
        stream = io.BytesIO(data if is_2 else self._unpack(data, size))
        highest = self.column.repetition, self.column.definition
        about = (page[6], page[5]) if is_2 else (page[4], page[3])  # lengths, or else encodings
        levels = []
        for level, length in zip(highest, about, strict=True):
            if level and not is_2 and length != RLE:
                raise UnreadableError("in the encoding BIT_PACKED")
            part = length if is_2 else int.from_bytes(stream.read(4 if level else 0), "little")
            levels.append(_numbers(stream.read(part)[:MANY], level.bit_length()))
        rest = stream.read()
        if is_2 and page.get(7, True):
            rest = self._unpack(rest, size - sum(about))
        values = self._values(page[4] if is_2 else page[2], rest)
        for repetition, definition in islice(zip(*levels, strict=False), page[1]):
            yield repetition, definition, next(values) if definition == highest[1] else None

    def _unpack(self, packed: bytes, size: int) -> bytes:
        most = min(size, self.room // 2)  # so that some is left for the next page
        data = unpack(self.codec, packed, most) if packed and most > 0 else b""
        self.room -= len(data)
        return data

    def _values(self, encoding: int, data: bytes) -> Iterator[Any]:
        match encoding:
            case 0:
                return self._plain(data)
            case 2 | 8:  # places in the dictionary, after their width
                return map(self.words.__getitem__, _numbers(data[1:], int.from_bytes(data[:1])))
            case 3:  # RLE of truth values, after their length
                return _numbers(data[4:], 1)
        raise UnreadableError(f"in the encoding {ENCODINGS.get(encoding, encoding)}")

    def _plain(self, data: bytes) -> Iterator[Any]:
        """Return the numbers or bytes that are stored one after another."""
        kind = self.column.element[TYPE]
        if kind == BOOLEAN:
            return _bits(data, 1)
        if kind == BYTES:
            return _texts(io.BytesIO(data))
        form = struct.Struct(FORMS.get(kind) or f"{self.column.element[FIXED_SIZE]}s")
        whole = data[: len(data) // form.size * form.size]
        return (value for (value,) in form.iter_unpack(whole))


def _texts(stream: io.BytesIO) -> Iterator[bytes]:
    while len(head := stream.read(4)) == 4:
        length = int.from_bytes(head, "little")
        if len(text := stream.read(length)) == length:
            yield text


def _numbers(data: bytes, width: int) -> Iterator[int]:
    """Yield numbers of so many bits, of which equal ones may be stored once; zeros of none.

    Raises IndexError if another one is asked for.
    """
    stream = io.BytesIO(data)
    while width:
        head = read_number(stream)
        if head & 1:
            yield from _bits(stream.read(width * (head >> 1)), width)
        else:
            yield from repeat(int.from_bytes(stream.read((width + 7) // 8), "little"), head >> 1)
    yield from repeat(0)


def _bits(data: bytes, width: int) -> Iterator[int]:
    """Yield numbers of so many bits, the lowest first."""
    for at in range(0, len(data), width):
        eight = int.from_bytes(data[at : at + width], "little")
        yield from (eight >> shift & (1 << width) - 1 for shift in range(0, 8 * width, width))
