"""OpenDocument text documents and presentations."""

from collections.abc import Callable, Iterator
from typing import Final
from xml.etree.ElementTree import Element

from ...escaping import escape
from ...formatting import format_count
from .elements import attribute, children, descendants, first_child, local_name, parse_int
from .grid import html_table
from .package import Package

FORMATS: Final = {"text": "odt", "spreadsheet": "ods", "presentation": "odp"}
IGNORED: Final = frozenset({"note", "annotation", "forms", "sequence-decls", "tracked-changes"})
MAX_REPEATS: Final = 50


def detect_format(package: Package) -> str | None:
    """Return "odt", "ods" or "odp"; None if it is none of them."""
    body = first_child(package.xml("content.xml"), "body")
    names = map(local_name, body if body is not None else ())
    return next((FORMATS[name] for name in names if name in FORMATS), None)


def read(package: Package) -> tuple[str, list[str]]:
    body = first_child(package.xml("content.xml"), "body")
    slides = 0 if body is None else len(list(descendants(body, "page")))
    counts = [format_count(slides, "slide")] if slides else []
    return _blocks(package, body), counts


def _blocks(package: Package, parent: Element | None) -> str:
    return "".join(_block(package, item) for item in (parent if parent is not None else ()))


def _block(package: Package, item: Element) -> str:
    render = BLOCKS.get(local_name(item))
    if render:
        return render(package, item)
    return "" if local_name(item) in IGNORED else _blocks(package, item)


def _heading(package: Package, item: Element) -> str:
    level = min(max(parse_int(attribute(item, "outline-level"), 1), 1), 6)
    return f"<h{level}>{_inline(package, item)}</h{level}>"


def _paragraph(package: Package, item: Element) -> str:
    text = _inline(package, item)
    return f"<p>{text}</p>" if text.strip() else ""


def _list(package: Package, item: Element) -> str:
    return f"<ul>{''.join(f'<li>{_blocks(package, point)}</li>' for point in item)}</ul>"


def _page(package: Package, item: Element) -> str:
    return f'<section class="slide">{_blocks(package, item)}</section>'


def _picture(package: Package, item: Element) -> str:
    return package.picture(attribute(item, "href") or "")


def _table(_package: Package, item: Element) -> str:
    name = attribute(item, "name")
    heading = f"<h2>{escape(name)}</h2>" if name else ""
    return heading + html_table(_rows(item))


def _inline(package: Package, parent: Element) -> str:
    out = [escape(parent.text or "")]
    for item in parent:
        out += (_phrase(package, item), escape(item.tail or ""))
    return "".join(out)


def _phrase(package: Package, item: Element) -> str:
    match local_name(item):
        case "s":
            return " " * min(parse_int(attribute(item, "c"), 1), 80)
        case "tab":
            return "\u2003"
        case "line-break":
            return "<br>"
        case "a":
            address = escape(attribute(item, "href") or "")
            return f'<a target="_blank" href="{address}">{_inline(package, item)}</a>'
        case "image":
            return _picture(package, item)
    return "" if local_name(item) in IGNORED else _inline(package, item)


def _rows(table: Element) -> Iterator[list[str]]:
    for row in descendants(table, "table-row"):
        cells = [text for cell in children(row, "table-cell") for text in _cell(cell)]
        while cells and not cells[-1]:
            cells.pop()
        if cells:
            yield cells


def _cell(cell: Element) -> list[str]:
    """Return the text of a cell once for each column that it covers."""
    text = " ".join("".join(line.itertext()) for line in children(cell, "p"))
    repeats = parse_int(attribute(cell, "number-columns-repeated"), 1)
    return [text] * min(repeats, MAX_REPEATS)


BLOCKS: Final[dict[str, Callable[[Package, Element], str]]] = {
    "h": _heading,
    "p": _paragraph,
    "list": _list,
    "table": _table,
    "page": _page,
    "image": _picture,
}
