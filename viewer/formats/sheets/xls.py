"""XLS workbooks of 1997 to 2003, and older ones, read by xlrd.

Source: MS-XLS 2.5.20 (CellXF), which numbers what XLSX names; 2.4.21 (BOF).
"""

import io
from collections import Counter
from collections.abc import Iterator, Sequence
from struct import unpack_from
from typing import Any, Final

import xlrd
from xlrd.biffh import error_text_from_code
from xlrd.compdoc import CompDoc

from .number_format import BUILT_IN, GENERAL
from .sheet import (
    MAX_MERGES,
    PATTERNS,
    PLAIN,
    SIDES,
    Cell,
    Column,
    Fields,
    Look,
    Merge,
    Row,
    Sheet,
    Style,
    Workbook,
    alignment,
    border_line,
    pattern_fill,
)

LOCAL_DATES: Final = (14, 22)  # xlrd has one country's
USUAL_HEIGHT: Final = 200  # twentieths of a point
LINES: Final = (
    *("none", "thin", "medium", "dashed", "dotted", "thick", "double", "hair", "mediumDashed"),
    *("dashDot", "mediumDashDot", "dashDotDot", "mediumDashDotDot", "slantDashDot"),
)
FILLS: Final = {
    **{0: "none", 1: "solid", 2: "mediumGray", 3: "darkGray", 4: "lightGray"},
    **{17: "gray125", 18: "gray0625"},
}
HORIZONTAL: Final = (
    *("general", "left", "center", "right", "fill", "justify", "centerContinuous"),
    "distributed",
)
VERTICAL: Final = ("top", "center", "bottom", "justify", "distributed")
BEGIN, CHART_SUBSTREAM = 0x0809, 0x0020


def read(data: bytes) -> Workbook:
    """Return the sheets. Raises xlrd.XLRDError, and on damaged files nearly any other exception."""
    book = xlrd.open_workbook(
        file_contents=data,
        logfile=io.StringIO(),  # else warnings go to the pipe that carries the messages
        use_mmap=False,
        formatting_info=True,
        on_demand=True,
        ragged_rows=True,
    )
    visibility = book._sheet_visibility  # noqa: SLF001  (else every sheet would have to be read)
    hidden = {n for n in range(book.nsheets) if n < len(visibility) and visibility[n]}
    sheets = [_sheet(book, n) for n in range(book.nsheets) if n not in hidden]
    return Workbook(sheets, len(hidden), +Counter(chart=_charts(data)))


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
    source, styles = book.sheet_by_index(number), Styles(book)
    sheet.total = source.nrows
    sheet.usual_width = (source.standardwidth or 256 * (source.defcolwidth or 8)) / 256
    for index, column in source.colinfo_map.items():
        sheet.add_columns(index, index, Column(column.width / 256, bool(column.hidden)))
    sheet.hidden_rows |= {row + 1 for row, info in source.rowinfo_map.items() if info.hidden}
    sheet.has_grid_lines = bool(source.show_grid_lines)
    sheet.from_right = bool(source.columns_from_right_to_left)
    sheet.frozen = source.horz_split_pos if source.panes_are_frozen else 0
    sheet.merges = [
        Merge(top + 1, left, bottom, right - 1)
        for top, bottom, left, right in source.merged_cells[:MAX_MERGES]
    ]
    for row in range(source.nrows):
        cells = enumerate(source.row(row))
        yield row + 1, {column: _cell(book, styles, cell) for column, cell in cells}
    book.unload_sheet(number)


def _cell(book: Any, styles: "Styles", cell: Any) -> Cell:
    style = styles[cell.xf_index or 0]
    if cell.ctype in (xlrd.XL_CELL_NUMBER, xlrd.XL_CELL_DATE):
        return style.number(cell.value, from_1904=bool(book.datemode))
    if cell.ctype == xlrd.XL_CELL_BOOLEAN:
        return Cell("TRUE" if cell.value else "FALSE", "center", style.look)
    if cell.ctype == xlrd.XL_CELL_ERROR:
        return Cell(error_text_from_code.get(cell.value, "#ERROR"), "center", style.look)
    return Cell(str(cell.value), "", style.look)


class Styles(dict[int, Style]):
    """The styles of a workbook by their numbers, each made when it is asked for."""

    def __init__(self, book: Any) -> None:
        super().__init__()
        self.book = book
        first = next(iter(book.font_list), None)
        self.usual_height = (first.height if first else 0) or USUAL_HEIGHT

    def __missing__(self, number: int) -> Style:
        self[number] = Style()
        if number < len(self.book.xf_list):
            item = self.book.xf_list[number]
            known = self.book.format_map.get(item.format_key)
            code = BUILT_IN.get(item.format_key, GENERAL)
            if known and item.format_key not in LOCAL_DATES:
                code = str(known.format_str)
            self[number] = Style(code, self._look(item))
        return self[number]

    def _look(self, item: Any) -> Look:
        font, filled = self.book.font_list[item.font_index], item.background
        aligned = item.alignment
        return PLAIN._replace(
            bold=bool(font.bold),
            italic=bool(font.italic),
            struck=bool(font.struck_out),
            underlined=bool(font.underline_type),
            color=self._color(font.colour_index) or None,
            size=round(100 * font.height / self.usual_height),
            **pattern_fill(
                self._color(filled.pattern_colour_index),
                self._color(filled.background_colour_index),
                PATTERNS[FILLS.get(filled.fill_pattern, "gray125")],
            ),
            **self._lines(item.border),
            **alignment(
                _name(HORIZONTAL, aligned.hor_align),
                _name(VERTICAL, aligned.vert_align),
                wraps=bool(aligned.text_wrapped),
                indent=aligned.indent_level,
                degrees=aligned.rotation,
            ),
        )

    def _lines(self, border: Any) -> Fields:
        return {
            side: border_line(
                _name(LINES, getattr(border, f"{side}_line_style")),
                self._color(getattr(border, f"{side}_colour_index")),
            )
            for side in SIDES
        }

    def _color(self, number: int) -> int | None:
        parts = self.book.colour_map.get(number)
        return int.from_bytes(parts) if parts else None


def _name(names: Sequence[str], number: int) -> str:
    return names[number] if number < len(names) else ""
