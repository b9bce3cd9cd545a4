"""Runs in the child process. Reads the columns of a Parquet file from the metadata at its end.

Source: parquet.thrift (FileMetaData, SchemaElement) of the Apache Parquet format; the compact
protocol of Apache Thrift, in which it is written.
"""

import io
from collections.abc import Iterator
from typing import Any, Final

from ...markup.escaping import escape
from ...markup.formatting import format_count
from ...sandbox.messages import Message, RefusedError, shown_as

PLAIN, ENCRYPTED = b"PAR1", b"PARE"
MAX_COLUMNS, MAX_NAME, MAX_DEPTH = 3_000, 200, 30
SCHEMA, ROWS = 2, 3  # fields of FileMetaData
TYPE, NAME, CHILDREN, CONVERTED, LOGICAL = 1, 4, 5, 6, 10  # of SchemaElement
TYPES: Final = ("boolean", "int32", "int64", "int96", "float", "double", "bytes", "fixed bytes")
CONVERTED_TYPES: Final = {0: "text", 5: "decimal", 6: "date", 9: "timestamp", 10: "timestamp"}
LOGICAL_TYPES: Final = {
    **{1: "text", 2: "map", 3: "list", 4: "enum", 5: "decimal", 6: "date", 7: "time"},
    **{8: "timestamp", 12: "JSON", 13: "BSON", 14: "UUID", 15: "float16"},
}
ONLY_COLUMNS: Final = "The columns are shown, not the rows. Save the original to read them."


def render(data: bytes, _options: dict[str, Any]) -> Iterator[Message]:
    """Yield one message with the columns as a table.

    Raises RefusedError if they are encrypted; LookupError or ValueError if it is no Parquet file.
    """
    if data.endswith(ENCRYPTED):
        raise RefusedError("encrypted")
    length = int.from_bytes(data[-8:-4], "little")
    if not data.endswith(PLAIN) or length > len(data) - 8:
        raise ValueError("no Parquet file")
    about = _struct(io.BytesIO(data[-8 - length : -8]), last=ROWS)
    columns = list(_columns(about[SCHEMA]))
    rows = "".join(
        f'<tr><td class="long">{escape(name)}</td><td>{kind}</td></tr>\n'
        for name, kind in columns[:MAX_COLUMNS]
    )
    html = (
        '<div class="grid" tabindex="0" role="region" aria-label="Columns"><table>\n<thead><tr>'
        '<th scope="col">Column</th><th scope="col">Type</th></tr></thead>\n'
        f"<tbody>\n{rows}</tbody>\n</table></div>\n"
    )
    counted = format_count(len(columns), "column"), format_count(int(about[ROWS]), "row")
    yield shown_as("Parquet", *counted, notes=[ONLY_COLUMNS]), html.encode("utf-8", "replace")


def _columns(elements: list[dict[int, Any]]) -> Iterator[tuple[str, str]]:
    """Yield the name of each column, with those that it is nested in, and its type.

    The elements of the tree are listed from its root on, each before its children.
    """
    groups: list[list[Any]] = []  # of those that are open: their name, how many children are left
    for element in elements:
        while groups and not groups[-1][1]:
            groups.pop()
        if groups:
            groups[-1][1] -= 1
        name = element[NAME].decode("utf-8", "replace")[:MAX_NAME]
        if children := element.get(CHILDREN, 0):
            if len(groups) > MAX_DEPTH:
                raise ValueError("nested too deeply")
            groups.append([name, children])
        else:
            yield ".".join([*(group for group, _ in groups[1:]), name]), _type(element)


def _type(element: dict[int, Any]) -> str:
    """Return what the values mean, or else how they are stored."""
    meant = [LOGICAL_TYPES[one] for one in element.get(LOGICAL, ()) if one in LOGICAL_TYPES]
    stored = TYPES[element[TYPE]] if TYPE in element else ""
    return meant[0] if meant else CONVERTED_TYPES.get(element.get(CONVERTED, -1), stored)


def _struct(stream: io.BytesIO, depth: int = 0, last: int = 0) -> dict[int, Any]:
    """Return the fields by their numbers; up to `last`, if they need not all be read."""
    if depth > MAX_DEPTH:
        raise ValueError("nested too deeply")
    fields, number = {}, 0
    while head := stream.read(1)[0]:
        number = number + (head >> 4) if head >> 4 else _signed(stream)
        fields[number] = _value(stream, head & 15, depth)
        if number == last:
            break
    return fields


def _value(stream: io.BytesIO, kind: int, depth: int) -> Any:
    """Return a value; IndexError if the data ends before it. No metadata has a map."""
    match kind:
        case 1 | 2:  # true, false
            return kind == 1
        case 4 | 5 | 6:
            return _signed(stream)
        case 8:
            return stream.read(_number(stream))
        case 9 | 10:  # a list, a set
            head = stream.read(1)[0]
            count = head >> 4 if head >> 4 < 15 else _number(stream)
            if count > stream.getbuffer().nbytes:
                raise ValueError("a long list")
            return [_value(stream, head & 15, depth + 1) for _ in range(count)]
        case 12:
            return _struct(stream, depth + 1)
    return stream.read({3: 1, 7: 8}[kind])


def _number(stream: io.BytesIO) -> int:
    """Return a number of seven bits a byte, the lowest first."""
    value = shift = 0
    while shift < 70:
        byte = stream.read(1)[0]
        value |= (byte & 127) << shift
        if byte < 128:
            return value
        shift += 7
    raise ValueError("a long number")


def _signed(stream: io.BytesIO) -> int:
    number = _number(stream)
    return number >> 1 ^ -(number & 1)
