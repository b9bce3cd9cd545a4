"""Files that come in by a link: each becomes a document of the owner, in the link's collection.

Senders learn how much room is left and what they have sent, and nothing else of the collection.
"""

from dataclasses import dataclass

from ..accounts import StoredResponse
from ..core import (
    PayloadTooLarge,
    QuotaExceeded,
    ScopeMissing,
    ServiceError,
    StorageFailing,
    StorageFull,
    StoredUnsynced,
    counted,
)
from ..documents import Collection, Document, SentPayload, upload
from ..events import EventHead
from ..runtime import LongBody, current_runtime
from .document_token import UPLOAD, DocumentToken
from .grant import TokenGrant

UNSYNCED = "The disk did not confirm this, but it may have arrived: ask before you send it again."
_OPEN_FIRST = "This link has a password. Open it first, and send to its uploadUrl."
NOT_STORED = "The disk failed, and the file was not stored. Tell whoever sent you the link."
FORM_BYTES = 20 << 10  # the most that a form holds beside the file


class NoRoom(PayloadTooLarge):
    def __init__(self, room_bytes: int) -> None:
        sentence = (
            f"There is room for {counted(room_bytes, 'more byte')}. Tell whoever sent you the link."
        )
        ServiceError.__init__(self, sentence)


@dataclass(frozen=True)
class Room:
    """The files and bytes that a link takes now."""

    files_left: int
    bytes_left: int
    max_file_bytes: int

    @classmethod
    def of(cls, grant: TokenGrant, collection: Collection) -> "Room":
        largest = current_runtime().settings.max_document_bytes
        return cls(grant.views_left or 0, collection.room, largest)


@dataclass(frozen=True)
class Receipt:
    """A file that was received, the room that is left, and the entry of the log that records it."""

    name: str
    size: int
    sha256: str
    received_at: int
    event_id: str
    event_hash: str
    files_left: int
    bytes_left: int


def judge_body(grant: TokenGrant, collection: Collection, body_bytes: int, key: str) -> None:
    """Raise an error unless a body of this length is to be received; 0 is an unknown length.

    With a known `Idempotency-Key` it is received also where there is no room for another file.
    Raises `TokenSpent`, `ScopeMissing` before the password was given, `PayloadTooLarge`.
    """
    if UPLOAD not in grant.permissions:
        raise ScopeMissing
    if is_sent_again(grant, key):
        require_password(grant)
        return
    room = Room.of(grant, collection)
    if not room.files_left:
        raise grant.spent("used_up")
    require_password(grant)
    if body_bytes > room.max_file_bytes + FORM_BYTES:
        raise PayloadTooLarge(room.max_file_bytes)
    if body_bytes > room.bytes_left + FORM_BYTES:
        raise NoRoom(room.bytes_left)


def require_password(grant: TokenGrant) -> None:
    """Raise `ScopeMissing` unless the password was given: files then come by a ticket."""
    if grant.has_password and not grant.came_by:
        raise ScopeMissing(_OPEN_FIRST)


def is_sent_again(grant: TokenGrant, key: str) -> bool:
    """Return whether a file that came with this `Idempotency-Key` was answered."""
    id = StoredResponse.id_of(grant.id, "POST", "/s", key)
    return bool(key) and StoredResponse.find(id) is not None


def take_body_slot(grant: TokenGrant, body_bytes: int, key: str) -> LongBody | None:
    """Return the slot of a long body; None if there is none, or the body is not to be received."""
    try:
        collection = collection_of(grant)
        judge_body(grant, collection, body_bytes, key)
    except ServiceError:
        return None
    return current_runtime().long_bodies.admit(grant.payer())


def receive(
    grant: TokenGrant,
    payload: SentPayload,
    content_type: str,
    name: str | None,
    sender: str,
    folder: str = "",
) -> Receipt:
    """Store a file as the owner's. All that limits it is judged again, under the owner's lock.

    `folder` is a path that `viewer.safe_folder` has made.

    Raises `TokenSpent`, `ScopeMissing`, `PayloadTooLarge`, `StorageFull`; then nothing is stored or
    counted.
    """
    require_password(grant)
    collection = collection_of(grant)
    try:
        with upload(
            collection.owner_id,
            payload,
            content_type=content_type,
            name=name,
            metadata=metadata_of(sender, folder),
            origin={"collection_id": collection.id},
            came_by=grant.id,
        ) as document:
            return _add_to_collection(grant, collection, document)
    except StoredUnsynced:
        raise StoredUnsynced(UNSYNCED) from None
    except StorageFailing:
        raise StorageFailing(NOT_STORED) from None
    except (QuotaExceeded, StorageFull):
        raise StorageFull("There is no room for this. Tell whoever sent you the link.") from None


def metadata_of(sender: str, folder: str) -> dict[str, str]:
    """Return the metadata of a file that a stranger sends."""
    given = {"from": sender, "path": folder}
    return {name: text for name, text in given.items() if text}


def collection_of(grant: TokenGrant) -> Collection:
    """Return the target of a link that takes files."""
    if grant.collection is None:  # it was deleted a moment ago
        raise grant.spent()
    return grant.collection


def _add_to_collection(grant: TokenGrant, target: Collection, document: Document) -> Receipt:
    """Judge the file again and count it, in the transaction that stores the document's row."""
    token = DocumentToken.live_one(grant.id, target)
    collection = Collection.one_of(document.owner_id, target.id)
    if token.permissions != UPLOAD:
        raise grant.spent()
    if token.has_password and token.answers_id != grant.answers_id:  # set meanwhile
        raise ScopeMissing(_OPEN_FIRST)
    # The new document is in no list yet.
    if collection.is_full or document.size > collection.room:
        raise NoRoom(collection.room)
    with token.counted_use():
        Collection.edit(document.owner_id, collection.id, add=[document.id], add_pointer="#/file")
        head = EventHead.of(document.owner_id)
        event_id = head.last_id
        event_hash = head.hash.hex()
        sender = document.metadata.get("from", "")
        token.record_visit(sender.casefold(), document_id=document.id)
    return Receipt(
        name=document.name,
        size=document.size,
        sha256=document.sha256,
        received_at=document.created_at,
        event_id=event_id,
        event_hash=event_hash,
        files_left=(token.max_views or 0) - token.views,
        bytes_left=collection.room - document.size,
    )
