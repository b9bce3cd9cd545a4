"""CSV and TSV: a table with a fixed header row and right-aligned numbers."""

import csv
import io
import re
from collections.abc import Iterator, Sequence
from typing import Final

from viewer.decoding import decode
from viewer.escaping import escape
from viewer.formatting import format_count
from viewer.kinds import text
from viewer.media_types import charset
from viewer.names import extension_of
from viewer.original import Original
from viewer.preview import Preview

MAX_READ: Final = 2 << 20
MAX_ROWS: Final = 5_000
MAX_COLUMNS: Final = 100
MAX_CELLS: Final = 60_000
LONG_CELL: Final = 60
MAX_CELL_LENGTH: Final = 5_000
NUMBER: Final = re.compile(r"[-+(]?[$€£¥]?\s?\d[\d.,'\u00a0\u202f ]*([eE][-+]?\d+)?\)?\s?[%€$£¥]?")

Row = Sequence[str]


def preview(original: Original, media_type: str) -> Preview:
    """Return the first rows as a table; plain text if the content can't be parsed."""
    content, _ = decode(original.first(MAX_READ), charset(original.content_type))
    delimiter = _delimiter(content, media_type, original.name)
    try:
        rows, cut = _rows(content, delimiter)
    except csv.Error:
        return text.preview(original, media_type)
    partial = cut or original.size > MAX_READ
    return Preview(
        "table",
        "TSV" if delimiter == "\t" else "CSV",
        _table(rows),
        facts=() if partial else (format_count(max(len(rows) - 1, 0), "row"),),
        note=_note(rows, partial=partial),
        tools=frozenset({"zoom"}),
    )


def _delimiter(content: str, media_type: str, name: str) -> str:
    """Return the delimiter that occurs most often in each of the first lines."""
    if media_type == "text/tab-separated-values" or extension_of(name) == "tsv":
        return "\t"
    lines = [line for line in content[:20_000].split("\n")[:20] if line.strip()]
    return max(",;\t|", key=lambda sign: min((line.count(sign) for line in lines), default=0))


def _rows(content: str, delimiter: str) -> tuple[list[Row], bool]:
    """Return rows up to the limits, and whether any was left out."""
    rows: list[Row] = []
    cells = 0
    csv.field_size_limit(MAX_READ)
    for row in csv.reader(io.StringIO(content, newline=""), delimiter=delimiter):
        if len(rows) > MAX_ROWS or cells > MAX_CELLS:
            return rows, True
        if row:
            rows.append(row)
            cells += min(len(row), MAX_COLUMNS)
    return rows, False


def _table(rows: list[Row]) -> str:
    numeric = _numeric_columns(rows[1:60])
    body = (part for n, row in enumerate(rows[1:], 1) for part in _body_row(n, row, numeric))
    return "".join(
        (
            '<div class="grid" tabindex="0" role="region" aria-label="Table"><table>',
            *_header_row(rows[0] if rows else [], numeric),
            "<tbody>",
            *body,
            "</tbody></table></div>",
        )
    )


def _numeric_columns(sample: list[Row]) -> set[int]:
    """Return the columns in which every filled cell of the sample is a number."""
    columns = range(min(MAX_COLUMNS, max(map(len, sample), default=0)))
    return {column for column in columns if _is_numeric(sample, column)}


def _is_numeric(sample: list[Row], column: int) -> bool:
    filled = [row[column] for row in sample if len(row) > column and row[column]]
    return bool(filled) and all(NUMBER.fullmatch(cell.strip()) for cell in filled)


def _header_row(row: Row, numeric: set[int]) -> Iterator[str]:
    yield '<thead><tr><th scope="col"><span class="hidden">Row</span></th>'
    for column, cell in enumerate(row[:MAX_COLUMNS]):
        css_class = ' class="num"' if column in numeric else ""
        yield f'<th scope="col"{css_class}>{escape(cell[:MAX_CELL_LENGTH])}</th>'
    yield "</tr></thead>"


def _body_row(number: int, row: Row, numeric: set[int]) -> Iterator[str]:
    yield f'<tr><th scope="row">{number}</th>'
    for column, cell in enumerate(row[:MAX_COLUMNS]):
        css_class = "num" if column in numeric else "long" if len(cell) > LONG_CELL else ""
        yield f'<td class="{css_class}">' if css_class else "<td>"
        yield escape(cell[:MAX_CELL_LENGTH]) + "</td>"
    yield "</tr>"


def _note(rows: list[Row], *, partial: bool) -> str:
    shown = [f"the first {format_count(len(rows) - 1, 'row')}"] if partial else []
    widest = max(map(len, rows), default=0)
    if widest > MAX_COLUMNS:
        shown.append(f"{MAX_COLUMNS} of {format_count(widest, 'column')}")
    return f"Showing {' and '.join(shown)}. Save the original to read all of it." if shown else ""
