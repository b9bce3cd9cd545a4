"""The tables of a database as HTML: a heading and a grid for each."""

from collections.abc import Iterable
from decimal import Decimal
from typing import Any, Final

from ...markup.escaping import escape, escape_attribute
from ...markup.formatting import format_size

MAX_COLUMNS: Final = 60
MAX_TEXT: Final = 200  # characters of a value or a name
MAX_TYPE: Final = 60
LONG_CELL: Final = 60
LONG: Final = ' class="long"'


def table(name: str, about: str, columns: Iterable[tuple[str, str]], rows: Iterable[str]) -> str:
    """Return a table; `about` stands beside its name, a column is its name and its type."""
    head = "".join(
        f'<th scope="col">{_shown(column)} <span class="dim">{_shown(kind, MAX_TYPE)}</span></th>'
        for column, kind in columns
    )
    label = escape_attribute(name[:MAX_TEXT])
    return (
        f'<section class="table"><h2>{_shown(name)} <span class="dim">{about}</span></h2>\n'
        f'<div class="grid" tabindex="0" role="region" aria-label="{label}"><table>\n'
        f"<thead><tr>{head}</tr></thead>\n<tbody>\n{''.join(rows)}</tbody>\n</table></div></section>\n"
    )


def table_row(values: Iterable[Any]) -> str:
    """Return a row, of which no long value is kept."""
    return f"<tr>{''.join(map(_cell, values))}</tr>\n"


def _shown(text: str, most: int = MAX_TEXT) -> str:
    return escape(text[:most]) + ("…" if len(text) > most else "")


def _cell(value: Any) -> str:
    match value:
        case None:
            return '<td class="dim">NULL</td>'
        case bytes():
            return f'<td class="dim">{_text(value)}</td>'
        case bool():
            value = str(value).lower()
        case int() | float():
            return f'<td class="num">{value}</td>'
        case Decimal():
            return f'<td class="num">{_text(value)}</td>'
    return f"<td{LONG * (len(value) > LONG_CELL)}>{_shown(value)}</td>"


def _text(value: bytes | Decimal) -> str:
    return format_size(len(value)) if isinstance(value, bytes) else f"{value:f}"
