"""Word documents: headings, paragraphs, lists, tables, links, pictures."""

import itertools
import re
from collections.abc import Iterator
from typing import Final, NamedTuple
from xml.etree.ElementTree import Element

from ...escaping import escape
from .elements import attribute, children, descendants, first_child, local_name, parse_int
from .formula import formula_html
from .numbering import Numbering
from .package import Package

DOCUMENT: Final = "word/document.xml"
HEADING: Final = re.compile(r"heading (\d)|(title)", re.I)
LIST: Final = re.compile(r"list (bullet|number|paragraph)", re.I)
TRANSPARENT: Final = frozenset({"ins", "moveTo", "smartTag", "sdt", "sdtContent", "fldSimple"})
CHARACTERS: Final = {"tab": "\u2003", "br": "<br>", "cr": "<br>", "noBreakHyphen": "\u2011"}
NOTES: Final = {"footnoteReference": "footnote", "endnoteReference": "endnote"}
LEFT_OUT: Final = {"chart": "chart", "relIds": "diagram", "OLEObject": "embedded object"}
MAX_LIST_DEPTH: Final = 6
FORMATS: Final = (("b", "strong"), ("i", "em"), ("u", "u"), ("strike", "s"))


def read(package: Package) -> tuple[str, list[str]]:
    """Return the body as HTML. Nothing is counted."""
    document = _Document(package)
    return document.blocks(first_child(package.xml(DOCUMENT), "body")) + document.end_notes(), []


class Style(NamedTuple):
    tag: str = "p"
    list_id: str | None = None
    level: int = 0


class TableCell(NamedTuple):
    """A cell of a table; `merge` is "restart" or "continue" if it is merged with others below."""

    column: int
    width: int  # in columns
    merge: str
    content: Element

    def goes_on(self, row: "list[TableCell]") -> bool:
        """Whether this cell goes on in a row below."""
        return any(cell.column == self.column and cell.merge == "continue" for cell in row)


def _cells(row: Element) -> Iterator[TableCell]:
    column = 0
    for cell in children(row, "tc"):
        properties = first_child(cell, "tcPr")
        width = parse_int(attribute(first_child(properties, "gridSpan"), "val"), 1)
        merge = first_child(properties, "vMerge")
        kind = "" if merge is None else attribute(merge, "val") or "continue"
        yield TableCell(column, width, kind, cell)
        column += width


class _Document:
    def __init__(self, package: Package) -> None:
        self.package = package
        self.links = package.relationships(DOCUMENT)
        self.numbering = Numbering(package)
        self.notes: list[tuple[str, str | None]] = []  # kind and id of those referred to
        self.styles = dict(_styles(package))

    def end_notes(self) -> str:
        """Return the footnotes and endnotes, in the order of their numbers."""
        found = {
            (kind, attribute(note, "id")): note
            for kind in NOTES.values()
            for note in children(self.package.xml(f"word/{kind}s.xml"), kind)
        }
        notes = "".join(f"<li>{self.blocks(found.get(note))}</li>" for note in [*self.notes])
        return f"<hr><ol>{notes}</ol>" if notes else ""

    def blocks(self, parent: Element | None) -> str:
        """Return paragraphs and tables; a change of depth opens or closes lists."""
        out: list[str] = []
        lists: list[str] = []  # the elements of the open ones
        for item in parent if parent is not None else ():
            html, depth, element = self._block(item)
            if html:
                out.append(_list_tags(lists, depth, element) + html)
        return "".join(out) + _list_tags(lists, 0, "")

    def _block(self, item: Element) -> tuple[str, int, str]:
        """Return the HTML of a block, its depth in nested lists, and the list's element."""
        name = local_name(item)
        if name == "tbl":
            return self._table(item), 0, ""
        if name in TRANSPARENT:
            return self.blocks(item), 0, ""
        return self._paragraph(item) if name == "p" else ("", 0, "")

    def _paragraph(self, item: Element) -> tuple[str, int, str]:
        html = self._inline(item)
        properties = first_child(item, "pPr")
        style_id = attribute(first_child(properties, "pStyle"), "val") or ""
        style = self.styles.get(style_id, Style())
        numbering = first_child(properties, "numPr")
        list_id = attribute(first_child(numbering, "numId"), "val") or style.list_id
        level = parse_int(attribute(first_child(numbering, "ilvl"), "val"), style.level)
        if not html:
            return "", 0, ""
        label = self.numbering.label(list_id, level)
        numbered = f'<span class="label">{escape(label)}</span> {html}' if label else html
        if style.tag == "li" or (style.tag == "p" and numbering is not None and list_id != "0"):
            element = "ol" if label else "ul"
            return f"<li>{numbered}</li>", min(level + 1, MAX_LIST_DEPTH), element
        return f"<{style.tag}>{numbered}</{style.tag}>", 0, ""

    def _table(self, item: Element) -> str:
        rows = [[*_cells(row)] for row in children(item, "tr")]
        return f"<table>{''.join(self._row(rows, number) for number in range(len(rows)))}</table>"

    def _row(self, rows: "list[list[TableCell]]", number: int) -> str:
        """Return a row; a cell merged with those below it stands for them."""
        cells = []
        for cell in rows[number]:
            if cell.merge != "continue":
                below = itertools.takewhile(cell.goes_on, rows[number + 1 :])
                height = 1 + sum(1 for _ in below) if cell.merge else 1
                spans = (("colspan", min(cell.width, 100)), ("rowspan", height))
                spanned = "".join(f' {name}="{size}"' for name, size in spans if size > 1)
                cells.append(f"<td{spanned}>{self.blocks(cell.content)}</td>")
        return f"<tr>{''.join(cells)}</tr>"

    def _inline(self, parent: Element) -> str:
        return "".join(map(self._phrase, parent))

    def _phrase(self, item: Element) -> str:
        name = local_name(item)
        if name == "r":
            return self._run(item)
        if name in ("oMath", "oMathPara"):
            return formula_html(item)
        if name == "hyperlink":
            return self._link(item)
        return self._inline(item) if name in TRANSPARENT else ""

    def _link(self, item: Element) -> str:
        target = self.links.get(attribute(item, "id") or "")
        if target is None or not target.external:
            return self._inline(item)
        return f'<a target="_blank" href="{escape(target.address)}">{self._inline(item)}</a>'

    def _run(self, item: Element) -> str:
        properties = first_child(item, "rPr")
        if properties is None:
            return "".join(map(self._run_part, item))
        if _is_on(properties, "vanish"):  # hidden text
            return ""
        return _formatted("".join(map(self._run_part, item)), properties)

    def _run_part(self, item: Element) -> str:
        name = local_name(item)
        if name == "t":
            return escape(item.text or "")
        if name in ("drawing", "pict", "AlternateContent"):
            return self._drawing(item)
        if name in NOTES:
            self.notes.append((NOTES[name], attribute(item, "id")))
            return f"<sup>{len(self.notes)}</sup>"
        if name == "object":
            return self.package.leave_out("embedded object")
        return CHARACTERS.get(name, "")

    def _drawing(self, item: Element) -> str:
        """Return the text or the picture of a drawing, or what stands in its place."""
        if local_name(item) == "AlternateContent":
            return "".join(map(self._drawing, list(first_child(item, "Choice") or ())))
        if (text := next(descendants(item, "txbxContent"), None)) is not None:
            return self.blocks(text)
        noun = next(
            (LEFT_OUT[name] for name in map(local_name, item.iter()) if name in LEFT_OUT), ""
        )
        return self.package.leave_out(noun) if noun else self._picture(item)

    def _picture(self, item: Element) -> str:
        ids = [attribute(blip, "embed") for blip in descendants(item, "blip")]
        ids += [attribute(data, "id") for data in descendants(item, "imagedata")]
        targets = (self.links[id] for id in ids if id in self.links)
        return next((self.package.shown_picture(t.address) for t in targets if not t.external), "")


def _styles(package: Package) -> Iterator[tuple[str, Style]]:
    """Yield the id of each paragraph style, its HTML element and its list."""
    for style in children(package.xml("word/styles.xml"), "style"):
        name = attribute(first_child(style, "name"), "val") or ""
        numbering = first_child(style, "pPr", "numPr")
        list_id = attribute(first_child(numbering, "numId"), "val")
        level = parse_int(attribute(first_child(numbering, "ilvl"), "val"), 0)
        tag = "li" if LIST.match(name) else "p"
        if heading := HEADING.fullmatch(name):
            tag = f"h{min(max(int(heading.group(1) or 1), 1), 6)}"
        yield attribute(style, "styleId") or "", Style(tag, list_id, level)


def _list_tags(lists: list[str], depth: int, element: str) -> str:
    """Close and open lists, whose elements these are, so that `depth` of them are open."""
    kept = min(len(lists), depth)
    if kept and kept == depth and lists[kept - 1] != element:
        kept -= 1
    closed = "".join(f"</{one}>" for one in reversed(lists[kept:]))
    lists[kept:] = [element] * (depth - kept)
    return closed + f"<{element}>" * (depth - kept)


def _is_on(properties: Element, name: str) -> bool:
    setting = first_child(properties, name)
    return setting is not None and attribute(setting, "val") not in ("0", "false", "none")


def _formatted(html: str, properties: Element) -> str:
    if not html:
        return ""
    for name, tag in FORMATS:
        if _is_on(properties, name):
            html = f"<{tag}>{html}</{tag}>"
    place = attribute(first_child(properties, "vertAlign"), "val")
    tag = {"superscript": "sup", "subscript": "sub"}.get(place or "", "")
    return f"<{tag}>{html}</{tag}>" if tag else html
