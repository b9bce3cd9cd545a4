"""The self-contained file under a password. What is sealed is the whole ordinary page:

    head | the original's bytes | tail

The bytes are sealed as they are; the reader's browser makes the base64 of the ordinary page
from them, so the file grows by a third once and not twice. Each sealed piece stands as base64
on a line of its own. The header above them says in clear how to open them, and its exact text
is the additional data of every piece.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Protocol

import pybase64

from viewer import policy
from viewer.encoding import base64_size
from viewer.kinds import preview_of
from viewer.original import Original
from viewer.page import RenderedPage, download_headers
from viewer.shell import Delivery, head_and_tail
from viewer.templating import fragment

PIECES_HERE = "\0pieces\0"
FORMAT = 1


class Seal(Protocol):
    """What a password's key can do. It comes from outside: the viewer holds no cryptography."""

    @property
    def piece_bytes(self) -> int:
        """How much is sealed at once."""

    @property
    def tag_bytes(self) -> int:
        """How much longer a piece is when sealed."""

    def parameters(self) -> Mapping[str, str | int]:
        """What a reader must know beside the password."""

    def seal(self, piece: bytes, number: int, *, last: bool, header: bytes) -> bytes:
        """A piece in its place, bound to the file's header."""


def sealed_download(original: Original, seal: Seal) -> RenderedPage:
    """The same file as `download`, readable only with the password of this seal."""
    preview = preview_of(original)
    head, tail, _ = head_and_tail(original, preview, Delivery(offline=True))
    sizes = {"head": len(head), "original": original.size, "tail": len(tail)}
    header = json.dumps({"format": FORMAT, **seal.parameters(), **sizes}, separators=(",", ":"))
    rules = policy.locked(preview)
    page = fragment("sealed.html", policy=rules, header=header)
    before, _, after = page.partition(PIECES_HERE)
    size = sum(sizes.values())
    length = len(before.encode()) + _sealed_size(size, seal) + len(after.encode())
    plain = _regular(_plain(head, original, tail), seal.piece_bytes)
    pieces = _sealed(plain, seal, header.encode(), last=_last(size, seal))
    return RenderedPage(download_headers(original, rules), length, _body(before, pieces, after))


def _plain(head: bytes, original: Original, tail: bytes) -> Iterator[bytes]:
    yield head
    yield from original.pieces()
    yield tail


def _regular(pieces: Iterable[bytes], size: int) -> Iterator[bytes]:
    """The same bytes in pieces of one size; only the last may be smaller."""
    waiting = bytearray()
    for piece in pieces:
        waiting += piece
        while len(waiting) >= size:
            yield bytes(waiting[:size])
            del waiting[:size]
    if waiting:
        yield bytes(waiting)


def _sealed(pieces: Iterable[bytes], seal: Seal, header: bytes, *, last: int) -> Iterator[bytes]:
    for number, piece in enumerate(pieces):
        sealed = seal.seal(piece, number, last=number == last, header=header)
        yield pybase64.b64encode(sealed) + b"\n"


def _last(size: int, seal: Seal) -> int:
    return (size - 1) // seal.piece_bytes


def _sealed_size(size: int, seal: Seal) -> int:
    last = _last(size, seal)
    rest = size - last * seal.piece_bytes
    line = base64_size(seal.piece_bytes + seal.tag_bytes) + 1
    return last * line + base64_size(rest + seal.tag_bytes) + 1


def _body(before: str, pieces: Iterator[bytes], after: str) -> Iterator[bytes]:
    yield before.encode()
    yield from pieces
    yield after.encode()
