"""Word documents: headings, paragraphs, lists, tables, links, pictures."""

import re
from collections.abc import Iterator
from typing import Final
from xml.etree.ElementTree import Element

from ...escaping import escape
from .elements import attribute, children, descendants, first_child, local_name, parse_int
from .package import Package

DOCUMENT: Final = "word/document.xml"
HEADING: Final = re.compile(r"heading (\d)|(title)", re.I)
LIST: Final = re.compile(r"list (bullet|number|paragraph)", re.I)
TRANSPARENT: Final = frozenset({"ins", "smartTag", "sdt", "sdtContent", "fldSimple"})
MAX_LIST_DEPTH: Final = 6
FORMATS: Final = (("b", "strong"), ("i", "em"), ("u", "u"), ("strike", "s"))


def read(package: Package) -> tuple[str, list[str]]:
    """Return the body as HTML. Nothing is counted."""
    return _Document(package).blocks(first_child(package.xml(DOCUMENT), "body")), []


class _Document:
    def __init__(self, package: Package) -> None:
        self.package = package
        self.links = package.relationships(DOCUMENT)
        self.styles = dict(_styles(package))

    def blocks(self, parent: Element | None) -> str:
        """Return paragraphs and tables; a change of depth opens or closes lists."""
        out, depth = [], 0
        for item in parent if parent is not None else ():
            html, new_depth = self._block(item)
            if html:
                out.append(_list_tags(depth, new_depth) + html)
                depth = new_depth
        return "".join(out) + _list_tags(depth, 0)

    def _block(self, item: Element) -> tuple[str, int]:
        """Return the HTML of a block, and its depth in nested lists."""
        name = local_name(item)
        if name == "tbl":
            return self._table(item), 0
        if name in TRANSPARENT:
            return self.blocks(item), 0
        return self._paragraph(item) if name == "p" else ("", 0)

    def _paragraph(self, item: Element) -> tuple[str, int]:
        html = self._inline(item)
        style = self.styles.get(attribute(first_child(item, "pPr", "pStyle"), "val") or "", "p")
        numbering = first_child(item, "pPr", "numPr")
        if not html:
            return "", 0
        if style == "li" or numbering is not None:
            level = parse_int(attribute(first_child(numbering, "ilvl"), "val"), 0)
            return f"<li>{html}</li>", min(level + 1, MAX_LIST_DEPTH)
        return f"<{style}>{html}</{style}>", 0

    def _table(self, item: Element) -> str:
        rows = (
            "".join(f"<td>{self.blocks(cell)}</td>" for cell in children(row, "tc"))
            for row in children(item, "tr")
        )
        return f"<table>{''.join(f'<tr>{row}</tr>' for row in rows)}</table>"

    def _inline(self, parent: Element) -> str:
        return "".join(map(self._phrase, parent))

    def _phrase(self, item: Element) -> str:
        name = local_name(item)
        if name == "r":
            return self._run(item)
        if name == "hyperlink":
            return self._link(item)
        return self._inline(item) if name in TRANSPARENT else ""

    def _link(self, item: Element) -> str:
        target = self.links.get(attribute(item, "id") or "")
        if target is None or not target.external:
            return self._inline(item)
        return f'<a target="_blank" href="{escape(target.address)}">{self._inline(item)}</a>'

    def _run(self, item: Element) -> str:
        html = "".join(map(self._run_part, item))
        properties = first_child(item, "rPr")
        return _formatted(html, properties) if html and properties is not None else html

    def _run_part(self, item: Element) -> str:
        name = local_name(item)
        if name == "t":
            return escape(item.text or "")
        if name in ("drawing", "pict", "AlternateContent"):
            return self._picture(item)
        return {"tab": "\u2003", "br": "<br>", "cr": "<br>"}.get(name, "")

    def _picture(self, item: Element) -> str:
        ids = [attribute(blip, "embed") for blip in descendants(item, "blip")]
        ids += [attribute(data, "id") for data in descendants(item, "imagedata")]
        targets = (self.links[id] for id in ids if id in self.links)
        return next((self.package.picture(t.address) for t in targets if not t.external), "")


def _styles(package: Package) -> Iterator[tuple[str, str]]:
    """Yield the id of each paragraph style and the HTML element it stands for."""
    for style in children(package.xml("word/styles.xml"), "style"):
        name = attribute(first_child(style, "name"), "val") or ""
        id = attribute(style, "styleId") or ""
        if heading := HEADING.fullmatch(name):
            yield id, f"h{min(max(int(heading.group(1) or 1), 1), 6)}"
        elif LIST.match(name):
            yield id, "li"


def _list_tags(depth: int, new_depth: int) -> str:
    return "<ul>" * (new_depth - depth) + "</ul>" * (depth - new_depth)


def _formatted(html: str, properties: Element) -> str:
    for name, tag in FORMATS:
        setting = first_child(properties, name)
        if setting is not None and attribute(setting, "val") not in ("0", "false", "none"):
            html = f"<{tag}>{html}</{tag}>"
    place = attribute(first_child(properties, "vertAlign"), "val")
    tag = {"superscript": "sup", "subscript": "sub"}.get(place or "", "")
    return f"<{tag}>{html}</{tag}>" if tag else html
