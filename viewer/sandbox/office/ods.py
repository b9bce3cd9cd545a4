"""OpenDocument spreadsheets, whose cells hold the text that was shown.

Source: OpenDocument 1.3 part 3, 9 (tables) and 16 (styles).
"""

import re
import time
from collections.abc import Iterator
from typing import Final
from xml.etree.ElementTree import Element

from .cell_look import PLAIN
from .elements import attribute, children, first_child, local_name, parse_int
from .package import Package
from .sheet import MAX_COLUMNS, Cell, Merge, Row, Sheet
from .sheet_table import MAX_CELLS, SECONDS
from .xml_stream import stream

BOLD: Final = PLAIN._replace(bold=True)
CONTENT: Final = "content.xml"
WHOLE: Final = frozenset({"table-row", "style", "shapes", "forms", "tracked-changes"})
NUMBERS: Final = frozenset({"float", "percentage", "currency", "date", "time"})
SPACES: Final = {"tab": "\t", "line-break": "\n"}
FORMULA_PREFIX: Final = re.compile(r"^\w+:(?==)")
FORMULA_REFERENCE: Final = re.compile(r"\[([^\]]*)\]")
MAX_REPEATED_ROWS: Final = 1_000
MAX_SPACES: Final = 80


def sheets(package: Package) -> tuple[list[Sheet], int]:
    """Return the visible sheets, and the number of hidden ones."""
    reader = _Reader()
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
    return visible, len(reader.hidden)


class _Reader:
    """Takes the elements in their order: styles, then each table followed by its rows."""

    def __init__(self) -> None:
        self.bold: set[str | None] = set()
        self.hiding: set[str | None] = set()
        self.sheets: list[Sheet] = []
        self.hidden: list[Sheet] = []
        self.rows: list[Row] = []
        self.merges: list[Merge] = []
        self.number = self.cells_left = 0

    def take(self, item: Element) -> None:
        match local_name(item):
            case "style":
                self._style(item)
            case "table":
                self._table(item)
            case "table-row" if self.sheets:
                self._row(item)

    def _style(self, item: Element) -> None:
        if attribute(first_child(item, "text-properties"), "font-weight") == "bold":
            self.bold.add(attribute(item, "name"))
        if attribute(first_child(item, "table-properties"), "display") == "false":
            self.hiding.add(attribute(item, "name"))

    def _table(self, item: Element) -> None:
        self.rows, self.merges = [], []
        self.number, self.cells_left = 0, MAX_CELLS
        sheet = Sheet(attribute(item, "name") or "", self.rows, self.merges)
        self.sheets.append(sheet)
        if attribute(item, "style-name") in self.hiding:
            self.hidden.append(sheet)

    def _row(self, item: Element) -> None:
        repeats = max(1, parse_int(attribute(item, "number-rows-repeated"), 1))
        first, self.number = self.number + 1, self.number + repeats
        cells = dict(self._cells(item, first))
        if not cells:
            return
        self.sheets[-1].total = self.number
        for number in range(first, first + min(repeats, MAX_REPEATED_ROWS)):
            if self.cells_left <= 0:
                self.sheets[-1].cut = True
                return
            self.rows.append((number, cells))
            self.cells_left -= len(cells) + 1

    def _cells(self, row: Element, number: int) -> Iterator[tuple[int, Cell]]:
        column = 0
        for item in row:
            if local_name(item) not in ("table-cell", "covered-table-cell"):
                continue
            repeats = max(1, parse_int(attribute(item, "number-columns-repeated"), 1))
            self._merge(item, number, column)
            if (cell := self._cell(item)).text:
                last = min(column + repeats, max(column + 1, MAX_COLUMNS))
                yield from ((place, cell) for place in range(column, last))
            column += repeats

    def _merge(self, item: Element, row: int, column: int) -> None:
        rows = parse_int(attribute(item, "number-rows-spanned"), 1)
        columns = parse_int(attribute(item, "number-columns-spanned"), 1)
        if rows > 1 or columns > 1:
            self.merges.append(Merge(row, column, row + rows - 1, column + columns - 1))

    def _cell(self, item: Element) -> Cell:
        text = "\n".join(map(_inline, children(item, "p")))
        kind, formula = attribute(item, "value-type"), attribute(item, "formula")
        if formula and not text and attribute(item, "value") is None:
            return Cell(_formula(formula), "formula")
        style = "num" if kind in NUMBERS else "center" if kind == "boolean" else ""
        text = text or attribute(item, "value") or ""
        return Cell(text, style, BOLD if attribute(item, "style-name") in self.bold else PLAIN)


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
    return FORMULA_REFERENCE.sub(lambda found: re.sub(r"(^|:)\.", r"\1", found[1]), bare)
