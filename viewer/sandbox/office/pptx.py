"""Presentations: the texts, tables and pictures of each slide."""

from collections.abc import Iterator
from typing import Final
from xml.etree.ElementTree import Element

from ...escaping import escape
from ...formatting import format_count
from .elements import attribute, children, descendants, first_child, local_name, parse_int, text_of
from .grid import html_table
from .numbering import FORMS, MAX_NUMBER
from .package import Package, Target

PRESENTATION: Final = "ppt/presentation.xml"
LEFT_OUT: Final = {"chart": "chart", "relIds": "diagram", "oleObj": "embedded object"}
SCHEMES: Final = (
    *(("alphaLc", "lowerLetter"), ("alphaUc", "upperLetter")),
    *(("romanLc", "lowerRoman"), ("romanUc", "upperRoman")),
)
TITLES: Final = frozenset({"title", "ctrTitle"})


def read(package: Package) -> tuple[str, list[str]]:
    parts = package.relationships(PRESENTATION)
    ids = [attribute(slide, "id") for slide in descendants(package.xml(PRESENTATION), "sldId")]
    names = [parts[id].address for id in ids if id in parts]
    slides = [_slide(package, name, n) for n, name in enumerate(names, 1) if name in package.names]
    return "".join(slides), [format_count(len(slides), "slide")]


def _slide(package: Package, name: str, number: int) -> str:
    links = package.relationships(name)
    shapes = "".join(_shape(package, links, item) for item in _elements(package.xml(name)))
    return f'<section class="slide"><p><small>{number}</small></p>{shapes}</section>'


def _elements(parent: Element) -> Iterator[Element]:
    """Yield all elements, without those that repeat others for older programs."""
    for item in parent:
        if local_name(item) != "Fallback":
            yield item
            yield from _elements(item)


def _shape(package: Package, links: dict[str, Target], item: Element) -> str:
    match local_name(item):
        case "sp":
            return _texts(item)
        case "tbl":
            rows = ([text_of(cell) for cell in children(row, "tc")] for row in children(item, "tr"))
            return html_table(rows)
        case "blip":
            target = links.get(attribute(item, "embed") or "")
            shown = target and not target.external
            return package.shown_picture(target.address) if target and shown else ""
        case "chart" | "relIds" | "oleObj" as name:
            return f"<p>{package.leave_out(LEFT_OUT[name])}</p>"
    return ""


def _texts(shape: Element) -> str:
    """Return the paragraphs of a shape: a title, or text with the numbers of its lists."""
    placeholder = next(descendants(shape, "ph"), None)
    tag = "h2" if attribute(placeholder, "type") in TITLES else "p"
    counts: dict[int, int] = {}
    return "".join(_paragraph(item, tag, counts) for item in descendants(shape, "p"))


def _paragraph(item: Element, tag: str, counts: dict[int, int]) -> str:
    """Return a paragraph; `counts` has the last number of each level of its lists."""
    properties = first_child(item, "pPr")
    level = parse_int(attribute(properties, "lvl"), 0)
    numbering = first_child(properties, "buAutoNum")
    for deeper in [one for one in counts if one > level or (one == level and numbering is None)]:
        del counts[deeper]
    text = "".join(map(_phrase, item))
    if not text:
        return ""
    if numbering is None:
        mark = attribute(first_child(properties, "buChar"), "char")
        return f"<{tag}>{escape(mark or '')}{' ' if mark else ''}{text}</{tag}>"
    start = parse_int(attribute(numbering, "startAt"), 1)
    counts[level] = counts[level] + 1 if level in counts else start
    number = _number(attribute(numbering, "type") or "", counts[level])
    return f'<{tag}><span class="label">{number}</span> {text}</{tag}>'


def _phrase(item: Element) -> str:
    return "<br>" if local_name(item) == "br" else escape(text_of(item))


def _number(form: str, number: int) -> str:
    """Return a number as a scheme such as `alphaLcParenR` writes it (ECMA-376, 20.1.10.61)."""
    letters_or_roman = next((FORMS[word] for start, word in SCHEMES if form.startswith(start)), str)
    text = letters_or_roman(min(number, MAX_NUMBER))
    if form.endswith("ParenBoth"):
        return f"({text})"
    return text + (")" if form.endswith("ParenR") else "" if form.endswith("Plain") else ".")
