"""An upload that comes in pieces, by several requests: what of it has arrived, and where it lies.

    pieces     each piece of 192 KiB, sealed as a message of its own, where the payload will lie
    rest       what has arrived beyond the last whole piece, sealed in the row:
               Cobblestone-256(key, ("rest/1", id, received), less than 192 KiB)
    received   how many bytes these are together; it never says more than is synced

The key of the row becomes that of the document, and the pieces stay where they are. Then the row
gets another key, so that none is left when the document is deleted; for a day it says what the
upload has become.
"""

from collections.abc import Iterator
from typing import Any, Self

from peewee import SQL, BigIntegerField, BlobField, Case, TextField, fn

from crypto import sealing

from ..core import DAY_MS, NotFound, OffsetMismatch, now
from ..records import KeyedRow, Owned, Sealed, has_passed
from ..runtime import current_runtime
from ..storage import engine
from ..storage.payloads import FILES, OBJECTS, PIECE_BYTES, files, layout_of, open_piece
from ..storage.payloads import rows as payload_rows
from .payload import place_for

FAILED = ""  # stands for the id of a document that could not be stored
RESULT_KEPT_MS = DAY_MS
LIFE_BY_LINK_MS = DAY_MS
MOST_LIFE_BY_LINK_MS = 7 * DAY_MS  # whatever comes


class UnfinishedUpload(KeyedRow, Owned):
    PREFIX = "upl"
    UNBOUND = (*KeyedRow.UNBOUND, "rest", "expires_at")

    size = BigIntegerField()
    received = BigIntegerField()
    came_by = TextField(null=True)  # the id of the link by which a stranger sends it
    document_id = TextField(null=True)  # null while it is unfinished; '' if it has failed
    expires_at = BigIntegerField()
    rest = BlobField()

    begun_by_id = Sealed[str](default="")
    """The id of the session or API key that began it; '' of one by a link."""
    uploader_id = Sealed[str | None]()
    """The id of the member who began it in a space, if a member did."""
    given = Sealed[dict[str, Any]](never_remembered="The password of a link can be tried on it.")
    """The values of the document, by the names of `models/uploads/finishing.py`."""
    metadata_sent = Sealed[str](default="", never_remembered="A password may be in it.")
    """The header `Upload-Metadata`."""
    crc32 = Sealed[int](default=0)
    """Of what has arrived of a file that a ZIP file would else read twice."""
    last_actor = Sealed[dict[str, str]](default={})
    """Who has sent the last byte, while the document is not stored yet."""
    result = Sealed[dict[str, Any]](default={})
    """The facts of a finished upload, or the code of the error by which it failed."""

    class Meta:
        table_name = "upload"

    @classmethod
    def live(cls, moment: Any) -> list[Any]:
        return [cls.expires_at > moment]

    def binding(self) -> tuple[str, ...]:
        return (self.owner_id,)

    @property
    def name(self) -> str | None:
        """The name that the document gets, or was given; None without one."""
        name: str | None = self.given.get("name")
        return name

    @property
    def is_unfinished(self) -> bool:
        """Whether its document is not stored, and may still be."""
        return self.document_id is None

    @property
    def has_failed(self) -> bool:
        return self.document_id == FAILED

    @property
    def has_arrived(self) -> bool:
        """Whether all bytes have arrived."""
        return self.received == self.size

    @property
    def life_ms(self) -> int:
        """How long it is kept after its last byte."""
        life = current_runtime().settings.upload_seconds * 1000
        return min(life, LIFE_BY_LINK_MS) if self.came_by else life

    def end_after(self, moment: int) -> int:
        """Return when it expires if its last byte has come at this moment."""
        end = moment + self.life_ms
        return min(end, self.created_at + MOST_LIFE_BY_LINK_MS) if self.came_by else end

    @property
    def has_expired(self) -> bool:
        return has_passed(self.expires_at)

    @property
    def place(self) -> str:
        """The place of its pieces, which the document keeps.

        Those for objects are rows until a segment is whole, or all of a payload that has none. One
        that was begun in a file before a store of objects was named goes on there.
        """
        place = place_for(self.size)
        is_in_file = place == OBJECTS and not engine().is_shared and files.length(self.id)
        return FILES if is_in_file else place

    @property
    def pieces_in_objects(self) -> int:
        """The number of its first pieces that are in objects, and no rows any more."""
        if self.place != OBJECTS:
            return 0
        if self.has_arrived:
            return self.pieces_stored
        objects = current_runtime().require_objects()
        return objects.pieces_in_segments(self.id, self.size, self.pieces_stored)

    def _sealed_pieces(self, first: int, last: int) -> Iterator[bytes]:
        """Yield sealed pieces that are stored, from wherever they are."""
        runtime = current_runtime()
        if self.place != OBJECTS:
            yield from runtime.payload_store(self.place).pieces(self.id, self.size, first, last)
            return
        put = self.pieces_in_objects
        if first < put:
            objects = runtime.require_objects()
            yield from objects.pieces(self.id, self.size, first, min(last, put - 1))
        if last >= put:
            yield from payload_rows.pieces(self.id, self.size, max(first, put), last)

    def require_offset(self, offset: int) -> None:
        """Raise `OffsetMismatch` unless the next bytes begin at this offset.

        Nothing follows the last byte; but of a file without bytes nothing has to come first.
        """
        is_complete = self.has_arrived and self.size > 0
        if offset != self.received or is_complete or not self.is_unfinished:
            raise OffsetMismatch(self.received)

    @classmethod
    def locked(cls, owner_id: str, id: str) -> Self:
        """Return the row as it is now; until the transaction ends, no other process changes it.

        Raises `NotFound`.
        """
        found = cls.select().where(cls.id == id, cls.owner_id == owner_id, *cls.live(now()))
        row = cls.first(engine().changing(found))
        if row is None:
            raise NotFound
        return row

    @classmethod
    def as_stored_locked(cls, id: str) -> Self | None:
        """Return the row as `locked` does, of any owner, also if it has expired or is altered."""
        rows = cls.rows_as_stored(engine().changing(cls.select().where(cls.id == id)))
        return rows[0] if rows else None

    @classmethod
    def expired(cls) -> list[Self]:
        return cls.rows_as_stored(cls.select().where(cls.expires_at <= now()))

    @classmethod
    def all_unfinished(cls) -> list[Self]:
        """Return all uploads that are not finished, as they are stored."""
        return cls.rows_as_stored(cls.select().where(cls.document_id.is_null()))

    @classmethod
    def having_payloads(cls, ids: list[str]) -> set[str]:
        """Return the ids of the uploads that are not finished, wherever their pieces lie."""
        found = cls.select(cls.id).where(cls.id.in_(ids), cls.document_id.is_null())
        return {one.id for one in found}

    @classmethod
    def all_of(cls, owner_id: str) -> list[Self]:
        """Return all uploads of an owner as they are stored, finished ones and those by links."""
        return cls.rows_as_stored(cls.select().where(cls.owner_id == owner_id))

    @classmethod
    def arrived(cls) -> list[Self]:
        """Return the uploads that have arrived, and whose document is not stored yet."""
        has_arrived = cls.received == cls.size, cls.document_id.is_null()
        return cls.rows(cls.select().where(*has_arrived))

    # What an owner has begun

    @classmethod
    def unfinished_of(cls, owner_id: str) -> list[Self]:
        """Return what the owner has begun and not finished, newest first, but by links."""
        found = cls.select().where(*cls._counted(owner_id), cls.came_by.is_null())
        return cls.rows(found.order_by(cls.id.desc()))

    @classmethod
    def count_of(cls, owner_id: str) -> int:
        """Return how many uploads the owner has begun and not finished, but by links."""
        found = cls.select(fn.COUNT(cls.id))
        return int(found.where(*cls._counted(owner_id), cls.came_by.is_null()).scalar())

    @classmethod
    def promised_by(cls, owner_id: str, but: str = "") -> tuple[int, int]:
        """Return how many documents, and bytes, of unfinished uploads count as stored.

        One of the owner counts as a document of its whole size; one by a link as what of it has
        arrived, so that nobody fills a quota with promises. `but` is the id of one that is left
        out.
        """
        is_of_owner = cls.came_by.is_null()
        counted = cls.select(
            fn.COALESCE(fn.SUM(Case(None, [(is_of_owner, 1)], 0)), SQL("0")),
            fn.COALESCE(fn.SUM(Case(None, [(is_of_owner, cls.size)], cls.received)), SQL("0")),
        )
        found = counted.where(*cls._counted(owner_id), cls.id != but)
        documents, size_bytes = found.scalar(as_tuple=True)
        return int(documents), int(size_bytes)

    @classmethod
    def missing_of(cls, owner_ids: list[str]) -> int:
        """Return how many bytes of the unfinished uploads of these owners have not arrived.

        Those by links are left out: nobody fills a disk with promises.
        """
        missing = fn.COALESCE(fn.SUM(cls.size - cls.received), SQL("0"))
        is_unfinished = cls.document_id.is_null(), cls.expires_at > now()
        found = cls.select(missing).where(
            cls.owner_id.in_(owner_ids), cls.came_by.is_null(), *is_unfinished
        )
        return int(found.scalar())

    @classmethod
    def _counted(cls, owner_id: str) -> tuple[Any, ...]:
        return cls.owner_id == owner_id, cls.document_id.is_null(), cls.expires_at > now()

    @classmethod
    def unfinished(cls) -> tuple[int, int]:
        """Return how many uploads are unfinished, and how many bytes of them have arrived."""
        counted = cls.select(fn.COUNT(cls.id), fn.COALESCE(fn.SUM(cls.received), SQL("0")))
        uploads, received = counted.where(cls.document_id.is_null()).scalar(as_tuple=True)
        return int(uploads), int(received)

    # What strangers have begun by links

    @classmethod
    def unfinished_by(cls, owner_id: str, link_id: str) -> list[Self]:
        """Return what was begun by a link and is not finished, as it is stored, oldest first."""
        found = cls.select().where(*cls._counted(owner_id), cls.came_by == link_id)
        return cls.rows_as_stored(found.order_by(cls.id))

    @classmethod
    def received_by(cls, owner_id: str, link_ids: Any) -> int:
        """Return how many bytes have arrived of what was begun by these links and is not finished.

        `link_ids` may be a query.
        """
        received = cls.select(fn.COALESCE(fn.SUM(cls.received), SQL("0")))
        return int(received.where(*cls._counted(owner_id), cls.came_by.in_(link_ids)).scalar())

    @classmethod
    def unfinished_by_any_link(cls) -> list[Self]:
        """Return all that was begun by links and is not finished, as it is stored."""
        is_by_link = cls.came_by.is_null(False)
        return cls.rows_as_stored(cls.select().where(cls.document_id.is_null(), is_by_link))

    # What has arrived

    def read(self, start: int = 0, stop: int | None = None) -> Iterator[bytes]:
        """Yield what has arrived, from `start` to before `stop`, piece by piece, authenticated."""
        stop = self.received if stop is None else min(stop, self.received)
        if start >= stop:
            return
        first = start // PIECE_BYTES
        last = (stop - 1) // PIECE_BYTES
        for number, plain in enumerate(self._opened(first, last), first):
            base = number * PIECE_BYTES
            yield plain[max(start - base, 0) : stop - base]

    def _opened(self, first: int, last: int) -> Iterator[bytes]:
        last_stored = self.pieces_stored - 1
        if first <= last_stored:
            stop = min(last, last_stored)
            sealed_pieces = self._sealed_pieces(first, stop)
            for number, sealed in enumerate(sealed_pieces, first):
                yield open_piece(self.key, self.id, self.size, number, sealed)
        if last > last_stored:
            yield self.opened_rest()

    @property
    def pieces_stored(self) -> int:
        """The number of pieces that lie in the place of the payload."""
        if self.has_arrived:
            return layout_of(self.id).last(self.size) + 1
        return self.received // PIECE_BYTES

    def opened_rest(self) -> bytes:
        """Return what has arrived beyond the last whole piece."""
        if self.has_arrived or not self.received % PIECE_BYTES:
            return b""
        return sealing.unseal(self.key, self._rest_context(self.received), self.rest)

    def sealed_rest(self, rest: bytes, received: int) -> bytes:
        """Return the rest as the row has it when so many bytes have arrived."""
        return sealing.seal(self.key, self._rest_context(received), rest) if rest else b""

    def _rest_context(self, received: int) -> bytes:
        return sealing.context("rest/1", self.id, str(received))
