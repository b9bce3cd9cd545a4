"""Reads the first values of a column of a Parquet file: its type, its pages, what is in them.

Source: parquet.thrift (SchemaElement, ColumnChunk, PageHeader), LogicalTypes.md and Encodings.md of
the Apache Parquet format.
"""

import io
import struct
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from decimal import Decimal
from itertools import islice, repeat
from typing import Any, Final
from uuid import UUID

from .thrift import Fields, read_number, read_struct
from .unpacking import UnreadableError, unpack

# The fields of SchemaElement:
TYPE, SIZE, REPETITION, NAME, CHILDREN, CONVERTED, SCALE, LOGICAL = 1, 2, 3, 4, 5, 6, 7, 10
OPTIONAL, REPEATED = 1, 2  # repetitions
TYPES: Final = ("boolean", "int32", "int64", "int96", "float", "double", "bytes", "fixed bytes")
CONVERTED_TYPES: Final = {
    **{0: "text", 1: "map", 2: "map", 3: "list", 4: "text", 5: "decimal", 6: "date", 7: "time"},
    **{8: "time", 9: "timestamp", 10: "timestamp", 13: "uint32", 14: "uint64", 19: "text"},
}
LOGICAL_TYPES: Final = {
    **{1: "text", 2: "map", 3: "list", 4: "text", 5: "decimal", 6: "date", 7: "time"},
    **{8: "timestamp", 12: "text", 14: "UUID", 15: "float16"},
}
DIGITS: Final = {1: 3, 2: 6, 3: 9, 7: 3, 8: 6, 9: 3, 10: 6}  # by units and converted types
MAX_SCALE: Final = 100
MAX_TEXT: Final = 1_000  # bytes, of which fewer are shown
JULIAN_1970: Final = 2_440_588  # of the days in INT96
DAY: Final = 86_400  # seconds
SINGLE: Final = struct.Struct("<f")
ABOUT, ENCRYPTION = 3, 8  # fields of ColumnChunk
CODEC, COUNT, DATA_START, DICTIONARY_START = 4, 5, 9, 11  # of its ColumnMetaData
SIZE_UNPACKED, SIZE_PACKED, DATA, DICTIONARY, DATA_2 = 2, 3, 5, 7, 8  # of PageHeader
FORMS: Final = {1: "<i", 2: "<q", 3: "12s", 4: "<f", 5: "<d"}  # of types of a fixed size
MAX_PAGES: Final = 200
FEW, MANY = 256 << 10, 8 << 20  # bytes of a column that are unpacked at first, or else


def type_of(element: Fields) -> str:
    """Return what the values of a column mean, or else how they are stored."""
    logical = (LOGICAL_TYPES.get(one) for one in element.get(LOGICAL, ()))
    stored = TYPES[element[TYPE]] if TYPE in element else "struct"
    return next(logical, None) or CONVERTED_TYPES.get(element.get(CONVERTED, -1), stored)


def first_values(data: bytes, chunk: Fields, element: Fields, count: int) -> list[Any]:
    """Return the first values of a column, None for those that are null.

    Raises UnreadableError, or nearly any other exception, if they are too large or damaged.
    """
    if TYPE not in element or element.get(REPETITION) == REPEATED:
        raise UnreadableError("nested")
    if ENCRYPTION in chunk:
        raise UnreadableError("encrypted")
    about = chunk[ABOUT]
    if about[COUNT] < count:
        raise ValueError("too few values")
    try:
        values = list(islice(_values(data, about, element, FEW), count))
    except Exception:  # also if they are cut off
        values = list(islice(_values(data, about, element, MANY), count))
    return [value if value is None else _shown(element, value) for value in values]


def _values(data: bytes, about: Fields, element: Fields, room: int) -> Iterator[Any]:
    """Yield values as they are stored, from pages of which `room` bytes are unpacked."""
    stream, is_optional = io.BytesIO(data), element.get(REPETITION) == OPTIONAL
    stream.seek(about.get(DICTIONARY_START) or about[DATA_START])
    words: list[Any] = []  # the dictionary
    for _ in range(MAX_PAGES):
        head = read_struct(stream)
        page = next(head[kind] for kind in (DATA, DATA_2, DICTIONARY) if kind in head)
        is_2 = DATA_2 in head  # there the levels, which say what is null, are not packed
        levels = stream.read(page[5] if is_2 else 0)
        packed = stream.read(head[SIZE_PACKED] - len(levels))
        size = min(head[SIZE_UNPACKED] - len(levels), room // 2)  # some is left for the next page
        codec = 0 if is_2 and not page.get(7, True) else about[CODEC]
        unpacked = unpack(codec, packed, size) if packed and size > 0 else b""
        room -= len(unpacked)
        if DICTIONARY in head:
            words = list(_plain(unpacked, element))
            continue
        if is_optional and not is_2:
            end = 4 + int.from_bytes(unpacked[:4], "little")
            levels, unpacked = unpacked[4:end], unpacked[end:]
        present = _numbers(levels, 1) if is_optional else repeat(1)
        values = _decoded(page[4] if is_2 else page[2], unpacked, element, words)
        for _ in range(page[1]):
            yield next(values) if next(present) else None
    raise ValueError("too many pages")


def _decoded(encoding: int, data: bytes, element: Fields, words: list[Any]) -> Iterator[Any]:
    match encoding:
        case 0:
            return _plain(data, element)
        case 2 | 8:  # places in the dictionary, after their width
            return map(words.__getitem__, _numbers(data[1:], int.from_bytes(data[:1])))
        case 3:  # RLE of truth values, after their length
            return _numbers(data[4:], 1)
    raise UnreadableError("in an unusual encoding")


def _plain(data: bytes, element: Fields) -> Iterator[Any]:
    """Return the numbers or bytes that are stored one after another."""
    kind = element[TYPE]
    if TYPES[kind] == "boolean":
        return _bits(data, 1)
    if TYPES[kind] == "bytes":
        return _texts(io.BytesIO(data))
    form = struct.Struct(FORMS.get(kind) or f"{element[SIZE]}s")
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


def _shown(element: Fields, value: Any) -> Any:
    """Return what a value means; as it is stored if it is not in a year of four digits."""
    show = SHOWN.get(type_of(element))
    try:
        return show(element, value) if show else value
    except OverflowError:
        return value


def _decimal(element: Fields, value: int | bytes) -> Decimal:
    number = int.from_bytes(value, signed=True) if isinstance(value, bytes) else value
    scale: int = _about(element).get(1, element.get(SCALE, 0))
    if not 0 <= scale <= MAX_SCALE:
        raise ValueError("a long number")
    return Decimal(f"{number}e-{scale}")


def _float(_: Fields, value: float) -> float:
    """Return the shortest number that is stored as the same."""
    short = (float(f"{value:.{digits}g}") for digits in (7, 8, 9))
    return next((one for one in short if SINGLE.pack(one) == SINGLE.pack(value)), value)


def _timestamp(element: Fields, count: int) -> str:
    return _moment(count, _digits(element)) + ("Z" if _about(element).get(1, True) else "")


def _int96(_: Fields, value: bytes) -> str:
    """Return the time in which old programs store the nanoseconds of a day, and then the day."""
    rest, day = struct.unpack("<qi", value)
    return _moment((day - JULIAN_1970) * DAY * 10**9 + rest, 9)


def _moment(count: int, digits: int = 0) -> str:
    """Return the date and time so many seconds, or decimal parts of one, after 1970 began."""
    seconds, fraction = divmod(count, 10**digits)
    text = str(datetime(1970, 1, 1) + timedelta(seconds=seconds))
    return f"{text}.{fraction:0{digits}}" if fraction else text


def _digits(element: Fields) -> int:
    """Return how many digits the fraction of a second has."""
    return DIGITS[next(iter(_about(element).get(2) or (element[CONVERTED],)))]


def _about(element: Fields) -> Any:
    """Return the fields of the logical type, if the column has one."""
    return next(iter(element.get(LOGICAL, {}).values()), {})


SHOWN: Final[dict[str, Callable[[Fields, Any], Any]]] = {  # others are shown as they are stored
    **{"decimal": _decimal, "float": _float, "timestamp": _timestamp, "int96": _int96},
    "boolean": lambda _, value: bool(value),
    "text": lambda _, value: value[:MAX_TEXT].decode("utf-8", "replace"),
    "date": lambda _, days: _moment(days * DAY)[:10],
    "time": lambda element, count: _moment(count, _digits(element))[11:],
    "uint32": lambda _, value: value % (1 << 32),
    "uint64": lambda _, value: value % (1 << 64),
    "float16": lambda _, value: struct.unpack("<e", value)[0],
    "UUID": lambda _, value: str(UUID(bytes=value)),
}
