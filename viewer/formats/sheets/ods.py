"""OpenDocument spreadsheets, whose cells hold the text that was shown.

Source: OpenDocument 1.3 part 3, 9 (tables).
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
    local_name,
    parse_int,
    stream,
)
from ..packages.package import Package
from .ods_styles import Styles
from .sheet import MAX_COLUMNS, Cell, Column, Merge, Row, Sheet, Workbook
from .sheet_grid import MAX_GAP
from .workbook import MAX_CELLS, SECONDS

CONTENT, NAMED_STYLES, SETTINGS = "content.xml", "styles.xml", "settings.xml"
MANIFEST: Final = "META-INF/manifest.xml"
CHART: Final = b'media-type="application/vnd.oasis.opendocument.chart"'
PICTURE: Final = re.compile(r"Pictures/[^/]+")
VIEW, FROZEN = "config-item-map-entry", "2"
WHOLE: Final = frozenset({"table-row", "style", "shapes", "forms", "tracked-changes"})
NUMBERS: Final = frozenset({"float", "percentage", "currency", "date", "time"})
SPACES: Final = {"tab": "\t", "line-break": "\n"}
FORMULA_PREFIX: Final = re.compile(r"^\w+:(?==)")
FORMULA_REFERENCE: Final = re.compile(r"\[([^\]]*+)(?:\]|\Z)")
MAX_REPEATED_ROWS: Final = 1_000
MAX_SPACES: Final = 80


def read(package: Package) -> Workbook:
    """Return the sheets that are not hidden."""
    styles = Styles()
    for item in descendants(package.xml_if_sound(NAMED_STYLES), "style"):
        styles.take(item)  # those of the cells build on these
    reader = _Reader(styles)
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
    _describe(package, visible)
    manifest = package.read(MANIFEST) if MANIFEST in package.names else b""
    pictures = sum(map(bool, map(PICTURE.fullmatch, package.names)))
    beside_cells = +Counter(chart=manifest.count(CHART), picture=pictures)
    return Workbook(visible, len(reader.hidden), beside_cells)


def _describe(package: Package, sheets: list[Sheet]) -> None:
    """Take from the settings which rows are frozen, and which sheets have no grid lines."""
    settings = package.xml_if_sound(SETTINGS)
    named = {attribute(item, "name"): item for item in descendants(settings, VIEW)}
    for sheet in sheets:
        if (item := named.get(sheet.name)) is not None:
            values = {
                attribute(entry, "name"): entry.text for entry in children(item, "config-item")
            }
            sheet.has_grid_lines = values.get("ShowGrid") != "false"
            if values.get("VerticalSplitMode") == FROZEN:
                sheet.frozen = parse_int(values.get("VerticalSplitPosition"), 0)


def _is_hidden(item: Element) -> bool:
    return attribute(item, "visibility") in ("collapse", "filter")


class _Reader:
    """Takes the elements in their order: styles, then each table followed by its rows."""

    def __init__(self, styles: Styles) -> None:
        self.styles = styles
        self.defaults: dict[int, str | None] = {}  # the styles of cells by their columns
        self.sheets: list[Sheet] = []
        self.hidden: list[Sheet] = []
        self.rows: list[Row] = []
        self.merges: list[Merge] = []
        self.number = self.cells_left = self.column = 0

    def take(self, item: Element) -> None:
        match local_name(item):
            case "style":
                self.styles.take(item)
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
        style = attribute(item, "style-name")
        sheet.from_right = self.styles.is_from_right(style)
        if self.styles.hides(style):
            self.hidden.append(sheet)

    def _column(self, item: Element) -> None:
        repeats = max(1, parse_int(attribute(item, "number-columns-repeated"), 1))
        first, self.column = self.column, self.column + repeats
        style = attribute(item, "default-cell-style-name")
        for place in range(first, min(self.column, MAX_COLUMNS)):
            self.defaults[place] = style
        width, is_hidden = self.styles.column_width(attribute(item, "style-name")), _is_hidden(item)
        if width is not None or is_hidden:
            usual = self.sheets[-1].usual_width
            column = Column(usual if width is None else width, is_hidden)
            self.sheets[-1].add_columns(first, self.column - 1, column)

    def _row(self, item: Element) -> None:
        repeats = max(1, parse_int(attribute(item, "number-rows-repeated"), 1))
        first, self.number = self.number + 1, self.number + repeats
        cells = dict(self._cells(item, first))
        if not cells:
            return
        has_text = any(cell.text for cell in cells.values())
        sheet, most = self.sheets[-1], MAX_REPEATED_ROWS if has_text else MAX_GAP
        sheet.total = self.number if has_text else sheet.total
        for number in range(first, first + min(repeats, most)):
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
            if cell.text or cell.look.shows_empty:
                last = min(column + repeats, max(column + 1, MAX_COLUMNS))
                yield from ((place, cell) for place in range(column, last))
            column += repeats

    def _merge(self, item: Element, row: int, column: int) -> None:
        rows = parse_int(attribute(item, "number-rows-spanned"), 1)
        columns = parse_int(attribute(item, "number-columns-spanned"), 1)
        if rows > 1 or columns > 1:
            self.merges.append(Merge(row, column, row + rows - 1, column + columns - 1))

    def _cell(self, item: Element, name: str | None) -> Cell:
        look = self.styles.look(name)
        text = "\n".join(map(_inline, children(item, "p")))
        kind, formula = attribute(item, "value-type"), attribute(item, "formula")
        if formula and not text and attribute(item, "value") is None:
            return Cell(_formula(formula), "formula", look)
        style = "num" if kind in NUMBERS else "center" if kind == "boolean" else ""
        text = text or attribute(item, "value") or ""
        return Cell(text, style, look)


def _inline(item: Element) -> str:
    """Return the text of a paragraph; spaces and tabs in it are elements."""
    name = local_name(item)
    if name == "s":
        return " " * min(parse_int(attribute(item, "c"), 1), MAX_SPACES)
    if name == "annotation":
        return ""
    inner = "".join(_inline(part) + (part.tail or "") for part in item)
    return SPACES.get(name, "") + (item.text or "") + inner


def _formula(formula: str) -> str:
    """`of:=SUM([.A1:.B2])` as people write it: `=SUM(A1:B2)`."""
    bare = FORMULA_PREFIX.sub("", formula)
    return FORMULA_REFERENCE.sub(lambda match: re.sub(r"(^|:)\.", r"\1", match[1]), bare)
