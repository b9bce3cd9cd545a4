"""The deletion of a document or a collection, with its links.

The transaction that deletes the target deletes its key, so that from then on each of its links is
answered with 410. In the same transaction its links are revoked, whose rows stay, and the rows of
their openings and recipients are deleted, if all of these are few. Many would keep all other
writers waiting: then the transaction records that the target is deleted, and `end_links_of_deleted`
goes on in batches, also after the process was killed.
"""

from typing import Any, Self

from peewee import TextField, fn

from ..core import NotFound
from ..documents import Collection, Document, one_in_bin
from ..events import Event, EventHead
from ..records import PAGE_ROWS, Table, has_passed
from ..storage import database, separate_transaction, transaction
from .agreements import drop_texts_of
from .document_token import DocumentToken
from .opening import Opening
from .recipient import Recipient
from .target import Target, table_of

_TABLES: tuple[Any, ...] = (DocumentToken, Opening, Recipient)


class DeletedTarget(Table):
    """A deleted target, whose links still have rows to be revoked or deleted. Its id is the
    target's.

    The row is not sealed: a row that somebody has added ends no link of a target that is there.
    """

    PREFIX = "doc"

    owner_id = TextField()

    @classmethod
    def next(cls) -> Self | None:
        found: Self | None = cls.select().order_by(cls.id).first()
        return found


def delete_document(document: Document, type: str = "document.deleted") -> None:
    """Delete a document with its links, and scrub its key from the disk.

    Without the key the payload cannot be decrypted. `type` is that of the event. Raises `NotFound`
    if the document is deleted already.
    """
    with transaction(document.owner_id), EventHead.moved_once(document.owner_id):
        Event.record_due_before(document.owner_id)  # views of its links come before their end
        document.drop_payload()
        if not Document.shred(document.id):
            raise NotFound
        for collection in Collection.holding(document):
            collection.take_out(document)
        document.record_event(type)
        _end_links_of(document)


def delete_collection(collection: Collection) -> None:
    """Delete a collection with its links; its documents stay. Raises `NotFound`."""
    with transaction(collection.owner_id), EventHead.moved_once(collection.owner_id):
        Event.record_due_before(collection.owner_id)
        if not Collection.shred(collection.id):
            raise NotFound
        collection.record_event("collection.deleted")
        _end_links_of(collection)


def delete_for_good(owner_id: str, id: str) -> None:
    """Delete a document that is in the bin. Raises `NotFound` if it is not."""
    with transaction(owner_id):
        delete_document(one_in_bin(owner_id, id))


def delete_if_due(document: Document) -> None:
    """Delete a document, unless meanwhile its end was changed, or it was put back."""
    with transaction(document.owner_id):
        found = Document.find(document.id)  # read again under the writer lock
        if found and has_passed(found.expires_at):
            delete_document(document, "document.expired")
        elif found and has_passed(found.leaves_bin_at):
            delete_document(document)


def _end_links_of(target: Target) -> None:
    """End the links of a target, in the transaction that deletes it."""
    drop_texts_of(target)
    if _count_rows(target.id) > PAGE_ROWS:
        deleted = DeletedTarget.fresh(owner_id=target.owner_id)
        deleted.id = target.id
        deleted.store()
        return
    for table in (Opening, Recipient):
        table.delete().where(table.target_id == target.id).execute()
    DocumentToken.revoke_all(DocumentToken.target_id == target.id)


def end_links_of_deleted() -> None:
    """End the links of all targets whose deletion left many, in batches."""
    while deleted := DeletedTarget.next():
        if table_of(deleted.id).as_stored(deleted.id) is None:
            _end_in_batches(deleted)
        with separate_transaction(deleted.owner_id, synced=False):
            DeletedTarget.delete().where(DeletedTarget.id == deleted.id).execute()


def _end_in_batches(deleted: DeletedTarget) -> None:
    for table in (Opening, Recipient):
        table.delete_in_batches(table.target_id == deleted.id, deleted.owner_id)
    of_target = DocumentToken.target_id == deleted.id
    after = ""
    while ids := _ids_of(DocumentToken, of_target & (DocumentToken.id > after)):
        with transaction(deleted.owner_id), EventHead.moved_once(deleted.owner_id):
            DocumentToken.revoke_all(of_target & DocumentToken.id.in_(ids))
        after = ids[-1]


def _ids_of(table: Any, condition: Any) -> list[str]:
    """Return the first `PAGE_ROWS` ids of rows that meet the condition."""
    found = table.select(table.id).where(condition).order_by(table.id).limit(PAGE_ROWS)
    return [id for (id,) in database.execute(found).fetchall()]


def _count_rows(target_id: str) -> int:
    counts = (
        table.select(fn.COUNT(table.id)).where(table.target_id == target_id).scalar()
        for table in _TABLES
    )
    return sum(counts)
