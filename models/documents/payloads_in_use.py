"""The payloads that rows refer to, which no cleaning deletes."""

from collections.abc import Iterable

from .document import Document
from .unfinished_upload import UnfinishedUpload


def payloads_in_use(place: str, payload_ids: Iterable[str]) -> set[str]:
    """Return those of the payloads that a row says to lie in this place, or may say so."""
    ids = list(payload_ids)
    return Document.having_payloads(place, ids) | UnfinishedUpload.having_payloads(ids)
