"""In the child process: CSV and TSV as a table."""

import csv
import io
import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

from ...content.decoding import browser_label, decode, is_certain
from ...markup.escaping import escape
from ...markup.formatting import format_count
from ...markup.names import extension_of
from ...sandbox import MAX_HTML
from ...sandbox.messages import Message, shown_as
from ..text.text_lines import MENU

MAX_ROWS: Final = 5_000
MAX_COLUMNS: Final = 100
MAX_CELLS: Final = 60_000
LONG_CELL: Final = 60
MAX_CELL_LENGTH: Final = 5_000
NUMBER: Final = re.compile(  # as `sorting.js` has it
    r"[-+(]?[$€£¥]?\s?\d[\d.,'\u00a0\u202f ]*(e[-+]?\d+)?\)?\s?[%€$£¥]?", re.I
)

YEAR: Final = re.compile(r"(19|20)\d\d")
FIRST_ROWS: Final = 100  # that are laid out where a script is about to draw those in sight
ALIGNED: Final = 16  # first columns, whose numbers the stylesheet aligns by a class of the table
SCRIPTS: Final = tuple(f"sheets/{name}.js" for name in ("rows", "sorting", "scrolling", "table"))
START: Final = '<div class="grid" tabindex="0" role="region" aria-label="Table"><table class="%s">'

Row = Sequence[str]


def render(data: bytes, options: dict[str, Any]) -> Iterator[Message]:
    """Yield one message with the table. Raises csv.Error if the content can't be parsed."""
    content, encoding = decode(data, options["charset"])
    is_tsv = "tab-separated" in options["type"] or extension_of(options["name"]) == "tsv"
    has_columns = options["type"] != "text/plain"  # for certain
    delimiter = "\t" if is_tsv else _delimiter(content, has_columns)
    rows, cut = _rows(content, delimiter)
    has_header = not rows or not _is_data(rows[:60])
    html, shown = _table(rows if has_header else [[""] * len(rows[0]), *rows])
    cut = cut or shown < len(rows) - has_header or not options["whole"]
    count = format_count(shown, "row")
    columns = max(map(len, rows), default=0)
    wide = f"{MAX_COLUMNS} of {columns:,} columns" if columns > MAX_COLUMNS else ""
    menu = () if is_certain(data, encoding) else MENU
    yield (
        shown_as(
            "TSV" if delimiter == "\t" else "CSV",
            "" if cut else count,
            notes=[_note(f"the first {count}" if cut else "", wide)],
            source={
                "charset": browser_label(encoding),
                "delimiter": delimiter,
                "note": _note(wide),
                **({"cut": "yes"} if cut else {}),
                **({} if has_header else {"nameless": "yes"}),
            },
            scripts=("text/source.js", *menu, *SCRIPTS),
        ),
        html,
    )


def _note(*shown: str) -> str:
    text = " and ".join(filter(None, shown))
    return f"Showing {text}. Save the original to read all of it." if text else ""


def _delimiter(content: str, is_certain: bool) -> str:
    """Return the delimiter that occurs most often in each of the first lines.

    Raises csv.Error if none does, unless it `is_certain` that there are columns.
    """
    lines = [line for line in content[:20_000].split("\n")[:20] if line.strip()]
    counts = {sign: min((line.count(sign) for line in lines), default=0) for sign in ",;\t|"}
    delimiter = max(counts, key=counts.__getitem__)
    if not (counts[delimiter] or is_certain):
        raise csv.Error("no columns")
    return delimiter


def _rows(content: str, delimiter: str) -> tuple[list[Row], bool]:
    rows: list[Row] = []
    cells = 0
    csv.field_size_limit(len(content) + 1)
    for row in csv.reader(io.StringIO(content, newline=""), delimiter=delimiter):
        if len(rows) > MAX_ROWS or cells > MAX_CELLS:
            return rows, True
        if row:
            rows.append(row)
            cells += min(len(row), MAX_COLUMNS)
    return rows, False


def _table(rows: list[Row]) -> tuple[bytes, int]:
    numeric = _numeric_columns(rows[1:60])
    classes = " ".join(f"n{column}" for column in sorted(numeric) if column < ALIGNED)
    header = START % classes + "".join(_header_row(rows[0] if rows else [], numeric)) + "<tbody>"
    out = bytearray(header.encode("utf-8", "replace"))
    number = 0
    unaligned = {column for column in numeric if column >= ALIGNED}
    for number, row in enumerate(rows[1:], 1):
        if number == FIRST_ROWS + 1:
            out += b"<tbody class=rest>"
        out += "".join(_body_row(number, row, unaligned)).encode("utf-8", "replace")
        if len(out) > MAX_HTML:
            break
    return bytes(out + b"</table></div>"), number


def _numeric_columns(sample: list[Row]) -> set[int]:
    """Return the columns in which every filled cell of the sample is a number."""
    columns = range(min(MAX_COLUMNS, max(map(len, sample), default=0)))
    return {column for column in columns if _is_numeric(sample, column)}


def _is_data(sample: list[Row]) -> bool:
    """Whether the first row is no header: it has a number in a column that has nothing else. A year
    above numbers that are no years is a header.
    """
    first = sample[0]
    for column in _numeric_columns(sample):
        cell = first[column].strip() if column < len(first) else ""
        below = (row[column].strip() for row in sample[1:] if column < len(row) and row[column])
        is_heading = YEAR.fullmatch(cell) and not all(map(YEAR.fullmatch, below))
        if cell and not is_heading:
            return True
    return False


def _is_numeric(sample: list[Row], column: int) -> bool:
    filled = [row[column] for row in sample if len(row) > column and row[column]]
    return bool(filled) and all(NUMBER.fullmatch(cell.strip()) for cell in filled)


def _header_row(row: Row, numeric: set[int]) -> Iterator[str]:
    yield "<thead><tr><th><span class=hidden>Row</span>"
    for column, cell in enumerate(row[:MAX_COLUMNS]):
        css_class = " class=num" if column in numeric else ""
        yield f"<th{css_class}>{escape(cell[:MAX_CELL_LENGTH], quotes=False)}"


def _body_row(number: int, row: Row, unaligned: set[int]) -> Iterator[str]:
    """Yield it without its end tags and scopes, which are optional and half of a small table."""
    yield f"<tr><th>{number}"
    for column, cell in enumerate(row[:MAX_COLUMNS]):
        css_class = "num" if column in unaligned else "long" if len(cell) > LONG_CELL else ""
        yield f"<td class={css_class}>" if css_class else "<td>"
        yield escape(cell[:MAX_CELL_LENGTH], quotes=False)
