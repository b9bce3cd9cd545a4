"""The columns of a Parquet file: their types, and what the values mean in which rows.

Source: parquet.thrift (SchemaElement), LogicalTypes.md and README.md (nested encoding) of the
Apache Parquet format.
"""

import struct
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import Decimal
from itertools import pairwise
from typing import Any, Final
from uuid import UUID

from .thrift import MAX_DEPTH, Fields

TYPE, REPETITION, NAME, CHILDREN, CONVERTED, SCALE, LOGICAL = 1, 3, 4, 5, 6, 7, 10  # fields
OPTIONAL, REPEATED = 1, 2  # repetitions
TYPES: Final = ("boolean", "int32", "int64", "int96", "float", "double", "bytes", "fixed bytes")
CONVERTED_TYPES: Final = {
    **{0: "text", 1: "map", 2: "map", 3: "list", 4: "enum", 5: "decimal", 6: "date", 7: "time"},
    **{8: "time", 9: "timestamp", 10: "timestamp", 11: "uint8", 12: "uint16", 13: "uint32"},
    **{14: "uint64", 15: "int8", 16: "int16", 19: "JSON", 20: "BSON"},
}
LOGICAL_TYPES: Final = {
    **{1: "text", 2: "map", 3: "list", 4: "enum", 5: "decimal", 6: "date", 7: "time"},
    **{8: "timestamp", 12: "JSON", 13: "BSON", 14: "UUID", 15: "float16"},
}
GROUPS: Final = {"list": 1, "map": 2}  # how many columns are in the repeated one in them
DIGITS: Final = {7: 3, 8: 6, 9: 3, 10: 6}  # of a second's fraction, by converted types
UNIT_DIGITS: Final = {1: 3, 2: 6, 3: 9}
MAX_SCALE: Final = 100
MAX_TEXT: Final = 1_000  # bytes, of which fewer are shown
JULIAN_1970: Final = 2_440_588  # of the days in INT96
DAY: Final = 86_400  # seconds
SINGLE: Final = struct.Struct("<f")

Entry = tuple[int, int, Any]  # the levels of repetition and definition, the value as it is stored


@dataclass(frozen=True, slots=True)
class Column:
    """A column or a group of columns, with the levels of its values that are not null.

    A group that is not `named` is a list or a map, or the repeated group in it.
    """

    element: Fields
    repetition: int = 0
    definition: int = 0
    named: bool = True
    children: list["Column"] = field(default_factory=list)

    @property
    def name(self) -> str:
        name: bytes = self.element[NAME]
        return name.decode("utf-8", "replace")

    @property
    def meaning(self) -> str:
        """What the values mean, or else how they are stored; nothing for other groups."""
        logical = (LOGICAL_TYPES.get(one) for one in self.element.get(LOGICAL, ()))
        stored = TYPES[self.element[TYPE]] if TYPE in self.element else ""
        return next(logical, None) or CONVERTED_TYPES.get(self.element.get(CONVERTED, -1), stored)

    @property
    def is_repeated(self) -> bool:
        return self.element.get(REPETITION) == REPEATED

    @property
    def is_map(self) -> bool:
        """Whether this is the repeated group of keys and values."""
        return not self.named and len(self.children) > 1

    @property
    def type(self) -> str:
        """The type as text, of a group with those of its columns."""
        types = [child.type for child in self.children]
        kind = " to ".join(types) or self.meaning
        if self.named and self.children:
            named = zip(self.children, types, strict=True)
            kind = f"({', '.join(f'{child.name} {type}' for child, type in named)})"
        return f"{'map' if self.is_map else 'list'} of {kind}" if self.is_repeated else kind

    def leaves(self) -> Iterator["Column"]:
        """Yield the columns that have values of their own, in their order."""
        if TYPE in self.element:
            yield self
        for child in self.children:
            yield from child.leaves()


def read_columns(elements: list[Fields]) -> list[Column]:
    """Return the columns of a table, whose elements are listed from the root on.

    Raises LookupError or ValueError if they are no tree.
    """
    root, *others = elements
    others.reverse()
    return [_column(others, Column({})) for _ in range(root[CHILDREN])]


def _column(elements: list[Fields], parent: Column, depth: int = 0) -> Column:
    if depth > MAX_DEPTH:
        raise ValueError("nested too deeply")
    element = elements.pop()
    count, repetition = element.get(CHILDREN, 0), element.get(REPETITION, 0)
    levels = parent.repetition + (repetition == REPEATED), parent.definition + (repetition > 0)
    is_group = count == 1 and Column(element).meaning in GROUPS
    is_inner = repetition == REPEATED and 0 < count <= GROUPS.get(parent.meaning, 0)
    column = Column(element, *levels, named=not (is_group or is_inner))
    column.children.extend(_column(elements, column, depth + 1) for _ in range(count))
    return column


def values_of(column: Column, leaves: Sequence[list[Entry]]) -> list[Any]:
    """Return the column's value in each row that all of its leaves have, made of their entries.

    It is a list or a dict if it is nested. Raises ValueError if the leaves contradict each other.
    """
    return [_value(column, row) for row in zip(*_split(leaves, 0), strict=False)]


def _value(column: Column, leaves: Sequence[list[Entry]]) -> Any:
    is_null = leaves[0][0][1] < column.definition
    if not column.is_repeated:
        return None if is_null else _inner(column, leaves)
    parts = () if is_null else zip(*_split(leaves, column.repetition), strict=True)
    values = [_inner(column, part) for part in parts]
    return {str(key): value for key, value in values} if column.is_map else values


def _inner(column: Column, leaves: Sequence[list[Entry]]) -> Any:
    """Return what is not null: a value, those of columns by their names, a pair, the only one."""
    if not column.children:
        show = SHOWN.get(column.meaning)
        value = leaves[0][0][2]
        return show(column.element, value) if show else value
    rest = iter(leaves)
    values = [_value(one, [next(rest) for _ in one.leaves()]) for one in column.children]
    if column.named:
        return dict(zip((one.name for one in column.children), values, strict=True))
    return values if column.is_map else values[0]


def _split(leaves: Sequence[list[Entry]], repetition: int) -> list[list[list[Entry]]]:
    """Return the entries of each leaf by the values that are repeated on this level."""
    parts = []
    for leaf in leaves:
        starts = [at for at, entry in enumerate(leaf) if entry[0] <= repetition or not at]
        parts.append([leaf[start:end] for start, end in pairwise([*starts, len(leaf)])])
    return parts


def _text(_: Fields, value: bytes) -> str:
    return value[:MAX_TEXT].decode("utf-8", "replace")


def _decimal(element: Fields, value: int | bytes) -> Decimal:
    number = int.from_bytes(value, signed=True) if isinstance(value, bytes) else value
    scale: int = _about(element).get(1, element.get(SCALE, 0))
    if not 0 <= scale <= MAX_SCALE:
        raise ValueError("a long number")
    return Decimal((int(number < 0), tuple(map(int, str(abs(number)))), -scale))


def _float(_: Fields, value: float) -> float:
    """Return the shortest number that is stored as the same."""
    short = (float(f"{value:.{digits}g}") for digits in (7, 8, 9))
    return next((one for one in short if SINGLE.pack(one) == SINGLE.pack(value)), value)


def _unsigned(bits: int) -> Callable[[Fields, int], int]:
    return lambda _, value: value % (1 << bits)


def _date(_: Fields, days: int) -> str:
    try:
        return (date(1970, 1, 1) + timedelta(days)).isoformat()
    except OverflowError:
        return f"{days:+,} days from 1970-01-01"


def _time(element: Fields, count: int, digits: int = 0) -> str:
    digits = digits or _digits(element)
    seconds, fraction = divmod(count, 10**digits)
    minutes = seconds // 60
    text = f"{minutes // 60:02}:{minutes % 60:02}:{seconds % 60:02}"
    return f"{text}.{fraction:0{digits}}" if fraction else text


def _timestamp(element: Fields, count: int) -> str:
    days, rest = divmod(count, DAY * 10 ** _digits(element))
    zone = "Z" if _about(element).get(1, True) else ""
    return f"{_date(element, days)} {_time(element, rest)}{zone}"


def _int96(element: Fields, value: bytes) -> str:
    """Return the time in which old programs store the nanoseconds of a day, and then the day."""
    rest, day = struct.unpack("<qi", value)
    return f"{_date(element, day - JULIAN_1970)} {_time(element, rest, 9)}"


def _digits(element: Fields) -> int:
    unit = _about(element).get(2)
    return UNIT_DIGITS[next(iter(unit))] if unit else DIGITS[element[CONVERTED]]


def _about(element: Fields) -> Any:
    """Return the fields of the logical type, if the column has one."""
    return next(iter(element.get(LOGICAL, {}).values()), {})


SHOWN: Final[dict[str, Callable[[Fields, Any], Any]]] = {  # others are shown as they are stored
    **{"text": _text, "enum": _text, "JSON": _text, "decimal": _decimal, "float": _float},
    **{"date": _date, "time": _time, "timestamp": _timestamp, "int96": _int96},
    **{f"uint{bits}": _unsigned(bits) for bits in (8, 16, 32, 64)},
    "boolean": lambda _, value: bool(value),
    "float16": lambda _, value: struct.unpack("<e", value)[0],
    "UUID": lambda _, value: str(UUID(bytes=value)),
}
