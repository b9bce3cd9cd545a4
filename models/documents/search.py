"""Documents by name, and in numbered pages. Names are sealed: to find one, each is decrypted."""

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from time import thread_time
from typing import Any

from ..core import now
from ..records import ResultPage
from ..runtime import current_runtime
from ..storage import param, prepared
from .document import Document, Stored

MOST_SCANNED = 10_000  # documents a call, at about 25 µs each
MOST_SECONDS = 0.5  # of CPU time: some names take four times as long
_BATCH = 200
ORDERS = {  # of numbered pages, and their names for people
    "": "Newest first",
    "oldest": "Oldest first",
    "largest": "Largest first",
    "name": "By name",
}
_NEWEST = Document.id.desc()
_SORTED_BY: dict[str, list[Any]] = {
    "oldest": [Document.id],
    "largest": [Document.size.desc(), _NEWEST],
}


@dataclass(frozen=True)
class NumberedPage:
    """A page of documents. `number` counts from 1. The page `is_partial` if nobody looked at the
    oldest documents: a search ends as `find_documents` does.
    """

    documents: list[Document]
    number: int
    pages: int
    stored: Stored  # by the owner, on all pages and beside them
    total: int  # on all pages
    is_partial: bool = False


def documents_page(
    owner_id: str,
    rows: int,
    number: int,
    *,
    order: str = "",
    name: str = "",
    media_types: str | None = None,
    is_received: bool = False,
    among: Any = None,
) -> NumberedPage:
    """Return a page of an owner's documents in one of `ORDERS`, at most the last one.

    `name` holds words that are in the name of each, or nothing. `is_received` leaves the documents
    that came by a link. `among` is a query of the ids that may be on it. Raises `Busy` as
    `find_documents`.
    """
    filters: dict[str, Any] = {"media_types": media_types} if media_types else {}
    if is_received:
        filters["is_received"] = True
    if name or order == "name":
        return _page_by_scan(owner_id, rows, number, order, name, filters, among)
    return _page_by_index(owner_id, rows, number, order, filters, among)


def _page_by_index(
    owner_id: str, rows: int, number: int, order: str, filters: dict[str, Any], among: Any
) -> NumberedPage:
    stored = Document.stored_by(owner_id)
    if not filters and among is None:
        total = stored.documents - stored.binned
        number, pages = existing_page(total, rows, number)
        asked = {"owner_id": owner_id, "now": now(), "rows": rows, "start": rows * (number - 1)}
        return NumberedPage(Document.rows(_all(order), **asked), number, pages, stored, total)
    ids = Document.live_of(owner_id, Document.id, **filters)
    if among is not None:
        ids = ids.where(Document.id.in_(among))
    total = ids.count()
    number, pages = existing_page(total, rows, number)
    documents = Document.rows(_page_of(ids, order, rows, rows * (number - 1)))
    return NumberedPage(documents, number, pages, stored, total)


@prepared
def _all(order: str) -> Any:
    """Select a page of an owner's documents in one of `ORDERS`, but by name."""
    of_owner = Document.owner_id == param("owner_id")
    ids = Document.select(Document.id).where(of_owner, *Document.live(param("now")))
    return _page_of(ids, order, param("rows"), param("start"))


def _page_of(ids: Any, order: str, rows: Any, start: Any) -> Any:
    """Return the query of so many documents of these ids, which an index alone sorts."""
    by = _SORTED_BY.get(order, [_NEWEST])
    ids_of_page = ids.order_by(*by).limit(rows).offset(start)
    return Document.select().where(Document.id.in_(ids_of_page)).order_by(*by)


def _page_by_scan(
    owner_id: str,
    rows: int,
    number: int,
    order: str,
    name: str,
    filters: dict[str, Any],
    among: Any,
) -> NumberedPage:
    stored = Document.stored_by(owner_id)
    with current_runtime().search_slots.held(owner_id):
        scanned = list(islice(_scan(owner_id, None, filters), MOST_SCANNED))
    found = [document for document, _ in scanned if has_words(document.name, name)]
    if among is not None:
        ids = {id for (id,) in among.tuples()}
        found = [document for document in found if document.id in ids]
    if order == "name":
        found.sort(key=lambda document: _plain(document.name))
    if order == "largest":
        found.sort(key=lambda document: -document.size)
    if order == "oldest":
        found.reverse()
    number, pages = existing_page(len(found), rows, number)
    first = rows * (number - 1)
    is_partial = bool(scanned) and not scanned[-1][1]
    return NumberedPage(found[first : first + rows], number, pages, stored, len(found), is_partial)


def existing_page(total: int, rows: int, number: int) -> tuple[int, int]:
    """Return the number of an existing page, and how many there are; an empty list is one page."""
    pages = max(1, -(-total // rows))
    return min(number, pages), pages


def find_documents(
    owner_id: str, limit: int, after: str | None, name: str | None = None, **filters: Any
) -> ResultPage:
    """Return a page of documents by the filters of `Document.matching` and a part of their name.

    With `name` a call ends after `MOST_SCANNED` documents or `MOST_SECONDS`, and the next one goes
    on from there: so a page may hold fewer documents than `limit`, or none, and yet not be the
    last. Raises `Busy` if the owner searches twice already.
    """
    if name is None:
        return Document.matching(owner_id, limit, after, **filters)
    with current_runtime().search_slots.held(owner_id):
        return _search(owner_id, limit, after, name, filters)


def _search(
    owner_id: str, limit: int, after: str | None, name: str, filters: dict[str, Any]
) -> ResultPage:
    found: list[Document] = []
    wanted = _folded(name)
    next_after = after
    for document, is_last in islice(_scan(owner_id, after, filters), MOST_SCANNED):
        if wanted in _folded(document.name):
            if len(found) == limit:
                return found, next_after
            found.append(document)
        next_after = None if is_last else document.id
    return found, next_after if next_after != after else None


def _scan(
    owner_id: str, after: str | None, filters: dict[str, Any]
) -> Iterator[tuple[Document, bool]]:
    """Yield each document older than `after`, for some time, and whether it is the last."""
    more: str | None = ""
    ends_at = thread_time() + MOST_SECONDS
    while more is not None and thread_time() < ends_at:
        rows, more = Document.matching(owner_id, _BATCH, more or after, **filters)
        yield from ((row, more is None and row is rows[-1]) for row in rows)


def _folded(text: str) -> str:
    """Return a name as it is compared: without case, however its accents are typed."""
    folded = unicodedata.normalize("NFC", text).casefold()
    return folded if folded.isascii() else unicodedata.normalize("NFC", folded)


def has_words(name: str, words: str) -> bool:
    """Return whether each word is in the name, in any order and case, with or without accents."""
    plain = _plain(name)
    return all(word in plain for word in _plain(words).split())


def _plain(text: str) -> str:
    """Return a name without case and accents: `Prüfung` as `prufung`."""
    parts = unicodedata.normalize("NFKD", text.casefold())
    if parts.isascii():
        return parts
    return "".join(character for character in parts if not unicodedata.combining(character))
