"""Runs in the child process. Renders a book (EPUB) as its chapters, one after the other.

Structure, text, formulas, links within the book and to the web, and raster pictures are kept; the
styles of the book are not.

Source: EPUB 3.3, and 2.0.1 for the NCX. Both forbid entities of one's own, but old files have a
DTD, and entities of HTML without one.
"""

import re
from collections.abc import Iterator
from contextlib import suppress
from html import escape, unescape
from itertools import islice
from posixpath import dirname, join, normpath
from typing import Any, Final
from urllib.parse import unquote
from xml.etree.ElementTree import Element, ParseError

from ...content.decoding import decode
from ...markup.escaping import escape as visible
from ...markup.formatting import CUT_NOTE, left_out_note
from ...markup.sanitizer import FORMULA, heading_id, root_attributes, safe_link, sanitize_fragment
from ...sandbox import MAX_HTML
from ...sandbox.messages import Message, RefusedError, shown_as
from ..packages.elements import attribute, children, descendants, first_child, local_name, parse_xml
from ..packages.package import Package, has_picture_name
from .formulas import formula

NOTE: Final = "Reading view: text and pictures, without the layout of the book."
Entry = tuple[int, str, str]  # depth, title, address relative to the root of the package
MAX_DEPTH: Final = 5
MAX_ENTRIES: Final = 2_000
MAX_TITLE: Final = 200
DOCTYPE: Final = re.compile(rb"<!DOCTYPE[^<>\[]*>")
ENTITY: Final = re.compile(rb"&(?!(?:lt|gt|amp|quot|apos);)[A-Za-z]\w{1,30};")
MAX_BOOK_TAGS: Final = 120_000  # the browser styles each anew when the theme changes
BODY: Final = re.compile(r"<body\b[^<>]*>(.*?)(?:</body\s*>|\Z)", re.S | re.I)
# HTML knows no empty elements but these: it would take what follows as their content.
CLOSED: Final = re.compile(
    r"<(?!(?:area|base|br|col|embed|hr|image|img|input|link|meta|param|source|track|wbr)\b)"
    r"([a-zA-Z][\w:.-]*+)([^<>]*)/>"
)
OLD_ANCHOR: Final = re.compile(r"(<a\b[^<>]*?\s)name=", re.I)
DRAWN: Final = re.compile(
    r"<(?:\w+:)?(svg|math|audio|video|object|iframe)\b"
    r"[^<]*+(?:<(?!/?(?:\w+:)?\1\b)[^<]*+)*+</(?:\w+:)?\1\s*>"
)
PICTURE_IN_DRAWING: Final = re.compile(r"<(?:\w+:)?image\b[^<>]*?\bhref=(\"[^\"<>]*\"|'[^'<>]*')")
NOUNS: Final = {"svg": "drawing", "math": "formula", "audio": "recording", "video": "video"}


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
            except (ValueError, ParseError, RecursionError):
                continue
            if found:
                return found
        return []

    def _refuse_protected(self) -> None:
        """Obfuscated fonts are listed as well (EPUB 3.3, 4.2.6.3.2); chapters are what counts."""
        encryption = self.document("META-INF/encryption.xml")
        hidden = {unquote(one.get("URI", "")) for one in descendants(encryption, "CipherReference")}
        if not hidden.isdisjoint(self.chapters):
            raise RefusedError("protected")


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
    nav: Any = next(marked, navs[0] if navs else ())
    return _entries(path, nav)


def _ncx(path: str, root: Element) -> Iterator[Entry]:
    return (entry for tree in children(root, "navMap") for entry in _entries(path, tree))


def _entries(path: str, parent: Element, depth: int = -1) -> Iterator[Entry]:
    """Yield the entries in the lists of a navigation document, or in the points of an NCX."""
    for part in parent:
        match local_name(part):
            case "ol" | "navPoint" if depth < MAX_DEPTH:
                yield from _entries(path, part, depth + 1)
            case "li":
                yield from _entries(path, part, depth)
            case "a" if address := part.get("href"):
                yield _entry(depth, "".join(part.itertext()), path, address)
            case "content":
                label = first_child(parent, "navLabel", "text")
                yield _entry(depth, getattr(label, "text", "") or "", path, part.get("src", ""))


def _entry(depth: int, title: str, path: str, address: str) -> Entry:
    return depth, " ".join(title.split())[:MAX_TITLE], resolve(path, address)


def render(data: bytes, _options: dict[str, Any]) -> Iterator[Message]:
    """Yield one message with the contents and the chapters.

    Raises RefusedError if the chapters are encrypted, ValueError if there are none.
    """
    book = Book(data)
    numbers = {path: number for number, path in enumerate(book.chapters, 1)}
    html: list[str] = []
    left, tags_left = MAX_HTML, MAX_BOOK_TAGS
    while left > 0 and len(html) < len(book.chapters):
        chapter = _Chapter(book, numbers, book.chapters[len(html)])
        text, size, tags = chapter.render(left, tags_left)
        html.append(text)
        left, tags_left = left - size, tags_left - tags
    about = filter(None, (book.about("title"), book.about("creator")))
    notes = (NOTE, left_out_note(book.left_out), CUT_NOTE if left <= 0 else "")
    whole = f'{_outline(book, numbers)}<article class="prose">{"".join(html)}</article>'
    yield shown_as("Book", *about, notes=notes), whole.encode("utf-8", "replace")


def _outline(book: Book, numbers: dict[str, int]) -> str:
    """Return the contents as HTML; nothing of fewer than two entries that lead somewhere."""
    found = ((depth, title, _target(numbers, to)) for depth, title, to in book.outline())
    entries = [entry for entry in found if entry[1] and entry[2]]
    if len(entries) < 2:
        return ""
    items = "".join(
        f'<li data-depth="{depth}"><a href="#{target}">{visible(title)}</a></li>\n'
        for depth, title, target in entries
    )
    return (
        '<details class="outline" id="outline"><summary>Contents</summary>\n'
        f'<nav aria-label="Contents"><ol>\n{items}</ol></nav></details>\n'
    )


class _Chapter:
    """A chapter, whose ids are made unique in the book, and whose links and pictures are its."""

    def __init__(self, book: Book, numbers: dict[str, int], path: str) -> None:
        self.book, self.numbers, self.path = book, numbers, path
        self.number = numbers[path]

    def render(self, limit: int, most_tags: int) -> tuple[str, int, int]:
        """Return the chapter as HTML; its size without its pictures, or `limit` if it is cut; and
        how many tags it was made of.
        """
        if has_picture_name(self.path):
            return f"{self._start()}{self.book.shown_picture(self.path)}</section>", 0, 1
        data, cut = self.book.read_start(self.path)
        text = decode(data)[0]
        declared = root_attributes(text)
        body = BODY.search(text)
        text = body[1] if body else text
        pictures = self.book.picture_bytes_left
        tags = text.count("<")
        if cut or len(text) > limit or tags > most_tags:
            text, cut = "<".join(text[:limit].split("<", most_tags)[:most_tags]), True
        html = sanitize_fragment(self._prepared(text), self._rewritten, FORMULA)
        size = len(html) - (pictures - self.book.picture_bytes_left)
        return f"{self._start(declared)}{html}</section>", limit if cut else size, tags

    def _start(self, declared: str = "") -> str:
        return f'<section class="chapter" id="{heading_id(str(self.number))}"{declared}>'

    def _prepared(self, text: str) -> str:
        return DRAWN.sub(self._drawing, OLD_ANCHOR.sub(r"\1id=", CLOSED.sub(r"<\1\2></\1>", text)))

    def _drawing(self, match: re.Match[str]) -> str:
        """Return a formula, or the picture in a drawing, as covers are; else what stands in its
        place.
        """
        picture = PICTURE_IN_DRAWING.search(match[0])
        if match[1] == "svg" and picture:
            return f"<img alt='' src={picture[1]}>"
        if match[1] == "math":
            with suppress(ValueError, ParseError, RecursionError):
                return formula(ENTITY.sub(_character, match[0].encode("utf-8", "replace")))
        return self.book.leave_out(NOUNS.get(match[1], "object"))

    def _rewritten(self, tag: str, name: str, value: str) -> str | None:
        if name == "id":
            return f"{self.number}-{value}"
        if (tag, name) == ("a", "href"):
            return self._link(value)
        return self._picture(value) if (tag, name) == ("img", "src") else value

    def _link(self, address: str) -> str | None:
        if not address.startswith("#") and safe_link(address):
            return address
        target = _target(self.numbers, resolve(self.path, address))
        return "#" + target if target else None

    def _picture(self, address: str) -> str | None:
        if address.startswith("data:"):
            return address
        source = self.book.picture_source(resolve(self.path, address))
        if not source:
            self.book.leave_out("picture")
        return source or None


def _target(numbers: dict[str, int], address: str) -> str:
    """Return the id of a place in the book; an empty text if there is none."""
    path, _, anchor = address.partition("#")
    number = numbers.get(path)
    return heading_id(f"{number}-{anchor}" if anchor else str(number)) if number else ""
