"""Presentations: the texts, tables and pictures of each slide."""

from typing import Final
from xml.etree.ElementTree import Element

from ...escaping import escape
from ...formatting import format_count
from .elements import attribute, children, descendants, local_name, text_of
from .grid import html_table
from .package import Package, Target

PRESENTATION: Final = "ppt/presentation.xml"
TITLES: Final = frozenset({"title", "ctrTitle"})


def read(package: Package) -> tuple[str, list[str]]:
    parts = package.relationships(PRESENTATION)
    ids = [attribute(slide, "id") for slide in descendants(package.xml(PRESENTATION), "sldId")]
    names = [parts[id].address for id in ids if id in parts]
    slides = [_slide(package, name, n) for n, name in enumerate(names, 1) if name in package.names]
    return "".join(slides), [format_count(len(slides), "slide")]


def _slide(package: Package, name: str, number: int) -> str:
    links = package.relationships(name)
    shapes = "".join(_shape(package, links, item) for item in package.xml(name).iter())
    return f'<section class="slide"><p><small>{number}</small></p>{shapes}</section>'


def _shape(package: Package, links: dict[str, Target], item: Element) -> str:
    match local_name(item):
        case "sp":
            return _texts(item)
        case "tbl":
            rows = ([text_of(cell) for cell in children(row, "tc")] for row in children(item, "tr"))
            return html_table(rows)
        case "blip":
            target = links.get(attribute(item, "embed") or "")
            return package.picture(target.address) if target and not target.external else ""
    return ""


def _texts(shape: Element) -> str:
    placeholder = next(descendants(shape, "ph"), None)
    tag = "h2" if attribute(placeholder, "type") in TITLES else "p"
    texts = (text_of(paragraph) for paragraph in descendants(shape, "p"))
    return "".join(f"<{tag}>{escape(text)}</{tag}>" for text in texts if text)
