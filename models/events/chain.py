"""A chain of events: its entries, as they are read back and verified, and its head.

There is a chain for each user, and one of the service itself. The head holds number and hash of the
last entry, and of the oldest one that is kept. It is sealed by the service, so that a chain that
was cut off or linked anew outside of the service is recognized. A chain whose head was altered goes
on, but its head is never sealed again: it stays recognizable until a backup is restored.
"""

import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, NamedTuple, Self

from peewee import BigIntegerField, BlobField, TextField

from crypto import FIRST_PREVIOUS, event_hash

from ..core import now, rfc3339
from ..records import Owner, SealedByService
from ..storage import SERVICE, engine

_ALTERED = (
    "The head of the log of %s was altered outside of the service. Run: document-service audit "
    "verify"
)
_ENTRIES = """
    SELECT sequence, hash, body, id, type, created_at, document_id, collection_id
    FROM event
    WHERE owner_id = :owner_id ORDER BY """
_IN_ORDER = f"{_ENTRIES} sequence, id"
_OLDEST = f"{_ENTRIES} id LIMIT :count"  # entries that hold are in the order of their ids, too
_LAST = f"{_ENTRIES} id DESC LIMIT 1"
_held: ContextVar[Any] = ContextVar("held", default=None)


class ChainEntry(NamedTuple):
    """A row of the table of events, with whatever is found in its columns."""

    sequence: int
    hash: bytes
    body: str
    id: str
    type: str
    created_at: int
    document_id: str | None
    collection_id: str | None

    def follows(self, owner_id: str, previous: bytes) -> bool:
        """Return whether it follows the entry with the hash `previous`, and fits its body."""
        try:
            linked = event_hash(owner_id, self.sequence, previous, self.body)
            return linked == self.hash and self._fits_body()
        except (AttributeError, KeyError, TypeError, ValueError, OverflowError):
            return False  # a column of another type, or text that is no JSON

    def _fits_body(self) -> bool:
        body = json.loads(self.body)
        in_columns = (
            self.id,
            self.type,
            rfc3339(self.created_at),
            self.document_id,
            self.collection_id,
        )
        in_body = (
            body["id"],
            body["type"],
            body["createdAt"],
            body["data"].get("documentId"),
            body["data"].get("collectionId"),
        )
        return in_columns == in_body


def entries_of(owner_id: str) -> Iterator[ChainEntry]:
    """Return all entries, in the order of their numbers; read them in a `snapshot`."""
    return map(ChainEntry._make, engine().stream(_IN_ORDER, {"owner_id": owner_id}))


def oldest_entries(owner_id: str, count: int) -> Iterator[ChainEntry]:
    """Return at most `count` entries in the order of their ids, found without sorting all."""
    return map(ChainEntry._make, engine().stream(_OLDEST, {"owner_id": owner_id, "count": count}))


def last_entry(owner_id: str) -> ChainEntry | None:
    """Return the entry with the newest id."""
    return next(map(ChainEntry._make, engine().stream(_LAST, {"owner_id": owner_id})), None)


class EventHead(SealedByService):
    """The head of a chain. `id` is the owner's. A chain without entries has the last number 0."""

    sequence = BigIntegerField()
    hash = BlobField()
    last_id = TextField()
    oldest = BigIntegerField()  # the number of the oldest entry that is kept, or of the next one
    hash_before = BlobField()  # the previous hash of that entry

    @classmethod
    def begin(cls, owner_id: str) -> Self:
        """Store the head of a new chain, and return it."""
        head = cls._empty(owner_id)
        head.store()
        return head

    @classmethod
    def begin_behind(cls, owner_id: str, oldest: int, hash_before: bytes) -> None:
        """Store the head of a chain whose first entry, which has the number `oldest`, follows."""
        head = cls._empty(owner_id)
        head.sequence = oldest - 1
        head.hash = hash_before
        head.oldest = oldest
        head.hash_before = hash_before
        head.store()

    @classmethod
    def of(cls, owner_id: str) -> Self:
        """Return the head, to be moved in the present transaction. It may not open."""
        held: Self | None = _held.get()
        if held and held.id == owner_id:
            return held
        head = cls.as_stored(owner_id)
        if head is not None and head.opens():
            return head
        if owner_id != SERVICE:
            Owner.get_by_id(owner_id)  # else the account was deleted beside this, and no log begins
        logging.getLogger("docservice").error(_ALTERED, owner_id)
        if head is None:
            cls._empty(owner_id)._insert_columns()  # not sealed
        return cls._resumed(owner_id)

    @classmethod
    @contextmanager
    def moved_once(cls, owner_id: str) -> Iterator[None]:
        """Move the head of this owner once for all events in the block, at its end.

        Use it inside a transaction.
        """
        head = cls.of(owner_id)
        before = _held.set(head)
        try:
            yield
        finally:
            _held.reset(before)
        head.move()

    def move(self, **fields: Any) -> None:
        """Store new values of some columns, sealed unless the head did not open."""
        self.__data__.update(fields)
        if _held.get() is self:
            return
        if self.is_sealed:
            self.seal()
        names = ("sequence", "hash", "last_id", "oldest", "hash_before", "sealed")
        self._store_columns(**{name: self.__data__.get(name) for name in names})

    @property
    def is_sealed(self) -> bool:
        """Whether it opened when it was read, as it did after each change before."""
        return self.sealed is not None

    @classmethod
    def _empty(cls, owner_id: str) -> Self:
        return cls(
            id=owner_id,
            created_at=now(),
            sequence=0,
            hash=FIRST_PREVIOUS,
            last_id="",
            oldest=1,
            hash_before=FIRST_PREVIOUS,
        )

    @classmethod
    def _resumed(cls, owner_id: str) -> Self:
        """Return a head that is not sealed, behind the last entry that there is."""
        head = cls._empty(owner_id)
        if last := last_entry(owner_id):
            head.sequence = last.sequence
            head.hash = last.hash
            head.last_id = last.id
        return head
