"""Runs in the child process. Reads the first rows of a Parquet file, and the types of its columns.

Source: parquet.thrift (FileMetaData, RowGroup) of the Apache Parquet format.
"""

import io
import time
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from typing import Any, Final

from ...markup.formatting import format_count
from ...sandbox.messages import Message, RefusedError, shown_as
from .parquet_columns import Column, read_columns, values_of
from .parquet_pages import first_entries
from .tables import MAX_COLUMNS, table, table_row
from .thrift import Fields, read_struct
from .unpacking import UnreadableError

PLAIN, ENCRYPTED = b"PAR1", b"PARE"
SCHEMA, ROWS, ROW_GROUPS = 2, 3, 4  # fields of FileMetaData
CHUNKS, ROWS_OF_GROUP = 1, 3  # of RowGroup
MAX_GROUPS: Final = 4  # that are read
MAX_ROWS: Final = 50
OTHERS: Final = (("Column", ""), ("Type", ""), ("Why", ""))
CUT: Final = "A cell with only “…” has a value that is too large or damaged."
MAX_LISTED: Final = 3_000  # columns without values
SECONDS: Final = 4.0  # of CPU time, after which no other column is read


def render(data: bytes, _options: dict[str, Any]) -> Iterator[Message]:
    """Yield one message with the first rows, and a list of the columns without them.

    Raises RefusedError if they are encrypted; LookupError or ValueError if it is no Parquet file.
    """
    if data.endswith(ENCRYPTED):
        raise RefusedError("encrypted")
    length = int.from_bytes(data[-8:-4], "little")
    if not data.endswith(PLAIN) or length > len(data) - 8:
        raise ValueError("no Parquet file")
    metadata = data[-8 - length : -8]
    about = read_struct(io.BytesIO(metadata), last=ROWS)
    columns, total = read_columns(about[SCHEMA]), int(about[ROWS])
    groups: list[Fields] = []
    with suppress(Exception):  # damaged in one of many ways
        groups = read_struct(io.BytesIO(metadata), ROW_GROUPS, MAX_GROUPS)[ROW_GROUPS]
    count = min(total, MAX_ROWS, sum(group[ROWS_OF_GROUP] for group in groups))
    shown, others = _read(data, groups, columns, count)
    html = ""
    if shown:
        heads = [(column.name, column.type) for column, _ in shown]
        rows = map(table_row, zip(*(values for _, values in shown), strict=True))
        html = table("Rows", f"the first {count:,}:" if count < total else "", heads, rows)
    if others:
        listed = (table_row((column.name, column.type, reason)) for column, reason in others)
        html += table("Columns without values", "", OTHERS, islice(listed, MAX_LISTED))
    counted = format_count(len(columns), "column"), format_count(total, "row")
    notes = [CUT] if any(... in values for _, values in shown) else ()
    yield shown_as("Parquet", *counted, notes=notes), html.encode("utf-8", "replace")


def _read(
    data: bytes, groups: list[Fields], columns: list[Column], count: int
) -> tuple[list[tuple[Column, list[Any]]], list[tuple[Column, str]]]:
    """Return columns with their first values, and those without, each with the reason."""
    shown: list[tuple[Column, list[Any]]] = []
    others: list[tuple[Column, str]] = []
    deadline, place = time.process_time() + SECONDS, 0
    for column in columns:
        leaves = list(column.leaves())
        entries = []
        try:
            if len(shown) == MAX_COLUMNS:
                raise UnreadableError(f"after the first {MAX_COLUMNS}")
            for at, leaf in enumerate(leaves, place):
                if time.process_time() > deadline:
                    raise UnreadableError("takes too long")
                chunks = [group[CHUNKS][at] for group in groups]
                entries.append(first_entries(data, chunks, leaf, count))
            values = values_of(column, entries)
            if not values:
                raise UnreadableError("no values")
            shown.append((column, values + [...] * (count - len(values))))
        except UnreadableError as error:
            others.append((column, str(error)))
        except Exception:  # damaged in one of many ways
            others.append((column, "damaged, or too large"))
        place += len(leaves)
    return shown, others
