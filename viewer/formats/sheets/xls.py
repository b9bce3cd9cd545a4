"""XLS workbooks of 1997 to 2003, and older ones, read by xlrd."""

import io
from collections.abc import Iterator
from typing import Any, Final

import xlrd
from xlrd.biffh import error_text_from_code

from .number_format import format_number
from .sheet import MAX_MERGES, Cell, Column, Merge, Row, Sheet
from .xls_styles import Styles

SIGNATURE: Final = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"  # of the container; older files have none


def sheets(data: bytes) -> tuple[list[Sheet], int]:
    """Return the visible sheets, and the number of hidden ones.

    Raises xlrd.XLRDError, and on damaged files nearly any other exception.
    """
    book = xlrd.open_workbook(
        file_contents=data,
        logfile=io.StringIO(),  # else warnings go to the pipe that carries the messages
        use_mmap=False,
        formatting_info=True,
        on_demand=True,
        ragged_rows=True,
    )
    visible = [n for n in range(book.nsheets) if not _is_hidden(book, n)]
    return [_sheet(book, n) for n in visible], book.nsheets - len(visible)


def _is_hidden(book: Any, number: int) -> bool:
    visibility = book._sheet_visibility  # noqa: SLF001  (else every sheet would have to be read)
    return number < len(visibility) and bool(visibility[number])


def _sheet(book: Any, number: int) -> Sheet:
    sheet = Sheet(book.sheet_names()[number], ())
    sheet.rows = _rows(book, number, sheet)
    return sheet


def _rows(book: Any, number: int, sheet: Sheet) -> Iterator[Row]:
    source = book.sheet_by_index(number)
    sheet.total, styles = source.nrows, Styles(book)
    _describe(sheet, source)
    sheet.merges = [
        Merge(top + 1, left, bottom, right - 1)
        for top, bottom, left, right in source.merged_cells[:MAX_MERGES]
    ]
    for row in range(source.nrows):
        cells = enumerate(source.row(row))
        yield row + 1, {column: _cell(book, styles, cell) for column, cell in cells}
    book.unload_sheet(number)


def _describe(sheet: Sheet, source: Any) -> None:
    """Take what a sheet says of columns, hidden and frozen rows, and grid lines."""
    sheet.usual_width = (source.standardwidth or 256 * (source.defcolwidth or 8)) / 256
    for place, column in source.colinfo_map.items():
        sheet.add_columns(place, place, Column(column.width / 256, bool(column.hidden)))
    sheet.hidden_rows |= {row + 1 for row, info in source.rowinfo_map.items() if info.hidden}
    sheet.has_grid_lines = bool(source.show_grid_lines)
    sheet.from_right = bool(source.columns_from_right_to_left)
    sheet.frozen = source.horz_split_pos if source.panes_are_frozen else 0


def _cell(book: Any, styles: Styles, cell: Any) -> Cell:
    style = styles[cell.xf_index or 0]
    if cell.ctype in (xlrd.XL_CELL_NUMBER, xlrd.XL_CELL_DATE):
        text = format_number(cell.value, style.code, from_1904=bool(book.datemode))
        return Cell(text, "num", style.look_of(cell.value))
    if cell.ctype == xlrd.XL_CELL_BOOLEAN:
        return Cell("TRUE" if cell.value else "FALSE", "center", style.look)
    if cell.ctype == xlrd.XL_CELL_ERROR:
        return Cell(error_text_from_code.get(cell.value, "#ERROR"), "center", style.look)
    return Cell(str(cell.value), "", style.look)
