"""Turns the XML of a document or slide into paragraphs, headings, tables and pictures.

Office Open XML and OpenDocument nest them in elements of other names, which each of them lists.
What is not listed is looked into.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final
from xml.etree.ElementTree import Element

from ...markup.escaping import escape_attribute
from ..packages.elements import attribute, children, first_child, local_name, parse_int
from ..packages.package import Package

BULLET: Final = "• "
SLIDE: Final = '<section class="slide">'


@dataclass
class Blocks:
    """By the local names of elements: what has HTML of its own, what a noun stands in the place
    of, and what is passed over because it repeats something, was deleted, or is no text.
    """

    package: Package
    rendered: Mapping[str, Callable[[Element], str]] = field(default_factory=dict)
    counted: Mapping[str, str] = field(default_factory=dict)
    ignored: frozenset[str] = frozenset()

    def inside(self, parent: Element) -> str:
        """Return all that is in an element as HTML, which still has to be sanitized."""
        return "".join(map(self.html, parent))

    def html(self, item: Element) -> str:
        name = local_name(item)
        if name in self.rendered:
            return self.rendered[name](item)
        if name in self.counted:
            return self.package.leave_out(self.counted[name])
        return "" if name in self.ignored else self.inside(item)

    def row(self, item: Element, cell: str) -> str:
        """Return the cells of a row, without those that another one covers."""
        cells = (one for one in children(item, cell) if not _is_covered(one))
        inner = "".join(f"<td{_spans(one)}>{self.inside(one)}</td>" for one in cells)
        return f"<tr>{inner}</tr>"

    def shape(self, item: Element) -> str:
        """Return what is written in a shape; one without text is counted."""
        html = self.inside(item)
        return html if html.strip() else self.package.leave_out("shape")


def _is_covered(cell: Element) -> bool:
    return any(attribute(cell, name) in ("1", "true") for name in ("hMerge", "vMerge"))


def _spans(cell: Element) -> str:
    """Return the attributes of a cell over several columns or rows."""
    inner = first_child(cell, "tcPr", "gridSpan")
    columns = attribute(cell, "gridSpan") or attribute(cell, "number-columns-spanned")
    rows = attribute(cell, "rowSpan") or attribute(cell, "number-rows-spanned")
    spans = {"colspan": columns or attribute(inner, "val"), "rowspan": rows}
    known = ((name, parse_int(value, 1)) for name, value in spans.items())
    return "".join(f' {name}="{count}"' for name, count in known if count > 1)


def paragraph(html: str, tag: str = "p", mark: str = "") -> str:
    return f"<{tag}>{mark}{html}</{tag}>" if html.strip() else ""


def heading(level: int) -> str:
    return f"h{min(max(level, 1), 6)}"


def as_title(html: str) -> str:
    """Return the paragraphs of a slide's title as headings."""
    return html.replace("<p>", "<h2>").replace("</p>", "</h2>")


def link(address: str, html: str) -> str:
    return f'<a target="_blank" href="{escape_attribute(address)}">{html}</a>'
