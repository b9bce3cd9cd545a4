"""The payload store in the database: sealed pieces as rows of a table of their own.

So a list of documents reads no ciphertext, and a range of a payload only its pieces. The column
`document_id` holds the id of the payload, which is that of an upload for separate pieces.
"""

from collections import deque
from collections.abc import Iterable, Iterator

from crypto import DecryptionError

from ..connection import connected, database
from ..engines import engine
from .layouts import layout_of
from .pieces import ReadAhead

_STORE = "INSERT INTO piece (document_id, number, sealed) VALUES (:id, :number, :sealed)"
_REPLACE = f"{_STORE} ON CONFLICT (document_id, number) DO UPDATE SET sealed = excluded.sealed"
_FETCH = """
    SELECT sealed FROM piece
    WHERE document_id = :id AND number >= :start AND number < :stop ORDER BY number"""
_COUNT = "SELECT COUNT(*) FROM piece WHERE document_id = :id"
_DROP_FIRST = "DELETE FROM piece WHERE document_id = :id AND number < :count"
_DROP = "DELETE FROM piece WHERE document_id = :id"
_BEGIN = "INSERT INTO unfinished_payload (document_id) VALUES (:id)"
_END = "DELETE FROM unfinished_payload WHERE document_id = :id"
_UNFINISHED = "SELECT document_id FROM unfinished_payload WHERE document_id < :before"
_HOLE = bytes(16)
_read_ahead = ReadAhead()


def store(payload_id: str, pieces: Iterable[bytes], first: int = 0) -> None:
    """Store consecutive pieces, the first being number `first`; inside a transaction."""
    for number, sealed in enumerate(pieces, first):
        values = {"id": payload_id, "number": number, "sealed": sealed}
        database.execute_sql(_STORE, values)


def replace(payload_id: str, pieces: Iterable[bytes], first: int) -> None:
    """Store consecutive pieces as `store` does, in place of what an earlier attempt has left."""
    with engine().without_scrubbing():
        for number, sealed in enumerate(pieces, first):
            values = {"id": payload_id, "number": number, "sealed": sealed}
            database.execute_sql(_REPLACE, values)


def pieces(payload_id: str, size: int, first: int, last: int) -> Iterator[bytes]:
    """Yield the pieces `first` to `last` of a payload of `size` bytes.

    Raises `DecryptionError` if one is missing, or its length is wrong. No transaction outlives a
    window, so a slow reader delays no checkpoint.
    """
    layout = layout_of(payload_id)
    for start, stop in _read_ahead.windows(first, last, engine().pieces_at_once):
        span = {"id": payload_id, "start": start, "stop": stop}
        with connected():
            rows = database.execute_sql(_FETCH, span).fetchall()
        if len(rows) != stop - start:
            raise DecryptionError
        window = deque(bytes(sealed) for (sealed,) in rows)
        del rows  # a slow reader holds no piece that it has taken
        for number in range(start, stop):
            if len(window[0]) != layout.sealed_length(size, number):
                raise DecryptionError
            yield window.popleft()


def are_complete(payload_id: str, size: int) -> bool:
    """Return whether all pieces of a payload of `size` bytes are there, each in its length, and
    none has a hole. Nothing is decrypted.
    """
    last = layout_of(payload_id).last(size)
    try:
        return not any(_has_hole(sealed) for sealed in pieces(payload_id, size, 0, last))
    except DecryptionError:
        return False


def _has_hole(sealed: bytes) -> bool:
    """Return whether a sealed piece has zeros where a part of a file was lost.

    A lost page of the file is zeros. Ciphertext has no such run of them: for each byte of it the
    probability is 2 to the power of -128. A piece of nothing but zeros lost no page, as the place
    of the next page would be lost with it, which SQLite's check of the file finds.
    """
    return _HOLE in sealed and sealed.count(0) < len(sealed)


def count(payload_id: str) -> int:
    """Return the number of the pieces of a payload that are there."""
    (found,) = database.execute_sql(_COUNT, {"id": payload_id}).fetchone()
    return int(found)


def drop_first(payload_id: str, count: int) -> None:
    """Delete the first pieces of a payload, which lie elsewhere from now on."""
    with engine().without_scrubbing():
        database.execute_sql(_DROP_FIRST, {"id": payload_id, "count": count})


def drop(*payload_ids: str) -> None:
    """Delete payloads. Their keys are deleted as well, so they need not be overwritten."""
    with engine().without_scrubbing():
        for id in payload_ids:
            database.execute_sql(_DROP, {"id": id})


def begin(document_id: str) -> None:
    """Record a payload with the first of its pieces that are stored before the document's row."""
    database.execute_sql(_BEGIN, {"id": document_id})


def end(document_id: str) -> None:
    """Forget the record, in the transaction that stores the document's row or drops the pieces."""
    database.execute_sql(_END, {"id": document_id})


def drop_unfinished(before: str) -> None:
    """Drop the payloads that were begun and not ended, and whose ids sort before this one."""
    for (id,) in database.execute_sql(_UNFINISHED, {"before": before}).fetchall():
        drop(id)
        end(id)
