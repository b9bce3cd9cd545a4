"""Rows of text into an HTML table."""

import re
from collections.abc import Iterable, Sequence
from typing import Final

from viewer.escaping import escape

MOST_CELLS: Final = 40_000
MOST_COLUMNS: Final = 200
NUMBER: Final = re.compile(r"[-+(]?[\d.,\u00a0 ]*\d[\d.,]*\)?%?")
CUT: Final = "<p><em>The table is longer. Save the original to read all of it.</em></p>"


def html_table(rows: Iterable[Sequence[str]]) -> str:
    """A table; its first row is the header, numbers stand to the right."""
    kept, cut = _within_limits(rows)
    widest = max(map(len, kept), default=0)
    width = widest if widest * len(kept) <= 2 * MOST_CELLS else 0
    lines = "".join(_line(row, width, head=index == 0) for index, row in enumerate(kept))
    return f"<table>{lines}</table>{CUT if cut else ''}"


def _within_limits(rows: Iterable[Sequence[str]]) -> tuple[list[Sequence[str]], bool]:
    kept: list[Sequence[str]] = []
    cells = 0
    for row in rows:
        if cells > MOST_CELLS:
            return kept, True
        kept.append(row[:MOST_COLUMNS])
        cells += len(kept[-1]) + 1
    return kept, False


def _line(row: Sequence[str], width: int, *, head: bool) -> str:
    """All lines are of one width: a ragged sheet still looks like one."""
    gap = "<td></td>" * (width - len(row))
    return f"<tr>{''.join(_cell(text, head=head) for text in row)}{gap}</tr>"


def _cell(text: str, *, head: bool) -> str:
    if head and text:
        return f"<th>{escape(text)}</th>"
    side = ' class="num"' if NUMBER.fullmatch(text) else ""
    return f"<td{side}>{escape(text)}</td>"
