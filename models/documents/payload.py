"""A document's payload: sealed pieces in a store, read in ranges and decrypted piece by piece."""

import hashlib
from collections.abc import Iterable, Iterator

from peewee import BigIntegerField, BlobField, TextField

from crypto import DecryptionError, sealing

from ..core import NotFound
from ..records import KeyedRow, Owned
from ..runtime import current_runtime
from ..storage import connected
from ..storage.payloads import CHUNKS, PIECE_BYTES, ROWS, PayloadStore
from ..storage.payloads import rows as payload_rows


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
        last = (stop if stop == self.size else stop - 1) // PIECE_BYTES  # with the end mark
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
        reader = sealing.ChunkReader(self.key, self.payload_context(), self.payload_head)
        for number, sealed in enumerate(sealed_pieces, first):
            yield reader.open(number * CHUNKS, sealed)

    def _sealed_pieces(self, first: int, last: int) -> Iterator[bytes]:
        """Return sealed pieces. Raise `NotFound` if the document was deleted meanwhile."""
        number = first
        while number <= last:
            try:
                for sealed in self.payload_store.pieces(self.id, self.size, number, last):
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

    def has_all_pieces(self) -> bool:
        """Return whether the database holds each piece of the payload, in its length and without a
        hole.

        True for a payload in the store of objects.
        """
        return self.place != ROWS or payload_rows.are_complete(self.id, self.size)

    @property
    def payload_store(self) -> PayloadStore:
        return payload_rows if self.place == ROWS else current_runtime().require_objects()

    def payload_context(self) -> bytes:
        return sealing.context("payload/1", self.id, self.content_type, str(self.size))
