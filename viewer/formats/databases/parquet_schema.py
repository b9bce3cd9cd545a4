"""Runs in the child process. Reads the columns of a Parquet file from the metadata at its end.

Source: parquet.thrift (FileMetaData, SchemaElement) of the Apache Parquet format; the compact
protocol of Apache Thrift, in which it is written.
"""

from collections.abc import Iterator
from typing import Any, Final

from ...markup.escaping import escape
from ...sandbox.messages import Message

PLAIN, ENCRYPTED = b"PAR1", b"PARE"
MAX_COLUMNS: Final = 3_000
MAX_NAME: Final = 200
MAX_DEPTH: Final = 30
SCHEMA, ROWS = 2, 3  # fields of FileMetaData
TYPE, REPETITION, NAME, CHILDREN, CONVERTED, LOGICAL = 1, 3, 4, 5, 6, 10  # of SchemaElement
TRUE, FALSE, BYTE, I16, I32, I64, DOUBLE, BINARY, LIST, SET, MAP, STRUCT = range(1, 13)
TYPES: Final = (
    *("boolean", "int32", "int64", "int96", "float", "double", "bytes", "fixed-length bytes"),
)
CONVERTED_TYPES: Final = (
    *("text", "map", "key and value", "list", "enum", "decimal", "date", "time", "time"),
    *("timestamp", "timestamp", "uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32"),
    *("int64", "JSON", "BSON", "interval"),
)
LOGICAL_TYPES: Final = {
    **{1: "text", 2: "map", 3: "list", 4: "enum", 5: "decimal", 6: "date", 7: "time"},
    **{8: "timestamp", 12: "JSON", 13: "BSON", 14: "UUID", 15: "float16"},
}
REPETITIONS: Final = ("required", "optional", "repeated")


class EncryptedError(ValueError):
    """The metadata is encrypted."""

    reason = "encrypted"


def render(data: bytes, _options: dict[str, Any]) -> Iterator[Message]:
    """Yield one message: the numbers of columns and rows, and the columns as a table.

    Raises EncryptedError, or ValueError or IndexError if it is no Parquet file.
    """
    if data.endswith(ENCRYPTED):
        raise EncryptedError
    length = int.from_bytes(data[-8:-4], "little")
    if not data.endswith(PLAIN) or length > len(data) - 8:
        raise ValueError("no Parquet file")
    about = _Reader(data[-8 - length : -8]).struct(last=ROWS)
    columns = list(_columns(about[SCHEMA]))
    rows = "".join(
        f'<tr><td class="long">{escape(name)}</td><td>{kind}</td><td class="dim">{repeated}</td>'
        "</tr>\n"
        for name, kind, repeated in columns[:MAX_COLUMNS]
    )
    html = (
        '<div class="grid" tabindex="0" role="region" aria-label="Columns"><table>\n<thead><tr>'
        '<th scope="col">Column</th><th scope="col">Type</th><th scope="col">Values</th>'
        "</tr></thead>\n"
        f"<tbody>\n{rows}</tbody>\n</table></div>\n"
    )
    facts = {"columns": len(columns), "rows": int(about[ROWS])}
    yield facts, html.encode("utf-8", "replace")


def _columns(elements: list[dict[int, Any]]) -> Iterator[tuple[str, str, str]]:
    """Yield the name, with those that it is nested in, the type and the repetition of each column.

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
            path = ".".join(group for group, _ in groups[1:]) if groups else ""
            repetition = element.get(REPETITION, 0)
            yield f"{path}.{name}".lstrip("."), _type(element), REPETITIONS[repetition]


def _type(element: dict[int, Any]) -> str:
    """Return what the values mean, or else how they are stored."""
    for meant in element.get(LOGICAL, ()):
        if meant in LOGICAL_TYPES:
            return LOGICAL_TYPES[meant]
    if CONVERTED in element:
        return CONVERTED_TYPES[element[CONVERTED]]
    return TYPES[element[TYPE]] if TYPE in element else ""


class _Reader:
    """Reads values of the compact protocol. What is too long for the data ends in IndexError."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def struct(self, depth: int = 0, last: int = 0) -> dict[int, Any]:
        """Return the fields by their numbers; up to `last`, if they need not all be read."""
        if depth > MAX_DEPTH:
            raise ValueError("nested too deeply")
        fields, number = {}, 0
        while head := self._byte():
            number = number + (head >> 4) if head >> 4 else self._signed()
            fields[number] = self._value(head & 15, depth)
            if number == last:
                break
        return fields

    def _value(self, kind: int, depth: int) -> Any:
        if kind in (TRUE, FALSE):
            return kind == TRUE
        if kind in (I16, I32, I64):
            return self._signed()
        if kind == BINARY:
            return self._bytes(self._number())
        if kind == STRUCT:
            return self.struct(depth + 1)
        if kind in (LIST, SET):
            return self._list(depth + 1)
        if kind in (BYTE, DOUBLE):
            return self._bytes(1 if kind == BYTE else 8)
        raise ValueError("unknown type")  # no metadata has a map

    def _list(self, depth: int) -> list[Any]:
        head = self._byte()
        count = head >> 4 if head >> 4 < 15 else self._number()
        if count > len(self.data):
            raise ValueError("a long list")
        return [self._value(head & 15, depth) for _ in range(count)]

    def _byte(self) -> int:
        self.at += 1
        return self.data[self.at - 1]

    def _bytes(self, size: int) -> bytes:
        if size > len(self.data) - self.at:
            raise ValueError("the end is missing")
        self.at += size
        return self.data[self.at - size : self.at]

    def _number(self) -> int:
        """Return a number of seven bits a byte, the lowest first."""
        value = shift = 0
        while shift < 70:
            byte = self._byte()
            value |= (byte & 127) << shift
            if byte < 128:
                return value
            shift += 7
        raise ValueError("a long number")

    def _signed(self) -> int:
        number = self._number()
        return number >> 1 ^ -(number & 1)
