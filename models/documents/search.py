"""Documents by name. Names are sealed and have no index, so that each one has to be decrypted."""

import unicodedata
from collections.abc import Iterator
from itertools import islice
from time import thread_time
from typing import Any

from ..records import ResultPage
from ..runtime import current_runtime
from .document import Document

MOST_SCANNED = 10_000  # documents a call, at about 25 µs each
MOST_SECONDS = 0.5  # of CPU time: some names take four times as long
_BATCH = 200


def find_documents(
    owner_id: str, limit: int, after: str | None, name: str | None = None, **filters: Any
) -> ResultPage:
    """A page of documents by the filters of `Document.matching`, and by a part of their name.

    With `name` a call ends after `MOST_SCANNED` documents or `MOST_SECONDS`, and the next one goes
    on from there: so a page may hold fewer documents than `limit`, or none, and yet not be the
    last. Raises `Busy` if the owner searches twice already.
    """
    if name is None:
        return Document.matching(owner_id, limit, after, **filters)
    with current_runtime().search_turns.turn(owner_id):
        return _search(owner_id, limit, after, name, filters)


def _search(
    owner_id: str, limit: int, after: str | None, name: str, filters: dict[str, Any]
) -> ResultPage:
    found: list[Document] = []
    wanted, further = _folded(name), after
    for document, is_last in islice(_scan(owner_id, after, filters), MOST_SCANNED):
        if wanted in _folded(document.name):
            if len(found) == limit:
                return found, further
            found.append(document)
        further = None if is_last else document.id
    return found, further if further != after else None


def _scan(
    owner_id: str, after: str | None, filters: dict[str, Any]
) -> Iterator[tuple[Document, bool]]:
    """Each document older than `after`, for some time, and whether it is the last."""
    more: str | None = ""
    ends_at = thread_time() + MOST_SECONDS
    while more is not None and thread_time() < ends_at:
        rows, more = Document.matching(owner_id, _BATCH, more or after, **filters)
        yield from ((row, more is None and row is rows[-1]) for row in rows)


def _folded(text: str) -> str:
    """Names are compared without case, however their accents are typed."""
    folded = unicodedata.normalize("NFC", text).casefold()
    return folded if folded.isascii() else unicodedata.normalize("NFC", folded)
