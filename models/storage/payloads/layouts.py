"""How the pieces of a payload follow each other: where each begins, and how long it is sealed.

The id of the payload says which way they were sealed: that of an upload (`upl_…`) that its pieces
are separate messages (`separate_pieces.py`), any other that they are the chunks of one message,
the header of which is a column of the row.
"""

import re
from typing import Final, Protocol

from crypto import sealing

from . import separate_pieces
from .pieces import PIECE_BYTES, SEALED_BYTES

SEPARATE_PREFIX: Final = "upl"
_UPLOAD_ID = re.compile(rb"upl_[0-9a-z]{26}")
LARGE_BYTES: Final = 64 << 20  # a new payload above it has separate pieces


class Layout(Protocol):
    whole_bytes: int
    """The sealed length of a whole piece: piece `n` begins at `n * whole_bytes`."""

    def last(self, size: int) -> int:
        """Return the number of the last piece of a payload of `size` bytes."""

    def sealed_length(self, size: int, number: int) -> int:
        """Return the sealed length of piece `number` of a payload of `size` bytes."""


class _OneMessage:
    """The end mark, an empty chunk, is a piece of its own if the piece before it is whole."""

    whole_bytes = SEALED_BYTES

    def last(self, size: int) -> int:
        return size // PIECE_BYTES

    def sealed_length(self, size: int, number: int) -> int:
        return min(SEALED_BYTES, sealing.sealed_bytes(size) - number * SEALED_BYTES)


class _SeparatePieces:
    whole_bytes = separate_pieces.sealed_piece_length(PIECE_BYTES, 0)

    def last(self, size: int) -> int:
        return separate_pieces.last_piece(size)

    def sealed_length(self, size: int, number: int) -> int:
        return separate_pieces.sealed_piece_length(size, number)


_ONE_MESSAGE = _OneMessage()
_SEPARATE_PIECES = _SeparatePieces()


def layout_of(payload_id: str) -> Layout:
    return _SEPARATE_PIECES if has_separate_pieces(payload_id) else _ONE_MESSAGE


def has_separate_pieces(payload_id: str) -> bool:
    return payload_id.startswith(f"{SEPARATE_PREFIX}_")


def payload_id_of(document_id: str, head: bytes | None) -> str:
    """Return the id under which a document's payload lies: its column `payload_head` holds that of
    the upload whose separate pieces it has, or the header of its one message.
    """
    found = bytes(head or b"")
    return found.decode() if _UPLOAD_ID.fullmatch(found) else document_id


def sealed_size(payload_id: str, size: int) -> int:
    """Return the sealed length of all pieces of a payload of `size` bytes."""
    layout = layout_of(payload_id)
    last = layout.last(size)
    return last * layout.whole_bytes + layout.sealed_length(size, last)
