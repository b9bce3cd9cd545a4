"""Objects that no document refers to: of an upload before its row, of a document after it.

The record of an object is stored before the object, and deleted by the transaction that stores the
document's row; the transaction that deletes the row records it again. So wherever a process ends,
each object has a row or a record, and only objects that have a record, and no row, are ever
deleted.
"""

import logging
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from peewee import BigIntegerField

from ..core import DAY_MS, Busy, PayloadStoreAway, now
from ..records import Table
from ..runtime import current_runtime
from ..storage import connected, separate_transaction, transaction

if TYPE_CHECKING:
    from ..storage.payloads import PayloadObjects

UPLOAD_MS = 60 * 60 * 1000  # longer than any upload
DROPPED_AT_ONCE = 500
ATTEMPT_MS = 5 * 60 * 1000  # longer than any attempt to delete objects
_IN_USE = "%d records of objects to delete were made outside of the service, and are left out."


class UnreferencedObject(Table):
    """The id is the document's. Nobody uploads the object any more if `uploading` is 0."""

    PREFIX = "doc"

    uploading = BigIntegerField()
    drop_at = BigIntegerField()

    @classmethod
    def begin_upload(cls, document_id: str) -> None:
        """Record an object before it is stored. Raise `Busy` while a former one is deleted."""
        unless_deleted = {"where": cls.uploading == 1}
        with separate_transaction(None):
            if not cls._store(document_id, 1, now() + UPLOAD_MS, **unless_deleted):
                raise Busy

    @classmethod
    def end_upload(cls, document_id: str) -> None:
        """Forget the record, in the transaction by which a document refers to the object.

        Raises `Busy` if the upload has taken so long that its object is deleted.
        """
        if not cls.delete().where(cls.id == document_id, cls.uploading == 1).execute():
            raise Busy

    @classmethod
    def abort_uploads(cls, before: str) -> None:
        """Have the objects deleted of documents whose ids sort before this one."""
        with transaction():
            aborted = cls.id < before, cls.uploading == 1
            cls.update(uploading=0, drop_at=now()).where(*aborted).execute()

    @classmethod
    def mark_to_drop(cls, document_id: str) -> None:
        """Have the object deleted, in a transaction after which no document refers to it."""
        cls._store(document_id, 0, now())

    @classmethod
    def _store(cls, document_id: str, uploading: int, drop_at: int, **condition: Any) -> bool:
        """Store a new record, or new values of the existing one if it meets the condition."""
        row = {"id": document_id, "created_at": now(), "uploading": uploading, "drop_at": drop_at}
        values = {cls.uploading: uploading, cls.drop_at: drop_at}
        insertion = cls.insert(row).on_conflict(
            conflict_target=[cls.id], update=values, **condition
        )
        return bool(insertion.as_rowcount().execute())

    @classmethod
    def drop_due(cls, in_use: Callable[[list[str]], set[str]]) -> None:
        """Delete objects, then their records. Raises `PayloadStoreAway`; an object that the store
        does not delete prevents no other deletion.

        Objects that documents have `in_use` stay: the service has made no record of them. Several
        processes may do so at once: one claims a record for as long as an attempt takes.
        """
        objects = current_runtime().payload_objects
        if objects is None:
            return
        ids = cls._claim()
        for some in (ids[at : at + DROPPED_AT_ONCE] for at in range(0, len(ids), DROPPED_AT_ONCE)):
            with connected():
                kept = in_use(some)
            if kept:
                logging.getLogger("docservice").error(_IN_USE, len(kept))
            left = cls._drop(objects, [id for id in some if id not in kept])
            with connected(), transaction():
                cls.delete().where(cls.id.in_(some), cls.id.not_in(left)).execute()
                cls._postpone(left)

    @classmethod
    def _drop(cls, objects: "PayloadObjects", ids: list[str]) -> list[str]:
        """Delete these objects; returns the ids of those that the store does not delete, though it
        answers. Raises `PayloadStoreAway` if it does not.
        """
        with suppress(PayloadStoreAway):
            objects.drop(*ids)
            return []
        objects.owner()  # raises if the store is away
        left = []
        for id in ids:
            try:
                objects.drop(id)
            except PayloadStoreAway:
                current_runtime().failures.count_failed("objects")
                left.append(id)
        return left

    @classmethod
    def _postpone(cls, ids: list[str]) -> None:
        """Try them again after as long as they have been there, at least `ATTEMPT_MS`, and at most
        a day: they are never given up, since nothing else would delete them.
        """
        moment = now()
        for record in cls.select().where(cls.id.in_(ids)):
            pause_ms = min(max(moment - record.created_at, ATTEMPT_MS), DAY_MS)
            cls.update(drop_at=moment + pause_ms).where(cls.id == record.id).execute()

    @classmethod
    def _claim(cls) -> list[str]:
        with connected():
            if not cls.select().where(cls.drop_at <= now()).exists():
                return []
            with transaction():
                moment = now()
                claim = cls.update(uploading=0, drop_at=moment + ATTEMPT_MS)
                return [row.id for row in claim.where(cls.drop_at <= moment).returning(cls.id)]

    @classmethod
    def without_record(cls, document_ids: list[str]) -> set[str]:
        """Return those of the documents whose objects are not recorded here."""
        recorded = cls.select(cls.id).where(cls.id.in_(document_ids))
        return set(document_ids) - {record.id for record in recorded}
