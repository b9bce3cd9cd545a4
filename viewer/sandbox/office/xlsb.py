"""XLSB workbooks, Excel's binary form of XLSX: values as their number formats show them.

A part is a sequence of records: type and size as numbers of 7 bits a byte, then the content.
Source: MS-XLSB 2.1.4 (records), 2.2.1 (cells), 2.4 (records by name), 2.5 (their parts).
"""

from collections.abc import Callable, Iterator
from struct import unpack_from
from typing import Final

from .cell_look import PLAIN
from .number_format import BUILT_IN, GENERAL, format_number
from .package import Package
from .sheet import MAX_MERGES, Cell, Merge, Row, Sheet
from .xlsx_styles import Style

WORKBOOK: Final = "xl/workbook.bin"
SHARED_TEXTS: Final = "xl/sharedStrings.bin"
STYLES: Final = "xl/styles.bin"
WORKSHEETS: Final = "xl/worksheets/"
ROW, TEXT, FONT, FORMAT, CELL_STYLE = 0, 19, 43, 44, 47
SIZE, WORKBOOK_PROPERTIES, SHEET, MERGE = 148, 153, 156, 176
BEGIN_CELL_STYLES, END_CELL_STYLES = 617, 618
BOLD: Final = 600  # the least weight of a bold font
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
        self.styles = list(_styles(package))
        self.texts = list(_shared_texts(package))
        self.from_1904, self.hidden = False, 0
        self.visible: list[tuple[str, str]] = []  # name and part
        parts = package.relationships(WORKBOOK)
        for kind, data in _records(package, WORKBOOK):
            if kind == WORKBOOK_PROPERTIES:
                self.from_1904 = bool(data[0] & 1)
            elif kind == SHEET:
                link, end = _text(data, 8)
                target = parts.get(link)
                is_hidden = data[0] != 0
                self.hidden += is_hidden
                if target and not is_hidden and target.address.startswith(WORKSHEETS):
                    self.visible.append((_text(data, end)[0], target.address))

    def sheet(self, name: str, part: str) -> Sheet:
        sheet = Sheet(name, ())
        sheet.rows = self._rows(part, sheet)
        return sheet

    def _rows(self, part: str, sheet: Sheet) -> Iterator[Row]:
        merges: list[Merge] = []
        sheet.merges = merges
        number, cells = 0, dict[int, Cell]()
        for kind, data in _records(self.package, part):
            if kind in CELLS:
                column, style = unpack_from("<II", data)
                cells[column] = self._cell(kind, data, style & 0xFFFFFF)
            elif kind == ROW:
                yield number, cells
                number, cells = unpack_from("<I", data)[0] + 1, {}
            elif kind == SIZE:
                sheet.total = unpack_from("<4xI", data)[0] + 1
            elif kind == MERGE and len(merges) < MAX_MERGES:
                top, bottom, left, right = unpack_from("<4I", data)
                merges.append(Merge(top + 1, left, bottom + 1, right))
        yield number, cells

    def _cell(self, kind: int, data: bytes, place: int) -> Cell:
        style = self.styles[place] if place < len(self.styles) else Style()
        value = CELLS[kind](data)
        if kind == SHARED:
            index = int(value)
            return Cell(self.texts[index] if index < len(self.texts) else "", "", style.look)
        if isinstance(value, float):
            text = format_number(value, style.code, from_1904=self.from_1904)
            return Cell(text, "num", style.look)
        return Cell(value, "" if kind in TEXTS else "center", style.look)


def _records(package: Package, part: str) -> Iterator[tuple[int, bytes]]:
    """Yield type and content of the records of a part, which may be absent or lack its end."""
    data, at = package.read_start(part)[0] if part in package.names else b"", 0
    while at + 2 <= len(data):
        kind, at = data[at], at + 1
        if kind & 0x80:
            kind, at = kind & 0x7F | data[at] << 7, at + 1
        size, at = _size(data, at)
        yield kind, data[at : at + size]
        at += size


def _size(data: bytes, at: int) -> tuple[int, int]:
    """Return a number of at most four bytes, and where it ends."""
    size = 0
    for place in range(4):
        byte = data[at + place] if at + place < len(data) else 0
        size |= (byte & 0x7F) << 7 * place
        if byte < 0x80:
            return size, at + place + 1
    return size, at + 4


def _shared_texts(package: Package) -> Iterator[str]:
    for kind, data in _records(package, SHARED_TEXTS):
        if kind == TEXT:
            yield _text(data, 1)[0]


def _styles(package: Package) -> Iterator[Style]:
    """Yield the styles that the cells refer to by their place."""
    codes: dict[int, str] = {}
    bold: list[bool] = []
    is_cell_style = False
    for kind, data in _records(package, STYLES):
        if kind == FORMAT:
            codes[unpack_from("<H", data)[0]] = _text(data, 2)[0]
        elif kind == FONT:
            bold.append(unpack_from("<4xH", data)[0] >= BOLD)
        elif kind in (BEGIN_CELL_STYLES, END_CELL_STYLES):
            is_cell_style = kind == BEGIN_CELL_STYLES
        elif kind == CELL_STYLE and is_cell_style:
            number, font = unpack_from("<2xHH", data)
            code = codes.get(number) or BUILT_IN.get(number, GENERAL)
            yield Style(code, PLAIN._replace(bold=font < len(bold) and bold[font]))


def _text(data: bytes, at: int) -> tuple[str, int]:
    """Return a text behind the number of its UTF-16 units, and where it ends."""
    (count,) = unpack_from("<I", data, at)
    end = at + 4 + 2 * count
    return data[at + 4 : end].decode("utf-16-le", "replace"), end


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
    **{2: _packed_number, 3: _error, 4: _truth, 5: _number, 9: _number, 10: _truth, 11: _error},
    **dict.fromkeys((6, 8), lambda data: _text(data, 8)[0]),
    SHARED: lambda data: float(unpack_from("<I", data, 8)[0]),
    62: lambda data: _text(data, 9)[0],
}
