"""The links of a chain of events, as they are read back and verified."""

import json
from collections.abc import Iterator
from typing import NamedTuple

from crypto import event_hash

from ..core import rfc3339
from ..storage import engine

_LINKS = """
    SELECT sequence, hash, body, id, type, created_at, document_id FROM event
    WHERE owner_id = :owner_id ORDER BY """
_IN_ORDER = f"{_LINKS} sequence, id"
_OLDEST = f"{_LINKS} id LIMIT :count"  # genuine links are in the order of their ids, too
_LAST = f"{_LINKS} id DESC LIMIT 1"


class Link(NamedTuple):
    """A row of the table of events, with whatever is found in its columns."""

    sequence: int
    hash: bytes
    body: str
    id: str
    type: str
    created_at: int
    document_id: str | None

    def is_linked(self, owner_id: str, previous: bytes) -> bool:
        """Whether it follows the link with the hash `previous`, and its columns fit its body."""
        try:
            linked = event_hash(owner_id, self.sequence, previous, self.body)
            return linked == self.hash and self._fits_body()
        except (AttributeError, KeyError, TypeError, ValueError, OverflowError):
            return False  # a column of another type, or text that is no JSON

    def _fits_body(self) -> bool:
        body = json.loads(self.body)
        columns = self.id, self.type, rfc3339(self.created_at), self.document_id
        data = body["data"]
        return columns == (body["id"], body["type"], body["createdAt"], data.get("documentId"))


def links_of(owner_id: str) -> Iterator[Link]:
    """All links, in the order of their numbers; read them in a `snapshot`."""
    return map(Link._make, engine().stream(_IN_ORDER, {"owner_id": owner_id}))


def oldest_links(owner_id: str, count: int) -> Iterator[Link]:
    """At most `count` links, in the order of their ids, which are found without sorting all."""
    return map(Link._make, engine().stream(_OLDEST, {"owner_id": owner_id, "count": count}))


def last_link(owner_id: str) -> Link | None:
    """The link with the newest id."""
    return next(map(Link._make, engine().stream(_LAST, {"owner_id": owner_id})), None)
