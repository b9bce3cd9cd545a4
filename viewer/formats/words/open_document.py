"""Text documents and presentations of OpenDocument (ISO/IEC 26300)."""

from typing import Final
from xml.etree.ElementTree import Element

from ...markup.escaping import escape
from ...sandbox.messages import RefusedError
from ..packages.elements import attribute, descendants, first_child, local_name, parse_int
from ..packages.package import Package
from .blocks import BULLET, SLIDE, Blocks, as_title, heading, link, paragraph

LABELS: Final = {"text": "Text document", "presentation": "Presentation", "drawing": "Drawing"}
DESCRIPTIONS: Final = "{urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0}"  # of shapes
COUNTED: Final = {"annotation": "comment"}
IGNORED: Final = frozenset(
    {"note-citation", "annotation-end", "forms", "sequence-decls", "tracked-changes", "notes"}
)
BESIDE: Final = {  # elements that are counted where they hold a text, of the styles as well
    **{"header": "header", "footer": "footer", "deletion": "tracked deletion"},
    "notes": "speaker note",
}
SHAPES: Final = ("custom-shape", "rect", "ellipse", "line", "polyline", "polygon", "path")
OBJECTS: Final = ((b"<office:chart", "chart"), (b"<math", "formula"))


def read(package: Package) -> tuple[str, str]:
    """Return what a package is, and its text as HTML.

    Raises RefusedError for a spreadsheet, "sheets", and for what is none of these, "zip".
    """
    body = first_child(package.xml("content.xml"), "body")
    kinds = [local_name(item) for item in body] if body is not None else []
    label = next((LABELS[kind] for kind in kinds if kind in LABELS), "")
    if body is None or not label:
        raise RefusedError("sheets" if "spreadsheet" in kinds else "zip")
    styles = package.xml_if_sound("styles.xml")
    for element, noun in BESIDE.items():
        found = (*descendants(styles, element), *descendants(body, element))
        package.left_out[noun] = sum(bool("".join(one.itertext()).strip()) for one in found)
    return label, _Text(package).inside(body)


class _Text(Blocks):
    def __init__(self, package: Package) -> None:
        rendered = {
            "h": self._heading,
            "p": lambda item: paragraph(self.inside(item)),
            "list-item": self._point,
            "table": lambda item: f"<table>{self.inside(item)}</table>",
            "table-row": lambda item: self.row(item, "table-cell"),
            "page": lambda item: f"{SLIDE}{self.inside(item)}</section>",
            "a": lambda item: link(attribute(item, "href") or "", self.inside(item)),
            "s": lambda item: " " * min(parse_int(attribute(item, "c"), 1), 80),
            "tab": lambda _: "\u2003",
            "line-break": lambda _: "<br>",
            "note": self._note,
            "frame": self._frame,
            "image": self._picture,
            **dict.fromkeys(SHAPES, self.shape),
        }
        super().__init__(package, rendered, COUNTED, IGNORED)

    def inside(self, parent: Element) -> str:
        """Return text, which stands between elements as well."""
        out = [escape(parent.text or "")]
        for item in parent:
            out += (self.html(item), escape(item.tail or ""))
        return "".join(out)

    def html(self, item: Element) -> str:
        return "" if str(item.tag).startswith(DESCRIPTIONS) else super().html(item)

    def _heading(self, item: Element) -> str:
        return paragraph(self.inside(item), heading(parse_int(attribute(item, "outline-level"), 1)))

    def _note(self, item: Element) -> str:
        """Return a footnote in its place, where no paragraph can be within another."""
        inner = self.inside(item).replace("<p>", "").replace("</p>", " ")
        return f"<small> ({inner.strip()})</small>"

    def _point(self, item: Element) -> str:
        return self.inside(item).replace("<p>", f"<p>{BULLET}", 1)

    def _picture(self, item: Element) -> str:
        return self.package.shown_picture((attribute(item, "href") or "").removeprefix("./"))

    def _frame(self, item: Element) -> str:
        """Return the text or the picture in a frame, or what stands in place of an object."""
        parts = {local_name(part): part for part in reversed(item)}
        embedded = parts.get("object", parts.get("object-ole"))
        if embedded is None:
            html = self.inside(item)
            return as_title(html) if attribute(item, "class") == "title" else html
        name = (attribute(embedded, "href") or "").removeprefix("./") + "/content.xml"
        content = self.package.read(name) if name in self.package.names else b""
        noun = next((noun for mark, noun in OBJECTS if mark in content), "embedded object")
        return f"<p>{self.package.leave_out(noun)}</p>"
