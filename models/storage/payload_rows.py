"""The payload store: sealed pieces as rows of a table of their own.

So a list of documents reads no ciphertext, and a range of a payload only its pieces. Payloads are
reached by `store`, `fetch` and `drop` alone, so that another store can take their place.

A piece is 192 KiB of the payload: whole chunks (16 KiB), and a multiple of three bytes, so that
the base64 of pieces joins without carry.
"""

from collections.abc import Iterable

from crypto import DecryptionError, sealing

from .sqlite import connected, database, without_scrubbing

CHUNKS = 12
PIECE_BYTES = CHUNKS * sealing.CHUNK_BYTES
SEALED_BYTES = CHUNKS * (sealing.CHUNK_BYTES + sealing.TAG_BYTES)

_STORE = "INSERT INTO piece (document_id, number, sealed) VALUES (:id, :number, :sealed)"
_FETCH = "SELECT sealed FROM piece WHERE document_id = :id AND number = :number"
_DROP = "DELETE FROM piece WHERE document_id = :id"
_DROP_ORPHANS = """
    DELETE FROM piece
    WHERE document_id < :before AND document_id NOT IN (SELECT id FROM document)"""


def store(document_id: str, pieces: Iterable[tuple[int, bytes]]) -> None:
    for number, sealed in pieces:
        values = {"id": document_id, "number": number, "sealed": sealed}
        database.execute_sql(_STORE, values)


def fetch(document_id: str, number: int, size: int) -> bytes:
    """Piece `number` of a payload of `size` bytes; `DecryptionError` if its length is wrong.

    No transaction outlives the call, so a slow reader delays no checkpoint.
    """
    with connected():
        row = database.execute_sql(_FETCH, {"id": document_id, "number": number}).fetchone()
    left = sealing.sealed_bytes(size) - number * SEALED_BYTES
    if row is None or len(row[0]) != min(SEALED_BYTES, left):
        raise DecryptionError
    return bytes(row[0])


def drop(document_id: str) -> None:
    """Delete a payload. Its key is deleted as well, so it need not be overwritten."""
    with without_scrubbing():
        database.execute_sql(_DROP, {"id": document_id})


def drop_orphans(before: str) -> None:
    """Delete the pieces of documents that have no row, and ids that sort before this one."""
    database.execute_sql(_DROP_ORPHANS, {"before": before})
