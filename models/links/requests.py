"""Requests for files: the links by which strangers send them, with what came by each."""

from dataclasses import dataclass
from typing import Any

from peewee import fn

from ..core import first_id, now
from ..documents import Document
from ..records import ResultPage
from ..storage import param, prepared
from .lists import ListedLink, listed_links

MOST_RECEIVED = 500  # documents that a page of requests reads


@dataclass(frozen=True)
class FileRequest:
    """A link that takes files, and the documents that came by it, newest first.

    Those after `seen_at` are new to their owner. There may be older ones, unless `is_whole`.
    """

    link: ListedLink
    received: list[Document]
    seen_at: int
    is_whole: bool

    @property
    def new(self) -> list[Document]:
        return [one for one in self.received if one.created_at > self.seen_at]


def requests_of_owner(
    owner_id: str, limit: int, after: str | None, seen_at: int
) -> ResultPage[FileRequest]:
    """Return a page of `FileRequest`s, the newest requests first."""
    links, further = listed_links(owner_id, limit, after, takes_files=True)
    came_by: dict[str, list[Document]] = {}
    by_these = Document.came_by.in_([link.row.id for link in links])
    newest_first = Document.live_of(owner_id).where(by_these).order_by(Document.id.desc())
    documents = Document.rows(newest_first.limit(MOST_RECEIVED))
    for document in documents:
        came_by.setdefault(document.came_by or "", []).append(document)
    is_whole = len(documents) < MOST_RECEIVED
    found = [FileRequest(link, came_by.get(link.row.id, []), seen_at, is_whole) for link in links]
    return found, further


def count_received(owner_id: str, seen_at: int) -> int:
    """Return the number of documents that came by links after a moment."""
    after = first_id(Document.PREFIX, seen_at + 1)
    (count,) = _received().first(owner_id=owner_id, now=now(), after=after) or (0,)
    return int(count)


@prepared
def _received() -> Any:
    moment = param("now")
    return Document.select(fn.COUNT(Document.id)).where(
        Document.owner_id == param("owner_id"),
        *Document.live(moment),
        Document.condition("is_received", True, moment),
        Document.id >= param("after"),
    )
