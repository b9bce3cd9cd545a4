"""Documents by name, and in numbered pages. Names are sealed: to find one, each is decrypted.

Every search by name is a `Search`: one of an owner runs at a time, for half a second of CPU time
with all that it does, and the next one goes on where it has ended.
"""

import math
from collections.abc import Callable, Container, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from time import thread_time
from typing import Any, Generic, NamedTuple, Protocol, Self, TypeVar

from ..core import first_id, now
from ..records import LAST, ResultPage
from ..runtime import current_runtime
from ..storage import database, param, prepared
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
_NEWEST = Document.id.desc()
_SORTED_BY: dict[str, list[Any]] = {
    "oldest": [Document.id],
    "largest": [Document.size.desc(), _NEWEST],
}


class Period(NamedTuple):
    """The documents that were stored from one moment on, and before another; in milliseconds.

    Their ids tell the moment. Where the clock was set back, ids went on from the later one.
    """

    begin: int
    end: int


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

    The documents by a name or a filter, or in the order of names, are those of the part that was
    `searched`.
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
    period: Period | None = None,
    meeting: Any = None,
    **filters: Any,
) -> NumberedPage:
    """Return a page of an owner's documents in one of `ORDERS`, at most the last one.

    `name` holds words that are in the name of each, or nothing. `meeting` is a condition of each,
    and `filters` are those of `Document.condition`; one that is None filters nothing. By name, and
    with any of these, `MOST_SCANNED` documents are looked at at most: the page is one of that part,
    and another part lies behind its cursor, which is `older` then. Raises `Busy` as `Search.of`.
    """
    stored = Document.stored_by(owner_id)
    asked = {name: value for name, value in filters.items() if value is not None}
    after = older or LAST
    if period:
        asked["id_from"] = first_id(Document.PREFIX, period.begin)
        after = min(after, first_id(Document.PREFIX, period.end))
    if name or order == "name":
        found = _found_by_name(owner_id, name, order, after, asked, meeting)
    elif asked or meeting is not None:
        found = _found_by_filters(owner_id, after, asked, meeting)
    else:
        return _page_of_all(owner_id, rows, number, order, stored)
    searched = replace(found.searched, is_older=older is not None)
    return _page_of_found(found.documents, rows, number, order, stored, searched)


def _page_of_all(owner_id: str, rows: int, number: int, order: str, stored: Stored) -> NumberedPage:
    total = stored.documents - stored.binned
    number, pages = existing_page(total, rows, number)
    asked = {"owner_id": owner_id, "now": now(), "rows": rows, "start": rows * (number - 1)}
    return NumberedPage(Document.rows(_all(order), **asked), number, pages, stored, total)


@prepared
def _all(order: str) -> Any:
    """Select a page of an owner's documents in one of `ORDERS`, but by name.

    An index alone sorts their ids.
    """
    of_owner = Document.owner_id == param("owner_id")
    ids = Document.select(Document.id).where(of_owner, *Document.live(param("now")))
    by = _SORTED_BY.get(order, [_NEWEST])
    ids_of_page = ids.order_by(*by).limit(param("rows")).offset(param("start"))
    return Document.select().where(Document.id.in_(ids_of_page)).order_by(*by)


class _Matching(NamedTuple):
    """The id and the size of each document of a list, the newest first or by name."""

    documents: list[tuple[str, int]]
    searched: Searched


def _found_by_name(
    owner_id: str, name: str, order: str, after: str, filters: dict[str, Any], meeting: Any
) -> _Matching:
    with Search.of(owner_id, name) as search:
        found = search.documents(after, **filters)
        hits = found.hits
        if order == "name":
            hits.sort(key=lambda hit: hit.folded_name)
    documents = [(hit.row.id, hit.row.size) for hit in hits]
    if meeting is not None and documents:
        first, last = max(documents), min(documents)
        between = Document.id.between(last[0], first[0])
        listed = Document.live_of(owner_id, Document.id, **filters).where(between, meeting)
        ids = {id for (id,) in database.execute(listed).fetchall()}
        documents = [(id, size) for id, size in documents if id in ids]
    return _Matching(documents, found.searched)


def _found_by_filters(
    owner_id: str, after: str, filters: dict[str, Any], meeting: Any
) -> _Matching:
    part = Document.part(owner_id, after, MOST_SCANNED, **filters)
    matching = part.matching if meeting is None else part.matching.where(meeting)
    searched = Searched(part.count, is_older=False, older=part.last)
    return _Matching(list(database.execute(matching).fetchall()), searched)


def _page_of_found(
    documents: list[tuple[str, int]],
    rows: int,
    number: int,
    order: str,
    stored: Stored,
    searched: Searched,
) -> NumberedPage:
    if order == "largest":
        documents.sort(key=lambda document: -document[1])
    if order == "oldest":
        documents.reverse()
    number, pages = existing_page(len(documents), rows, number)
    first = rows * (number - 1)
    ids = [id for id, _ in documents[first : first + rows]]
    on_page = Document.select().where(Document.id.in_(ids))
    by_id = {one.id: one for one in Document.rows(on_page)} if ids else {}
    shown = [by_id[id] for id in ids if id in by_id]
    return NumberedPage(shown, number, pages, stored, len(documents), searched)


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


class Named(Protocol):
    """A row, or what stands for one, that is found by its name."""

    @property
    def id(self) -> Any: ...

    @property
    def name(self) -> str: ...


R = TypeVar("R", bound=Named)


class Hit(NamedTuple, Generic[R]):
    """A row whose name has the words, and the name as it was compared."""

    row: R
    folded_name: str


@dataclass(frozen=True)
class Found(Generic[R]):
    """The rows that were found, newest first, and what was searched."""

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
        return self.look_through(matching, after, most, leaving_out)

    def collections(self, most: float = math.inf) -> Found[Collection]:
        """Find collections, as `documents` finds documents."""
        return self.look_through(partial(Collection.page, self._owner_id), None, most)

    def look_through(
        self,
        page: Callable[[int, str | None], ResultPage[R]],
        after: str | None,
        most: float = math.inf,
        leaving_out: Container[str] = (),
    ) -> Found[R]:
        """Find rows of these pages, a function of `limit` and `after`, as `documents` does."""
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
