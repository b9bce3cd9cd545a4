"""XLS workbooks of 1997 to 2003, and older ones, read by xlrd.

Source: MS-XLS 2.4.21 (BOF).
"""

import io
from collections import Counter
from collections.abc import Iterator
from struct import unpack_from
from typing import Any, Final

import xlrd
from xlrd.biffh import error_text_from_code
from xlrd.compdoc import CompDoc

from ...sandbox.messages import RefusedError
from .cells import MAX_MERGES, Cell, Merge, Row, Sheet, Style, Workbook
from .number_format import BUILT_IN, GENERAL

LOCAL_DATES: Final = (14, 22)  # xlrd has one country's
BEGIN, CHART_SUBSTREAM = 0x0809, 0x0020


def read(data: bytes) -> Workbook:
    """Return the sheets. Raises RefusedError, and on damaged files nearly any other exception."""
    try:
        book = xlrd.open_workbook(
            file_contents=data,
            logfile=io.StringIO(),  # else warnings go to the pipe that carries the messages
            use_mmap=False,
            formatting_info=True,
            on_demand=True,
            ragged_rows=True,
        )
    except xlrd.XLRDError as error:
        raise RefusedError("locked" if "encrypted" in str(error) else "damaged") from error
    visibility = book._sheet_visibility  # noqa: SLF001  (else every sheet would have to be read)
    hidden = {n for n in range(book.nsheets) if n < len(visibility) and visibility[n]}
    sheets = [_sheet(book, n) for n in range(book.nsheets) if n not in hidden]
    return Workbook(sheets, Counter({"hidden sheet": len(hidden), "chart": _charts(data)}))


def _charts(data: bytes) -> int:
    """Return the number of charts; in files from before 1995 none are found."""
    stream = b""
    if data.startswith(b"\xd0\xcf\x11\xe0"):
        container = CompDoc(data, logfile=io.StringIO())
        names = ("Workbook", "Book")
        stream = next(filter(None, map(container.get_named_stream, names)), b"")
    charts = at = 0
    while at + 8 <= len(stream):
        record, size, _, substream = unpack_from("<HHHH", stream, at)
        charts += record == BEGIN and substream == CHART_SUBSTREAM
        at += 4 + size
    return charts


def _sheet(book: Any, number: int) -> Sheet:
    sheet = Sheet(book.sheet_names()[number])
    sheet.rows = _rows(book, number, sheet)
    return sheet


def _rows(book: Any, number: int, sheet: Sheet) -> Iterator[Row]:
    source = book.sheet_by_index(number)
    styles = [_style(book, item) for item in book.xf_list]
    sheet.total = source.nrows
    sheet.hidden_columns |= {at for at, column in source.colinfo_map.items() if column.hidden}
    sheet.hidden_rows |= {row + 1 for row, info in source.rowinfo_map.items() if info.hidden}
    sheet.from_right = bool(source.columns_from_right_to_left)
    sheet.merges = [
        Merge(top + 1, left, bottom, right - 1)
        for top, bottom, left, right in source.merged_cells[:MAX_MERGES]
    ]
    for row in range(source.nrows):
        cells = enumerate(source.row(row))
        yield row + 1, {column: _cell(book, styles, cell) for column, cell in cells}
    book.unload_sheet(number)


def _cell(book: Any, styles: list[Style], cell: Any) -> Cell:
    index = cell.xf_index or 0
    style = styles[index] if index < len(styles) else Style()
    if cell.ctype in (xlrd.XL_CELL_NUMBER, xlrd.XL_CELL_DATE):
        return style.number(cell.value, from_1904=bool(book.datemode))
    if cell.ctype == xlrd.XL_CELL_BOOLEAN:
        return Cell("TRUE" if cell.value else "FALSE", "center", style.bold)
    if cell.ctype == xlrd.XL_CELL_ERROR:
        return Cell(error_text_from_code.get(cell.value, "#ERROR"), "center", style.bold)
    return Cell(str(cell.value), "", style.bold)


def _style(book: Any, item: Any) -> Style:
    known = book.format_map.get(item.format_key)
    is_local = known is None or item.format_key in LOCAL_DATES
    code = BUILT_IN.get(item.format_key, GENERAL) if is_local else str(known.format_str)
    return Style(code, bool(book.font_list[item.font_index].bold))
