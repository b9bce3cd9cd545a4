"""Reads structures in the compact protocol of Apache Thrift, in which Parquet's metadata is.

Source: thrift-compact-protocol.md of Apache Thrift.
"""

import io
from typing import Any, Final

MAX_DEPTH: Final = 30

Fields = dict[int, Any]  # of a structure, by their numbers


def read_struct(
    stream: io.BytesIO, last: int = 0, most: int | None = None, depth: int = 0
) -> Fields:
    """Return the fields, if they need not all be read only up to `last`, a list of at most `most`.

    Raises LookupError or ValueError if it is none.
    """
    if depth > MAX_DEPTH:
        raise ValueError("nested too deeply")
    fields, number = {}, 0
    while head := stream.read(1)[0]:
        number = number + (head >> 4) if head >> 4 else read_signed(stream)
        fields[number] = _value(stream, head & 15, depth, most if number == last else None)
        if number == last:
            break
    return fields


def _value(stream: io.BytesIO, kind: int, depth: int, most: int | None = None) -> Any:
    """Return a value; IndexError if the data ends before it. No metadata has a map."""
    match kind:
        case 1 | 2:  # true, false
            return kind == 1
        case 4 | 5 | 6:
            return read_signed(stream)
        case 8:
            return stream.read(read_number(stream))
        case 9 | 10:  # a list, a set
            head = stream.read(1)[0]
            count = head >> 4 if head >> 4 < 15 else read_number(stream)
            kind = max(head & 15, 3)  # a truth value is a byte there
            return [_value(stream, kind, depth + 1) for _ in range(min(count, most or count))]
        case 12:
            return read_struct(stream, depth=depth + 1)
    return [stream.read(1)[0] for _ in range({3: 1, 7: 8}[kind])]


def read_number(stream: io.BytesIO) -> int:
    """Return a number of seven bits a byte, the lowest first."""
    value = shift = 0
    while shift < 70:
        byte = stream.read(1)[0]
        value |= (byte & 127) << shift
        if byte < 128:
            return value
        shift += 7
    raise ValueError("a long number")


def read_signed(stream: io.BytesIO) -> int:
    """Return a number that may be negative."""
    number = read_number(stream)
    return number >> 1 ^ -(number & 1)
