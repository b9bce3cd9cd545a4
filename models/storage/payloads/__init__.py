"""The places of payloads, which lie there in sealed pieces: a column of the document's row."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, Protocol

from settings import WrongSetting

from ...core import installing
from .pieces import CHUNKS, PIECE_BYTES, SEALED_BYTES, prefetch

if TYPE_CHECKING:
    from .objects import PayloadObjects

ROWS: Final = "rows"  # of the database
OBJECTS: Final = "objects"  # of an S3-compatible service


class PayloadStore(Protocol):
    def pieces(self, document_id: str, size: int, first: int, last: int) -> Iterator[bytes]:
        """Return the sealed pieces `first` to `last` of a payload of `size` bytes."""

    def drop(self, *document_ids: str) -> None:
        """Delete payloads."""


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
