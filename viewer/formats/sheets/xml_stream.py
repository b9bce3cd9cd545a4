"""Reads XML element by element, so that a large part needs little memory and can be left early."""

from collections.abc import Iterator
from typing import Final
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

SEPARATOR: Final = "}"  # between namespace and name, so that `local_name` applies
MAX_DEPTH: Final = 200
PIECE: Final = 64 << 10


def stream(data: bytes, whole: frozenset[str]) -> Iterator[Element]:
    """Yield elements in the order of the document, which may lack its end.

    Those named in `whole` come with their content when they end, all others with their attributes
    only when they start. Raises ValueError for a DTD, expat.ExpatError for malformed XML.
    """
    collector = _Collector(whole)
    parser = expat.ParserCreate(namespace_separator=SEPARATOR)
    parser.buffer_text = True
    parser.StartDoctypeDeclHandler = _refuse_doctype
    parser.StartElementHandler = collector.start
    parser.EndElementHandler = collector.end
    parser.CharacterDataHandler = collector.text
    for start in range(0, len(data), PIECE):
        parser.Parse(data[start : start + PIECE], False)
        yield from collector.taken()


def _refuse_doctype(*_: object) -> None:
    raise ValueError("a DTD is not allowed")


class _Collector:
    def __init__(self, whole: frozenset[str]) -> None:
        self.whole = whole
        self.ready: list[Element] = []
        self.builder: TreeBuilder | None = None
        self.depth = 0

    def taken(self) -> list[Element]:
        ready, self.ready = self.ready, []
        return ready

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if self.builder is None and tag.rpartition(SEPARATOR)[2] not in self.whole:
            self.ready.append(Element(tag, attributes))
            return
        self.builder = self.builder or TreeBuilder()
        self.builder.start(tag, attributes)
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise ValueError("nested too deeply")

    def text(self, data: str) -> None:
        if self.builder:
            self.builder.data(data)

    def end(self, tag: str) -> None:
        if self.builder is None:
            return
        self.builder.end(tag)
        self.depth -= 1
        if not self.depth:
            self.ready.append(self.builder.close())
            self.builder = None
