"""The self-contained file encrypted under a password. It holds one document, or several behind a
contents page; the plaintext of each is its whole page:

    head | the original's bytes | tail

The original is encrypted as raw bytes and the reader's browser makes the page's base64 from it,
so that the file grows by a third once and not twice. Each encrypted piece is one line of base64.
The JSON header above them says how to decrypt them; its exact text is the additional
authenticated data of every piece. The first byte of a piece's number is that of its document: 0 is
what is shown first, the one document or the contents page, which has no original.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Protocol

import pybase64

from ..content.base64_text import base64_length
from ..markup.templating import render
from . import policy
from .page import (
    Layout,
    PageOptions,
    RenderedPage,
    file_headers,
    held_bytes,
    in_pieces,
    layout,
    name_of,
)
from .registry import ShownDocument

PIECES_PLACEHOLDER = "\0pieces\0"
FORMAT = 1
NEXT = (
    '</script>\n<script type="application/json" id="header-{0}">{1}</script>\n'
    '<script type="text/plain" id="pieces-{0}">\n'
)


class Seal(Protocol):
    """The encryption of pieces under a password, given by the caller: the viewer has none."""

    piece_bytes: int  # plaintext of each piece but the last
    tag_bytes: int  # that encryption adds to a piece

    def parameters(self) -> Mapping[str, str | int]:
        """Return what is needed for decryption beside the password."""

    def seal(self, piece: bytes, number: int, *, last: bool, header: bytes) -> bytes:
        """Encrypt one piece, bound to its number, to being the last, and to the header."""


@dataclass(frozen=True, slots=True)
class SealedPage:
    """One page of the file: its header, and its encrypted pieces with their length in bytes."""

    header: str
    size: int
    pieces: Iterator[bytes]


def sealed_download(document: ShownDocument, seal: Seal) -> RenderedPage:
    """Return the file of `download`, encrypted by this seal."""
    preview = document.preview().for_file()
    rules = policy.for_sealed_file(preview)
    plain = layout(document, preview, PageOptions(offline=True))
    page = _sealed_page(plain, document, seal)
    start, end = _around(rules, page)
    body = chain([start], page.pieces, [end])
    length = len(start) + page.size + len(end)
    return RenderedPage(file_headers(name_of(document), rules), length, body, held_bytes(plain))


def sealed_several(
    contents: bytes, documents: Iterable[Callable[[], ShownDocument]], rules: str, seal: Seal
) -> Iterator[bytes]:
    """Yield the file of a contents page and its documents, of which one at a time is opened."""
    first = _sealed_page(Layout((contents,), b"", has_original=False), None, seal)
    start, end = _around(rules, first, several=True)
    before = start + b"".join(first.pieces)
    for number, open_document in enumerate(documents, 1):
        document = open_document()
        made = layout(document, document.preview().for_file(), PageOptions(offline=True))
        page = _sealed_page(made, document, seal, number)
        yield before + NEXT.format(number, page.header).encode()
        yield from page.pieces
        before = b""
    yield before + end


def _around(rules: str, page: SealedPage, *, several: bool = False) -> tuple[bytes, bytes]:
    """Return the text before the pieces of the page that is shown first, and behind all pieces."""
    html = render("sealed.html", policy=rules, header=page.header, several=several)
    start, _, end = html.partition(PIECES_PLACEHOLDER)
    return start.encode(), end.encode()


def _sealed_page(
    page: Layout, document: ShownDocument | None, seal: Seal, number: int = 0
) -> SealedPage:
    """Return a page with the original of this document, whose number among those of the file is
    given.
    """
    sizes = {
        "head": sum(map(len, page.head)),
        "original": document.size if document else 0,
        "tail": len(page.tail),
    }
    header = json.dumps({"format": FORMAT, **seal.parameters(), **sizes}, separators=(",", ":"))
    last, rest = divmod(sum(sizes.values()) - 1, seal.piece_bytes)

    def pieces() -> Iterator[bytes]:
        original = document.pieces() if document else ()
        plain = chain(in_pieces(page.head), original, [page.tail])
        for at, piece in enumerate(_regroup(plain, seal.piece_bytes)):
            place = at + (number << 24)
            sealed = seal.seal(piece, place, last=at == last, header=header.encode())
            yield pybase64.b64encode(sealed) + b"\n"

    line = base64_length(seal.piece_bytes + seal.tag_bytes) + 1
    size = last * line + base64_length(rest + 1 + seal.tag_bytes) + 1
    return SealedPage(header, size, pieces())


def _regroup(pieces: Iterable[bytes], size: int) -> Iterator[bytes]:
    """Regroup into pieces of one size; only the last may be smaller."""
    buffer = bytearray()
    for piece in pieces:
        buffer += piece
        while len(buffer) >= size:
            yield bytes(buffer[:size])
            del buffer[:size]
    if buffer:
        yield bytes(buffer)
