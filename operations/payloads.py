"""The payload store: compared with the documents, and payloads moved to another place."""

from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from itertools import islice
from typing import NamedTuple

from peewee import IntegrityError

from crypto import DecryptionError, KeyringError
from models.core import Busy, NotFound, OperatorError, PayloadStoreAway
from models.documents import (
    STEP_PIECES,
    Document,
    UnreferencedPayload,
    delete_aborted_payload,
    payloads_in_use,
    steps_to,
)
from models.runtime import current_runtime
from models.setup import check_payload_store
from models.storage import connected, database, engine, separate_transaction, transaction
from models.storage.payloads import FILES, OBJECTS, PIECE_BYTES, ROWS, files
from models.storage.payloads import rows as payload_rows

from .progress import ReportProgress, no_progress

PAGE_FILES = 500


class MoveResult(NamedTuple):
    moved: int
    problems: list[str]  # a sentence for each document that stays where it was


def unreferenced_objects() -> Iterator[list[str]]:
    """Yield the ids of objects that neither a row nor a record names.

    A restore leaves such objects. An object that an upload stores meanwhile had a record before it
    was listed.
    """
    objects = current_runtime().payload_objects
    for ids in objects.payload_ids() if objects else ():
        if left := _unreferenced(OBJECTS, ids):
            yield left


def unreferenced_files() -> Iterator[list[str]]:
    """Yield the ids of files of payloads that neither a row nor a record names."""
    if engine().is_shared:
        return
    listed = (id for id, _ in files.stored())
    while ids := list(islice(listed, PAGE_FILES)):
        if left := _unreferenced(FILES, ids):
            yield left


def _unreferenced(place: str, payload_ids: list[str]) -> list[str]:
    with connected(), transaction():
        left = UnreferencedPayload.without_record(place, payload_ids)
        return sorted(left - payloads_in_use(place, left))


def drop_unreferenced_payloads() -> int:
    """Delete them; returns how many. Raises what `check_payload_store` does."""
    check_payload_store()
    dropped = 0
    for ids in unreferenced_files():
        files.drop(*ids)
        dropped += len(ids)
    for ids in unreferenced_objects():
        current_runtime().require_objects().drop(*ids)
        dropped += len(ids)
    UnreferencedPayload.drop_due(payloads_in_use)
    return dropped


def move_payloads(place: str, report: ReportProgress = no_progress) -> MoveResult:
    """Move every payload that may lie in `place` there, one document at a time.

    Rows take all payloads, objects those of more than one piece, files large ones. The service may
    be running, with the same settings. Interrupted, it loses nothing, and begun again it goes on.
    `report` counts bytes.
    """
    _require_place_to_move_to(place)
    check_payload_store()
    smallest = _smallest_of(place)
    problems: list[str] = []
    done = 0
    moved = 0
    _, total = Document.stored()
    for document in Document.each():
        if document.place != place and document.size > smallest:
            moved += _moved(document, place, problems)
        done += document.size
        report(done, total)
    UnreferencedPayload.drop_due(payloads_in_use)
    return MoveResult(moved, problems)


def _require_place_to_move_to(place: str) -> None:
    """Raise `PayloadStoreAway` without a store of objects, `OperatorError` for files beside a
    database that several machines may serve.
    """
    if place == OBJECTS:
        current_runtime().require_objects()
    if place == FILES and engine().is_shared:
        raise OperatorError("Payloads lie in files only beside an SQLite database. Name objects.")


def _smallest_of(place: str) -> int:
    """Return the size above which payloads are moved to a place."""
    return current_runtime().large_payload_bytes if place == FILES else PIECE_BYTES


def _moved(document: Document, place: str, problems: list[str]) -> bool:
    """Move a payload and return whether it was moved; if not, report why, unless it was deleted."""
    try:
        _move(document, place)
        return True
    except (DecryptionError, KeyringError):
        problems.append(f"{document.id} cannot be decrypted. Restore a backup, or delete it.")
    except PayloadStoreAway:
        raise
    except (Busy, IntegrityError):
        problems.append(f"{document.id} is being moved by another process. Try again later.")
    except NotFound:
        pass
    return False


def _move(document: Document, place: str) -> None:
    """Copy a payload as it lies, compare its SHA-256, and let the row refer to the copy."""
    former = document.place
    with _disk_space_for(document, place), steps_to(place):
        with transaction():
            _require_place(document, former)
            UnreferencedPayload.begin_upload(document.payload_id, place, document.size)
            if place == ROWS:
                payload_rows.drop(document.payload_id)  # of a move that was interrupted
        try:
            _copy(document, place)
            _verify(document, _pieces(document, place))
            with transaction():
                row = _require_place(document, former)
                if place == ROWS:
                    _require_all_rows(document)
                row.change(place=place)
                UnreferencedPayload.end_upload(document.payload_id, place)
                row.drop_payload_from(former)
        except BaseException:
            if not database.in_transaction():  # else its rollback deletes the copy
                delete_aborted_payload(document, place)
            raise


def _disk_space_for(document: Document, place: str) -> AbstractContextManager[None]:
    size = 0 if place == OBJECTS else document.size
    reserve_bytes = current_runtime().settings.reserve_bytes
    return engine().reserve_disk_space(size, reserve_bytes, in_file=place == FILES)


def _copy(document: Document, place: str) -> None:
    sealed_pieces = document.sealed_pieces(0, document.last_piece)
    if place == ROWS:
        _copy_to_rows(document.payload_id, sealed_pieces)
    else:
        store = current_runtime().store_beside_rows(place)
        store.store(document.payload_id, sealed_pieces, document.size)


def _copy_to_rows(payload_id: str, sealed_pieces: Iterator[bytes]) -> None:
    """Store pieces in steps, so that other writers get the lock in between."""
    first = 0
    while some := list(islice(sealed_pieces, STEP_PIECES)):
        with separate_transaction(None, synced=False):
            payload_rows.store(payload_id, some, first)
        first += len(some)


def _pieces(document: Document, place: str) -> Iterator[bytes]:
    store = current_runtime().payload_store(place)
    return store.pieces(document.payload_id, document.size, 0, document.last_piece)


def _verify(document: Document, pieces: Iterable[bytes]) -> None:
    if document.digest_of(pieces) != document.sha256:
        raise DecryptionError


def _require_place(document: Document, place: str) -> Document:
    """Return the row, read again under the writer lock. Raise `Busy` if it was moved."""
    document = Document.of_id(document.id)
    if document.place != place:
        raise Busy
    return document


def _require_all_rows(document: Document) -> None:
    """Raise `Busy` if another process has deleted some of the pieces as those of a killed one."""
    if payload_rows.count(document.payload_id) != document.last_piece + 1:
        raise Busy
