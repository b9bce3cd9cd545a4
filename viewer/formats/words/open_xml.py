"""Word documents and PowerPoint presentations: Office Open XML (ECMA-376, part 1)."""

import re
from typing import Final
from xml.etree.ElementTree import Element

from ...markup.escaping import escape
from ..packages.elements import attribute, children, descendants, first_child, parse_int
from ..packages.package import Package
from .blocks import BULLET, SLIDE, Blocks, as_title, heading, link, paragraph

HEADING: Final = re.compile(r"heading (\d)|title", re.I)
LIST: Final = re.compile(r"list (?:bullet|number|paragraph)", re.I)
GREEK: Final = "ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ", "αβχδεφγηιϕκλμνοπθρστυϖωξψζ"
SYMBOLS: Final = {  # by font, the characters that documents usually have of it
    "Symbol": {
        **{ord("A") + n: letter for n, letter in enumerate(GREEK[0])},
        **{ord("a") + n: letter for n, letter in enumerate(GREEK[1])},
        **dict(
            zip(b"\xa3\xb3\xb0\xb1\xb4\xb7\xb9\xbb\xa5\xae\xd6\xe5", "≤≥°±×•≠≈∞→√∑", strict=True)
        ),
    },
    "Wingdings": dict(zip(b"\xfe\xfd\xa8\x6f\xfc\xfb\xe0\xa7\xd8\x4a", "☑☒☐☐✓✗→▪➢☺", strict=True)),
}
COUNTED: Final = {
    **{"chart": "chart", "relIds": "diagram", "oMath": "formula", "cxnSp": "shape"},
    **dict.fromkeys(("object", "oleObj"), "embedded object"),
}
# Properties, text that was deleted or moved away, and what repeats others for older programs.
IGNORED: Final = frozenset({"pPr", "rPr", "tblPr", "nvSpPr", "del", "moveFrom", "Fallback"})
BESIDE: Final = {  # parts that are not shown, and which of their elements are counted
    r"word/header\d*\.xml": ("", "header"),
    r"word/footer\d*\.xml": ("", "footer"),
    r"word/comments\.xml": ("comment", "comment"),
    r"ppt/notesSlides/notesSlide\d+\.xml": ("", "speaker note"),
}


def document(package: Package, part: str) -> str:
    """Return the text of a Word document, and behind it its footnotes and endnotes."""
    blocks, content = _Part(package, part), package.xml(part)
    html = blocks.inside(content)
    deleted = (first_child(item, "r") for item in descendants(content, "del"))
    package.left_out["tracked deletion"] = sum(run is not None for run in deleted)
    for kind in ("footnote", "endnote"):
        notes = children(package.xml_if_sound(f"word/{kind}s.xml"), kind)
        html += "".join(blocks.inside(one) for one in notes if not attribute(one, "type"))
    _count_beside(package)
    return html


def slides(package: Package, part: str) -> str:
    parts = package.relationships(part)
    ids = [attribute(slide, "id") for slide in descendants(package.xml(part), "sldId")]
    names = [parts[id].address for id in ids if id in parts]
    _count_beside(package)
    return "".join(_slide(package, name, n) for n, name in enumerate(names, 1))


def _slide(package: Package, name: str, number: int) -> str:
    content = _Part(package, name).inside(package.xml(name))
    return f"{SLIDE}<p><small>{number}</small></p>{content}</section>"


def _check_box(item: Element) -> str:
    """Return the state of a box in a form (part 1, 17.16.7): as ticked, else as it was at first."""
    states = [first_child(item, name) for name in ("checked", "default")]
    values = [attribute(state, "val") or "1" for state in states if state is not None]
    return "☒ " if values[:1] not in ([], ["0"], ["false"]) else "☐ "


def _count_beside(package: Package) -> None:
    for name in package.names:
        for part, (element, noun) in BESIDE.items():
            if re.fullmatch(part, name):
                found = [*children(package.xml_if_sound(name), element)] if element else [name]
                package.left_out.update([noun] * len(found))


class _Part(Blocks):
    """The text of a document or a slide; `links` are the targets of its relationships."""

    def __init__(self, package: Package, name: str) -> None:
        rendered = {
            "t": lambda item: escape(item.text or ""),
            "tab": lambda _: "\u2003",
            **dict.fromkeys(("br", "cr"), lambda _: "<br>"),
            "p": self._paragraph,
            "r": self._run,
            "tbl": lambda item: f"<table>{self.inside(item)}</table>",
            "tr": lambda item: self.row(item, "tc"),
            "hyperlink": self._link,
            **dict.fromkeys(("blip", "imagedata"), self._picture),
            "sp": self._slide_shape,
            "wsp": self.shape,
            "checkBox": _check_box,
            "sym": self._symbol,
        }
        super().__init__(package, rendered, COUNTED, IGNORED)
        self.links = package.relationships(name)
        self.styles = {
            attribute(style, "styleId"): attribute(first_child(style, "name"), "val") or ""
            for style in children(package.xml("word/styles.xml"), "style")
        }

    def _paragraph(self, item: Element) -> str:
        properties = first_child(item, "pPr")
        style = self.styles.get(attribute(first_child(properties, "pStyle"), "val"), "")
        html = self.inside(item)
        if named := HEADING.fullmatch(style):
            return paragraph(html, heading(parse_int(named[1], 1)))
        in_list = LIST.match(style) or first_child(properties, "numPr") is not None
        return paragraph(html, mark=BULLET if in_list else "")

    def _run(self, item: Element) -> str:
        hidden = first_child(item, "rPr", "vanish")
        shown = hidden is None or attribute(hidden, "val") in ("0", "false")
        return self.inside(item) if shown else ""

    def _symbol(self, item: Element) -> str:
        """Return a character of a font of symbols, which lie from U+F000 on."""
        written = re.fullmatch(r"[\da-fA-F]{1,4}", attribute(item, "char") or "0")
        code = int(written[0], 16) & 0xFF if written else 0
        found = SYMBOLS.get((attribute(item, "font") or "").partition(" ")[0], {}).get(code)
        return found or self.package.leave_out("symbol")

    def _link(self, item: Element) -> str:
        target = self.links.get(attribute(item, "id") or "")
        html = self.inside(item)
        return link(target.address, html) if target and target.external else html

    def _picture(self, item: Element) -> str:
        id = attribute(item, "embed") or attribute(item, "id") or ""
        target = self.links.get(id)
        return self.package.shown_picture(target.address) if target and not target.external else ""

    def _slide_shape(self, item: Element) -> str:
        """Return the paragraphs of a shape; a placeholder that was left empty is none."""
        place = next(descendants(item, "ph"), None)
        if place is None:
            return self.shape(item)
        is_title = attribute(place, "type") in ("title", "ctrTitle")
        html = self.inside(item)
        return as_title(html) if is_title else html
