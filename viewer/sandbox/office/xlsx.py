"""XLSX workbooks: the values of each sheet as their number formats show them.

Source: ECMA-376 part 1, 18.2 (workbooks), 18.3 (worksheets), 18.4 (shared strings), 18.8 (styles),
22.9.2.19 (escaped characters).
"""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple
from xml.etree.ElementTree import Element

from .date_format import days_of
from .elements import attribute, children, descendants, first_child, local_name, parse_int
from .number_format import BUILT_IN, GENERAL, format_number
from .package import Package
from .sheet_table import MAX_MERGES, Cell, Merge, Row, Sheet
from .xml_stream import stream

WORKBOOK: Final = "xl/workbook.xml"
SHARED_TEXTS: Final = "xl/sharedStrings.xml"
STYLES: Final = "xl/styles.xml"
REFERENCE: Final = re.compile(r"\$?([A-Z]{1,3})\$?(\d{1,7})")
MERGE: Final = re.compile(rb'<(?:\w+:)?mergeCell\s[^<>]*?\bref="([A-Z\d]+):([A-Z\d]+)"')
ESCAPED: Final = re.compile(r"_x([\dA-Fa-f]{4})_")
ROW: Final = re.compile(rb'row\s[^<>]*?\br="(\d{1,7})"')
CHART_SHEETS: Final = "xl/chartsheets/"


class Style(NamedTuple):
    code: str = GENERAL
    bold: bool = False


def sheets(package: Package) -> tuple[list[Sheet], int]:
    """Return the visible sheets, and the number of hidden ones."""
    book = _Book(package)
    listed = list(children(first_child(book.root, "sheets"), "sheet"))
    visible = [item for item in listed if attribute(item, "state") in (None, "visible")]
    found = [sheet for item in visible if (sheet := book.sheet(item))]
    return found, len(listed) - len(visible)


class _Book:
    def __init__(self, package: Package) -> None:
        self.package = package
        self.root = package.xml(WORKBOOK)
        self.parts = package.relationships(WORKBOOK)
        self.styles = list(_styles(package.xml(STYLES)))
        self.texts: list[str] = []
        self.more_texts = _shared_texts(package)
        properties = first_child(self.root, "workbookPr")
        self.from_1904 = attribute(properties, "date1904") in ("1", "true")

    def sheet(self, item: Element) -> Sheet | None:
        """Return a worksheet; None for a chart sheet or a part that is missing."""
        target = self.parts.get(attribute(item, "id") or "")
        if target is None or target.address not in self.package.names:
            return None
        if target.address.startswith(CHART_SHEETS):
            return None
        sheet = Sheet(attribute(item, "name") or "", ())
        sheet.rows = self._rows(target.address, sheet)
        return sheet

    def _rows(self, part: str, sheet: Sheet) -> Iterator[Row]:
        data, sheet.cut = self.package.read_start(part)
        sheet.merges = list(_merges(data))
        sheet.total = _last_row(data)
        number = 0
        for item in stream(data, frozenset({"row"})):
            if local_name(item) == "row":
                number = parse_int(attribute(item, "r"), number + 1)
                yield number, dict(self._cells(item))

    def _cells(self, row: Element) -> Iterator[tuple[int, Cell]]:
        column = -1
        for item in children(row, "c"):
            column = _position(item.get("r", ""), column + 1)[1]
            yield column, self._cell(item)

    def _cell(self, item: Element) -> Cell:
        style = self._style(item.get("s"))
        kind, value = item.get("t", "n"), _text(item, "v")
        if kind == "inlineStr":
            return Cell(_rich_text(first_child(item, "is")), "", style.bold)
        if not value:
            formula = "" if kind == "str" else _text(item, "f")  # the result may be an empty text
            return Cell(f"={formula}", "formula") if formula else EMPTY
        if kind == "s":
            return Cell(self._shared_text(parse_int(value, -1)), "", style.bold)
        if kind in ("b", "e"):
            text = value if kind == "e" else "TRUE" if value == "1" else "FALSE"
            return Cell(text, "center", style.bold)
        number = self._number(kind, value, style)
        if number is None:
            return Cell(_unescaped(value), "", style.bold)
        return Cell(format_number(number, style.code, from_1904=self.from_1904), "num", style.bold)

    def _number(self, kind: str, value: str, style: Style) -> float | None:
        """Return a number, the days of a date that has a format; None for what stays a text."""
        if kind != "n" and (kind != "d" or style.code == GENERAL):
            return None
        try:
            return float(value) if kind == "n" else days_of(value, from_1904=self.from_1904)
        except ValueError:
            return None

    def _style(self, index: str | None) -> Style:
        number = parse_int(index, 0)
        return self.styles[number] if number < len(self.styles) else Style()

    def _shared_text(self, index: int) -> str:
        """Read the shared texts up to this one: most sheets use them in their order."""
        while len(self.texts) <= index:
            text = next(self.more_texts, None)
            if text is None:
                return ""
            self.texts.append(text)
        return self.texts[index] if index >= 0 else ""


EMPTY: Final = Cell("")


def _shared_texts(package: Package) -> Iterator[str]:
    if SHARED_TEXTS in package.names:
        data, _ = package.read_start(SHARED_TEXTS)
        items = stream(data, frozenset({"si"}))
        yield from (_rich_text(item) for item in items if local_name(item) == "si")


def _styles(root: Element) -> Iterator[Style]:
    """Yield the styles that the cells refer to by their place."""
    codes = {f.get("numFmtId"): f.get("formatCode", "") for f in descendants(root, "numFmt")}
    fonts = [_is_bold(font) for font in children(first_child(root, "fonts"), "font")]
    for item in children(first_child(root, "cellXfs"), "xf"):
        number, font = item.get("numFmtId", "0"), parse_int(item.get("fontId"), 0)
        code = codes.get(number) or BUILT_IN.get(parse_int(number, 0), GENERAL)
        yield Style(code, font < len(fonts) and fonts[font])


def _is_bold(font: Element) -> bool:
    bold = first_child(font, "b")
    return bold is not None and attribute(bold, "val") not in ("0", "false")


def _rich_text(item: Element | None) -> str:
    """Return the joined runs, without the phonetic ones of Japanese texts."""
    runs = (_text(part, "t") for part in children(item, "r"))
    return _unescaped(_text(item, "t") + "".join(runs))


def _text(item: Element | None, name: str) -> str:
    found = first_child(item, name)
    return (found.text or "") if found is not None else ""


def _unescaped(text: str) -> str:
    """Return a text with the characters that XML can't hold (ST_Xstring)."""
    return ESCAPED.sub(lambda found: chr(int(found[1], 16)), text)


def _position(reference: str, following: int) -> tuple[int, int]:
    """Return the row, from 1, and the column, from 0, of `AB12`; (0, following) if malformed."""
    found = REFERENCE.fullmatch(reference)
    if not found:
        return 0, following
    column = 0
    for letter in found[1]:
        column = column * 26 + ord(letter) - 64
    return int(found[2]), column - 1


def _last_row(data: bytes) -> int:
    """Return the number of the last row, without parsing all rows; 0 if it has none."""
    found = ROW.search(data, max(data.rfind(b"<row "), data.rfind(b":row ")))
    return int(found[1]) if found else 0


def _merges(data: bytes) -> Iterator[Merge]:
    """Yield the merged cells; they stand behind all rows, too late for a sheet that is cut."""
    for _, found in zip(range(MAX_MERGES), MERGE.finditer(data), strict=False):
        top, left = _position(found[1].decode(), -1)
        bottom, right = _position(found[2].decode(), -1)
        if left >= 0 <= right:
            yield Merge(top, left, bottom, right)
