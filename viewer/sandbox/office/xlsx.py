"""Workbooks: each sheet as a table, with serial numbers shown as dates."""

import datetime
import re
from collections.abc import Iterator
from typing import Final
from xml.etree.ElementTree import Element

from ...escaping import escape
from ...formatting import format_count
from .elements import attribute, children, descendants, first_child, local_name, text_of
from .grid import MAX_COLUMNS, html_table
from .package import Package

WORKBOOK: Final = "xl/workbook.xml"
SHARED_TEXTS: Final = "xl/sharedStrings.xml"
DATE_FORMATS: Final = frozenset(map(str, (*range(14, 23), 45, 46, 47)))
NOT_FORMAT: Final = re.compile(r'"[^"]*"|\[[^\]]*\]|\\.')
COLUMN: Final = re.compile(r"[A-Z]{1,3}")
EPOCH: Final = datetime.datetime(1899, 12, 30)


def read(package: Package) -> tuple[str, list[str]]:
    book = _Book(package)
    sheets = list(children(first_child(package.xml(WORKBOOK), "sheets"), "sheet"))
    return "".join(map(book.section, sheets)), [format_count(len(sheets), "sheet")]


class _Book:
    def __init__(self, package: Package) -> None:
        self.package = package
        self.parts = package.relationships(WORKBOOK)
        self.texts = [text_of(item) for item in children(package.xml(SHARED_TEXTS), "si")]
        self.dates = set(_date_styles(package))

    def section(self, sheet: Element) -> str:
        target = self.parts.get(attribute(sheet, "id") or "")
        if target is None or target.address not in self.package.names:
            return ""
        rows = map(self._row, descendants(self.package.xml(target.address), "row"))
        name = escape(attribute(sheet, "name") or "")
        return f"<section><h2>{name}</h2>{html_table(rows)}</section>"

    def _row(self, row: Element) -> list[str]:
        cells: list[str] = []
        for cell in children(row, "c"):
            column = _column(attribute(cell, "r"), len(cells))
            cells += [""] * (column - len(cells))
            cells.append(self._value(cell))
        return cells

    def _value(self, cell: Element) -> str:
        kind, stored = cell.get("t", ""), first_child(cell, "v")
        value = (stored.text or "") if stored is not None else ""
        if kind == "s":
            known = value.isdigit() and int(value) < len(self.texts)
            return self.texts[int(value)] if known else ""
        if kind == "inlineStr":
            return text_of(cell)
        if kind == "b":
            return "TRUE" if value == "1" else "FALSE"
        return _date(value) if value and cell.get("s") in self.dates else value


def _date_styles(package: Package) -> Iterator[str]:
    """Yield the indexes of the cell styles that show a date or a time."""
    root = package.xml("xl/styles.xml")
    codes = {f.get("numFmtId"): f.get("formatCode", "") for f in descendants(root, "numFmt")}
    styles = first_child(root, "cellXfs")
    for index, style in enumerate(styles if styles is not None else ()):
        format_id = style.get("numFmtId", "0")
        if local_name(style) == "xf" and _is_date(format_id, codes.get(format_id, "")):
            yield str(index)


def _is_date(format_id: str, code: str) -> bool:
    bare = NOT_FORMAT.sub("", code)
    return format_id in DATE_FORMATS or bool(
        re.search(r"[ymdhs]", bare, re.I) and not re.search(r"[#0?]", bare)
    )


def _column(reference: str | None, following: int) -> int:
    """Return the column index of a reference such as `AB12`; `following` without one."""
    letters = COLUMN.match(reference or "")
    if not letters:
        return following
    column = 0
    for letter in letters.group():
        column = column * 26 + ord(letter) - 64
    return max(following, min(column - 1, MAX_COLUMNS))


def _date(value: str) -> str:
    try:
        moment = EPOCH + datetime.timedelta(days=float(value))
    except (ValueError, OverflowError):
        return value
    return moment.strftime("%Y-%m-%d" if float(value).is_integer() else "%Y-%m-%d %H:%M")
