"""An upload: a payload sealed and stored piece by piece, then the document's row; both or nothing.

Most pieces of a large payload are stored in short transactions of their own, so that other
writers go in between. They are noise without the row, which comes last and brings the key.
"""

import hashlib
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from typing import Any

from peewee import OperationalError

from crypto import sealing

from .document import Document
from .errors import Busy
from .media_types import essence
from .quota import Quota
from .records.ids import generate_id
from .records.owned import require_future
from .storage import payload_rows
from .storage.database import database, sync_wal, transaction, wal_sync_failures
from .storage.disk_space import reserve_disk_space
from .storage.prefetch import prefetch

STEP_PIECES = 10  # 2 MiB: a few milliseconds of the writers' time
Numbered = list[tuple[int, bytes]]

reserve_bytes = 0
_broken_off: set[str] = set()
quota = Quota()
_born = generate_id(Document.PREFIX)

_DROP_UNFINISHED = """
    DELETE FROM piece WHERE document_id < ? AND document_id NOT IN (SELECT id FROM document)"""


@contextmanager
def uploaded(
    owner_id: str,
    payload: Iterable[bytes],
    *,
    size: int,
    content_type: str,
    name: str | None = None,
    metadata: dict[str, str] | None = None,
    expires_at: int | None = None,
) -> Iterator[Document]:
    """A new document with a payload of `size` bytes, in pieces of 192 KiB (the last one shorter).

    What is done in the block belongs to the transaction that makes it exist.
    """
    require_future(expires_at)
    quota.refuse_if_over(owner_id, size)
    document: Document = Document.fresh(owner_id=owner_id, content_type=content_type, size=size)
    document.media_type, document.expires_at = essence(content_type), expires_at
    document.key, since = sealing.generate_key(), wal_sync_failures()
    with reserve_disk_space(size, reserve_bytes), _kept_only_whole(document):
        sha256, last = _store(document, payload)
        document.meta = {"name": name, "metadata": metadata or {}, "sha256": sha256}
        document.sealed_meta = document.seal("meta/1", document.id, document.meta)
        with transaction(since=since):
            quota.refuse_if_over(owner_id, size)  # exactly: others may have come in between
            payload_rows.store(document.id, last)
            document.wrap_key()
            document.insert_row()
            document.tell("document.created", expires_at=expires_at)
            yield document


def delete_unfinished_uploads() -> None:
    """What uploads left behind that a killed process had begun. Only where no other one serves."""
    with transaction():
        database.execute_sql(_DROP_UNFINISHED, (_born,))


def delete_aborted_uploads() -> None:
    """What is left of uploads that broke off, as soon as the disk takes changes again.

    One that broke off when its row was stored already, and could not be synced, stays whole.
    """
    for id in list(_broken_off):
        with transaction():
            if not Document.rows("id = :id", id=id):
                payload_rows.drop(id)
        _broken_off.discard(id)


@contextmanager
def _kept_only_whole(document: Document) -> Iterator[None]:
    try:
        yield
    except BaseException:
        if _is_large(document) and not database.in_transaction():  # which is taken back anyway
            _broken_off.add(document.id)
            with suppress(OperationalError, Busy):  # on a full disk this has to wait
                delete_aborted_uploads()
        raise


def _is_large(document: Document) -> bool:
    return document.size > STEP_PIECES * payload_rows.PIECE_BYTES


def _store(document: Document, payload: Iterable[bytes]) -> tuple[str, Numbered]:
    """The payload's SHA-256 in hex, and its last pieces, not stored yet; all before them are."""
    sealer, digest = sealing.Sealer(document.key, document.payload_context()), hashlib.sha256()
    document.payload_head = sealer.head
    sealed = enumerate(_sealed(payload, sealer, digest))
    last = _store_steps(document.id, prefetch(sealed)) if _is_large(document) else list(sealed)
    return digest.hexdigest(), last


def _store_steps(document_id: str, pieces: Iterator[tuple[int, bytes]]) -> Numbered:
    """Store all but the last pieces. What is stored is synced beside, so that the sync that is
    waited for in the end finds little left to do.
    """
    waiting: Numbered = []
    syncs: list[Future[None]] = []
    with ThreadPoolExecutor(1) as beside:
        for numbered in pieces:
            if len(waiting) == STEP_PIECES:
                with transaction(synced=False):
                    payload_rows.store(document_id, waiting)
                waiting = []
                if not syncs or syncs[-1].done():
                    syncs.append(beside.submit(sync_wal))
            waiting.append(numbered)
    for sync in syncs:
        sync.result()  # before the row that makes a document of them
    return waiting


def _sealed(payload: Iterable[bytes], sealer: sealing.Sealer, digest: Any) -> Iterator[bytes]:
    """A payload's pieces, sealed, and hashed on the way; the last one ends with the end mark."""
    short = b""
    for plain in payload:
        digest.update(plain)
        short = sealer.update(plain)
        if len(plain) == payload_rows.PIECE_BYTES:
            yield short
            short = b""
    yield short + sealer.finish()
