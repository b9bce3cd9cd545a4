"""Turns the XML of a document or slide into paragraphs, headings, tables and pictures.

Office Open XML and OpenDocument nest them in elements of other names, which each of them lists.
What is not listed is looked into.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final
from xml.etree.ElementTree import Element

from ...markup.escaping import escape
from ..packages.elements import children, local_name
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
        cells = (f"<td>{self.inside(one)}</td>" for one in children(item, cell))
        return f"<tr>{''.join(cells)}</tr>"

    def shape(self, item: Element) -> str:
        """Return what is written in a shape; one without text is counted."""
        html = self.inside(item)
        return html if html.strip() else self.package.leave_out("shape")


def paragraph(html: str, tag: str = "p", mark: str = "") -> str:
    return f"<{tag}>{mark}{html}</{tag}>" if html.strip() else ""


def heading(level: int) -> str:
    return f"h{min(max(level, 1), 6)}"


def link(address: str, html: str) -> str:
    return f'<a target="_blank" href="{escape(address)}">{html}</a>'
