"""An upload: a payload sealed and stored piece by piece, then the document's row; both or nothing.

All but the last pieces of a large payload are stored in short transactions of their own, so that
other writers get the lock in between. Without the row, which holds their key and is written in
the last transaction, they cannot be read. A file or an object is stored as a whole before that
transaction.
"""

import hashlib
import zlib
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext, suppress
from functools import partial
from types import MappingProxyType
from typing import Any, Protocol

from peewee import OperationalError

from crypto import DecryptionError, sealing

from ..core import (
    Busy,
    StorageFailing,
    StoredUnsynced,
    first_id,
    generate_id,
)
from ..events import EventHead, current_actor
from ..records import require_future
from ..runtime import current_runtime, independent_steps
from ..storage import (
    NotSynced,
    database,
    engine,
    errors_changed,
    on_rollback,
    separate_transaction,
    transaction,
)
from ..storage.payloads import (
    FILES,
    PIECE_BYTES,
    ROWS,
    SEPARATE_PREFIX,
    has_separate_pieces,
    prefetch,
    seal_piece,
)
from ..storage.payloads import rows as payload_rows
from .document import READ_TWICE_BYTES, Document
from .payload import place_for
from .unfinished_upload import UnfinishedUpload
from .unreferenced_payload import UnreferencedPayload

STEP_PIECES = 10  # 2 MiB: a few milliseconds with the writer lock
STEP_BYTES = STEP_PIECES * PIECE_BYTES
_UNSYNCED = (
    "But the disk did not confirm it: look at the list before you send it again, and tell the "
    "person who runs this."
)
_NOT_STORED = (
    "The disk did not confirm what you sent, and nothing of it was stored. Tell the person who "
    "runs this."
)
LastPieces = tuple[int, list[bytes]]  # and the number of the first of them


class Checksums:
    """SHA-256 and CRC-32 of a payload that comes in pieces.

    A payload that a ZIP file reads twice needs no CRC-32, which would cost a tenth of its upload.
    """

    def __init__(self, size: int) -> None:
        self._sha256 = hashlib.sha256()
        self.crc32 = 0 if size > READ_TWICE_BYTES else None

    def update(self, data: bytes) -> None:
        self._sha256.update(data)
        if self.crc32 is not None:
            self.crc32 = zlib.crc32(data, self.crc32)

    @property
    def sha256(self) -> str:
        """The SHA-256 of all that has come, in hex."""
        return self._sha256.hexdigest()


class SentPayload(Protocol):
    @property
    def size(self) -> int:
        """Return the size in bytes."""

    def pieces(self) -> Iterable[bytes]:
        """Return the bytes in pieces of 192 KiB, the last one shorter."""

    def refuse_if_longer(self, limit_bytes: int) -> None:
        """Raise `PayloadTooLarge`, or the error of an invalid payload."""


def require_room(owner_id: str, payload: SentPayload) -> None:
    """Raise an error unless a document may be so large, and the owner have it.

    `upload` calls this itself; call it earlier before work that is done for the upload alone, as
    the hashing of a password.
    """
    payload.refuse_if_longer(current_runtime().settings.max_document_bytes)
    require_quota(owner_id, payload.size)


@contextmanager
def upload(
    owner_id: str,
    payload: SentPayload,
    *,
    content_type: str,
    origin: Mapping[str, Any] = MappingProxyType({}),
    came_by: str | None = None,
    replaces: str | None = None,
    **given: Any,
) -> Iterator[Document]:
    """Store a new document. What the block does is stored in one transaction with its row.

    `given` are the values that its owner gives, by the names that `Document.edit` takes. The
    payload is received before the block begins, without the writer lock. `origin` are facts for the
    event that records the document; `came_by` is the id of the link by which a stranger sends it.
    `replaces` is the id of a document of the owner's, as whose newer version it is stored: it takes
    over metadata and end as they are then, and whatever else is not of the file.

    Raises `PayloadTooLarge`, `QuotaExceeded`, `StorageFull`, and the errors of `payload` and the
    block: then nothing is stored. Raises `StoredUnsynced` if all is stored and not synced.
    """
    require_room(owner_id, payload)
    require_future(given.get("expires_at"))
    document = new_document(
        owner_id,
        payload.size,
        content_type=content_type,
        origin=origin,
        came_by=came_by,
        given=given,
    )
    _choose_place(document)
    document.uploader_id = acting_user_id()
    with _stored_or_aborted(document), _disk_space_for(document), steps_to(document.place):
        since = engine().sync_failures()
        sums = Checksums(document.size)
        first, last = _store_payload(document, payload.pieces(), sums)
        document.sha256 = sums.sha256
        document.crc32 = sums.crc32
        with transaction(owner_id, since=since), EventHead.moved_once(owner_id):
            on_rollback(partial(_abort, document))
            require_quota(owner_id, document.size)  # exact under the writer lock
            if replaces:
                document.take_over(Document.one_of(owner_id, replaces))
            if document.place == ROWS:
                payload_rows.store(document.id, last, first)
            else:
                UnreferencedPayload.end_upload(document.payload_id, document.place)
            if first:
                payload_rows.end(document.id)
            document.store_row()
            yield document


def new_document(
    owner_id: str,
    size: int,
    *,
    content_type: str,
    origin: Mapping[str, Any],
    came_by: str | None,
    given: Mapping[str, Any],
) -> Document:
    """Return a document that is not stored yet, with the values of an upload, as `upload` has
    them.
    """
    document = Document.fresh(owner_id=owner_id, content_type=content_type)
    document.size = size
    document.origin = origin
    document.came_by = came_by
    document.set_given(given)
    return document


def store_as_exported(document: Document, payload: Iterable[bytes]) -> None:
    """Store a document that another instance has exported, in one transaction that is not synced.

    No event tells of it, since the log that was exported with it does. Raises `DecryptionError` if
    the payload has another SHA-256, `StorageFull`; then nothing is stored.
    """
    _choose_place(document)
    in_rows = document.place == ROWS
    sums = Checksums(document.size)
    pieces = _sealed_pieces(document, payload, sums)
    with _disk_space_for(document):
        try:
            if not in_rows:
                _store_beside_rows(document, pieces)
            with separate_transaction(document.owner_id, synced=False):
                if in_rows:
                    payload_rows.store(document.id, pieces)
                else:
                    UnreferencedPayload.end_upload(document.payload_id, document.place)
                if sums.sha256 != document.sha256:
                    raise DecryptionError
                document.crc32 = sums.crc32
                document.store_without_event()
        except BaseException:
            if not in_rows:
                delete_aborted_payload(document, document.place)
            raise


@contextmanager
def _stored_or_aborted(document: Document) -> Iterator[None]:
    """Delete what was stored of an upload that fails in the block.

    Raise `StoredUnsynced` if it was stored and not synced, `StorageFailing` if a step before the
    last one was not synced.
    """
    with errors_changed(partial(_if_unsynced, document)):
        try:
            yield
        except BaseException:
            _abort(document)
            raise


def _if_unsynced(document: Document, error: Exception) -> Exception:
    """Return what `_stored_or_aborted` raises in place of an error."""
    if not isinstance(error, NotSynced):
        return error
    if Document.as_stored(document.id):
        return StoredUnsynced(f"Document {document.id} is stored. {_UNSYNCED}")
    return StorageFailing(_NOT_STORED)


def _disk_space_for(document: Document) -> AbstractContextManager[None]:
    """Reserve the space that the payload takes on the disk of the database."""
    reserve_bytes = current_runtime().settings.reserve_bytes
    if document.place == FILES:
        return engine().reserve_disk_space(document.size, reserve_bytes, in_file=True)
    size = document.size if document.place == ROWS else 0
    return engine().reserve_disk_space(size, reserve_bytes)


def steps_to(place: str) -> AbstractContextManager[None]:
    """Return the context of all steps in which a payload is stored in a place.

    Where writers of several owners do not wait for each other, the steps are one transaction with
    the last one, which takes the lock: a killed process leaves nothing.
    """
    is_one = place == ROWS and engine().is_shared
    return transaction(None) if is_one else nullcontext()


def _store_payload(document: Document, payload: Iterable[bytes], sums: Checksums) -> LastPieces:
    """Seal and store all but the last pieces, and hash the payload on the way."""
    pieces = _sealed_pieces(document, payload, sums)
    if document.place != ROWS:
        _store_beside_rows(document, pieces)
        return 0, []
    if document.size > STEP_BYTES:
        return _store_steps(document.id, prefetch(pieces))
    return 0, list(pieces)


def _store_beside_rows(document: Document, pieces: Iterator[bytes]) -> None:
    """Store a whole payload in a file or an object, which has a record from then on."""
    UnreferencedPayload.begin_upload(document.payload_id, document.place, document.size)
    with closing(prefetch(pieces)) as made:
        store = current_runtime().store_beside_rows(document.place)
        store.store(document.payload_id, made, document.size)


def _sealed_pieces(
    document: Document, payload: Iterable[bytes], sums: Checksums
) -> Iterator[bytes]:
    """Generate the key of a document, and return its payload's pieces as they are stored."""
    document.key = sealing.generate_key()
    if has_separate_pieces(document.payload_id):
        return _sealed_separately(document, payload, sums)
    sealer = sealing.Sealer(document.key, document.payload_context())
    document.payload_head = sealer.header
    return _sealed(payload, sealer, sums)


def _sealed(payload: Iterable[bytes], sealer: sealing.Sealer, sums: Checksums) -> Iterator[bytes]:
    """Yield the payload's pieces, sealed and hashed; the last one has the end mark."""
    short = b""
    for plain in payload:
        sums.update(plain)
        short = sealer.update(plain)
        if len(plain) == PIECE_BYTES:
            yield short
            short = b""
    yield short + sealer.finish()


def _sealed_separately(
    document: Document, payload: Iterable[bytes], sums: Checksums
) -> Iterator[bytes]:
    """Yield the payload's separate pieces, sealed and hashed."""
    payload_id = document.payload_id
    for number, plain in enumerate(payload):
        sums.update(plain)
        yield seal_piece(document.key, payload_id, document.size, number, plain)


def _store_steps(document_id: str, pieces: Iterator[bytes]) -> LastPieces:
    """Store all but the last pieces, syncing on a second thread, so that the last sync is short."""
    waiting: list[bytes] = []
    first = 0
    syncs: list[Future[None]] = []
    with ThreadPoolExecutor(1) as syncing:
        for piece in pieces:
            if len(waiting) == STEP_PIECES:
                with separate_transaction(None, synced=False):
                    if first == 0:
                        payload_rows.begin(document_id)
                    payload_rows.store(document_id, waiting, first)
                first = first + STEP_PIECES
                waiting = []
                if not syncs or syncs[-1].done():
                    syncs.append(syncing.submit(engine().sync))
            waiting.append(piece)
        for sync in syncs:
            sync.result()  # raises its error before the row is written
    return first, waiting


def acting_user_id() -> str | None:
    """Return the id of the member who uploads into a space; None elsewhere."""
    return current_actor.get().get("userId")


def require_quota(owner_id: str, size: int, instead_of: str = "") -> None:
    """Raise `QuotaExceeded` unless the owner may store so many bytes more.

    What is stored counts, and what the owner's unfinished uploads promise, but that of one which
    becomes this document, if `instead_of` is its id.
    """
    quota = current_runtime().quota
    if quota.most_documents is not None:
        stored = Document.stored_by(owner_id)
        documents, size_bytes = UnfinishedUpload.promised_by(owner_id, but=instead_of)
        quota.require(size, stored.documents + documents, stored.size_bytes + size_bytes)


def room_in_quota(owner_id: str) -> int | None:
    """Return how many bytes more the owner may store, as `require_quota` counts; None if any."""
    most_bytes = current_runtime().quota.bytes
    if most_bytes is None:
        return None
    _, promised_bytes = UnfinishedUpload.promised_by(owner_id)
    return max(0, most_bytes - Document.stored_by(owner_id).size_bytes - promised_bytes)


def _choose_place(document: Document) -> None:
    """Choose where the payload lies, and under which id."""
    document.place = place_for(document.size)
    if document.place != ROWS and document.size > current_runtime().large_payload_bytes:
        document.payload_head = generate_id(SEPARATE_PREFIX).encode()


def delete_unfinished_uploads() -> None:
    """Delete what uploads left that a killed process had begun, while no other one may serve.

    Where others may, pieces are stored in one transaction, and what lies elsewhere has its time.
    """
    started_at = current_runtime().started_at
    with transaction():
        payload_rows.drop_unfinished(first_id(Document.PREFIX, started_at))
        UnreferencedPayload.abort_uploads(started_at)


def delete_aborted_uploads() -> None:
    """Delete the pieces of uploads that failed.

    An upload whose row was committed, and only not synced, stays whole.
    """
    with independent_steps() as do:
        for id in list(current_runtime().aborted_uploads):
            do(partial(_delete_aborted_upload, id))


def _delete_aborted_upload(document_id: str) -> None:
    with separate_transaction(synced=False):
        if not Document.as_stored(document_id):
            payload_rows.drop(document_id)
            payload_rows.end(document_id)
    current_runtime().aborted_uploads.discard(document_id)


def delete_aborted_payload(document: Document, place: str) -> None:
    """Have the payload deleted from a place, unless the row says that it is there: only the sync
    of the row failed, then.
    """
    with separate_transaction(synced=False):
        stored = Document.as_stored(document.id)
        if stored is None or stored.place != place:
            UnreferencedPayload.mark_to_drop(document.payload_id, place)


def _abort(document: Document) -> None:
    if database.in_transaction():  # its rollback calls this
        return
    with suppress(OperationalError, Busy):  # a full disk: the sweeper tries again
        if document.place != ROWS:
            delete_aborted_payload(document, document.place)
        elif document.size > STEP_BYTES:
            current_runtime().aborted_uploads.add(document.id)
            delete_aborted_uploads()
