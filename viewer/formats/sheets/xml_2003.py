"""Workbooks in the XML of Excel 2003, which programs of the web export by the name of `.xls`.

Source: XML Spreadsheet Reference of Microsoft, 2001.
"""

from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from typing import Final
from xml.etree.ElementTree import Element

from ..packages.elements import attribute, children, descendants, first_child, parse_int, parse_xml
from .cells import MAX_MERGES, Cell, Merge, Row, Sheet, Style, Workbook
from .number_format import GENERAL

NAMED: Final = {  # formats that have a name
    **{"Fixed": "0.00", "Standard": "#,##0.00", "Percent": "0.00%", "Scientific": "0.00E+00"},
    **{"Currency": "$#,##0.00", "Euro Currency": "€#,##0.00"},
}


def read(data: bytes) -> Workbook:
    """Return the sheets that are not hidden; raise ParseError or ValueError for malformed XML."""
    root = parse_xml(data)
    styles = {attribute(item, "ID"): _style(item) for item in descendants(root, "Style")}
    listed = list(children(root, "Worksheet"))
    visible = [_sheet(item, styles) for item in listed if not _is_hidden(item)]
    return Workbook(visible, Counter({"hidden sheet": len(listed) - len(visible)}))


def _is_hidden(sheet: Element) -> bool:
    visible = first_child(sheet, "WorksheetOptions", "Visible")
    return visible is not None and visible.text != "SheetVisible"


def _style(item: Element) -> Style:
    code = attribute(first_child(item, "NumberFormat"), "Format") or GENERAL
    is_bold = attribute(first_child(item, "Font"), "Bold") == "1"
    return Style(NAMED.get(code, code), is_bold)


def _sheet(item: Element, styles: dict[str | None, Style]) -> Sheet:
    sheet = Sheet(attribute(item, "Name") or "")
    merges: list[Merge] = []
    sheet.rows = list(_rows(first_child(item, "Table"), styles, merges))
    sheet.merges = merges
    return sheet


def _rows(
    table: Element | None, styles: dict[str | None, Style], merges: list[Merge]
) -> Iterator[Row]:
    number = 0
    for row in children(table, "Row"):
        number = parse_int(attribute(row, "Index"), number + 1)
        cells, column = dict[int, Cell](), 0
        for item in children(row, "Cell"):
            column = parse_int(attribute(item, "Index"), column + 1)
            across, down = (
                parse_int(attribute(item, f"Merge{to}"), 0) for to in ("Across", "Down")
            )
            if (across or down) and len(merges) < MAX_MERGES:
                merges.append(Merge(number, column - 1, number + down, column - 1 + across))
            cells[column - 1] = _cell(item, styles.get(attribute(item, "StyleID"), Style()))
            column += across
        yield number, cells


def _cell(item: Element, style: Style) -> Cell:
    data = first_child(item, "Data")
    text = "" if data is None else "".join(data.itertext())
    match attribute(data, "Type"):
        case "Number":
            with suppress(ValueError):
                return style.number(float(text), from_1904=False)
        case "Boolean":
            text = "TRUE" if text == "1" else "FALSE"
        case "DateTime":
            text = text.removesuffix(".000").removesuffix("T00:00:00").replace("T", " ")
    return Cell(text, "", style.bold)
