"""Payloads that no row refers to: of an upload before its document, of a document after it.

They lie in files or objects, or are rows that a move has begun to store. The record of a payload is
stored before the payload, and deleted by the transaction that stores the row which refers to it;
the transaction that deletes this row records the payload again. So wherever a process ends, each
payload has a row or a record, and only those that have a record, and no row, are ever deleted:
beside the requests, since a large one takes seconds.
"""

import logging
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext, suppress
from typing import Any

from peewee import BigIntegerField, OperationalError, TextField

from ..core import DAY_MS, Busy, PayloadStoreAway, now
from ..records import Table
from ..runtime import current_runtime
from ..storage import connected, engine, separate_transaction, transaction
from ..storage.payloads import FILES, OBJECTS, PLACES, ROWS, files

UPLOAD_MS = 60 * 60 * 1000  # longer than any upload of a few GiB,
BYTES_PER_MS = 1000  # or so much longer: no upload is slower
DROPPED_AT_ONCE = 500
ATTEMPT_MS = 5 * 60 * 1000  # longer than any attempt to delete objects
_IN_USE = "%d records of payloads to delete were made outside of the service, and are left out."


class UnreferencedPayload(Table):
    """The id is the payload's. Nobody uploads it to its place any more if `uploading` is 0."""

    PREFIX = "doc"
    KEY = ("id", "place")

    place = TextField()
    uploading = BigIntegerField()
    drop_at = BigIntegerField()

    class Meta:
        table_name = "unreferenced_object"

    @classmethod
    def begin_upload(cls, payload_id: str, place: str, size: int = 0) -> None:
        """Record a payload of `size` bytes before it is stored in this place.

        Raises `Busy` while a former one is deleted there.
        """
        drop_at = now() + UPLOAD_MS + size // BYTES_PER_MS
        with separate_transaction(None):
            if not cls._store(payload_id, place, 1, drop_at, where=cls.uploading == 1):
                raise Busy

    @classmethod
    def end_upload(cls, payload_id: str, place: str) -> None:
        """Forget the record, in the transaction by which a document refers to the payload.

        Raises `Busy` if the upload has taken so long that its payload is deleted.
        """
        recorded = cls.id == payload_id, cls.place == place, cls.uploading == 1
        if not cls.delete().where(*recorded).execute():
            raise Busy

    @classmethod
    def abort_uploads(cls, before: int) -> None:
        """Have the payloads deleted whose uploads began before this moment."""
        with transaction():
            aborted = cls.created_at < before, cls.uploading == 1
            cls.update(uploading=0, drop_at=now()).where(*aborted).execute()

    @classmethod
    def mark_to_drop(cls, payload_id: str, place: str) -> None:
        """Have the payload deleted, in a transaction after which no row refers to it there."""
        cls._store(payload_id, place, 0, now())

    @classmethod
    def _store(
        cls, payload_id: str, place: str, uploading: int, drop_at: int, **condition: Any
    ) -> bool:
        """Store a new record, or new values of the existing one if it meets the condition."""
        values = {cls.uploading: uploading, cls.drop_at: drop_at}
        row: dict[Any, Any] = {
            cls.id: payload_id,
            cls.place: place,
            cls.created_at: now(),
            **values,
        }
        insertion = cls.insert(row).on_conflict(
            conflict_target=[cls.id, cls.place], update=values, **condition
        )
        return bool(insertion.as_rowcount().execute())

    @classmethod
    def drop_due(cls, in_use: Callable[[str, list[str]], set[str]]) -> None:
        """Delete payloads, then their records. A payload that cannot be deleted now prevents no
        other deletion. Raises `PayloadStoreAway`, after what is not in the store of objects.

        Payloads that rows have `in_use` in a place stay there: the service has made no record of
        them. Several processes may do so at once: one claims a record for as long as an attempt
        takes.
        """
        for place in PLACES:
            with _may_drop(place) as may_drop:
                while may_drop and (ids := cls._claim(place)):
                    cls._drop_claimed(place, ids, in_use)

    @classmethod
    def _drop_claimed(
        cls, place: str, ids: list[str], in_use: Callable[[str, list[str]], set[str]]
    ) -> None:
        with connected():
            kept = in_use(place, ids)
        if kept:
            logging.getLogger("docservice").error(_IN_USE, len(kept))
        left = _drop(place, [id for id in ids if id not in kept])
        with connected(), transaction():
            deleted = cls.id.in_(ids), cls.id.not_in(left), cls.place == place
            cls.delete().where(*deleted).execute()
            cls._postpone(place, left)

    @classmethod
    def _postpone(cls, place: str, ids: list[str]) -> None:
        """Try them again after as long as they have been there, at least `ATTEMPT_MS`, and at most
        a day: they are never given up, since nothing else would delete them.
        """
        moment = now()
        for record in cls.select().where(cls.id.in_(ids), cls.place == place):
            pause_ms = min(max(moment - record.created_at, ATTEMPT_MS), DAY_MS)
            this = cls.id == record.id, cls.place == place
            cls.update(drop_at=moment + pause_ms).where(*this).execute()

    @classmethod
    def _claim(cls, place: str) -> list[str]:
        """Return the ids of some payloads that are due; their records are due again later."""
        with connected():
            is_due = (cls.place == place) & (cls.drop_at <= now())
            due = cls.select(cls.id).where(is_due).limit(DROPPED_AT_ONCE)
            ids = [row.id for row in due]
            if not ids:
                return []
            with transaction():
                claim = cls.update(uploading=0, drop_at=now() + ATTEMPT_MS)
                claimed = claim.where(cls.id.in_(ids), is_due).returning(cls.id)
                return [row.id for row in claimed]

    @classmethod
    def without_record(cls, place: str, payload_ids: list[str]) -> set[str]:
        """Return those of the payloads in this place that are not recorded here."""
        recorded = cls.select(cls.id).where(cls.id.in_(payload_ids), cls.place == place)
        return set(payload_ids) - {record.id for record in recorded}


def _may_drop(place: str) -> AbstractContextManager[bool]:
    """Yield whether payloads of a place can be deleted: files are kept while a backup takes them
    along, and of objects the settings have to name the store.
    """
    if place == FILES:
        return nullcontext(False) if engine().is_shared else files.deleting()
    return nullcontext(place == ROWS or current_runtime().payload_objects is not None)


def _drop(place: str, ids: list[str]) -> list[str]:
    """Delete these payloads; returns the ids of those that cannot be deleted now.

    Raises `PayloadStoreAway` if the store of objects does not answer.
    """
    store = current_runtime().payload_store(place)
    if place == OBJECTS:
        with suppress(PayloadStoreAway):
            store.drop(*ids)  # by one request
            return []
        current_runtime().require_objects().owner()  # raises if the store is away
    left = []
    for id in ids:
        try:
            with connected(), _transaction_of_rows(place):
                store.drop(id)
        except (PayloadStoreAway, OSError, OperationalError):
            current_runtime().failures.count_failed(place)
            left.append(id)
    return left


def _transaction_of_rows(place: str) -> AbstractContextManager[None]:
    return separate_transaction(synced=False) if place == ROWS else nullcontext()
