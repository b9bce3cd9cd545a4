"""The payload store: compared with the documents, and payloads moved to another place."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from crypto import DecryptionError, KeyringError
from models.core import Busy, NotFound, PayloadStoreAway
from models.documents import Document, UnreferencedObject, delete_aborted_object
from models.runtime import current_runtime
from models.setup import check_payload_store
from models.storage import connected, engine, transaction
from models.storage.payloads import OBJECTS, PIECE_BYTES, ROWS, PayloadStore
from models.storage.payloads import rows as payload_rows

from .progress import ReportProgress, no_progress


class MoveResult(NamedTuple):
    moved: int
    problems: list[str]  # a sentence for each document that stays where it was


def unreferenced_objects() -> Iterator[list[str]]:
    """Yield the ids of objects that neither a document nor a record names.

    A restore leaves such objects. An object that an upload stores meanwhile had a record before it
    was listed.
    """
    objects = current_runtime().payload_objects
    for ids in objects.document_ids() if objects else ():
        with connected(), transaction():
            left = UnreferencedObject.without_record(ids)
            left -= Document.having_objects(left)
        if left:
            yield sorted(left)


def drop_unreferenced_objects() -> int:
    """Delete them; returns how many. Raises what `check_payload_store` does."""
    check_payload_store()
    dropped = 0
    for ids in unreferenced_objects():
        current_runtime().require_objects().drop(*ids)
        dropped += len(ids)
    UnreferencedObject.drop_due(Document.having_objects)
    return dropped


def move_payloads(place: str, report: ReportProgress = no_progress) -> MoveResult:
    """Move every payload of more than one piece to `place`, one document at a time.

    The service may be running, with the same settings. Interrupted, it loses nothing, and begun
    again it goes on. `report` counts bytes.
    """
    current_runtime().require_objects()
    check_payload_store()
    problems: list[str] = []
    done = 0
    moved = 0
    _, total = Document.stored()
    for document in Document.each():
        if document.place != place and document.size > PIECE_BYTES:
            moved += _moved(document, place, problems)
        done += document.size
        report(done, total)
    UnreferencedObject.drop_due(Document.having_objects)
    return MoveResult(moved, problems)


def _moved(document: Document, place: str, problems: list[str]) -> bool:
    """Move a payload and return whether it was moved; if not, report why, unless it was deleted."""
    try:
        _MOVES[place](document)
        return True
    except (DecryptionError, KeyringError):
        problems.append(f"{document.id} cannot be decrypted. Restore a backup, or delete it.")
    except PayloadStoreAway:
        raise
    except Busy:
        problems.append(f"{document.id} is being moved by another process. Try again later.")
    except NotFound:
        pass
    return False


def _move_to_objects(document: Document) -> None:
    with transaction():
        _require_place(document, ROWS)
        UnreferencedObject.begin_upload(document.id)
    objects = current_runtime().require_objects()
    try:
        objects.store(document.id, _pieces(document, payload_rows), document.size)
        _verify(document, _pieces(document, objects))
        with transaction():
            _require_place(document, ROWS).change(place=OBJECTS)
            UnreferencedObject.end_upload(document.id)
            payload_rows.drop(document.id)
    except BaseException:
        delete_aborted_object(document.id)
        raise


def _move_to_rows(document: Document) -> None:
    """Move a payload in one transaction, so that it leaves nothing when it is interrupted."""
    with engine().reserve_disk_space(document.size, current_runtime().settings.reserve_bytes):
        pieces = list(_pieces(document, current_runtime().require_objects()))
        _verify(document, pieces)
        with transaction():
            _require_place(document, OBJECTS).change(place=ROWS)
            payload_rows.store(document.id, pieces)
            UnreferencedObject.mark_to_drop(document.id)


_MOVES = {OBJECTS: _move_to_objects, ROWS: _move_to_rows}
PLACES = tuple(_MOVES)


def _pieces(document: Document, store: PayloadStore) -> Iterator[bytes]:
    return store.pieces(document.id, document.size, 0, document.size // PIECE_BYTES)


def _verify(document: Document, pieces: Iterable[bytes]) -> None:
    if document.digest_of(pieces) != document.sha256:
        raise DecryptionError


def _require_place(document: Document, place: str) -> Document:
    """Return the row, read again under the writer lock. Raise `Busy` if it was moved."""
    document = Document.of_id(document.id)
    if document.place != place:
        raise Busy
    return document
