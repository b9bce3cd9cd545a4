"""A step of an upload: some bytes more are sealed, written and synced, then the row says so.

One step of an upload runs at a time: it has the slot of the upload in this process, and where
others serve the same database the lock of its row. It is judged behind both, and stored only if
the upload is at its offset. Pieces are written before the row, so a process that is killed leaves
pieces behind the end of what the row says: the next step writes these again, each with a salt of
its own. A piece before that end is never written again.

The step that brings the last byte stores the document in the transaction of the row. If that is
refused, the row stays as it was, and the upload goes on where it is.
"""

import hashlib
import hmac
import zlib
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from itertools import islice
from typing import Any, BinaryIO

from ..core import (
    ChecksumMismatch,
    Invalid,
    NotFound,
    PayloadTooLarge,
    TokenSpent,
    now,
    will_wait,
)
from ..documents import READ_TWICE_BYTES, UnfinishedUpload
from ..events import current_actor
from ..runtime import Digest, current_runtime
from ..storage import current_right, engine, separate_transaction, transaction
from ..storage.payloads import FILES, OBJECTS, PIECE_BYTES, SEGMENT_PIECES, layout_of, seal_piece
from ..storage.payloads import files as payload_files
from ..storage.payloads import rows as payload_rows
from .by_link import may_come_back, refusals_of, require_room
from .catching_up import catch_up, digest_of
from .ending import drop_if_ended, end
from .finishing import WrongFile, finish

STEP_BYTES = 8 << 20
BATCH_PIECES = 10  # rows in a transaction: a few milliseconds with the writer lock
SLOT_SECONDS = 30  # of waiting for another step of the same upload
HASHED_BESIDE_BYTES = 1 << 20  # of a step, from which on a second thread hashes it
MOST_UNHASHED = 8  # blocks that wait for the second thread, 1.5 MiB


@dataclass(frozen=True)
class Checksum:
    """What the bytes of a request have to be, by the name of a hash of `hashlib`."""

    algorithm: str
    digest: bytes

    def require(self, blocks: Iterator[bytes]) -> None:
        """Raise `ChecksumMismatch` for other bytes."""
        found = hashlib.new(self.algorithm, usedforsecurity=False)
        for block in blocks:
            found.update(block)
        if not hmac.compare_digest(found.digest(), self.digest):
            raise ChecksumMismatch


@dataclass(frozen=True)
class Body:
    """So many bytes of a file that is open to be read, from `start` on."""

    file: BinaryIO
    length: int
    start: int = 0

    def part(self, start: int, length: int) -> "Body":
        return Body(self.file, length, self.start + start)

    def blocks(self, first_bytes: int = PIECE_BYTES) -> Iterator[bytes]:
        """Yield the bytes in blocks of 192 KiB; the first one has `first_bytes`.

        Raises `Invalid` if there are fewer than `length`.
        """
        self.file.seek(self.start)
        left = self.length
        wanted = first_bytes
        while left:
            block = self.file.read(min(wanted, left))
            if not block:
                raise Invalid("#", "The body is shorter than Content-Length says.")
            left -= len(block)
            wanted = PIECE_BYTES
            yield block


def append(
    upload: UnfinishedUpload, offset: int, body: Body, checksum: Checksum | None = None
) -> UnfinishedUpload:
    """Store bytes of an upload that begin at `offset`, and return the row as it is then.

    What is longer than a step is stored in several, each of which is judged by itself, the right of
    the request as well. Raises `OffsetMismatch`, `PayloadTooLarge`, `ChecksumMismatch` and whatever
    refuses the document: nothing of the step is stored then.
    """
    if checksum:
        checksum.require(body.blocks())
    for start in range(0, max(body.length, 1), STEP_BYTES):
        length = min(STEP_BYTES, body.length - start)
        upload = _append_judged(upload, offset + start, body.part(start, length))
    return upload


def _append_judged(upload: UnfinishedUpload, offset: int, body: Body) -> UnfinishedUpload:
    if right := current_right.get():
        right.forget()
    try:
        with refusals_of(upload):
            stored = _append_step(upload, offset, body)
    except WrongFile:
        end(upload)
        raise
    except TokenSpent as error:
        if not may_come_back(error):
            end(upload)
        raise
    except NotFound:
        drop_if_ended(upload)
        raise
    catch_up(stored)
    return stored


def _append_step(upload: UnfinishedUpload, offset: int, body: Body) -> UnfinishedUpload:
    runtime = current_runtime()
    received = offset + body.length
    is_last = received == upload.size
    owner_id = upload.owner_id if is_last else None
    since = engine().sync_failures()
    will_wait()
    with runtime.upload_slots.held(upload.id, seconds=SLOT_SECONDS), _whole_on_server(owner_id):
        row = UnfinishedUpload.locked(upload.owner_id, upload.id)
        row.require_offset(offset)
        if received > row.size:
            raise PayloadTooLarge(row.size)
        if not body.length and not row.has_arrived:
            return row
        if row.came_by:
            require_room(row, body.length)
        arriving = _Arriving(row, body, digest_of(row))
        in_file = row.place == FILES
        reserve_bytes = runtime.settings.reserve_bytes
        with engine().reserve_disk_space(body.length, reserve_bytes, in_file=in_file):
            arriving.write()
            with transaction(owner_id, since=since):
                arriving.store()
    arriving.keep_digest()
    return row


def _whole_on_server(owner_id: str | None) -> AbstractContextManager[None]:
    """Return the context of all of a step.

    Where several processes may serve the database it is one transaction, which has the lock of the
    row; that of the owner comes before it.
    """
    return transaction(owner_id) if engine().is_shared else nullcontext()


class _Arriving:
    """The bytes of a step on their way into the store, and what the row says behind them.

    `digest` is that of what has arrived before, None if it is not known.
    """

    def __init__(self, row: UnfinishedUpload, body: Body, digest: Digest | None) -> None:
        self._row = row
        self._body = body
        self._digest = digest
        self._received = row.received + body.length
        self._crc32 = row.crc32
        self._rest = row.opened_rest()
        self._put = 0  # pieces that are in objects by now

    def write(self) -> None:
        """Seal and write the pieces that are whole, and the last one of the payload."""
        row = self._row
        if row.has_arrived:  # a file without bytes
            return
        first = row.pieces_stored
        with self._hashing() as hash_block:
            pieces = self._sealed(first, hash_block)
            if self._received < row.size and self._received // PIECE_BYTES == first:
                list(pieces)  # there are none: all goes to the rest
            elif row.place == FILES:
                payload_files.write(row.id, first, pieces)
            else:
                self._write_rows(pieces, first)
        if row.place == OBJECTS:
            self._put_objects()

    @contextmanager
    def _hashing(self) -> Iterator[Callable[[bytes], object]]:
        """Yield a function that hashes the next block; all are hashed behind the context.

        Those of a long step are hashed on a second thread, while others are sealed and written.
        """
        if self._body.length < HASHED_BESIDE_BYTES:
            yield self._hash
            return
        waiting = deque[Future[None]]()
        with ThreadPoolExecutor(1) as executor:

            def hash_later(block: bytes) -> None:
                if len(waiting) == MOST_UNHASHED:
                    waiting.popleft().result()
                waiting.append(executor.submit(self._hash, block))

            yield hash_later
            for one in waiting:
                one.result()

    def _hash(self, block: bytes) -> None:
        if self._row.size > READ_TWICE_BYTES:
            self._crc32 = zlib.crc32(block, self._crc32)
        if self._digest:
            self._digest.update(block)

    def _write_rows(self, pieces: Iterator[bytes], first: int) -> None:
        while some := list(islice(pieces, BATCH_PIECES)):
            with separate_transaction(None, synced=False):
                payload_rows.replace(self._row.id, some, first)
            first += len(some)

    def _put_objects(self) -> None:
        """Put the segments that are whole now, and with the last byte all of the payload.

        Their rows are deleted with the change of the row. Whoever puts a segment again, as after a
        kill, puts it as the rows lie.
        """
        row = self._row
        objects = current_runtime().require_objects()
        is_last = self._received == row.size
        stored = layout_of(row.id).last(row.size) + 1 if is_last else self._received // PIECE_BYTES
        if not objects.has_segments(row.id, row.size):
            if is_last:
                objects.store(
                    row.id, payload_rows.pieces(row.id, row.size, 0, stored - 1), row.size
                )
                self._put = stored
            return
        whole = stored if is_last else objects.pieces_in_segments(row.id, row.size, stored)
        for start in range(row.pieces_in_objects, whole, SEGMENT_PIECES):
            last = min(start + SEGMENT_PIECES, whole) - 1
            pieces = payload_rows.pieces(row.id, row.size, start, last)
            objects.store_segment(row.id, start // SEGMENT_PIECES, pieces)
        self._put = whole

    def _sealed(self, number: int, hash_block: Callable[[bytes], object]) -> Iterator[bytes]:
        """Yield sealed pieces from this number on, and keep what is left beyond the last one."""
        row = self._row
        is_last = self._received == row.size
        plain = self._rest
        left = self._body.length
        for block in self._body.blocks(PIECE_BYTES - len(plain)):
            left -= len(block)
            hash_block(block)
            plain = plain + block if plain else block
            if len(plain) == PIECE_BYTES or (is_last and not left):
                yield seal_piece(row.key, row.id, row.size, number, plain)
                number += 1
                plain = b""
        self._rest = plain

    def store(self) -> None:
        """Store what the row says now; with the last byte the document, in one transaction.

        The document is left to later if the digest of what has arrived before is not known.
        """
        row = self._row
        values: dict[str, Any] = {
            "received": self._received,
            "rest": row.sealed_rest(self._rest, self._received),
            "crc32": self._crc32,
            "expires_at": row.end_after(now()),
        }
        if self._received == row.size:
            values["last_actor"] = dict(current_actor.get())
        row.change(**values)
        if self._put:
            payload_rows.drop_first(row.id, self._put)
        if row.has_arrived and self._digest:
            finish(row, self._digest.hexdigest())

    def keep_digest(self) -> None:
        """Remember the digest up to here, in memory, until the upload is finished."""
        digests = current_runtime().upload_digests
        if not self._row.is_unfinished:
            digests.forget(self._row.id)
        elif self._digest:
            digests.keep(self._row.id, self._digest, self._received)
