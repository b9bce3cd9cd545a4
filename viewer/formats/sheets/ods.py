"""OpenDocument workbooks, whose cells hold the text that was shown.

Source: OpenDocument 1.3 part 3, 9 (tables), 16 (styles).
"""

import re
import time
from collections import Counter
from collections.abc import Iterator
from typing import Final
from xml.etree.ElementTree import Element

from ..packages.elements import (
    attribute,
    children,
    descendants,
    first_child,
    local_name,
    parse_int,
    stream,
)
from ..packages.package import MANIFEST, Package
from .cells import MAX_CELLS, MAX_COLUMNS, SECONDS, Cell, Merge, Row, Sheet, Workbook

CONTENT, NAMED_STYLES = "content.xml", "styles.xml"
CHART: Final = b'media-type="application/vnd.oasis.opendocument.chart"'
PICTURE: Final = re.compile(r"Pictures/[^/]+")
WHOLE: Final = frozenset({"table-row", "style", "shapes", "forms", "tracked-changes"})
NUMBERS: Final = frozenset({"float", "percentage", "currency", "date", "time"})
BOLD: Final = ("bold", "600", "700", "800", "900")
SPACES: Final = {"tab": "\t", "line-break": "\n"}
MAX_REPEATED_ROWS: Final = 1_000
MAX_SPACES: Final = 80


def read(package: Package) -> Workbook:
    """Return the sheets that are not hidden."""
    reader = _Reader()
    for item in descendants(package.xml_if_sound(NAMED_STYLES), "style"):
        reader.take(item)  # those of the cells build on these
    data, cut = package.read_start(CONTENT)
    deadline = time.process_time() + SECONDS
    for item in stream(data, WHOLE):
        reader.take(item)
        if late := time.process_time() > deadline:
            cut = late
            break
    if cut and reader.sheets:
        reader.sheets[-1].cut = True
    visible = [sheet for sheet in reader.sheets if sheet not in reader.hidden]
    manifest = package.read(MANIFEST) if MANIFEST in package.names else b""
    left_out = Counter({"hidden sheet": len(reader.hidden), "chart": manifest.count(CHART)})
    left_out["picture"] = sum(map(bool, map(PICTURE.fullmatch, package.names)))
    return Workbook(visible, left_out)


def _is_hidden(item: Element) -> bool:
    return attribute(item, "visibility") in ("collapse", "filter")


class _Reader:
    """Takes the elements in their order: styles, then each table followed by its rows."""

    def __init__(self) -> None:
        self.bold: dict[str | None, bool] = {}  # by styles of cells
        self.tables: dict[str | None, Element | None] = {}  # properties, by styles of tables
        self.defaults: dict[int, str | None] = {}  # the styles of cells by their columns
        self.sheets: list[Sheet] = []
        self.hidden: list[Sheet] = []
        self.rows: list[Row] = []
        self.merges: list[Merge] = []
        self.number = self.cells_left = self.column = 0

    def take(self, item: Element) -> None:
        match local_name(item):
            case "style":
                self._style(item)
            case "table":
                self._table(item)
            case "table-column" if self.sheets:
                self._column(item)
            case "table-row" if self.sheets:
                self._row(item)

    def _table(self, item: Element) -> None:
        self.rows, self.merges, self.defaults = [], [], {}
        self.number, self.cells_left, self.column = 0, MAX_CELLS, 0
        sheet = Sheet(attribute(item, "name") or "", self.rows, self.merges)
        self.sheets.append(sheet)
        style = self.tables.get(attribute(item, "style-name"))
        sheet.from_right = (attribute(style, "writing-mode") or "").startswith("rl")
        if attribute(style, "display") == "false":
            self.hidden.append(sheet)

    def _column(self, item: Element) -> None:
        repeats = max(1, parse_int(attribute(item, "number-columns-repeated"), 1))
        first, self.column = self.column, self.column + repeats
        places = range(first, min(self.column, MAX_COLUMNS))
        self.defaults |= dict.fromkeys(places, attribute(item, "default-cell-style-name"))
        if _is_hidden(item):
            self.sheets[-1].hidden_columns.update(places)

    def _style(self, item: Element) -> None:
        """Take a style, and whether it is bold, or else the one that it builds on, taken before."""
        name, weight = attribute(item, "name"), first_child(item, "text-properties")
        bold, base = attribute(weight, "font-weight"), attribute(item, "parent-style-name")
        self.bold[name] = bold in BOLD if bold else self.bold.get(base, False)
        self.tables[name] = first_child(item, "table-properties")

    def _row(self, item: Element) -> None:
        repeats = max(1, parse_int(attribute(item, "number-rows-repeated"), 1))
        first, self.number = self.number + 1, self.number + repeats
        cells = dict(self._cells(item, first))
        if not cells:
            return
        sheet = self.sheets[-1]
        sheet.total = self.number
        for number in range(first, first + min(repeats, MAX_REPEATED_ROWS)):
            if self.cells_left <= 0:
                sheet.cut = True
                return
            if _is_hidden(item):
                sheet.hidden_rows.add(number)
            self.rows.append((number, cells))
            self.cells_left -= len(cells) + 1

    def _cells(self, row: Element, number: int) -> Iterator[tuple[int, Cell]]:
        column = 0
        for item in row:
            if local_name(item) not in ("table-cell", "covered-table-cell"):
                continue
            repeats = max(1, parse_int(attribute(item, "number-columns-repeated"), 1))
            self._merge(item, number, column)
            cell = self._cell(item, attribute(item, "style-name") or self.defaults.get(column))
            if cell.text:
                last = min(column + repeats, max(column + 1, MAX_COLUMNS))
                yield from ((place, cell) for place in range(column, last))
            column += repeats

    def _merge(self, item: Element, row: int, column: int) -> None:
        rows = parse_int(attribute(item, "number-rows-spanned"), 1)
        columns = parse_int(attribute(item, "number-columns-spanned"), 1)
        if rows > 1 or columns > 1:
            self.merges.append(Merge(row, column, row + rows - 1, column + columns - 1))

    def _cell(self, item: Element, name: str | None) -> Cell:
        bold = self.bold.get(name, False)
        text = "\n".join(map(_inline, children(item, "p")))
        kind, formula = attribute(item, "value-type"), attribute(item, "formula")
        if formula and not text and attribute(item, "value") is None:
            return Cell(formula[max(formula.find("="), 0) :], "formula", bold)
        style = "num" if kind in NUMBERS else "center" if kind == "boolean" else ""
        return Cell(text or attribute(item, "value") or "", style, bold)


def _inline(item: Element) -> str:
    """Return the text of a paragraph; spaces and tabs in it are elements."""
    name = local_name(item)
    if name == "s":
        return " " * min(parse_int(attribute(item, "c"), 1), MAX_SPACES)
    if name == "annotation":
        return ""
    inner = "".join(_inline(part) + (part.tail or "") for part in item)
    return SPACES.get(name, "") + (item.text or "") + inner
