"""Objects that no document refers to: of an upload before its row, of a document after it.

The record of an object is stored before the object, and deleted by the transaction that stores the
document's row; the transaction that deletes the row records it again. So wherever a process ends,
each object has a row or a record, and only objects that have a record, and no row, are ever
deleted.
"""

import logging
from collections.abc import Callable
from typing import Any

from peewee import SQL, BigIntegerField

from ..core import Busy, now
from ..records import Table
from ..runtime import current_runtime
from ..storage import Prepared, connected, param, separate_transaction, transaction

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
        """Before the object is stored. `Busy` while a former one of this document is deleted."""
        moment = now()
        with separate_transaction(None):
            if not _BEGIN.execute(id=document_id, now=moment, drop_at=moment + UPLOAD_MS):
                raise Busy

    @classmethod
    def end_upload(cls, document_id: str) -> None:
        """In the transaction by which a document refers to the object.

        `Busy` if the upload has taken so long that its object is deleted.
        """
        if not _END.execute(id=document_id):
            raise Busy

    @classmethod
    def abort_uploads(cls, before: str) -> None:
        """The objects of documents whose ids sort before this one are to be deleted."""
        with transaction():
            _ABORT_ALL.execute(before=before, drop_at=now())

    @classmethod
    def record(cls, document_id: str) -> None:
        """In a transaction after which no document refers to the object: it is to be deleted."""
        moment = now()
        _RECORD.execute(id=document_id, now=moment, drop_at=moment)

    @classmethod
    def drop_due(cls, in_use: Callable[[list[str]], set[str]]) -> None:
        """Delete objects, then their records. Raises `PayloadStoreAway`.

        Those that documents have `in_use` stay: the service has made no record of them. Several
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
            objects.drop(*(id for id in some if id not in kept))
            with connected(), transaction():
                for id in some:
                    _FORGET.execute(id=id)

    @classmethod
    def _claim(cls) -> list[str]:
        with connected():
            if not _FIRST_DUE.first(now=now()):
                return []
            with transaction():
                moment = now()
                return [id for (id,) in _CLAIM.all(now=moment, drop_at=moment + ATTEMPT_MS)]

    @classmethod
    def without_record(cls, document_ids: list[str]) -> set[str]:
        """Those of the documents whose objects are not recorded here."""
        found = cls.select(cls.id).where(cls.id.in_(document_ids))
        return set(document_ids) - {one.id for one in found}


def _insertion(uploading: str, **on_conflict: Any) -> Any:
    row = {"id": param("id"), "created_at": param("now"), "drop_at": param("drop_at")}
    query = UnreferencedObject.insert(**row, uploading=SQL(uploading))
    return query.on_conflict(conflict_target=[UnreferencedObject.id], **on_conflict)


_DUE = UnreferencedObject.drop_at <= param("now")
_DROP_AT: dict[Any, Any] = {UnreferencedObject.drop_at: param("drop_at")}
_NOT_UPLOADING = _DROP_AT | {UnreferencedObject.uploading: SQL("0")}
_OF_ID = UnreferencedObject.id == param("id")
_UPLOADING = UnreferencedObject.uploading == SQL("1")

_BEGIN = Prepared(lambda: _insertion("1", update=_DROP_AT, where=_UPLOADING))
_END = Prepared(lambda: UnreferencedObject.delete().where(_OF_ID, _UPLOADING))
_ABORT_ALL = Prepared(
    lambda: UnreferencedObject.update(_NOT_UPLOADING).where(
        UnreferencedObject.id < param("before"), _UPLOADING
    )
)
_RECORD = Prepared(lambda: _insertion("0", update=_NOT_UPLOADING))
_FIRST_DUE = Prepared(
    lambda: UnreferencedObject.select(UnreferencedObject.id).where(_DUE).limit(SQL("1"))
)
_CLAIM = Prepared(
    lambda: UnreferencedObject.update(_NOT_UPLOADING).where(_DUE).returning(UnreferencedObject.id)
)
_FORGET = Prepared(lambda: UnreferencedObject.delete().where(_OF_ID))
