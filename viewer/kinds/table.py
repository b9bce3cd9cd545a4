"""CSV and TSV: a table with a standing header, numbers to the right."""

import csv
import io
import re
from collections.abc import Iterator, Sequence
from typing import Final

from viewer.decoding import decode
from viewer.escaping import escape
from viewer.extensions import ending
from viewer.kinds import text
from viewer.media_types import charset
from viewer.original import Original
from viewer.preview import Preview
from viewer.wording import counted

READ_LIMIT: Final = 2 << 20
ROW_LIMIT: Final = 5_000
COLUMN_LIMIT: Final = 100
CELL_LIMIT: Final = 60_000
LONG_CELL: Final = 60
LONGEST_CELL: Final = 5_000
NUMBER: Final = re.compile(r"[-+(]?[$€£¥]?\s?\d[\d.,'\u00a0\u202f ]*([eE][-+]?\d+)?\)?\s?[%€$£¥]?")

Row = Sequence[str]


def preview(original: Original, kind: str) -> Preview:
    """The first rows as a table; plain text where it isn't one."""
    content, _ = decode(original.first(READ_LIMIT), charset(original.content_type))
    delimiter = _delimiter(content, kind, original.name)
    try:
        rows, cut = _rows(content, delimiter)
    except csv.Error:
        return text.preview(original, kind)
    partial = cut or original.size > READ_LIMIT
    return Preview(
        "table",
        "TSV" if delimiter == "\t" else "CSV",
        _table(rows),
        facts=() if partial else (counted(max(len(rows) - 1, 0), "row"),),
        note=_note(rows, partial=partial),
        tools=frozenset({"zoom"}),
    )


def _delimiter(content: str, kind: str, name: str) -> str:
    """The sign that parts the same, greatest number of columns in every one of the first lines."""
    if kind == "text/tab-separated-values" or ending(name) == "tsv":
        return "\t"
    lines = [line for line in content[:20_000].split("\n")[:20] if line.strip()]
    return max(",;\t|", key=lambda sign: min((line.count(sign) for line in lines), default=0))


def _rows(content: str, delimiter: str) -> tuple[list[Row], bool]:
    """Rows up to the limits, and whether any was left out."""
    rows: list[Row] = []
    cells = 0
    csv.field_size_limit(READ_LIMIT)
    for row in csv.reader(io.StringIO(content, newline=""), delimiter=delimiter):
        if len(rows) > ROW_LIMIT or cells > CELL_LIMIT:
            return rows, True
        if row:
            rows.append(row)
            cells += min(len(row), COLUMN_LIMIT)
    return rows, False


def _table(rows: list[Row]) -> str:
    numeric = _numeric_columns(rows[1:60])
    return "".join(
        (
            '<div class="grid" tabindex="0" role="region" aria-label="Table"><table>',
            *_head(rows[0] if rows else [], numeric),
            "<tbody>",
            *(
                line
                for number, row in enumerate(rows[1:], 1)
                for line in _line(number, row, numeric)
            ),
            "</tbody></table></div>",
        )
    )


def _numeric_columns(sample: list[Row]) -> set[int]:
    """Columns of which every filled cell in the sample is a number."""
    columns = range(min(COLUMN_LIMIT, max(map(len, sample), default=0)))
    return {column for column in columns if _is_numeric(sample, column)}


def _is_numeric(sample: list[Row], column: int) -> bool:
    filled = [row[column] for row in sample if len(row) > column and row[column]]
    return bool(filled) and all(NUMBER.fullmatch(cell.strip()) for cell in filled)


def _head(row: Row, numeric: set[int]) -> Iterator[str]:
    yield '<thead><tr><th scope="col"><span class="hidden">Row</span></th>'
    for column, cell in enumerate(row[:COLUMN_LIMIT]):
        side = ' class="num"' if column in numeric else ""
        yield f'<th scope="col"{side}>{escape(cell[:LONGEST_CELL])}</th>'
    yield "</tr></thead>"


def _line(number: int, row: Row, numeric: set[int]) -> Iterator[str]:
    yield f'<tr><th scope="row">{number}</th>'
    for column, cell in enumerate(row[:COLUMN_LIMIT]):
        look = "num" if column in numeric else "long" if len(cell) > LONG_CELL else ""
        yield f'<td class="{look}">' if look else "<td>"
        yield escape(cell[:LONGEST_CELL]) + "</td>"
    yield "</tr>"


def _note(rows: list[Row], *, partial: bool) -> str:
    shown = [f"the first {counted(len(rows) - 1, 'row')}"] if partial else []
    widest = max(map(len, rows), default=0)
    if widest > COLUMN_LIMIT:
        shown.append(f"{COLUMN_LIMIT} of {counted(widest, 'column')}")
    return f"Showing {' and '.join(shown)}. Save the original to read all of it." if shown else ""
