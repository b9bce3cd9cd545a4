"""XLSX workbooks: the values of each sheet as their number formats show them.

Source: ECMA-376 part 1, 18.2 (workbooks), 18.3 (worksheets), 18.4 (shared strings), 18.8
(styles), 18.7 (comments), 18.3.1.18 (conditional formats), 20.5 (drawings), 22.9.2.19 (escaped
characters); MS-XLSX 2.4.63 (threaded comments).
"""

import re
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from itertools import chain, islice
from typing import Final
from xml.etree.ElementTree import Element, ParseError

from ..packages.elements import (
    attribute,
    children,
    descendants,
    first_child,
    local_name,
    parse_int,
    stream,
)
from ..packages.package import Package, Target
from .cells import EMPTY, MAX_COLUMNS, MAX_MERGES, Cell, Merge, Row, Sheet, Style, Workbook
from .number_format import BUILT_IN, GENERAL

WORKBOOK: Final = "xl/workbook.xml"
SHARED_TEXTS: Final = "xl/sharedStrings.xml"
STYLES: Final = "xl/styles.xml"
REFERENCE: Final = re.compile(r"\$?([A-Z]{1,3})\$?(\d{1,7})")
MERGE: Final = re.compile(rb'<(?:\w+:)?mergeCell\s[^<>]*?\bref="([A-Z\d]+):([A-Z\d]+)"')
ESCAPED: Final = re.compile(r"_x([\dA-Fa-f]{4})_")
TRUE: Final = ("1", "true")
CHART_SHEETS: Final = "xl/chartsheets/"
CHART: Final = re.compile(r"xl/charts/chart(Ex)?\d+\.xml")
PICTURE: Final = re.compile(r"xl/media/[^/]+")
MAX_COMMENTS: Final = 5_000  # of a sheet
# LibreOffice writes boolean values and errors as formulas.
FORMULA: Final = re.compile(rb"<(?:\w+:)?f(?:\s[^<>]*)?>(?!(?:(?:TRUE|FALSE|NA)\(\))?<)")
RULE: Final = re.compile(rb"<(x14:)?(?:\w+:)?cfRule[\s/>]")
PLACED: Final = re.compile(rb'<(?:\w+:)?(control|oleObject)\s[^<>]*?\bshapeId="(\d+)"')
PLACED_NOUNS: Final = {b"control": "form control", b"oleObject": "embedded object"}
SHAPES: Final = ("sp", "cxnSp", "grpSp")


def read(package: Package) -> Workbook:
    """Return the sheets that are worksheets and not hidden."""
    book = _Book(package)
    listed = list(children(first_child(book.root, "sheets"), "sheet"))
    visible = [item for item in listed if attribute(item, "state") in (None, "visible")]
    sheets = [sheet for item in visible if (sheet := book.sheet(item))]
    left_out = Counter({"hidden sheet": len(listed) - len(visible)})
    left_out["chart"] = sum(map(bool, map(CHART.fullmatch, package.names)))
    left_out["picture"] = sum(map(bool, map(PICTURE.fullmatch, package.names)))
    return Workbook(sheets, left_out)


Comments = dict[int, dict[int, str]]  # by row from 1, by column from 0


class _Book:
    def __init__(self, package: Package) -> None:
        self.package = package
        self.root = package.xml(WORKBOOK)
        self.parts = package.relationships(WORKBOOK)
        self.styles = list(_styles(package.xml(STYLES)))
        self.texts: list[str] = []
        self.more_texts = _shared_texts(package)
        properties = first_child(self.root, "workbookPr")
        self.from_1904 = attribute(properties, "date1904") in TRUE

    def sheet(self, item: Element) -> Sheet | None:
        """Return a worksheet; None for a chart sheet or a part that is missing."""
        target = self.parts.get(attribute(item, "id") or "")
        if target is None or target.address not in self.package.names:
            return None
        if target.address.startswith(CHART_SHEETS):
            return None
        sheet = Sheet(attribute(item, "name") or "")
        sheet.rows = self._rows(target.address, sheet)
        return sheet

    def _rows(self, part: str, sheet: Sheet) -> Iterator[Row]:
        data, sheet.cut = self.package.read_start(part)
        sheet.merges = list(_merges(data))
        parts = list(self.package.relationships(part).values())
        comments = self._comments(parts)
        sheet.comments = sum(map(len, comments.values()))
        sheet.left_out = _left_out(data)
        sheet.has_formulas = bool(FORMULA.search(data))
        self._add_drawings(parts, sheet)
        before = sorted(comments, reverse=True)  # rows of comments that are still to come
        number = 0
        for item in stream(data, frozenset({"row"})):
            is_hidden = item.get("hidden") in TRUE
            match local_name(item):
                case "row":
                    number = parse_int(attribute(item, "r"), number + 1)
                    sheet.hidden_rows.update({number} if is_hidden else ())
                    while before and before[-1] < number:
                        above = before.pop()
                        yield above, _commented({}, comments[above])
                    if before and before[-1] == number:
                        before.pop()
                    yield number, _commented(dict(self._cells(item)), comments.get(number, {}))
                case "col" if is_hidden:
                    first, last = (parse_int(item.get(key), 1) for key in ("min", "max"))
                    sheet.hidden_columns.update(range(first - 1, min(last, MAX_COLUMNS)))
                case "dimension":
                    sheet.total = position(item.get("ref", "").rpartition(":")[2], 0)[0]
                case "sheetView":
                    sheet.from_right = item.get("rightToLeft") in TRUE
        while before and not sheet.cut:
            below = before.pop()
            yield below, _commented({}, comments[below])

    def _comments(self, parts: Sequence[Target]) -> Comments:
        """Return the comments of a sheet: those of threads, of which the others are a copy."""
        threads = self._comments_in(parts, "threadedComment")
        return threads or self._comments_in(parts, "comments")

    def _comments_in(self, parts: Sequence[Target], kind: str) -> Comments:
        found: Comments = {}
        for part in parts:
            if part.kind != kind or part.address not in self.package.names:
                continue
            with suppress(ParseError, ValueError, zipfile.BadZipFile, zlib.error):
                for reference, text in islice(self._comments_of(part.address), MAX_COMMENTS):
                    row, column = position(reference, -1)
                    if column >= 0 and text:
                        cells = found.setdefault(row, {})
                        cells[column] = f"{cells[column]}\n{text}" if column in cells else text
        return found

    def _comments_of(self, part: str) -> Iterator[tuple[str, str]]:
        """Yield the reference of the cell and the text of each comment, with its author's name."""
        data, _ = self.package.read_start(part)
        authors: list[str] = []
        for item in stream(data, frozenset({"author", "comment", "threadedComment"})):
            reference = attribute(item, "ref") or ""
            match local_name(item):
                case "author":
                    authors.append((item.text or "").strip())
                case "comment":
                    index = parse_int(attribute(item, "authorId"), len(authors))
                    name = authors[index] if index < len(authors) else ""
                    yield reference, _signed(_rich_text(first_child(item, "text")), name)
                case "threadedComment":
                    name = self.people.get(attribute(item, "personId") or "", "")
                    yield reference, _signed(_text(item, "text"), name)

    @cached_property
    def people(self) -> Mapping[str, str]:
        """The names of those who write in threads, by their identifiers."""
        parts = [part.address for part in self.parts.values() if part.kind == "person"]
        people = chain.from_iterable(
            descendants(self.package.xml_if_sound(part), "person") for part in parts
        )
        return {person.get("id", ""): person.get("displayName", "") for person in people}

    def _add_drawings(self, parts: Sequence[Target], sheet: Sheet) -> None:
        """Tell whether a sheet has drawings, and count the shapes in them."""
        for part in parts:
            if part.kind == "drawing":
                for anchor in self.package.xml_if_sound(part.address):
                    sheet.has_drawing = True
                    shapes = (local_name(item) in SHAPES for item in anchor)
                    sheet.left_out["shape"] += sum(shapes)

    def _cells(self, row: Element) -> Iterator[tuple[int, Cell]]:
        column = -1
        for item in children(row, "c"):
            column = position(item.get("r", ""), column + 1)[1]
            yield column, self._cell(item)

    def _cell(self, item: Element) -> Cell:
        index = parse_int(item.get("s"), 0)
        style = self.styles[index] if index < len(self.styles) else Style()
        kind = item.get("t", "n")
        value = _text(item, "v")
        if kind == "inlineStr":
            return Cell(_rich_text(first_child(item, "is")), "", style.bold)
        if not value:
            formula = "" if kind == "str" else _text(item, "f")  # the result may be an empty text
            text, name = (f"={formula}", "formula") if formula else ("", "")
            return Cell(text, name, style.bold)
        if kind == "s":
            return Cell(self._shared_text(parse_int(value, -1)), "", style.bold)
        if kind in ("b", "e"):
            text = value if kind == "e" else "TRUE" if value == "1" else "FALSE"
            return Cell(text, "center", style.bold)
        with suppress(ValueError):
            if kind == "n":
                return style.number(float(value), from_1904=self.from_1904)
        return Cell(_unescaped(value), "", style.bold)

    def _shared_text(self, index: int) -> str:
        """Read the shared texts up to this one: most sheets use them in their order."""
        while len(self.texts) <= index:
            text = next(self.more_texts, None)
            if text is None:
                return ""
            self.texts.append(text)
        return self.texts[index] if index >= 0 else ""


def _signed(comment: str, name: str) -> str:
    """Return a comment with the name of its author, with which some begin anyway."""
    needs_name = comment and name and not comment.startswith(name)
    return f"{name}: {comment}" if needs_name else comment


def _commented(cells: dict[int, Cell], comments: Mapping[int, str]) -> dict[int, Cell]:
    """Return the cells of a row with their comments."""
    commented = {
        column: cells.get(column, EMPTY)._replace(comment=text) for column, text in comments.items()
    }
    return cells | commented


def _left_out(data: bytes) -> Counter[str]:
    """Count what a sheet has beside its cells. It stands behind all rows, so it is searched for."""
    rules = Counter(bool(match[1]) for match in RULE.finditer(data))
    counts = Counter({"conditional format": max(rules.values(), default=0)})  # some stand twice
    placed = {(match[1], match[2]) for match in PLACED.finditer(data)}
    counts.update(PLACED_NOUNS[name] for name, _ in placed)
    return counts


def _styles(root: Element) -> Iterator[Style]:
    """Yield the styles that the cells refer to by their index."""
    codes = {
        item.get("numFmtId"): item.get("formatCode", "") for item in descendants(root, "numFmt")
    }
    bold = [_is_bold(font) for font in children(first_child(root, "fonts"), "font")]
    for item in children(first_child(root, "cellXfs"), "xf"):
        number = item.get("numFmtId", "0")
        font = parse_int(item.get("fontId"), 0)
        code = codes.get(number) or BUILT_IN.get(parse_int(number, 0), GENERAL)
        yield Style(code, font < len(bold) and bold[font])


def _is_bold(font: Element) -> bool:
    item = first_child(font, "b")
    return item is not None and attribute(item, "val") not in ("0", "false")


def _shared_texts(package: Package) -> Iterator[str]:
    if SHARED_TEXTS in package.names:
        data, _ = package.read_start(SHARED_TEXTS)
        items = stream(data, frozenset({"si"}))
        yield from (_rich_text(item) for item in items if local_name(item) == "si")


def _rich_text(item: Element | None) -> str:
    """Return the joined runs, without the phonetic ones of Japanese texts."""
    runs = (_text(part, "t") for part in children(item, "r"))
    return _unescaped(_text(item, "t") + "".join(runs))


def _text(item: Element | None, name: str) -> str:
    child = first_child(item, name)
    return "" if child is None else child.text or ""


def _unescaped(text: str) -> str:
    """Return a text with the characters that XML can't hold (ST_Xstring)."""
    return ESCAPED.sub(lambda match: chr(int(match[1], 16)), text)


def position(reference: str, following: int) -> tuple[int, int]:
    """Return the row, from 1, and the column, from 0, of `AB12`; (0, following) if malformed."""
    match = REFERENCE.fullmatch(reference)
    if not match:
        return 0, following
    column = 0
    for letter in match[1]:
        column = column * 26 + ord(letter) - 64
    return int(match[2]), column - 1


def _merges(data: bytes) -> Iterator[Merge]:
    """Yield the merged cells; they stand behind all rows, too late for a sheet that is cut."""
    for match in islice(MERGE.finditer(data), MAX_MERGES):
        top, left = position(match[1].decode(), -1)
        bottom, right = position(match[2].decode(), -1)
        if left >= 0 <= right:
            yield Merge(top, left, bottom, right)
