"""Renders rows of text as an HTML table."""

import re
from collections.abc import Iterable, Sequence
from typing import Final

from ...markup.escaping import escape

MAX_CELLS: Final = 40_000
MAX_COLUMNS: Final = 200
MAX_CELL_LENGTH: Final = 5_000
NUMBER: Final = re.compile(r"[-+(]?(?:[\d.,]*[\u00a0 ])*+[.,]*\d[\d.,]*\)?%?")
CUT_NOTE: Final = "<p><em>The table is longer. Save the original to read all of it.</em></p>"


def html_table(rows: Iterable[Sequence[str]]) -> str:
    """Return a table; the first row is the header, numbers are right-aligned."""
    kept, cut = _within_limits(rows)
    widest = max(map(len, kept), default=0)
    width = widest if widest * len(kept) <= 2 * MAX_CELLS else 0
    body = "".join(_row(row, width, head=index == 0) for index, row in enumerate(kept))
    return f"<table>{body}</table>{CUT_NOTE if cut else ''}"


def _within_limits(rows: Iterable[Sequence[str]]) -> tuple[list[Sequence[str]], bool]:
    kept: list[Sequence[str]] = []
    cells = 0
    for row in rows:
        if cells > MAX_CELLS:
            return kept, True
        kept.append(row[:MAX_COLUMNS])
        cells += len(kept[-1]) + 1
    return kept, False


def _row(row: Sequence[str], width: int, *, head: bool) -> str:
    padding = "<td></td>" * (width - len(row))
    return f"<tr>{''.join(_cell(text, head=head) for text in row)}{padding}</tr>"


def _cell(text: str, *, head: bool) -> str:
    text = text[:MAX_CELL_LENGTH]
    if head and text:
        return f"<th>{escape(text)}</th>"
    css_class = ' class="num"' if NUMBER.fullmatch(text) else ""
    return f"<td{css_class}>{escape(text)}</td>"
