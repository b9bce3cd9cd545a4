"""A collection: an ordered list of documents with a title, shared by links as a document is.

Title, note, list and limit are sealed under a key of the row's own, which is bound to its id and
owner: somebody who alters the database can neither read nor extend a list. The rows of
`collection_document` are an index of the lists; they decide nothing. A list names documents that
are not there for the moment, too; nobody sees those.
"""

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Self

from peewee import SQL, fn
from peewee import Table as TableReference

from ..core import Invalid, NotFound, now
from ..events import Event, EventHead, camel_case
from ..records import KeyedRow, Owned, ResultPage, Sealed, SealedName, cached_property
from ..runtime import current_runtime, refuse_if_full
from ..storage import database, transaction
from .document import Document

UNTITLED = "Untitled collection"  # for a title of which nothing is seen
MOST_DOCUMENTS = 200
MOST_COLLECTIONS = 100  # that hold one document; its deletion takes it out of all of them
USUAL_MAX_BYTES = 1 << 30
_Listing: Any = TableReference("collection_document", ("document_id", "collection_id"))
TOTAL_OF_COLLECTION: Any = TableReference(
    "collection_total", ("collection_id", "documents", "size_bytes")
)
_ABSENT = "One of these documents is not there, or is not yours."


class Collection(KeyedRow, Owned):
    PREFIX = "col"

    title = SealedName[str](lambda _: UNTITLED)
    note = Sealed[str | None]()
    max_bytes = Sealed[int | None]()
    """The most bytes that it may hold for a stranger's file to be taken."""
    documents_listed = Sealed[Sequence[str]](default=())

    @classmethod
    def condition(cls, name: str, value: Any, moment: Any) -> Any:
        """Return the condition of a filter; `document_id` finds the collections that hold it."""
        if name == "document_id":
            return cls.id.in_(collections_with(value))
        return super().condition(name, value, moment)

    @classmethod
    def make(
        cls,
        owner_id: str,
        title: str,
        *,
        note: str | None = None,
        document_ids: Sequence[str] = (),
        max_bytes: int = USUAL_MAX_BYTES,
    ) -> Self:
        """Return a new collection of these documents.

        Raises `NotFound` unless all documents are the owner's, `Invalid`, `QuotaExceeded`.
        """
        collection = cls.fresh(owner_id=owner_id)
        with transaction(owner_id), EventHead.moved_once(owner_id):
            count = cls.select().where(cls.owner_id == owner_id).count()
            most = current_runtime().settings.quota_collections
            refuse_if_full(count, most, "collection", "Delete one first.")
            collection.generate_key()
            collection.title = title
            collection.note = note
            collection.max_bytes = max_bytes
            collection.store()
            collection.record_event("collection.created")
            collection._change(add=document_ids, add_pointer="#/documentIds")
            return collection

    @classmethod
    def edit(cls, owner_id: str, id: str, **changes: Any) -> Self:
        """Return the collection with another `title`, `note` or `max_bytes`, or other documents.

        `add` names documents to append, `remove` documents to take out, `order` those that come
        first, in this order. No call gives the whole list: a document that is added meanwhile
        stays. `add` may name documents of the collection, `remove` others. `origin` are facts about
        how those that are added were uploaded. Raises `NotFound`, `Invalid`.
        """
        with transaction(owner_id), EventHead.moved_once(owner_id):
            collection = cls.one_of(owner_id, id)  # read under the lock
            collection._change(**changes)
            return collection

    @classmethod
    def append(cls, owner_id: str, id: str, document: Document) -> None:
        """Append a new document, in the transaction that stores its row.

        Raises `NotFound`, `Invalid`.
        """
        cls.edit(
            owner_id,
            id,
            add=[document.id],
            add_pointer="#/collectionId",
            origin=document.origin,
        )

    @classmethod
    def holding(cls, document: Document) -> list[Self]:
        """Return the collections with this document."""
        found = cls.select().where(
            cls.owner_id == document.owner_id, cls.condition("document_id", document.id, 0)
        )
        return cls.rows(found)

    def replace_document(self, former_id: str, newer_id: str) -> None:
        """Have a newer document take the place of a former one, in an open transaction.

        It is in as many collections as the former one was.
        """
        before = self.document_ids
        ids = [newer_id if id == former_id else id for id in before]
        self.change(documents_listed=ids)
        self._record_members(before, ids)

    def take_out(self, document: Document) -> None:
        """Take a document out, in an open transaction."""
        self._change(remove=[document.id])

    def _change(
        self,
        add: Iterable[str] = (),
        remove: Iterable[str] = (),
        order: Iterable[str] = (),
        add_pointer: str = "#/add",
        origin: Mapping[str, Any] = MappingProxyType({}),
        **fields: Any,
    ) -> None:
        # the list as it will be
        before = self.document_ids
        gone = set(remove)
        kept = [id for id in before if id not in gone]
        members = list(dict.fromkeys([*kept, *add]))
        first = list(order)
        ids = list(dict.fromkeys([*first, *members]))

        # what refuses it
        new = set(members) - set(before)
        if new:
            self._refuse_if_absent(new)
        if len(members) > MOST_DOCUMENTS:
            raise Invalid(add_pointer, f"A collection has at most {MOST_DOCUMENTS} documents.")
        if new:
            _refuse_if_in_many(new)
        if len(ids) > len(members):
            raise Invalid("#/order", "Name documents of the collection only.")

        # the row, the index and the events
        changed = [name for name in fields if fields[name] != getattr(self, name)]
        if changed or ids != before:
            self.change(**fields, documents_listed=ids)
            self._record_members(before, ids, origin)
        named = [camel_case(name) for name in changed]
        if [id for id in ids if id in before] != [id for id in before if id in ids]:
            named.append("order")
        if named:
            self.record_event("collection.updated", changed=named)

    def _refuse_if_absent(self, ids: set[str]) -> None:
        """Raise `NotFound` unless all of them are documents of the owner's."""
        if {one.id for one in self._found(ids)} != ids:
            raise NotFound(_ABSENT)

    def _record_members(
        self,
        before: Sequence[str],
        ids: Sequence[str],
        origin: Mapping[str, Any] = MappingProxyType({}),
    ) -> None:
        """Bring the index up to date, with an event for each document that came or went.

        `origin` are facts about how those that came were uploaded.
        """
        gone = [id for id in before if id not in ids]
        come = [id for id in ids if id not in before]
        _Listing.delete().where(
            _Listing.collection_id == self.id, _Listing.document_id.in_(gone)
        ).execute(database)
        self._index(come)
        for id in gone:
            self.record_event("collection.removed", document_id=id)
        for id in come:
            self.record_event("collection.added", document_id=id, **origin)

    def _index(self, ids: Iterable[str]) -> None:
        rows = [{"document_id": id, "collection_id": self.id} for id in ids]
        if rows:
            _Listing.insert(rows).execute(database)

    def _found(self, ids: Iterable[str]) -> list[Document]:
        found = Document.select().where(
            Document.owner_id == self.owner_id, Document.id.in_(list(ids)), *Document.live(now())
        )
        return Document.rows(found)

    @cached_property
    def documents(self) -> list[Document]:
        """The documents that are there now, in order."""
        by_id = {document.id: document for document in self._found(self.document_ids)}
        return [by_id[id] for id in self.document_ids if id in by_id]

    def document(self, id: str) -> Document:
        """Return a document of the collection. Raise `NotFound` if it is not in there now."""
        if id not in self.document_ids:
            raise NotFound
        return Document.one_of(self.owner_id, id)

    @classmethod
    def listed(
        cls, owner_id: str, limit: int, after: str | None, **filters: Any
    ) -> ResultPage[Self]:
        """Return a page of an owner's collections."""
        asked = {name: value for name, value in filters.items() if value is not None}
        rows, next_after = cls.page(owner_id, limit, after, **asked)
        cls.find_totals(rows)
        return rows, next_after

    @classmethod
    def find_totals(cls, rows: Sequence[Self]) -> None:
        """Look up the totals of the collections at once; no document is opened."""
        totals = cls._totals_of([row.id for row in rows]) if rows else {}
        for row in rows:
            row.totals = totals.get(row.id, (0, 0))

    @classmethod
    def first_documents(cls, collections: Iterable[Self], most: int) -> dict[str, list[Document]]:
        """Return the first documents of each collection that are there now, by its id."""
        first_ids = {one.id: one.document_ids[:most] for one in collections}
        named = {id for ids in first_ids.values() for id in ids}
        found = Document.select().where(Document.id.in_(list(named)), *Document.live(now()))
        by_id = {one.id: one for one in Document.rows(found)} if named else {}
        return {id: [by_id[one] for one in ids if one in by_id] for id, ids in first_ids.items()}

    @classmethod
    def _totals_of(cls, ids: list[str]) -> dict[str, tuple[int, int]]:
        """Return the number of documents that are there now, and of their bytes, by collection.

        No document is counted: it is the collection's total (`totals.py`), less what has ended and
        the sweeper has still to delete. A collection that never had a document is left out.
        """
        columns = (
            TOTAL_OF_COLLECTION.collection_id,
            TOTAL_OF_COLLECTION.documents,
            TOTAL_OF_COLLECTION.size_bytes,
        )
        recorded = TOTAL_OF_COLLECTION.select(*columns).where(
            TOTAL_OF_COLLECTION.collection_id.in_(ids)
        )
        # One statement: the sweeper may delete what has ended between two.
        parts = database.execute(recorded.union_all(_ended_documents(ids))).fetchall()
        totals: dict[str, tuple[int, int]] = {}
        for id, documents, size_bytes in parts:
            count, total_bytes = totals.get(id, (0, 0))
            totals[id] = (count + int(documents), total_bytes + int(size_bytes))
        return totals

    @cached_property
    def totals(self) -> tuple[int, int]:
        return len(self.documents), sum(document.size for document in self.documents)

    @property
    def document_count(self) -> int:
        return self.totals[0]

    @property
    def size(self) -> int:
        return self.totals[1]

    def store_as_exported(self) -> None:
        """Store a collection of another instance, with the index of its list."""
        self.generate_key()
        self.store()
        self._index(self.document_ids)

    @property
    def name(self) -> str:
        """The title, by the name that documents use for theirs."""
        return self.title

    @property
    def room(self) -> int:
        """How many bytes a stranger's file may have."""
        if self.is_full or self.max_bytes is None:
            return 0
        return max(0, self.max_bytes - self.size)

    @property
    def is_full(self) -> bool:
        return len(self.document_ids) >= MOST_DOCUMENTS

    @property
    def document_ids(self) -> list[str]:
        return list(self.documents_listed)

    def record_reading(self, type: str) -> None:
        """Record an event that the contents were read."""
        Event.record_reading(self.owner_id, type, self.id)

    def indexed_ids(self) -> set[str]:
        """Return the ids of its documents as the index has them."""
        rows = _Listing.select(_Listing.document_id).where(_Listing.collection_id == self.id)
        return {row["document_id"] for row in rows.execute(database)}

    def binding(self) -> tuple[str, ...]:
        return (self.owner_id,)

    def record_event(self, type: str, **facts: Any) -> None:
        Event.record(self.owner_id, type, {"collection_id": self.id} | facts)


def listed_totals(ids: Iterable[str] | None = None) -> Any:
    """Select the number of documents and of their bytes by collection, of all or of these ids.

    Documents in the bin are left out, and a collection of which no document is there.
    """
    of = _Listing.collection_id
    sums = Document.select(of, *Document.totals()).where(Document.binned_at.is_null())
    sums = sums.join(_Listing, on=(_Listing.document_id == Document.id)).group_by(of)
    return sums if ids is None else sums.where(of.in_(list(ids)))


def _ended_documents(ids: list[str]) -> Any:
    """Select the documents that have ended and are not deleted yet, each as a negative total.

    Few have ended: the index of ends finds them, as no index has the expressions.
    """
    of = _Listing.collection_id
    is_listed = Document.id.concat(SQL("''")) == _Listing.document_id
    ended = Document.select(of, SQL("-1"), SQL("0") - Document.size).join(_Listing, on=is_listed)
    has_ended = Document.expires_at <= now(), Document.binned_at.is_null()
    return ended.where(*has_ended, of.concat(SQL("''")).in_(ids))


def collections_with(document_id: Any) -> Any:
    """Return the query of the ids of the collections that hold a document."""
    return _Listing.select(_Listing.collection_id).where(_Listing.document_id == document_id)


def _refuse_if_in_many(document_ids: set[str]) -> None:
    """Raise `QuotaExceeded` if one of the documents cannot be in one more collection."""
    of = _Listing.document_id
    counts = _Listing.select(fn.COUNT(of).alias("count")).where(of.in_(list(document_ids)))
    most = counts.group_by(of).order_by(fn.COUNT(of).desc()).limit(1)
    for row in most.execute(database):
        remedy = "Take it out of one first."
        refuse_if_full(row["count"], MOST_COLLECTIONS, "collection", remedy, "with this document")
