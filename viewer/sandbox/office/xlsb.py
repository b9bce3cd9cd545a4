"""XLSB workbooks, Excel's binary form of XLSX: values as their number formats show them.

Source: MS-XLSB 2.2.1 (cells), 2.4 (records by name), 2.5 (their parts).
"""

from collections.abc import Callable, Iterator
from struct import unpack_from
from typing import Final

from .number_format import format_number
from .package import Package
from .sheet import MAX_MERGES, Cell, Column, Merge, Row, Sheet
from .sheet_grid import MAX_FROZEN
from .xlsb_records import records, text_at
from .xlsb_styles import styles
from .xlsx_styles import Style

WORKBOOK: Final = "xl/workbook.bin"
SHARED_TEXTS: Final = "xl/sharedStrings.bin"
WORKSHEETS: Final = "xl/worksheets/"
ROW, TEXT, COLUMNS, VIEW, PANE, USUAL_WIDTH = 0, 19, 60, 137, 151, 485
SIZE, WORKBOOK_PROPERTIES, SHEET, MERGE = 148, 153, 156, 176
HIDDEN, GRID_LINES, FROM_RIGHT, FROZEN = 0x10, 0x04, 0x20, 0x03  # flags of rows, views, panes
MAX_WIDTH: Final = 256 * 256
ERRORS: Final = {
    **{0x00: "#NULL!", 0x07: "#DIV/0!", 0x0F: "#VALUE!", 0x17: "#REF!", 0x1D: "#NAME?"},
    **{0x24: "#NUM!", 0x2A: "#N/A", 0x2B: "#GETTING_DATA"},
}


def sheets(package: Package) -> tuple[list[Sheet], int]:
    """Return the visible sheets, and the number of hidden ones; struct.error if damaged."""
    book = _Book(package)
    return [book.sheet(name, part) for name, part in book.visible], book.hidden


class _Book:
    def __init__(self, package: Package) -> None:
        self.package = package
        self.styles = styles(package)
        self.texts = list(_shared_texts(package))
        self.from_1904, self.hidden = False, 0
        self.visible: list[tuple[str, str]] = []  # name and part
        parts = package.relationships(WORKBOOK)
        for kind, data in records(package, WORKBOOK):
            if kind == WORKBOOK_PROPERTIES:
                self.from_1904 = bool(data[0] & 1)
            elif kind == SHEET:
                link, end = text_at(data, 8)
                target = parts.get(link)
                is_hidden = data[0] != 0
                self.hidden += is_hidden
                if target and not is_hidden and target.address.startswith(WORKSHEETS):
                    self.visible.append((text_at(data, end)[0], target.address))

    def sheet(self, name: str, part: str) -> Sheet:
        sheet = Sheet(name, ())
        sheet.rows = self._rows(part, sheet)
        return sheet

    def _rows(self, part: str, sheet: Sheet) -> Iterator[Row]:
        merges: list[Merge] = []
        sheet.merges = merges
        number, cells = 0, dict[int, Cell]()
        for kind, data in records(self.package, part):
            if kind in CELLS:
                column, style = unpack_from("<II", data)
                cells[column] = self._cell(kind, data, style & 0xFFFFFF)
            elif kind == ROW:
                yield number, cells
                number, cells = unpack_from("<I", data)[0] + 1, {}
                if data[11] & HIDDEN:
                    sheet.hidden_rows.add(number)
            elif kind == SIZE:
                sheet.total = unpack_from("<4xI", data)[0] + 1
            elif kind == MERGE and len(merges) < MAX_MERGES:
                top, bottom, left, right = unpack_from("<4I", data)
                merges.append(Merge(top + 1, left, bottom + 1, right))
            else:
                _describe(sheet, kind, data)
        yield number, cells

    def _cell(self, kind: int, data: bytes, place: int) -> Cell:
        style = self.styles[place] if place < len(self.styles) else Style()
        value = CELLS[kind](data)
        if kind == SHARED:
            index = int(value)
            return Cell(self.texts[index] if index < len(self.texts) else "", "", style.look)
        if isinstance(value, float):
            text = format_number(value, style.code, from_1904=self.from_1904)
            return Cell(text, "num", style.look_of(value))
        return Cell(value, "" if kind in TEXTS or not value else "center", style.look)


def _describe(sheet: Sheet, kind: int, data: bytes) -> None:
    """Take from a record what it says of columns, frozen rows and grid lines."""
    if kind == COLUMNS:
        first, last, width, flags = unpack_from("<III4xH", data)
        sheet.add_columns(first, last, Column(width / 256, bool(flags & 1)))
    elif kind == USUAL_WIDTH and (width := unpack_from("<I", data)[0]) < MAX_WIDTH:
        sheet.usual_width = width / 256
    elif kind == VIEW:
        sheet.has_grid_lines = bool(data[0] & GRID_LINES)
        sheet.from_right = bool(data[0] & FROM_RIGHT)
    elif kind == PANE and data[28] & FROZEN:
        rows = unpack_from("<8xd", data)[0]
        sheet.frozen = int(rows) if 0 <= rows < MAX_FROZEN else 0


def _shared_texts(package: Package) -> Iterator[str]:
    for kind, data in records(package, SHARED_TEXTS):
        if kind == TEXT:
            yield text_at(data, 1)[0]


def _packed_number(data: bytes) -> float:
    """Return a number in 30 bits: an integer, or the upper half of a float; perhaps by 100."""
    (bits,) = unpack_from("<i", data, 8)
    if bits & 2:
        value = float(bits >> 2)
    else:
        (value,) = unpack_from("<d", bytes(4) + (bits & ~3 & 0xFFFFFFFF).to_bytes(4, "little"))
    return value / 100 if bits & 1 else value


def _number(data: bytes) -> float:
    return float(unpack_from("<d", data, 8)[0])


def _truth(data: bytes) -> str:
    return "TRUE" if data[8] else "FALSE"


def _error(data: bytes) -> str:
    return ERRORS.get(data[8], "#ERROR")


SHARED, TEXTS = 7, frozenset({6, 8, 62})
CELLS: Final[dict[int, Callable[[bytes], str | float]]] = {  # by the type of the record
    1: lambda _: "",
    **{2: _packed_number, 3: _error, 4: _truth, 5: _number, 9: _number, 10: _truth, 11: _error},
    **dict.fromkeys((6, 8), lambda data: text_at(data, 8)[0]),
    SHARED: lambda data: float(unpack_from("<I", data, 8)[0]),
    62: lambda data: text_at(data, 9)[0],
}
