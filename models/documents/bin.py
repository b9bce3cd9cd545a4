"""The bin: a document that people delete waits in it for a day, and can be put back.

Meanwhile it is not there: `Document.live` leaves it out of lists, searches and reads, and its links
open nothing until it is put back. It counts towards its owner's quota. The sweeper deletes it for
good.
"""

from collections.abc import Iterable
from typing import Any

from ..core import NotFound, now
from ..events import EventHead
from ..records import ResultPage
from ..storage import transaction
from .document import Document
from .search import NumberedPage, existing_page


def put_in_bin(owner_id: str, ids: Iterable[str]) -> None:
    """Put documents into the bin. Raise `NotFound` if none is a document of the owner's."""
    _move(owner_id, ids, now(), "document.binned")


def put_back(owner_id: str, ids: Iterable[str]) -> None:
    """Take documents out of the bin. Raise `NotFound` if none is a document of the owner's."""
    _move(owner_id, ids, None, "document.restored")


def _move(owner_id: str, ids: Iterable[str], binned_at: int | None, type: str) -> None:
    with transaction(owner_id), EventHead.moved_once(owner_id):
        found = with_binned(owner_id, ids)
        if not found:
            raise NotFound
        for document in found:
            if (document.binned_at is None) != (binned_at is None):
                document.change(binned_at=binned_at)
                document.record_event(type)


def with_binned(owner_id: str, ids: Iterable[str]) -> list[Document]:
    """Return those of the owner's documents that have these ids, in the bin or not."""
    named = list(ids)
    return Document.rows(_of(owner_id).where(Document.id.in_(named))) if named else []


def page_with_binned(owner_id: str, limit: int, after: str | None) -> ResultPage[Document]:
    """Return a page of the owner's documents, in the bin or not, as `Document.page` does.

    The oldest come first.
    """
    behind = _of(owner_id).where(Document.id > (after or "")).order_by(Document.id)
    rows = Document.rows_as_stored(behind.limit(limit + 1))
    next_after = rows[limit - 1].id if len(rows) > limit else None
    return Document.opened(rows[:limit]), next_after


def binned(owner_id: str, ids: Iterable[str]) -> list[Document]:
    """Return those of the owner's documents with these ids that are in the bin."""
    return [one for one in with_binned(owner_id, ids) if one.binned_at is not None]


def one_in_bin(owner_id: str, id: str) -> Document:
    """Return a document of the owner's bin, or raise `NotFound`."""
    for document in binned(owner_id, [id]):
        return document
    raise NotFound


def bin_page(owner_id: str, rows: int, number: int) -> NumberedPage:
    """Return a page of the bin, the newest arrivals first; the last page for a number beyond it."""
    stored = Document.stored_by(owner_id)
    number, pages = existing_page(stored.binned, rows, number)
    last_first = (Document.binned_at.desc(), Document.id.desc())
    of_owner = Document.owner_id == owner_id
    in_bin = Document.select(Document.id).where(
        of_owner, Document.binned_at.is_null(False), Document.unexpired(now())
    )
    # an index alone has and sorts the ids
    ids = in_bin.order_by(*last_first).limit(rows).offset(rows * (number - 1))
    shown = Document.select().where(Document.id.in_(ids)).order_by(*last_first)
    return NumberedPage(Document.rows(shown), number, pages, stored, stored.binned)


def _of(owner_id: str) -> Any:
    return Document.select().where(Document.owner_id == owner_id, Document.unexpired(now()))
