"""Bytes into base64 as a stream: pieces of any size in, one text without seams out."""

from collections.abc import Iterable, Iterator

import pybase64


def base64_size(size: int) -> int:
    """How long the base64 of that many bytes is."""
    return (size + 2) // 3 * 4


def base64_pieces(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Each piece encoded as it comes; at most two bytes wait for the next."""
    waiting = b""
    for piece in pieces:
        joined = waiting + piece if waiting else piece
        whole = len(joined) - len(joined) % 3
        waiting = joined[whole:]
        if whole:
            yield pybase64.b64encode(joined[:whole])
    if waiting:
        yield pybase64.b64encode(waiting)
