"""A document: its row, its sealed payload, its owner.

The wrapped key is bound to the document's id and owner; name and metadata to all columns; the
payload to its id, content type and size. So bytes moved to another row do not decrypt.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

from peewee import SQL, BigIntegerField, TextField, fn
from peewee import Table as TableReference

import viewer
from crypto.password_file import PasswordSeal

from ..core import DAY_MS, NotFound, ScopeMissing, first_id, moment_of, now
from ..events import Event, camel_case
from ..records import (
    BOUNDS,
    LAST,
    MOST_READ,
    PAGE_ROWS,
    Owned,
    ResultPage,
    Sealed,
    SealedName,
    require_future,
)
from ..runtime import current_runtime
from ..storage import param, prepared, transaction
from ..storage.payloads import FILES, OBJECTS, PIECE_BYTES, has_separate_pieces
from ..storage.payloads import rows as payload_rows
from .payload import Payload
from .stored_preview import StoredPreview
from .unreferenced_payload import UnreferencedPayload

_GIVEN = {"name": "given_name", "metadata": "given_metadata"}  # where a change of each is kept
_SHOWN_TO_WRITERS = (  # to whoever may change a document and not read it, beside what they send
    "id",
    "created_at",
    "content_type",
    "media_type",
    "size",
    "expires_at",
)
_NOT_TAKEN_OVER = {  # by a newer version, from the document that it replaces
    "id": "it is another document",
    "created_at": "it is another document",
    "content_type": "that of the newer file",
    "media_type": "that of the newer file",
    "size": "that of the newer file",
    "sha256": "that of the newer file",
    "crc32": "that of the newer file",
    "payload_head": "that of the newer file",
    "place": "that of the newer file",
    "given_name": "that of the newer file",
    "uploader_id": "whoever uploads the newer file",
    "came_by": "no stranger has sent the newer file",
    "binned_at": "what is in the bin is not replaced",
}
TOTAL_OF_OWNER: Any = TableReference(
    "document_total", ("owner_id", "documents", "size_bytes", "binned")
)
READ_TWICE_BYTES = 64 << 20  # of the largest payload that a ZIP file verifies before it sends it
BIN_MS = 24 * 60 * 60 * 1000  # that a document stays in the bin (`bin.py`)
_INDEXED = (*BOUNDS, "is_received")  # filters by which an index finds documents
_TYPES = ("content_type", "media_type", "media_types")  # filters that no index begins with
_HAS_SEPARATE_PIECES = SQL("length(payload_head) < 56")  # as the index has it
_IN_FILES = SQL("place = 'files'")  # as the index has it
_CLOCK_MS = DAY_MS  # by which the clock may have been set back, when ids go on as before


def essence(content_type: str) -> str:
    """Return the media type in lower case without its parameters."""
    return content_type.partition(";")[0].strip().lower()


class Stored(NamedTuple):
    """The documents and bytes that a user has stored; `binned` documents are in the bin."""

    documents: int
    size_bytes: int
    binned: int


@dataclass(frozen=True)
class Part:
    """A part of an owner's documents that is read for a page."""

    matching: Any  # the query of id and size of those that meet the filters, the newest first
    count: int
    last: str | None  # the id of the last document in it; None if there are no more


class Document(Payload, Owned):
    PREFIX = "doc"

    origin: Mapping[str, Any]  # of a new one, for the event that records it
    media_type = TextField()
    expires_at = BigIntegerField(null=True)
    binned_at = BigIntegerField(null=True)
    came_by = TextField(null=True)  # the id of the link by which a stranger sent it

    given_name = SealedName[str | None]()
    """As its owner gave it, or None; `name` is never None."""
    given_metadata = Sealed[Mapping[str, Any] | None]()
    """As its owner gave it, or None; `metadata` is never None."""
    sha256 = Sealed[str](default="")
    """Of the payload, in hex."""
    crc32 = Sealed[int | None]()
    """Of the payload, if it has more than READ_TWICE_BYTES; None if it was stored without."""
    uploader_id = Sealed[str | None]()
    """The id of the member who uploaded it into a space, if a member did."""

    @classmethod
    def live(cls, moment: Any) -> list[Any]:
        return [cls.unexpired(moment), cls.binned_at.is_null()]

    @classmethod
    def unexpired(cls, moment: Any) -> Any:
        """Return the condition that its end has not come: it may be in the bin."""
        return cls.expires_at.is_null() | (cls.expires_at > moment)

    @classmethod
    def due(cls, moment: int) -> Any:
        """Return the condition that it has to be deleted: expired, or in the bin for a day."""
        return (cls.expires_at <= moment) | (cls.binned_at <= moment - BIN_MS)

    @classmethod
    def condition(cls, name: str, value: Any, moment: Any) -> Any:
        if name == "created_after":
            return cls.created_at > value
        if name == "media_types":  # words with spaces between and around them
            word = SQL("' '").concat(cls.media_type).concat(SQL("' '"))
            return fn.REPLACE(value, word, SQL("''")) != value
        if name == "created_before":
            return cls.created_at < value
        if name == "is_received":
            return cls.came_by.is_null(not value)
        return super().condition(name, value, moment)

    @classmethod
    def totals(cls) -> tuple[Any, Any]:
        """Return the number of documents and of their bytes, to be selected."""
        return fn.COUNT(cls.id), fn.COALESCE(fn.SUM(cls.size), SQL("0"))

    @classmethod
    def matching(
        cls, owner_id: str, limit: int, after: str | None, **filters: Any
    ) -> ResultPage[Self]:
        """Return a page of documents by content type and by moments, which are exclusive.

        `content_type` is with parameters or without; `media_types` are words with spaces between
        and around them. Ids tell the moment, too: no older and no newer documents are looked at.
        The index of the list has what these filters decide on, but does not begin with the types:
        with them, `MOST_READ` documents are looked at at most, and a page with fewer than `limit`,
        or none, may not be the last.
        """
        created_after, created_before = filters.get("created_after"), filters.get("created_before")
        if created_after is not None:
            filters["id_from"] = first_id(cls.PREFIX, created_after - _CLOCK_MS)
        if created_before is not None:
            after = min(after or LAST, first_id(cls.PREFIX, created_before + _CLOCK_MS))
        content_type = filters.get("content_type")
        if content_type:
            filters["media_type"] = essence(content_type)  # in the index of the list
            if ";" not in content_type:
                del filters["content_type"]
        is_by_type = any(filters.get(name) is not None for name in _TYPES)
        return cls.page(
            owner_id, limit, after, most_read=MOST_READ if is_by_type else None, **filters
        )

    @classmethod
    def part(cls, owner_id: str, after: str, most_read: int, **filters: Any) -> Part:
        """Return what is read of an owner's documents behind `after` for a page by the filters of
        `condition`: the newest that an index finds, at most so many.
        """
        found = {name: filters[name] for name in _INDEXED if name in filters}
        last = cls.last_read(owner_id, most_read, after, **found)
        ends = found | ({} if last is None else {"id_from": last})
        matching = cls.live_of(owner_id, cls.id, cls.size, **filters | ends).where(cls.id < after)
        count = most_read
        if last is None:
            count = cls.live_of(owner_id, cls.id, **ends).where(cls.id < after).count()
        return Part(matching.order_by(cls.id.desc()), count, last)

    @classmethod
    def oldest_moment(cls, owner_id: str) -> int | None:
        """Return when the oldest of an owner's documents was stored, as its id tells."""
        row = _oldest_id().first(owner_id=owner_id)
        return None if row is None else moment_of(row[0])

    @classmethod
    def live_of(cls, owner_id: str, *columns: Any, **filters: Any) -> Any:
        """Return the query of an owner's documents by the filters of `condition`."""
        moment = now()
        conditions = [cls.condition(name, value, moment) for name, value in filters.items()]
        return cls.select(*columns).where(cls.owner_id == owner_id, *cls.live(moment), *conditions)

    @classmethod
    def stored(cls) -> tuple[int, int]:
        """Return the number of documents and of their bytes, from the totals of their owners."""
        documents, size_bytes = _stored_by_all().all()[0]
        return documents, int(size_bytes)

    @classmethod
    def stored_by(cls, owner_id: str) -> Stored:
        """Return the number of a user's documents and of their bytes, but of those that have ended.

        No document is counted: it is the owner's total (`totals.py`), less what the sweeper has
        still to delete.
        """
        kept = Stored(0, 0, 0)
        for part in _stored_by().all(owner_id=owner_id, now=now()):
            kept = Stored(*map(sum, zip(kept, map(int, part), strict=True)))
        return kept

    @classmethod
    def all_due(cls) -> Iterator[Self]:
        return cls.each_that(cls.due(now()))

    @classmethod
    def having_payloads(cls, place: str, payload_ids: list[str]) -> set[str]:
        """Return those of the payloads that lie in this place by a document's row, or may.

        A row that was altered may say that its payload lies elsewhere.
        """
        heads = [id.encode() for id in payload_ids if has_separate_pieces(id)]
        of_uploads = _HAS_SEPARATE_PIECES & cls.payload_head.in_(heads)
        found = cls.rows_as_stored(cls.select().where(cls.id.in_(payload_ids)))
        found += cls.rows_as_stored(cls.select().where(of_uploads)) if heads else []
        named = {one.payload_id for one in found if one.place == place}
        altered = {id for one in found if not one.opens() for id in (one.id, one.payload_id)}
        return (named | altered) & set(payload_ids)

    @classmethod
    def of_id(cls, document_id: str) -> Self:
        """Return the document, or raise `NotFound`; whether the caller may read it was judged."""
        found = cls.find(document_id)
        if found is None:
            raise NotFound
        return found

    @classmethod
    def in_files(cls) -> Iterator[Self]:
        """Yield the documents whose payloads lie in files, also those that do not open."""
        in_files = cls.select().where(_IN_FILES).order_by(cls.id).limit(PAGE_ROWS)
        after = ""
        while found := cls.rows_as_stored(in_files.where(cls.id > after)):
            yield from found
            after = found[-1].id

    def for_writer(self, sent: Iterable[str]) -> Self:
        """Return the document as it is shown to whoever may change it and not read it.

        `sent` are the names of the values that they have changed, as `edit` takes them.
        """
        return self.with_only({*_SHOWN_TO_WRITERS, *(_GIVEN.get(name, name) for name in sent)})

    def set_given(self, given: Mapping[str, Any]) -> None:
        """Set the values that its owner gives, by the names that `edit` takes."""
        self.set_values({_GIVEN.get(name, name): value for name, value in given.items()})

    def take_over(self, former: Self) -> None:
        """Take the values of the document that this one replaces, but those of its file."""
        self.set_values(former.values_but(_NOT_TAKEN_OVER))

    @property
    def name(self) -> str:
        """The name that was given, or one made of id and type."""
        return self.given_name or self.default_name

    @property
    def default_name(self) -> str:
        return self.id + viewer.usual_extension(self.media_type)

    @property
    def metadata(self) -> dict[str, str]:
        return dict(self.given_metadata or {})

    @property
    def folder(self) -> str:
        """The folder of its file in a ZIP file, with slashes between the names; "" at the top.

        It is `path` of the metadata, unless that was stored before paths were judged, and is none.
        """
        path = self.metadata.get("path", "")
        try:
            return path if viewer.safe_folder(path) == path else ""
        except ValueError:
            return ""

    def store_row(self) -> None:
        """Store the row, inside the transaction that stores the payload's last pieces."""
        self.store_without_event()
        self.record_event("document.created", expires_at=self.expires_at, **self.origin)

    def store_without_event(self) -> None:
        """Store the row of a document whose event is recorded by the caller, or was exported with
        it.
        """
        self.media_type = essence(self.content_type)
        self.wrap_key()
        self.store()

    @classmethod
    def edit(cls, owner_id: str, id: str, *, may_end_earlier: bool = True, **changes: Any) -> Self:
        """Return the document with another `name`, `metadata` or `expires_at`; None removes one.

        The event names the fields that this changes, and no values. Raises `NotFound`, `Invalid`,
        and `ScopeMissing` for an end earlier than the present one, unless it `may_end_earlier`.
        """
        with transaction(owner_id):
            document = cls.one_of(owner_id, id)  # read under the lock
            expires_at = changes.get("expires_at", document.expires_at)
            require_future(changes.get("expires_at"))
            if not may_end_earlier and _is_earlier(expires_at, document.expires_at):
                raise ScopeMissing("An earlier end needs the scope 'documents:delete'. Leave it.")
            changed = [name for name, value in changes.items() if document._differs(name, value)]
            if changed:
                document.change(**{_GIVEN.get(name, name): changes[name] for name in changed})
                names = [camel_case(name) for name in changed]
                document.record_event("document.updated", changed=names)
            return document

    def _differs(self, name: str, value: Any) -> bool:
        """Return whether a value is another than that of the row; an empty one is as none."""
        return (value or None) != (getattr(self, _GIVEN.get(name, name)) or None)

    @staticmethod
    def password_seal(password: str) -> PasswordSeal:
        """Return the seal of one file under a password. Raise `Busy` if too many passwords wait."""
        return current_runtime().link_passwords.run(lambda: PasswordSeal(password))

    def record_reading(self, type: str) -> None:
        """Record an event that the payload was read."""
        Event.record_reading(self.owner_id, type, self.id)

    def drop_payload(self) -> None:
        """Drop the payload and the previews, in the transaction that deletes the row.

        A large payload may have been moved since the row was read.
        """
        stored = (Document.as_stored(self.id) if self.size > PIECE_BYTES else None) or self
        stored.drop_payload_from(stored.place)
        StoredPreview.drop_all_of(self.id)

    def drop_payload_from(self, place: str) -> None:
        """Drop the payload from a place to which no row refers after this transaction."""
        if place in (FILES, OBJECTS):
            UnreferencedPayload.mark_to_drop(self.payload_id, place)
        else:
            payload_rows.drop(self.payload_id)

    @property
    def leaves_bin_at(self) -> int | None:
        """When it is deleted for good, if it is in the bin."""
        return self.binned_at and self.binned_at + BIN_MS

    def binding(self) -> tuple[str, ...]:
        return (self.owner_id,)

    def record_event(self, type: str, **facts: Any) -> None:
        about = {
            "document_id": self.id,
            "content_type": self.content_type,
            "size": self.size,
        }
        Event.record(self.owner_id, type, about | facts)


@prepared
def _oldest_id() -> Any:
    of_owner = Document.select(Document.id).where(Document.owner_id == param("owner_id"))
    return of_owner.order_by(Document.id).limit(SQL("1"))


@prepared
def _stored_by() -> Any:
    """Select an owner's total, and what has ended of it as negative numbers."""
    total = TOTAL_OF_OWNER.select(
        TOTAL_OF_OWNER.documents, TOTAL_OF_OWNER.size_bytes, TOTAL_OF_OWNER.binned
    )
    # An expression, which no index has, so that the index of ends finds them: few have ended.
    is_owned = Document.owner_id.concat(SQL("''")) == param("owner_id")
    counts = (*Document.totals(), fn.COUNT(Document.binned_at))
    ended = Document.select(*(SQL("0") - count for count in counts))
    ended = ended.where(Document.expires_at <= param("now"), is_owned)
    return total.where(TOTAL_OF_OWNER.owner_id == param("owner_id")).union_all(ended)


@prepared
def _stored_by_all() -> Any:
    sums = (
        fn.COALESCE(fn.SUM(column), SQL("0"))
        for column in (TOTAL_OF_OWNER.documents, TOTAL_OF_OWNER.size_bytes)
    )
    return TOTAL_OF_OWNER.select(*sums)


def _is_earlier(moment: int | None, than: int | None) -> bool:
    """Return whether a moment is earlier; None is no end, later than any."""
    return moment is not None and (than is None or moment < than)
