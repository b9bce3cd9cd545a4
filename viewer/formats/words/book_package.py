"""Reads what a book says of itself: its chapters in the order of reading, its outline, its title.

Source: EPUB 3.3, and 2.0.1 for the NCX. Both forbid entities of one's own, but old files have a
DTD, and entities of HTML without one.
"""

import re
from collections.abc import Iterator
from html import escape, unescape
from itertools import islice
from posixpath import dirname, join, normpath
from typing import Any, Final
from urllib.parse import unquote
from xml.etree.ElementTree import Element, ParseError

from ..packages.elements import attribute, children, descendants, first_child, local_name, parse_xml
from ..packages.package import Package

Entry = tuple[int, str, str]  # depth, title, address relative to the root of the package
MAX_DEPTH: Final = 5
MAX_ENTRIES: Final = 2_000
MAX_TITLE: Final = 200
DOCTYPE: Final = re.compile(rb"<!DOCTYPE[^<>\[]*>")
ENTITY: Final = re.compile(rb"&(?!(?:lt|gt|amp|quot|apos);)[A-Za-z]\w{1,30};")


class ProtectedBookError(ValueError):
    """The chapters are encrypted for a program with a licence."""

    reason = "protected"


class Book(Package):
    """A book; raises ValueError, KeyError or a parser's errors if it is none."""

    def __init__(self, data: bytes) -> None:
        super().__init__(data)
        container = self.document("META-INF/container.xml")
        path = next((attribute(one, "full-path") for one in descendants(container, "rootfile")), "")
        package = self.document(path or "")
        self.metadata = first_child(package, "metadata")
        manifest = first_child(package, "manifest")
        self.items = {item.get("id"): item for item in children(manifest, "item")}
        self.paths = {name: _resolved(path or "", item) for name, item in self.items.items()}
        self.spine = first_child(package, "spine")
        listed = (self.paths.get(item.get("idref")) for item in children(self.spine, "itemref"))
        self.chapters = list(dict.fromkeys(one for one in listed if one in self.names))
        if not self.chapters:
            raise ValueError("no chapters")
        self._refuse_protected()

    def document(self, name: str) -> Element:
        """Parse XML with the DTD and the entities of HTML; raise ValueError for any other DTD."""
        if name not in self.names:
            return Element("absent")
        return parse_xml(ENTITY.sub(_character, DOCTYPE.sub(b"", self.read(name), count=1)))

    def about(self, name: str) -> str:
        """Return the values of a Dublin Core element, such as "title" or "creator"."""
        found = (" ".join((one.text or "").split()) for one in children(self.metadata, name))
        return ", ".join(filter(None, islice(found, 3)))[:MAX_TITLE]

    def outline(self) -> list[Entry]:
        """Return the entries of the navigation document, else of the NCX; none if it is broken."""
        nav = (
            name for name, item in self.items.items() if "nav" in item.get("properties", "").split()
        )
        ncx = attribute(self.spine, "toc")
        for path, read in ((self.paths.get(next(nav, None)), _nav), (self.paths.get(ncx), _ncx)):
            try:
                found = list(islice(read(path or "", self.document(path or "")), MAX_ENTRIES))
            except (ValueError, ParseError):
                continue
            if found:
                return found
        return []

    def _refuse_protected(self) -> None:
        """Obfuscated fonts are listed as well (EPUB 3.3, 4.2.6.3.2); chapters are what counts."""
        encryption = self.document("META-INF/encryption.xml")
        hidden = {unquote(one.get("URI", "")) for one in descendants(encryption, "CipherReference")}
        if not hidden.isdisjoint(self.chapters):
            raise ProtectedBookError


def resolve(path: str, address: str) -> str:
    """Return a relative address in the file `path` as a name in the package, with its anchor."""
    file, sign, anchor = address.partition("#")
    name = normpath(join(dirname(path), unquote(file))) if file else path
    return name + sign + unquote(anchor)


def _resolved(path: str, item: Element) -> str:
    return resolve(path, item.get("href", ""))


def _character(match: re.Match[bytes]) -> bytes:
    """Return what an entity of HTML stands for, as XML can write it."""
    return escape(unescape(match[0].decode())).encode("ascii", "xmlcharrefreplace")


def _nav(path: str, root: Element) -> Iterator[Entry]:
    navs = list(descendants(root, "nav"))
    marked = (nav for nav in navs if "toc" in (attribute(nav, "type") or "").split())
    nav: Any = next(marked, navs[0] if navs else None)
    return _nav_entries(path, first_child(nav, "ol"), 0)


def _nav_entries(path: str, items: Element | None, depth: int) -> Iterator[Entry]:
    for item in children(items, "li"):
        for part in item:
            if local_name(part) == "ol" and depth < MAX_DEPTH:
                yield from _nav_entries(path, part, depth + 1)
            elif address := part.get("href"):
                yield _entry(depth, "".join(part.itertext()), path, address)


def _ncx(path: str, root: Element) -> Iterator[Entry]:
    return _ncx_entries(path, first_child(root, "navMap"), 0)


def _ncx_entries(path: str, points: Element | None, depth: int) -> Iterator[Entry]:
    for point in children(points, "navPoint"):
        label, content = first_child(point, "navLabel", "text"), first_child(point, "content")
        if label is not None and content is not None:
            yield _entry(depth, label.text or "", path, content.get("src", ""))
        if depth < MAX_DEPTH:
            yield from _ncx_entries(path, point, depth + 1)


def _entry(depth: int, title: str, path: str, address: str) -> Entry:
    return depth, " ".join(title.split())[:MAX_TITLE], resolve(path, address)
