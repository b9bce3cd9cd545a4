"""In the child process: an XLSX workbook, changed so that a printed sheet fits the width of a page.

A sheet that fits its pages in a way of its own stays as it is.

Source: ECMA-376 part 1, 18.3.1.63 (page setup), 18.3.1.65 (fit to page), 18.3.1.82 (sheet
properties), 18.3.1.13 (widths of columns), 20.5.2 (anchors of drawings).
"""

import io
import re
import zipfile
from collections.abc import Iterator
from typing import Any, Final, NamedTuple
from xml.etree.ElementTree import ParseError

from ...sandbox.messages import Message, RefusedError
from ..packages.elements import descendants, first_child, local_name, parse_int, stream
from ..packages.package import MAX_TOTAL, Package
from .xlsx import TRUE, WORKBOOK, position

MAX_PARTS: Final = 10_000
MAX_COLUMN: Final = 16_384
MAX_ROW: Final = 1_048_576
A4: Final = b"9"
PAGE_WIDTH: Final = 680  # pixels between the margins of an upright page of A4
CHARACTER: Final = 7  # pixels: the unit of a column's width
POINT: Final = 96 / 72  # pixels: the unit of a row's height
COLUMN_WIDTH: Final = 64.0
ROW_HEIGHT: Final = 20.0
ROOT: Final = re.compile(rb"<(\w+:)?worksheet\b[^>]*>")
ROWS: Final = re.compile(rb"<(?:\w+:)?sheetData\b")
PROPERTIES: Final = re.compile(rb"<((?:\w+:)?sheetPr)\b([^<>]*?)(?:/>|>(.*?)</\1>)", re.S)
FIT: Final = re.compile(rb"<(?:\w+:)?pageSetUpPr\b[^<>]*/>")
FITS: Final = re.compile(rb'\bfitToPage="(?:1|true)"')
SETUP: Final = re.compile(rb"<(?:\w+:)?pageSetup\b[^<>]*/>")
PAPER: Final = re.compile(rb'\bpaperSize="(\d{1,3})"')
LANDSCAPE: Final = b'orientation="landscape"'
ROW_WITH_HEIGHT: Final = re.compile(rb'<(?:\w+:)?row\s[^<>]*?\bht="(\d{1,4}(?:\.\d{1,9})?)"')


def render(data: bytes, _options: dict[str, Any]) -> Iterator[Message]:
    """Yield one message with the workbook.

    Raises RefusedError if it is too large, and what a reader raises for a damaged one.
    """
    package = Package(data)
    entries = package.archive.infolist()
    if len(entries) > MAX_PARTS or sum(entry.file_size for entry in entries) > MAX_TOTAL:
        raise RefusedError("size")
    parts = package.relationships(WORKBOOK).values()
    sheets = {part.address for part in parts if part.kind == "worksheet"}
    unpacked = Package(data)  # each part is read once more, within limits of its own
    changed = io.BytesIO()
    with zipfile.ZipFile(changed, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name in dict.fromkeys(package.archive.namelist()):
            part = unpacked.read(name, MAX_TOTAL)
            archive.writestr(name, _fitted(package, name, part) if name in sheets else part)
    yield {}, changed.getvalue()


def _fitted(package: Package, name: str, sheet: bytes) -> bytes:
    """Return a sheet that fits the width of a page, lying across if it is wider than high."""
    root = ROOT.search(sheet)
    rows = ROWS.search(sheet)
    if root is None or rows is None:
        return sheet
    head = sheet[: rows.start()]
    properties = PROPERTIES.search(head)
    own = FIT.search(properties[0]) if properties else None
    if own and FITS.search(own[0]):
        return sheet
    prefix = root[1] or b""
    setups = list(SETUP.finditer(sheet, rows.start()))  # the views of other people have some, too
    setup = setups[-1] if setups else None
    paper = PAPER.search(setup[0]) if setup else None
    lies = (setup and LANDSCAPE in setup[0]) or _extent(package, name, sheet, head).is_wide
    element = b'<%spageSetup paperSize="%s" orientation="%s" fitToWidth="1" fitToHeight="0"/>' % (
        prefix,
        paper[1] if paper else A4,
        b"landscape" if lies else b"portrait",
    )
    end = sheet.rfind(b"</%sworksheet" % prefix)
    start, stop = setup.span() if setup else (end, end)
    new_head = _with_fit(head, root.end(), properties, prefix)
    return new_head + sheet[rows.start() : start] + element + sheet[stop:]


def _with_fit(head: bytes, begin: int, properties: re.Match[bytes] | None, prefix: bytes) -> bytes:
    """Return the beginning of a sheet, with the property that it fits its pages."""
    fit = b'<%spageSetUpPr fitToPage="1"/>' % prefix
    attributes = properties[2] if properties else b""
    kept = FIT.sub(b"", properties[3] or b"") if properties else b""
    start, stop = properties.span() if properties else (begin, begin)
    element = b"<%ssheetPr%s>%s%s</%ssheetPr>" % (prefix, attributes, kept, fit, prefix)
    return head[:start] + element + head[stop:]


class Extent(NamedTuple):
    """The pixels that the cells and the drawings of a sheet take."""

    width: float
    height: float

    @property
    def is_wide(self) -> bool:
        return self.width > max(self.height, PAGE_WIDTH)


def _extent(package: Package, name: str, sheet: bytes, head: bytes) -> Extent:
    column_width = COLUMN_WIDTH
    row_height = ROW_HEIGHT
    columns = rows = 0
    widths: list[tuple[int, int, float]] = []
    try:
        for item in stream(head, frozenset()):
            match local_name(item):
                case "sheetFormatPr":
                    column_width = _pixels(item.get("defaultColWidth"), CHARACTER, column_width)
                    row_height = _pixels(item.get("defaultRowHeight"), POINT, row_height)
                case "dimension":
                    row, column = position(item.get("ref", "").rpartition(":")[2], 0)
                    columns = max(columns, column + 1)
                    rows = max(rows, row)
                case "col":
                    first, last = (parse_int(item.get(key), 0) for key in ("min", "max"))
                    is_hidden = item.get("hidden") in TRUE
                    wide = 0.0 if is_hidden else _pixels(item.get("width"), CHARACTER, column_width)
                    widths.append((first, last, wide))
    except (ParseError, ValueError):
        return Extent(0, 0)
    for part in package.relationships(name).values():
        if part.kind == "drawing":
            for anchor in descendants(package.xml_if_sound(part.address), "to"):
                columns = max(columns, _number(anchor, "col") + 1)
                rows = max(rows, _number(anchor, "row") + 1)
    columns = min(columns, MAX_COLUMN)
    rows = min(rows, MAX_ROW)
    width = columns * column_width
    for first, last, wide in widths:
        width += max(0, min(last, columns) - first + 1) * (wide - column_width)
    own_heights = [float(match[1]) * POINT for match in ROW_WITH_HEIGHT.finditer(sheet)]
    height = rows * row_height + sum(own - row_height for own in own_heights)
    return Extent(width, height)


def _pixels(value: str | None, unit: float, otherwise: float) -> float:
    return float(value) * unit if value and re.fullmatch(r"\d{1,4}(\.\d+)?", value) else otherwise


def _number(anchor: Any, name: str) -> int:
    child = first_child(anchor, name)
    return parse_int(child.text if child is not None else None, 0)
