"""Runs in the child process. Renders a book (EPUB) as its chapters, one after the other.

Kept are structure, text, links within the book and to the web, and raster pictures; the styles of
the book are not.
"""

import re
from collections.abc import Iterator
from typing import Any, Final

from ...content.decoding import decode
from ...markup.sanitizer import heading_id, safe_link, sanitize_fragment
from ...sandbox import MAX_HTML
from ...sandbox.messages import Message
from .book_package import Book, resolve

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


def render(data: bytes, _options: dict[str, Any]) -> Iterator[Message]:
    """Yield one message: title, authors, outline and what is left out; the chapters as HTML.

    Raises ProtectedBookError if the chapters are encrypted, ValueError if there are none.
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
    entries = ((depth, title, _target(numbers, to)) for depth, title, to in book.outline())
    facts = {
        "title": book.about("title"),
        "creator": book.about("creator"),
        "outline": [entry for entry in entries if entry[1] and entry[2]],
        "left_out": dict(book.left_out),
        "cut": left <= 0,
    }
    yield facts, "".join(html).encode("utf-8", "replace")


class _Chapter:
    """A chapter, whose ids are made unique in the book, and whose links and pictures are its."""

    def __init__(self, book: Book, numbers: dict[str, int], path: str) -> None:
        self.book, self.numbers, self.path = book, numbers, path
        self.number = numbers[path]

    def render(self, limit: int, most_tags: int) -> tuple[str, int, int]:
        """Return the chapter as HTML; its size without its pictures, or `limit` if it is cut; and
        how many tags it was made of.
        """
        data, cut = self.book.read_start(self.path)
        text = decode(data)[0]
        body = BODY.search(text)
        text = body[1] if body else text
        pictures = self.book.picture_bytes_left
        tags = text.count("<")
        if cut or len(text) > limit or tags > most_tags:
            text, cut = "<".join(text[:limit].split("<", most_tags)[:most_tags]), True
        html = sanitize_fragment(self._prepared(text), self._rewritten)
        size = len(html) - (pictures - self.book.picture_bytes_left)
        whole = f'<section class="chapter" id="{heading_id(str(self.number))}">{html}</section>'
        return whole, limit if cut else size, tags

    def _prepared(self, text: str) -> str:
        return DRAWN.sub(self._drawing, OLD_ANCHOR.sub(r"\1id=", CLOSED.sub(r"<\1\2></\1>", text)))

    def _drawing(self, match: re.Match[str]) -> str:
        """Return the picture in a drawing, as covers are; else what stands in its place."""
        picture = PICTURE_IN_DRAWING.search(match[0])
        if match[1] == "svg" and picture:
            return f"<img alt='' src={picture[1]}>"
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
