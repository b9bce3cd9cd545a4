"""The XML of office documents: parsed without DTDs, also element by element, and navigated.

Names are local ones: the same elements exist in several namespaces.
"""

from collections.abc import Iterator
from typing import Any, Final
from xml.etree.ElementTree import Element, TreeBuilder, XMLParser

MAX_DEPTH: Final = 200
PIECE: Final = 64 << 10


def local_name(element: Element) -> str:
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def attribute(element: Element | None, name: str) -> str | None:
    """Return an attribute by its local name; `r:id` is preferred to a plain `id` beside it."""
    if element is None:
        return None
    keys = sorted(element.attrib, key=lambda key: "}" not in key)
    return next((element.attrib[key] for key in keys if key.rpartition("}")[2] == name), None)


def first_child(element: Element | None, *path: str) -> Element | None:
    """Follow a path of names, to the first child of each name."""
    for name in path:
        element = next(children(element, name), None)
    return element


def children(element: Element | None, name: str) -> Iterator[Element]:
    return (item for item in (element if element is not None else ()) if local_name(item) == name)


def descendants(element: Element, name: str) -> Iterator[Element]:
    return (item for item in element.iter() if local_name(item) == name)


def parse_int(value: str | None, default: int) -> int:
    """Return a whole number of at most eight digits; the default for any other value."""
    return (
        int(value) if value and value.isascii() and value.isdigit() and len(value) < 9 else default
    )


class _WithoutDoctype(TreeBuilder):
    """A builder that rejects DTDs: office programs write none, and XML bombs need entities."""

    def doctype(self, *_: object) -> None:
        raise ValueError("a DTD is not allowed")


class _Collector:
    """The elements that are `ready`; it has a builder while it is in a whole one."""

    def __init__(self, whole: frozenset[str]) -> None:
        self.whole = whole
        self.ready: list[Element] = []
        self.builder: TreeBuilder | None = None
        self.depth = 0

    doctype = _WithoutDoctype.doctype

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if self.builder is None and tag.rpartition("}")[2] not in self.whole:
            self.ready.append(Element(tag, attributes))
            return
        self.builder = self.builder or TreeBuilder()
        self.builder.start(tag, attributes)
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise ValueError("nested too deeply")

    def data(self, text: str) -> None:
        if self.builder:
            self.builder.data(text)

    def end(self, tag: str) -> None:
        if self.builder is None:
            return
        self.builder.end(tag)
        self.depth -= 1
        if not self.depth:
            self.ready.append(self.builder.close())
            self.builder = None


def parse_xml(data: bytes) -> Element:
    """Parse XML; raise ValueError for a DTD, ParseError if it is malformed."""
    parser: Any = XMLParser(target=_WithoutDoctype())  # noqa: S314
    parser.feed(data)
    root: Element = parser.close()
    return root


def stream(data: bytes, whole: frozenset[str]) -> Iterator[Element]:
    """Yield elements in the order of the document, which may lack its end.

    Those named in `whole` come with their content when they end, all others with their attributes
    only when they start. Raises ValueError for a DTD, ParseError for malformed XML.
    """
    collector = _Collector(whole)
    parser: Any = XMLParser(target=collector)  # noqa: S314
    for start in range(0, len(data), PIECE):
        parser.feed(data[start : start + PIECE])
        yield from collector.ready
        collector.ready.clear()
