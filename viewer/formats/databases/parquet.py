"""Runs in the child process. Reads the first rows of a Parquet file, and the types of its columns.

Source: parquet.thrift (FileMetaData, RowGroup) of the Apache Parquet format.
"""

import io
import time
from collections.abc import Iterator
from itertools import islice
from typing import Any, Final

from ...markup.formatting import format_count
from ...sandbox.messages import Message, RefusedError, shown_as
from .parquet_values import CHILDREN, NAME, TYPE, first_values, type_of
from .tables import MAX_COLUMNS, table, table_row
from .thrift import Fields, read_struct
from .unpacking import UnreadableError

PLAIN, ENCRYPTED = b"PAR1", b"PARE"
SCHEMA, ROWS, ROW_GROUPS = 2, 3, 4  # fields of FileMetaData
CHUNKS, ROWS_OF_GROUP = 1, 3  # of RowGroup
MAX_ROWS: Final = 50  # of the first group
OTHERS: Final = (("Column", ""), ("Type", ""), ("Why", ""))
MAX_LISTED: Final = 3_000  # columns without values
SECONDS: Final = 4.0  # of CPU time, after which no other column is read

Column = tuple[str, str]  # its name and its type


def render(data: bytes, _options: dict[str, Any]) -> Iterator[Message]:
    """Yield one message with the first rows, and a list of the columns without them.

    Raises RefusedError if they are encrypted; LookupError or ValueError if it is no Parquet file.
    """
    if data.endswith(ENCRYPTED):
        raise RefusedError("encrypted")
    length = int.from_bytes(data[-8:-4], "little")
    if not data.endswith(PLAIN) or length > len(data) - 8:
        raise ValueError("no Parquet file")
    about = read_struct(io.BytesIO(data[-8 - length : -8]), last=ROW_GROUPS, most=1)
    total = int(about[ROWS])
    groups: list[Fields] = about[ROW_GROUPS] or [{CHUNKS: [], ROWS_OF_GROUP: 0}]
    count = min(total, MAX_ROWS, groups[0][ROWS_OF_GROUP])
    shown, others = _read(data, about[SCHEMA], groups[0][CHUNKS], count)
    html = ""
    if shown:
        rows = map(table_row, zip(*(values for _, values in shown), strict=True))
        heads = [column for column, _ in shown]
        html = table("Rows", f"the first {count:,}:" if count < total else "", heads, rows)
    if others:
        listed = map(table_row, islice(others, MAX_LISTED))
        html += table("Columns without values", "", OTHERS, listed)
    counted = format_count(len(shown) + len(others), "column"), format_count(total, "row")
    yield shown_as("Parquet", *counted), html.encode("utf-8", "replace")


def _read(
    data: bytes, elements: list[Fields], chunks: list[Fields], count: int
) -> tuple[list[tuple[Column, list[Any]]], list[tuple[str, str, str]]]:
    """Return columns with their first values, and those without, each with the reason."""
    shown: list[tuple[Column, list[Any]]] = []
    others: list[tuple[str, str, str]] = []
    deadline = time.process_time() + SECONDS
    for element, place in _columns(elements):
        column = element[NAME].decode("utf-8", "replace"), type_of(element)
        try:
            if len(shown) == MAX_COLUMNS:
                raise UnreadableError(f"after the first {MAX_COLUMNS}")
            if time.process_time() > deadline:
                raise UnreadableError("takes too long")
            if not count:
                raise UnreadableError("no values")
            shown.append((column, first_values(data, chunks[place], element, count)))
        except UnreadableError as error:
            others.append((*column, str(error)))
        except Exception:  # damaged in one of many ways
            others.append((*column, "damaged, or too large"))
    return shown, others


def _columns(elements: list[Fields]) -> Iterator[tuple[Fields, int]]:
    """Yield each column, and how many have values of their own before it.

    They are listed from the root on, each before those that are nested in it, which are left out.
    """
    left = place = 0  # of those that are nested in one
    for element in elements[1:]:
        if not left:
            yield element, place
        left += element.get(CHILDREN, 0) - (left > 0)
        place += TYPE in element
