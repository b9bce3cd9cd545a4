"""The places of payloads, which lie there in sealed pieces: a column of the document's row."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, Protocol

from settings import WrongSetting

from ...core import installing
from .layouts import (
    LARGE_BYTES,
    SEPARATE_PREFIX,
    has_separate_pieces,
    layout_of,
    payload_id_of,
    sealed_size,
)
from .pieces import CHUNKS, PIECE_BYTES, SEALED_BYTES, SEGMENT_PIECES, prefetch
from .separate_pieces import open_piece, seal_piece, sealed_piece_length

if TYPE_CHECKING:
    from .objects import PayloadObjects

ROWS: Final = "rows"  # of the database
FILES: Final = "files"  # beside it, of what is large
OBJECTS: Final = "objects"  # of an S3-compatible service
PLACES: Final = (ROWS, FILES, OBJECTS)


class PayloadStore(Protocol):
    def pieces(self, payload_id: str, size: int, first: int, last: int) -> Iterator[bytes]:
        """Return the sealed pieces `first` to `last` of a payload of `size` bytes."""

    def drop(self, *payload_ids: str) -> None:
        """Delete payloads; one that is missing is no error."""


class StoreBesideRows(PayloadStore, Protocol):
    """A store that takes no part in transactions: what is in it has a row or a record."""

    def store(self, payload_id: str, pieces: Iterator[bytes], size: int) -> None:
        """Store all pieces of a payload of `size` bytes."""


def objects_of(payloads: str) -> "PayloadObjects | None":
    """Return the store of objects that the setting names; None if it says `rows`."""
    if payloads == ROWS:
        return None
    try:
        from .objects import PayloadObjects  # noqa: PLC0415  obstore may be missing
    except ModuleNotFoundError:
        raise WrongSetting(
            f"DOCSERVICE_PAYLOADS is {payloads!r}, which needs obstore: {installing('s3')}"
        ) from None
    return PayloadObjects(payloads)
