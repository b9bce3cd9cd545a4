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

from ..formats.preview import Preview
from ..markup.templating import render
from . import policy
from .page import Layout, PageOptions, RenderedPage, base64_length, file_headers, layout, name_of
from .registry import ShownDocument

PIECES_PLACEHOLDER = "\0pieces\0"
FORMAT = 1
NEXT = (
    '</script>\n<script type="application/json" id="header-{0}">{1}</script>\n'
    '<script type="text/plain" id="pieces-{0}">\n'
)


class Seal(Protocol):
    """Encrypts pieces under a password. Given by the caller: the viewer has no cryptography."""

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
    page = _sealed_document(document, preview, seal)
    start, end = _around(rules, page)
    body = chain([start], page.pieces, [end])
    length = len(start) + page.size + len(end)
    return RenderedPage(file_headers(name_of(document), rules), length, body)


def sealed_several(
    contents: bytes, documents: Iterable[Callable[[], ShownDocument]], rules: str, seal: Seal
) -> Iterator[bytes]:
    """Yield the file of a contents page and its documents, of which one at a time is opened."""
    first = _sealed_page(Layout((contents,), b"", has_original=False), 0, (), seal)
    start, end = _around(rules, first, several=True)
    before = start + b"".join(first.pieces)
    for number, open_document in enumerate(documents, 1):
        document = open_document()
        page = _sealed_document(document, document.preview().for_file(), seal, number)
        yield before + NEXT.format(number, page.header).encode()
        yield from page.pieces
        before = b""
    yield before + end


def _around(rules: str, page: SealedPage, *, several: bool = False) -> tuple[bytes, bytes]:
    """What stands before the pieces of the page that is shown first, and behind all pieces."""
    html = render("sealed.html", policy=rules, header=page.header, several=several)
    start, _, end = html.partition(PIECES_PLACEHOLDER)
    return start.encode(), end.encode()


def _sealed_document(
    document: ShownDocument, preview: Preview, seal: Seal, number: int = 0
) -> SealedPage:
    made = layout(document, preview, PageOptions(offline=True))
    return _sealed_page(made, document.size, document.pieces(), seal, number)


def _sealed_page(
    page: Layout, original_size: int, original: Iterable[bytes], seal: Seal, document: int = 0
) -> SealedPage:
    sizes = {"head": sum(map(len, page.head)), "original": original_size, "tail": len(page.tail)}
    header = json.dumps({"format": FORMAT, **seal.parameters(), **sizes}, separators=(",", ":"))
    size = sum(sizes.values())
    plain = _regroup(chain(page.head, original, [page.tail]), seal.piece_bytes)
    first, last = document << 24, _last(size, seal)
    pieces = _sealed(plain, seal, header.encode(), first, last=first + last)
    return SealedPage(header, _sealed_size(size, seal), pieces)


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


def _sealed(
    pieces: Iterable[bytes], seal: Seal, header: bytes, first: int, *, last: int
) -> Iterator[bytes]:
    for number, piece in enumerate(pieces, first):
        sealed = seal.seal(piece, number, last=number == last, header=header)
        yield pybase64.b64encode(sealed) + b"\n"


def _last(size: int, seal: Seal) -> int:
    return (size - 1) // seal.piece_bytes


def _sealed_size(size: int, seal: Seal) -> int:
    last = _last(size, seal)
    rest = size - last * seal.piece_bytes
    line = base64_length(seal.piece_bytes + seal.tag_bytes) + 1
    return last * line + base64_length(rest + seal.tag_bytes) + 1
