"""What was made of a document to show it, kept sealed beside it, so that it is made once.

It is sealed with the document's key and dropped with the document. What was used longest ago
makes room for what is new. A failure, and pages that were marked for one reader, are kept for an
hour; what there was no room for stays in memory for some minutes.
"""

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

from peewee import BigIntegerField, BlobField, OperationalError, TextField, fn

from crypto import DecryptionError, sealing

from ..core import Busy, ServiceError, now
from ..records import Table
from ..runtime import BeingMadeError, Progress, current_runtime
from ..storage import connected, engine, separate_transaction
from ..storage.payloads import CHUNKS, PIECE_BYTES, SEALED_BYTES
from ..storage.payloads import rows as payload_rows

BRIEFLY_KEPT_MS = 60 * 60 * 1000
USE_RECORDED_MS = 60 * 60 * 1000  # so that most views write nothing

Make = Callable[[], tuple[bytes, bool]]  # what was made, and whether it is kept for long


class StoredPreview(Table):
    PREFIX = "prv"

    document_id = TextField()
    size = BigIntegerField()
    used_at = BigIntegerField()
    expires_at = BigIntegerField(null=True)
    head = BlobField()

    class Meta:
        table_name = "preview"

    @classmethod
    def obtain(
        cls,
        document: Any,
        caller_id: str,
        name: str,
        make: Make,
        *,
        saves: bool = False,
        waits: bool = True,
        asks_again: bool = False,
    ) -> bytes:
        """What `make` returns of this document under this name: kept, or made now by one caller.

        `caller_id` is the id of the link or owner that asks; `saves` is for a file, which takes no
        place of a view. Raises `Busy`; and `BeingMadeError` for a caller who does not wait, or who
        `asks_again` and finds no slot while another request makes the same preview.
        """
        id = f"{cls.PREFIX}_{sealing.keyed_digest(document.key, 'preview/1', name)}"
        kept = cls._read(document, id)
        if kept is not None:
            return kept
        runtime, keep = current_runtime(), partial(cls._make, document, id, make)
        if not waits:
            progress = runtime.beside_requests.begin(id, document.owner_id, caller_id, keep)
            if progress:
                raise BeingMadeError(progress)
        queue = runtime.preview_queue
        try:
            with queue.turn(id, document.owner_id, caller_id, saves=saves):
                kept = cls._read(document, id)  # made meanwhile by the one before
                return keep() if kept is None else kept
        except Busy:
            seconds = queue.seconds_in_making(id)
            kept = cls._read(document, id)  # after the question: whoever made it has kept it first
            if kept is not None:
                return kept
            if seconds is None or not asks_again:
                raise
            raise BeingMadeError(Progress(seconds, before=0)) from None

    @classmethod
    def _make(cls, document: Any, id: str, make: Make) -> bytes:
        made, lasts = make()
        if not cls._keep(document, id, made, None if lasts else now() + BRIEFLY_KEPT_MS):
            current_runtime().unkept_previews.put(id, made)
        return made

    @classmethod
    def drop_all_of(cls, document_id: str) -> None:
        for row in cls.select(cls.id).where(cls.document_id == document_id):
            cls._drop(row.id)

    @classmethod
    def forget_expired(cls) -> None:
        """Delete what was kept for an hour, and in memory for some minutes."""
        current_runtime().unkept_previews.forget_old()
        for row in list(cls.select(cls.id).where(cls.expires_at <= now())):
            with separate_transaction(synced=False):
                cls._drop(row.id)

    @classmethod
    def _read(cls, document: Any, id: str) -> bytes | None:
        """None if there is none, or it does not open: then it is made anew.

        A response that is being sent reads as well, after its request gave its connection back.
        """
        with connected():
            preview = cls.find(id)
        if preview is None or preview._has_expired():
            return current_runtime().unkept_previews.get(id)
        if preview.used_at < now() - USE_RECORDED_MS:
            current_runtime().readings.add_use(document.owner_id, cls._record_use, id, now())
        with suppress(DecryptionError):
            return preview._open(document)
        return None

    @classmethod
    def _record_use(cls, id: str, moment: int) -> None:
        cls.update(used_at=moment).where(cls.id == id).execute()

    def _has_expired(self) -> bool:
        """Failures of a process that was stopped don't count: stopping ends the child, too."""
        if self.expires_at is None:
            return False
        return self.expires_at <= now() or self.created_at < current_runtime().started_at

    def _open(self, document: Any) -> bytes:
        reader = sealing.ChunkReader(document.key, self._context(), self.head)
        pieces = payload_rows.pieces(self.id, self.size, 0, self.size // PIECE_BYTES)
        return b"".join(reader.open(n * CHUNKS, sealed) for n, sealed in enumerate(pieces))

    @classmethod
    def _keep(cls, document: Any, id: str, made: bytes, expires_at: int | None) -> bool:
        """Store it, unless the document was deleted meanwhile. Return whether there was room."""
        settings, moment = current_runtime().settings, now()
        if len(made) > settings.preview_bytes:
            return False
        row = cls(id=id, created_at=moment, used_at=moment, expires_at=expires_at)
        row.document_id, row.size = document.id, len(made)
        sealer = sealing.Sealer(document.key, row._context())
        row.head = sealer.header
        sealed = sealer.update(made) + sealer.finish()
        with (
            suppress(OperationalError, OSError, ServiceError),
            connected(),
            engine().reserve_disk_space(len(made), settings.reserve_bytes),
            separate_transaction(synced=False),
        ):
            if document.find(document.id):
                row._store(sealed, settings.preview_bytes)
            return True
        return False

    def _store(self, sealed: bytes, most_bytes: int) -> None:
        self._drop(self.id)
        self._make_room(most_bytes - self.size)
        starts = range(0, len(sealed), SEALED_BYTES)
        payload_rows.store(self.id, (sealed[at : at + SEALED_BYTES] for at in starts))
        self.insert_row()

    @classmethod
    def _make_room(cls, most_bytes: int) -> None:
        """Drop what was used longest ago until all others have at most so many bytes."""
        total = int(cls.select(fn.SUM(cls.size)).scalar() or 0)
        while total > most_bytes:
            oldest = cls.select(cls.id, cls.size).order_by(cls.used_at).get()
            total -= oldest.size
            cls._drop(oldest.id)

    @classmethod
    def _drop(cls, id: str) -> None:
        payload_rows.drop(id)
        cls.delete().where(cls.id == id).execute()

    def _context(self) -> bytes:
        return sealing.context("preview/1", self.document_id, self.id, str(self.size))
