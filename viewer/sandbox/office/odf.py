"""OpenDocument text documents and presentations."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Final
from xml.etree.ElementTree import Element

from ...escaping import escape
from ...formatting import format_count
from .elements import attribute, children, descendants, first_child, local_name, parse_int
from .package import Package

FORMATS: Final = {"text": "odt", "spreadsheet": "ods", "presentation": "odp"}
IGNORED: Final = frozenset({"note", "annotation", "forms", "sequence-decls", "tracked-changes"})
DESCRIPTIONS: Final = "{urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0}"  # of shapes
MAX_REPEATS: Final = 50
MAX_REPEATED: Final = 200  # characters of a cell's HTML
CHARACTERS: Final = {"tab": "\u2003", "line-break": "<br>"}
ROW_GROUPS: Final = {"table-header-rows": "th", "table-rows": "", "table-row-group": ""}
OBJECTS: Final = ((b"<office:chart", "chart"), (b"<math", "formula"))
FORMATTED: Final = (  # attribute of a text style, its value, HTML element
    *(("font-weight", "bold", "strong"), ("font-style", "italic", "em")),
    *(("text-underline-style", "solid", "u"), ("text-line-through-style", "solid", "s")),
)


@dataclass(slots=True)
class _Source:
    """The package, the numbered levels of the list styles, and where in lists the reading is.

    A numbered level has its first number and its form: 1, a, A, i or I. `formats` are the HTML
    elements of text styles.
    """

    package: Package
    numbers: dict[tuple[str, int], tuple[int, str]]
    formats: dict[str, list[str]]
    style: str = ""
    level: int = 0


def detect_format(package: Package) -> str | None:
    """Return "odt", "ods" or "odp"; None if it is none of them."""
    body = first_child(package.xml("content.xml"), "body")
    names = map(local_name, body if body is not None else ())
    return next((FORMATS[name] for name in names if name in FORMATS), None)


def read(package: Package) -> tuple[str, list[str]]:
    body = first_child(package.xml("content.xml"), "body")
    slides = 0 if body is None else len(list(descendants(body, "page")))
    counts = [format_count(slides, "slide")] if slides else []
    return _blocks(
        _Source(package, dict(_numbered_levels(package)), dict(_formats(package))), body
    ), counts


def _numbered_levels(package: Package) -> Iterator[tuple[tuple[str, int], tuple[int, str]]]:
    for part in ("styles.xml", "content.xml"):
        for style in descendants(package.xml(part), "list-style"):
            for level in children(style, "list-level-style-number"):
                place = attribute(style, "name") or "", parse_int(attribute(level, "level"), 1)
                if form := attribute(level, "num-format"):
                    start = parse_int(attribute(level, "start-value"), 1)
                    yield place, (start, form if form in "aAiI" else "1")


def _formats(package: Package) -> Iterator[tuple[str, list[str]]]:
    """Yield the name of each text style, and the HTML elements it stands for."""
    for part in ("styles.xml", "content.xml"):
        for style in descendants(package.xml(part), "style"):
            properties = first_child(style, "text-properties")
            tags = [tag for name, value, tag in FORMATTED if attribute(properties, name) == value]
            if tags and attribute(style, "family") == "text":
                yield attribute(style, "name") or "", tags


def _blocks(source: _Source, parent: Element | None) -> str:
    return "".join(_block(source, item) for item in (parent if parent is not None else ()))


def _block(source: _Source, item: Element) -> str:
    render = BLOCKS.get(local_name(item))
    if render:
        return render(source, item)
    return "" if _is_ignored(item) else _blocks(source, item)


def _is_ignored(item: Element) -> bool:
    return local_name(item) in IGNORED or item.tag.startswith(DESCRIPTIONS)


def _heading(source: _Source, item: Element) -> str:
    level = min(max(parse_int(attribute(item, "outline-level"), 1), 1), 6)
    return f"<h{level}>{_inline(source, item)}</h{level}>"


def _paragraph(source: _Source, item: Element) -> str:
    text = _inline(source, item)
    return f"<p>{text}</p>" if text.strip() else ""


def _list(source: _Source, item: Element) -> str:
    """Return a list, numbered if the level of its style is; inner ones have the outer's style."""
    inner = replace(source, style=attribute(item, "style-name") or source.style)
    inner.level += 1
    numbered = source.numbers.get((inner.style, inner.level))
    begin = '<ol start="{}" type="{}">'.format(*numbered) if numbered else "<ul>"
    points = "".join(f"<li>{_blocks(inner, point)}</li>" for point in item)
    return f"{begin}{points}</{'ol' if numbered else 'ul'}>"


def _page(source: _Source, item: Element) -> str:
    return f'<section class="slide">{_blocks(source, item)}</section>'


def _picture(source: _Source, item: Element) -> str:
    return source.package.shown_picture((attribute(item, "href") or "").removeprefix("./"))


def _frame(source: _Source, item: Element) -> str:
    """Return the text or the picture in a frame, or what stands in place of an object."""
    parts = {local_name(part): part for part in reversed(item)}
    embedded = parts.get("object", parts.get("object-ole"))
    if embedded is None:
        return _blocks(source, item)
    name = (attribute(embedded, "href") or "").removeprefix("./") + "/content.xml"
    content = source.package.read(name) if name in source.package.names else b""
    noun = next((noun for mark, noun in OBJECTS if mark in content), "embedded object")
    return f"<p>{source.package.leave_out(noun)}</p>"


def _table(source: _Source, item: Element) -> str:
    return f"<table>{''.join(_rows(source, item, 'td'))}</table>"


def _rows(source: _Source, parent: Element, tag: str) -> Iterator[str]:
    """Yield the rows of a table, and those of its groups of rows."""
    for item in parent:
        if local_name(item) == "table-row":
            yield f"<tr>{''.join(_cells(source, item, tag))}</tr>"
        elif local_name(item) in ROW_GROUPS:
            yield from _rows(source, item, ROW_GROUPS[local_name(item)] or tag)


def _cells(source: _Source, row: Element, tag: str) -> Iterator[str]:
    for cell in children(row, "table-cell"):
        html = _blocks(source, cell)
        spans = "".join(
            f' {name}="{min(number, 100)}"'
            for name, spanned in (("colspan", "columns"), ("rowspan", "rows"))
            if (number := parse_int(attribute(cell, f"number-{spanned}-spanned"), 1)) > 1
        )
        repeats = parse_int(attribute(cell, "number-columns-repeated"), 1)
        count = min(repeats, MAX_REPEATS) if len(html) < MAX_REPEATED else 1
        yield f"<{tag}{spans}>{html}</{tag}>" * count


def _inline(source: _Source, parent: Element) -> str:
    out = [escape(parent.text or "")]
    for item in parent:
        out += (_phrase(source, item), escape(item.tail or ""))
    return "".join(out)


def _phrase(source: _Source, item: Element) -> str:
    match local_name(item):
        case "s":
            return " " * min(parse_int(attribute(item, "c"), 1), 80)
        case "a":
            address = escape(attribute(item, "href") or "")
            return f'<a target="_blank" href="{address}">{_inline(source, item)}</a>'
        case "span":
            html = _inline(source, item)
            for tag in source.formats.get(attribute(item, "style-name") or "", ()):
                html = f"<{tag}>{html}</{tag}>"
            return html
        case "frame":
            return _frame(source, item)
        case "rect" | "custom-shape" | "ellipse" | "g" | "line" | "polygon" | "path":
            return _blocks(source, item)
    fixed = "" if _is_ignored(item) else CHARACTERS.get(local_name(item))
    return _inline(source, item) if fixed is None else fixed


BLOCKS: Final[dict[str, Callable[[_Source, Element], str]]] = {
    "h": _heading,
    "p": _paragraph,
    "list": _list,
    "table": _table,
    "page": _page,
    "frame": _frame,
    "image": _picture,
}
