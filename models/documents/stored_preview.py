"""Previews of documents, kept sealed beside them, so that each is made once.

A preview is sealed with the document's key and dropped with the document. New previews take the
room of those that were used longest ago. Some are kept for a short time, as a failure is; a preview
without room stays in memory for some minutes.

A long preview is not held in memory: it is read piece by piece while somebody takes it.
"""

from collections.abc import Iterator
from contextlib import suppress
from itertools import count
from typing import Any

from peewee import SQL, BigIntegerField, BlobField, OperationalError, TextField, fn
from peewee import Table as TableReference

from crypto import DecryptionError, sealing
from viewer import JobResult

from ..core import ServiceError, now
from ..records import Table
from ..runtime import Use, current_runtime
from ..storage import connected, engine, param, prepared, separate_transaction
from ..storage.payloads import CHUNKS, PIECE_BYTES, SEALED_BYTES, layout_of
from ..storage.payloads import rows as payload_rows
from .payload import Payload

PREVIEW_USE_RECORDED_MS = 60 * 60 * 1000  # so that most views write nothing

READ_AT_ONCE_BYTES = 1 << 20  # a preview of at most so many bytes is read as a whole


class PreviewReader:
    """A reader of ranges of a stored preview.

    The piece of a short range is kept for the next one, as many short ranges follow each other.
    """

    def __init__(self, preview: "StoredPreview", key: bytes, first: bytes) -> None:
        """Open the first piece, which is given. Raise `DecryptionError` if it does not open."""
        self._id = preview.id
        self._size = preview.size
        self._reader = sealing.ChunkReader(key, preview._context(), preview.head)
        if len(first) != layout_of(self._id).sealed_length(self._size, 0):
            raise DecryptionError
        self._kept: tuple[int, bytes] | None  # the number of a piece, and the piece
        self._kept = 0, self._reader.open(0, first)

    def read(self, start: int, stop: int) -> Iterator[bytes]:
        """Yield the bytes from `start` to before `stop`. Raise `DecryptionError`."""
        first = start // PIECE_BYTES
        last = (stop if stop == self._size else stop - 1) // PIECE_BYTES  # with the end mark
        base = first * PIECE_BYTES
        if first == last:
            yield self._piece(first)[start - base : stop - base]
            return
        self._kept = None
        for piece in self._pieces(first, last):
            yield piece[max(start - base, 0) : stop - base]
            base += PIECE_BYTES

    def _piece(self, number: int) -> bytes:
        if self._kept is None or self._kept[0] != number:
            (piece,) = self._pieces(number, number)
            self._kept = number, piece
        return self._kept[1]

    def _pieces(self, first: int, last: int) -> Iterator[bytes]:
        sealed_pieces = payload_rows.pieces(self._id, self._size, first, last)
        return map(self._reader.open, count(first * CHUNKS, CHUNKS), sealed_pieces)


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
    def id_of(cls, document: Payload, job_name: str) -> str:
        """Return the id of what this job makes of the document."""
        return f"{cls.PREFIX}_{sealing.keyed_digest(document.key, 'preview/1', job_name)}"

    @classmethod
    def kept(cls, document: Payload, id: str) -> JobResult | None:
        """Return the preview with this id.

        Return None if there is none, or if it does not open: then it is made anew. A response that
        is being sent reads as well, after its request gave its connection back.
        """
        with connected():
            found = _with_first_piece().first(id=id)
        if found is None or (preview := cls.of_columns(found[:-1]))._has_expired():
            unkept = current_runtime().unkept_previews.get(id)
            return None if unkept is None else JobResult.of_bytes(unkept)
        if preview.used_at < now() - PREVIEW_USE_RECORDED_MS:
            current_runtime().unrecorded.add_use(document.owner_id, cls._record_use, id, now())
        with suppress(DecryptionError):
            return preview._open(document, bytes(found[-1]))
        return None

    @classmethod
    def keep(cls, document: Payload, id: str, made: JobResult, kept_ms: int | None) -> JobResult:
        """Keep what was made, for so many milliseconds, or for long; return it.

        A long preview that is stored is given out of memory.
        """
        data = made.to_bytes()
        expires_at = None if kept_ms is None else now() + kept_ms
        if not cls._store_if_room(document, id, data, expires_at):
            current_runtime().unkept_previews.put(id, data)
            return made
        if len(data) <= READ_AT_ONCE_BYTES:
            return made
        return cls.kept(document, id) or made

    @classmethod
    def drop_all_of(cls, document_id: str) -> None:
        for row in cls.select(cls.id).where(cls.document_id == document_id):
            cls._drop(row.id)

    @classmethod
    def forget_expired(cls) -> None:
        """Delete previews that were kept for a short time, or in memory for some minutes."""
        current_runtime().unkept_previews.forget_old()
        for row in list(cls.select(cls.id).where(cls.expires_at <= now())):
            with separate_transaction(synced=False):
                cls._drop(row.id)

    @classmethod
    def _record_use(cls, id: str, use: Use) -> None:
        cls.update(used_at=use.moment).where(cls.id == id).execute()

    def _has_expired(self) -> bool:
        """Return whether the preview has expired, or was kept briefly before this process started.

        Among those kept briefly are failures, and the end of a process may be their only cause: it
        ends its child as well.
        """
        if self.expires_at is None:
            return False
        return self.expires_at <= now() or self.created_at < current_runtime().started_at

    def _open(self, document: Payload, first: bytes) -> JobResult:
        """Return the preview with this first piece. Raise `DecryptionError` if it does not open.

        Only the first piece of a long preview is opened here.
        """
        reader = PreviewReader(self, document.key, first)
        if self.size > READ_AT_ONCE_BYTES:
            return JobResult.of_kept(self.size, reader.read)
        return JobResult.of_bytes(b"".join(reader.read(0, self.size)))

    @classmethod
    def _store_if_room(
        cls, document: Payload, id: str, made: bytes, expires_at: int | None
    ) -> bool:
        """Store the preview, unless the document was deleted meanwhile.

        Return whether there was room.
        """
        settings = current_runtime().settings
        moment = now()
        if len(made) > settings.preview_bytes:
            return False
        row = cls(id=id, created_at=moment, used_at=moment, expires_at=expires_at)
        row.document_id = document.id
        row.size = len(made)
        sealer = sealing.Sealer(document.key, row._context())
        row.head = sealer.header
        sealed = sealer.update(made) + sealer.finish()
        with (
            suppress(OperationalError, OSError, ServiceError),
            connected(),
            engine().reserve_disk_space(len(made), settings.reserve_bytes),
            separate_transaction(synced=False),
        ):
            if document.as_stored(document.id):
                row._store(sealed, settings.preview_bytes)
            return True
        return False

    def _store(self, sealed: bytes, most_bytes: int) -> None:
        self._drop(self.id)
        self._make_room(most_bytes - self.size)
        starts = range(0, len(sealed), SEALED_BYTES)
        payload_rows.store(self.id, (sealed[at : at + SEALED_BYTES] for at in starts))
        self.store()

    @classmethod
    def _make_room(cls, most_bytes: int) -> None:
        """Drop the previews used longest ago until the others have at most so many bytes."""
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
        words = self.document_id, self.id, self.size, self.created_at, self.expires_at
        return sealing.context("preview/2", *map(str, words))


@prepared
def _with_first_piece() -> Any:
    piece = TableReference("piece").alias("piece")
    is_first = (piece.c.document_id == StoredPreview.id) & (piece.c.number == SQL("0"))
    query = StoredPreview.select(*StoredPreview._meta.sorted_fields, piece.c.sealed)
    return query.from_(StoredPreview, piece).where(StoredPreview.id == param("id"), is_first)
