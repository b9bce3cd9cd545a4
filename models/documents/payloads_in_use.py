"""The payloads that rows refer to, which no cleaning deletes."""

from collections.abc import Iterable

from .document import Document


def payloads_in_use(place: str, payload_ids: Iterable[str]) -> set[str]:
    """Return those of the payloads that a row says to lie in this place, or may say so."""
    return Document.having_payloads(place, list(payload_ids))
