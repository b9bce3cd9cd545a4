"""Base64 of bytes that come in pieces."""

from collections.abc import Iterable, Iterator

import pybase64


def base64_length(size: int) -> int:
    """Return the length of the base64 text of `size` bytes, padding included."""
    return (size + 2) // 3 * 4


def base64_pieces(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Yield base64 that joins to one text; at most two bytes are carried to the next piece."""
    carry = b""
    for piece in pieces:
        joined = carry + piece if carry else piece
        whole = len(joined) - len(joined) % 3
        carry = joined[whole:]
        if whole:
            yield pybase64.b64encode(joined[:whole])
    if carry:
        yield pybase64.b64encode(carry)
