"""A document's payload: sealed pieces in a store, read in ranges and decrypted piece by piece."""

import hashlib
from collections.abc import Iterable, Iterator

from peewee import BigIntegerField, BlobField, TextField

from crypto import DecryptionError, sealing

from ..core import NotFound
from ..records import KeyedRow, Owned
from ..runtime import current_runtime
from ..storage import connected, engine
from ..storage.payloads import (
    CHUNKS,
    FILES,
    OBJECTS,
    PIECE_BYTES,
    ROWS,
    PayloadStore,
    files,
    has_separate_pieces,
    layout_of,
    open_piece,
    payload_id_of,
    sealed_size,
)
from ..storage.payloads import rows as payload_rows


def place_for(size: int) -> str:
    """Return the place of a new payload of `size` bytes.

    Objects are for those of more than one piece, and files, where there are no objects, for large
    ones, unless several machines may serve the database.
    """
    runtime = current_runtime()
    if runtime.payload_objects:
        return OBJECTS if size > PIECE_BYTES else ROWS
    return FILES if size > runtime.large_payload_bytes and not engine().is_shared else ROWS


class Payload(KeyedRow, Owned):
    """The part of a document's row that names the place of its payload and the context it is bound
    to.
    """

    content_type = TextField()
    size = BigIntegerField()
    payload_head = BlobField()
    place = TextField(default=ROWS)

    def read(self, start: int = 0, stop: int | None = None) -> Iterator[bytes]:
        """Yield the bytes from `start` to before `stop`, piece by piece, authenticated."""
        stop = self.size if stop is None else stop
        last = self.last_piece if stop == self.size else (stop - 1) // PIECE_BYTES
        first = start // PIECE_BYTES
        base = first * PIECE_BYTES
        for plain in self._opened(self._sealed_pieces(first, last), first):
            yield plain[max(start - base, 0) : stop - base]
            base += PIECE_BYTES

    def digest_of(self, sealed_pieces: Iterable[bytes]) -> str:
        """Return the SHA-256 in hex of the decrypted pieces, which begin with the first one."""
        digest = hashlib.sha256()
        for plain in self._opened(sealed_pieces):
            digest.update(plain)
        return digest.hexdigest()

    def _opened(self, sealed_pieces: Iterable[bytes], first: int = 0) -> Iterator[bytes]:
        if has_separate_pieces(payload_id := self.payload_id):
            for number, sealed in enumerate(sealed_pieces, first):
                yield open_piece(self.key, payload_id, self.size, number, sealed)
            return
        if not first:
            yield from self._opened_from_start(sealed_pieces)
            return
        reader = sealing.ChunkReader(self.key, self.payload_context(), self.payload_head)
        for number, sealed in enumerate(sealed_pieces, first):
            yield reader.open(number * CHUNKS, sealed)

    def _opened_from_start(self, sealed_pieces: Iterable[bytes]) -> Iterator[bytes]:
        """Yield the decrypted pieces of one message, which begin with the first one.

        The library decrypts each piece in one call, which takes two thirds of the time.
        """
        unsealer = sealing.Unsealer(self.key, self.payload_context())
        unsealer.update(self.payload_head)
        last = self.last_piece
        for number, sealed in enumerate(sealed_pieces):
            plain = unsealer.update(sealed)
            yield plain + unsealer.finish() if number == last else plain

    def _sealed_pieces(self, first: int, last: int) -> Iterator[bytes]:
        """Return sealed pieces. Raise `NotFound` if the document was deleted meanwhile."""
        number = first
        while number <= last:
            try:
                for sealed in self.sealed_pieces(number, last):
                    yield sealed
                    number += 1
            except DecryptionError:
                with connected():
                    found = self.as_stored(self.id)
                if found is None:
                    raise NotFound from None
                if found.place == self.place:
                    raise
                self.place = found.place  # moved meanwhile

    def sealed_pieces(self, first: int, last: int) -> Iterator[bytes]:
        """Return the sealed pieces `first` to `last` from the place of the payload.

        Raises `DecryptionError` if one is missing, or its length is wrong.
        """
        return self.payload_store.pieces(self.payload_id, self.size, first, last)

    def has_all_pieces(self) -> bool:
        """Return whether each piece of the payload is in its place, in its length, and none in the
        database has a hole.

        True for a payload in the store of objects.
        """
        if self.place == FILES:
            return files.length(self.payload_id) == sealed_size(self.payload_id, self.size)
        return self.place != ROWS or payload_rows.are_complete(self.payload_id, self.size)

    @property
    def payload_id(self) -> str:
        """The id under which the payload lies."""
        return payload_id_of(self.id, self.payload_head)

    @property
    def last_piece(self) -> int:
        """The number of the last piece, which ends the payload."""
        return layout_of(self.payload_id).last(self.size)

    @property
    def payload_store(self) -> PayloadStore:
        return current_runtime().payload_store(self.place)

    def payload_context(self) -> bytes:
        return sealing.context("payload/1", self.id, self.content_type, str(self.size))
