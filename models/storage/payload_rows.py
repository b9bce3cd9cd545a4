"""Where sealed payloads lie: rows of pieces in a table of their own.

A list of documents can therefore never read ciphertext, and a range of a payload touches only
its pieces. What is elsewhere of a payload goes through these three functions, so that another
store can stand here.

A piece is 192 KiB of the payload: whole chunks (16 KiB), and a multiple of three bytes, so that
the base64 of pieces joins without carry.
"""

from collections.abc import Iterable

from crypto import DecryptionError, sealing

from .database import connected, database

CHUNKS = 12
PIECE_BYTES = CHUNKS * sealing.CHUNK_BYTES
SEALED_BYTES = CHUNKS * (sealing.CHUNK_BYTES + sealing.TAG_BYTES)

_STORE = "INSERT INTO piece (document_id, number, sealed) VALUES (?, ?, ?)"
_FETCH = "SELECT sealed FROM piece WHERE document_id = ? AND number = ?"
_DROP = "DELETE FROM piece WHERE document_id = ?"


def store(document_id: str, pieces: Iterable[tuple[int, bytes]]) -> None:
    for number, sealed in pieces:
        database.execute_sql(_STORE, (document_id, number, sealed))


def fetch(document_id: str, number: int, size: int) -> bytes:
    """Piece `number` of a payload of `size` bytes; `Refused` if it is not as long as it must be.

    No transaction outlives the call: a slow reader holds nothing up.
    """
    with connected():
        row = database.execute_sql(_FETCH, (document_id, number)).fetchone()
    left = sealing.sealed_bytes(size) - number * SEALED_BYTES
    if row is None or len(row[0]) != min(SEALED_BYTES, left):
        raise DecryptionError
    return bytes(row[0])


def drop(document_id: str) -> None:
    """Without its key a payload is noise: to overwrite it would write all of it again."""
    database.execute_sql("PRAGMA secure_delete = OFF")
    try:
        database.execute_sql(_DROP, (document_id,))
    finally:
        database.execute_sql("PRAGMA secure_delete = ON")
