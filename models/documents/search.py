"""Documents by name, and in numbered pages. Names are sealed: to find one, each is decrypted.

Every search by name is a `Search`: one of an owner runs at a time, for half a second of CPU time
with all that it does, and the next one goes on where it has ended.
"""

import math
from collections.abc import Callable, Container, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from time import thread_time
from typing import Any, Generic, NamedTuple, Self, TypeVar

from ..core import now
from ..records import ResultPage
from ..runtime import current_runtime
from ..storage import param, prepared
from .collection import Collection
from .document import Document, Stored
from .names import Words, fold

MOST_SCANNED = 10_000  # documents a search, at about 25 µs each
MOST_SECONDS = 0.5  # of CPU time a search: some names take four times as long
_BATCH = 200
ORDERS = {  # of numbered pages, and their names for people
    "": "Newest first",
    "oldest": "Oldest first",
    "largest": "Largest first",
    "name": "By name",
}
R = TypeVar("R", Document, Collection)
_NEWEST = Document.id.desc()
_SORTED_BY: dict[str, list[Any]] = {
    "oldest": [Document.id],
    "largest": [Document.size.desc(), _NEWEST],
}


@dataclass(frozen=True)
class Searched:
    """The part of the documents that a search has looked at."""

    count: int
    is_older: bool  # the search went on from a cursor: it did not look at newer ones
    older: str | None  # the cursor from which the next one goes on; None if none is left

    @property
    def is_whole(self) -> bool:
        """Whether it has looked at all documents."""
        return not self.is_older and self.older is None


WHOLE = Searched(0, is_older=False, older=None)


@dataclass(frozen=True)
class NumberedPage:
    """A page of documents. `number` counts from 1.

    The documents of a search, or in the order of names, are those of the part that was `searched`.
    """

    documents: list[Document]
    number: int
    pages: int
    stored: Stored  # by the owner, on all pages and beside them
    total: int  # on all pages
    searched: Searched = WHOLE


def documents_page(
    owner_id: str,
    rows: int,
    number: int,
    *,
    order: str = "",
    name: str = "",
    older: str | None = None,
    media_types: str | None = None,
    is_received: bool = False,
    among: Any = None,
) -> NumberedPage:
    """Return a page of an owner's documents in one of `ORDERS`, at most the last one.

    `name` holds words that are in the name of each, or nothing; a search goes on from the cursor
    `older` of one before. `is_received` leaves the documents that came by a link. `among` is a
    query of the ids that may be on it. Raises `Busy` as `Search.of`.
    """
    filters: dict[str, Any] = {"media_types": media_types} if media_types else {}
    if is_received:
        filters["is_received"] = True
    if name or order == "name":
        return _page_by_search(owner_id, rows, number, order, name, older, filters, among)
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


def _page_by_search(
    owner_id: str,
    rows: int,
    number: int,
    order: str,
    name: str,
    older: str | None,
    filters: dict[str, Any],
    among: Any,
) -> NumberedPage:
    stored = Document.stored_by(owner_id)
    with Search.of(owner_id, name) as search:
        found = search.documents(older, **filters)
        hits = found.hits
        if among is not None:
            ids = {id for (id,) in among.tuples()}
            hits = [hit for hit in hits if hit.row.id in ids]
        if order == "name":
            hits.sort(key=lambda hit: hit.folded_name)
    if order == "largest":
        hits.sort(key=lambda hit: -hit.row.size)
    if order == "oldest":
        hits.reverse()
    number, pages = existing_page(len(hits), rows, number)
    first = rows * (number - 1)
    documents = [hit.row for hit in hits[first : first + rows]]
    return NumberedPage(documents, number, pages, stored, len(hits), found.searched)


def existing_page(total: int, rows: int, number: int) -> tuple[int, int]:
    """Return the number of an existing page, and how many there are; an empty list is one page."""
    pages = max(1, -(-total // rows))
    return min(number, pages), pages


def find_documents(
    owner_id: str, limit: int, after: str | None, name: str | None = None, **filters: Any
) -> ResultPage[Document]:
    """Return a page of documents by the filters of `Document.matching` and words of their name.

    With `name` a page may hold fewer documents than `limit`, or none, and yet not be the last.
    Raises `Busy` as `Search.of`.
    """
    if name is None:
        return Document.matching(owner_id, limit, after, **filters)
    with Search.of(owner_id, name) as search:
        found = search.documents(after, limit, **filters)
    return found.rows, found.searched.older


class Hit(NamedTuple, Generic[R]):
    """A document or collection whose name has the words, and the name as it was compared."""

    row: R
    folded_name: str


@dataclass(frozen=True)
class Found(Generic[R]):
    """The documents or collections that were found, newest first, and what was searched."""

    hits: list[Hit[R]]
    searched: Searched

    @property
    def rows(self) -> list[R]:
        return [hit.row for hit in self.hits]


class Search:
    """A search of an owner's names for the words of a text, for `MOST_SECONDS` of CPU time."""

    def __init__(self, owner_id: str, text: str) -> None:
        self._owner_id = owner_id
        self._words = Words(text)
        self._ends_at = thread_time() + MOST_SECONDS

    @classmethod
    @contextmanager
    def of(cls, owner_id: str, text: str) -> Iterator[Self]:
        """Begin a search, which ends with the block.

        Raises `Busy` if of the caller's searches one runs and one waits already.
        """
        with current_runtime().search_slots.held():
            yield cls(owner_id, text)

    def has_words(self, name: str) -> bool:
        """Return whether a name has the words."""
        return self._words.are_in(fold(name))

    def documents(
        self,
        after: str | None = None,
        most: float = math.inf,
        leaving_out: Container[str] = (),
        **filters: Any,
    ) -> Found[Document]:
        """Find documents older than `after`, by the filters of `Document.matching`.

        It ends at `most` that are found, after `MOST_SCANNED` or when the time is used. At least
        one is looked at, so that each search goes on. Ids that are left out are not found.
        """
        matching = partial(Document.matching, self._owner_id, **filters)
        return self._look_through(matching, after, most, leaving_out)

    def collections(self, most: float = math.inf) -> Found[Collection]:
        """Find collections, as `documents` finds documents."""
        return self._look_through(partial(Collection.page, self._owner_id), None, most, ())

    def _look_through(
        self,
        page: Callable[[int, str | None], ResultPage[R]],
        after: str | None,
        most: float,
        leaving_out: Container[str],
    ) -> Found[R]:
        hits: list[Hit[R]] = []
        count = 0
        is_older = after is not None
        more: str | None = ""
        while more is not None:
            rows, more = page(_BATCH, after)
            for row in rows:
                hit = Hit(row, fold(row.name))
                if self._words.are_in(hit.folded_name) and row.id not in leaving_out:
                    if len(hits) == most:
                        return Found(hits, Searched(count, is_older, after))
                    hits.append(hit)
                count += 1
                after = row.id
                has_more = more is not None or row is not rows[-1]
                is_over = count == MOST_SCANNED or thread_time() >= self._ends_at
                if has_more and is_over:
                    return Found(hits, Searched(count, is_older, after))
            after = more
            if more is not None and thread_time() >= self._ends_at:  # no row was of the type
                return Found(hits, Searched(count, is_older, after))
        return Found(hits, Searched(count, is_older, None))
