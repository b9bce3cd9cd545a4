"""The self-contained file encrypted under a password. The plaintext is the whole page:

    head | the original's bytes | tail

The original is encrypted as raw bytes and the reader's browser makes the page's base64 from it,
so that the file grows by a third once and not twice. Each encrypted piece is one line of base64.
The JSON header above them says how to decrypt them; its exact text is the additional
authenticated data of every piece.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Protocol

import pybase64

from ..markup.templating import render
from . import policy
from .page import PageOptions, RenderedPage, base64_length, download_headers, layout
from .registry import Document

PIECES_PLACEHOLDER = "\0pieces\0"
FORMAT = 1


class Seal(Protocol):
    """Encrypts pieces under a password. Given by the caller: the viewer has no cryptography."""

    piece_bytes: int  # plaintext of each piece but the last
    tag_bytes: int  # that encryption adds to a piece

    def parameters(self) -> Mapping[str, str | int]:
        """Return what is needed for decryption beside the password."""

    def seal(self, piece: bytes, number: int, *, last: bool, header: bytes) -> bytes:
        """Encrypt one piece, bound to its number, to being the last, and to the header."""


def sealed_download(document: Document, seal: Seal) -> RenderedPage:
    """Return the file of `download`, encrypted by this seal."""
    preview = document.preview().for_file()
    inner = layout(document, preview, PageOptions(offline=True))
    head_size = sum(map(len, inner.head))
    sizes = {"head": head_size, "original": document.size, "tail": len(inner.tail)}
    header = json.dumps({"format": FORMAT, **seal.parameters(), **sizes}, separators=(",", ":"))
    rules = policy.for_sealed_file(preview)
    page = render("sealed.html", policy=rules, header=header)
    start, _, end = page.partition(PIECES_PLACEHOLDER)
    size = sum(sizes.values())
    length = len(start.encode()) + _sealed_size(size, seal) + len(end.encode())
    plain = _regroup(chain(inner.head, document.pieces(), [inner.tail]), seal.piece_bytes)
    pieces = _sealed(plain, seal, header.encode(), last=_last(size, seal))
    body = chain([start.encode()], pieces, [end.encode()])
    return RenderedPage(download_headers(document, rules), length, body)


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


def _sealed(pieces: Iterable[bytes], seal: Seal, header: bytes, *, last: int) -> Iterator[bytes]:
    for number, piece in enumerate(pieces):
        sealed = seal.seal(piece, number, last=number == last, header=header)
        yield pybase64.b64encode(sealed) + b"\n"


def _last(size: int, seal: Seal) -> int:
    return (size - 1) // seal.piece_bytes


def _sealed_size(size: int, seal: Seal) -> int:
    last = _last(size, seal)
    rest = size - last * seal.piece_bytes
    line = base64_length(seal.piece_bytes + seal.tag_bytes) + 1
    return last * line + base64_length(rest + seal.tag_bytes) + 1
