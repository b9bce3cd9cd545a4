"""An upload: a payload sealed and stored piece by piece, then the document's row; both or nothing.

All but the last pieces of a large payload are stored in short transactions of their own, so that
other writers get the lock in between. Without the row, which holds their key and is written in
the last transaction, they cannot be read.
"""

import hashlib
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any

from peewee import OperationalError

from crypto import sealing

from .document import Document
from .document_token import DocumentToken
from .errors import Busy
from .event_head import EventHead
from .link_options import LinkOptions
from .records.ids import first_id
from .records.issued import Issued
from .records.owned import require_future
from .runtime import current_runtime
from .storage import (
    database,
    on_rollback,
    payload_rows,
    sync_wal,
    transaction,
    unsynced_transaction,
    wal_sync_failures,
)
from .storage.disk_space import reserve_disk_space
from .storage.prefetch import prefetch

STEP_PIECES = 10  # 2 MiB: a few milliseconds with the writer lock
Numbered = list[tuple[int, bytes]]


def upload(
    owner_id: str,
    payload: Iterable[bytes],
    *,
    size: int,
    content_type: str,
    name: str | None = None,
    metadata: dict[str, str] | None = None,
    expires_at: int | None = None,
    link: LinkOptions | None = None,
) -> tuple[Document, Issued[DocumentToken] | None]:
    """A new document, and its first token if `link` is given.

    `payload` yields `size` bytes in pieces of 192 KiB, the last one shorter. Raises
    `QuotaExceeded`, `StorageFull`, and whatever `payload` raises.
    """
    require_future(expires_at)
    runtime, since = current_runtime(), wal_sync_failures()
    _require_quota(owner_id, size)
    document: Document = Document.fresh(owner_id=owner_id, content_type=content_type, size=size)
    document.expires_at = expires_at
    with reserve_disk_space(size, runtime.settings.reserve_bytes), _aborted_on_error(document):
        sha256, last = _store(document, payload)
        document.seal_meta({"name": name, "metadata": metadata or {}, "sha256": sha256})
        with transaction(since=since), EventHead.moved_once(owner_id):
            on_rollback(partial(_abort, document))
            _require_quota(owner_id, size)  # exact under the writer lock
            payload_rows.store(document.id, last)
            document.store_row()
            return document, DocumentToken.issue(document, link, with_upload=True) if link else None


def _require_quota(owner_id: str, size: int) -> None:
    quota = current_runtime().quota
    if quota.is_limited:
        quota.require(size, *Document.stored_by(owner_id))


def delete_unfinished_uploads() -> None:
    """Delete the pieces of uploads that a killed process had begun, while no other one serves."""
    with transaction():
        payload_rows.drop_orphans(first_id(Document.PREFIX, current_runtime().started_at))


def delete_aborted_uploads() -> None:
    """Delete the pieces of uploads that failed.

    One whose row was committed and could only not be synced stays whole.
    """
    aborted = current_runtime().aborted_uploads
    for id in list(aborted):
        with transaction():
            if not Document.find(id):
                payload_rows.drop(id)
        aborted.discard(id)


@contextmanager
def _aborted_on_error(document: Document) -> Iterator[None]:
    try:
        yield
    except BaseException:
        _abort(document)
        raise


def _abort(document: Document) -> None:
    if _is_large(document) and not database.in_transaction():  # its rollback deletes the pieces
        current_runtime().aborted_uploads.add(document.id)
        with suppress(OperationalError, Busy):  # a full disk: the sweeper tries again
            delete_aborted_uploads()


def _is_large(document: Document) -> bool:
    return document.size > STEP_PIECES * payload_rows.PIECE_BYTES


def _store(document: Document, payload: Iterable[bytes]) -> tuple[str, Numbered]:
    """The payload's SHA-256 in hex, and its last pieces, still to be stored."""
    document.key = sealing.generate_key()
    sealer, digest = sealing.Sealer(document.key, document.payload_context()), hashlib.sha256()
    document.payload_head = sealer.head
    sealed = enumerate(_sealed(payload, sealer, digest))
    last = _store_steps(document.id, prefetch(sealed)) if _is_large(document) else list(sealed)
    return digest.hexdigest(), last


def _store_steps(document_id: str, pieces: Iterator[tuple[int, bytes]]) -> Numbered:
    """Store all but the last pieces, syncing on a second thread, so that the last sync is short."""
    waiting: Numbered = []
    syncs: list[Future[None]] = []
    with ThreadPoolExecutor(1) as syncing:
        for numbered in pieces:
            if len(waiting) == STEP_PIECES:
                with unsynced_transaction():
                    payload_rows.store(document_id, waiting)
                waiting = []
                if not syncs or syncs[-1].done():
                    syncs.append(syncing.submit(sync_wal))
            waiting.append(numbered)
    for sync in syncs:
        sync.result()  # raises what failed, before the row is written
    return waiting


def _sealed(payload: Iterable[bytes], sealer: sealing.Sealer, digest: Any) -> Iterator[bytes]:
    """The payload's pieces, sealed, and hashed on the way; the last one has the end mark."""
    short = b""
    for plain in payload:
        digest.update(plain)
        short = sealer.update(plain)
        if len(plain) == payload_rows.PIECE_BYTES:
            yield short
            short = b""
    yield short + sealer.finish()
