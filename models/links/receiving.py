"""Files that come in by a link: each becomes a document of the owner, in the link's collection.

Senders learn how much room is left and what they have sent, and nothing else of the collection.
"""

from contextlib import AbstractContextManager
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
    TokenSpent,
    counted,
)
from ..documents import Collection, Document, SentPayload, UnfinishedUpload, upload
from ..events import EventHead
from ..runtime import LongBody, current_runtime
from ..storage import errors_changed
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
    max_file_bytes: int  # of a file that comes in one request,
    max_upload_bytes: int  # and of one that comes in pieces

    @classmethod
    def of(cls, grant: TokenGrant, collection: Collection) -> "Room":
        settings = current_runtime().settings
        return cls(
            grant.views_left or 0,
            collection.room,
            settings.max_document_bytes,
            settings.max_upload_bytes,
        )


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


def take_slot_of_steps(grant: TokenGrant) -> LongBody | None:
    """Return the slot of a body that is served in steps, each of which is judged; or None."""
    if UPLOAD not in grant.permissions:
        return None
    return current_runtime().long_bodies.admit(grant.payer())


def room_for_steps(owner_id: str, collection: Collection) -> int:
    """Return how many bytes more a collection takes of uploads that come in pieces.

    What has arrived of unfinished ones takes room, and what was announced does not.
    """
    links = DocumentToken.select(DocumentToken.id).where(DocumentToken.target_id == collection.id)
    return max(0, collection.room - UnfinishedUpload.received_by(owner_id, links))


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
    with (
        refused_to_stranger(),
        upload(
            collection.owner_id,
            payload,
            content_type=content_type,
            name=name,
            metadata=metadata_of(sender, folder),
            origin={"collection_id": collection.id},
            came_by=grant.id,
        ) as document,
    ):
        return add_received(document, grant.id, grant.answers_id, collection)


def refused_to_stranger() -> AbstractContextManager[None]:
    """Raise what refuses a file in the block as strangers may know it: nothing of the owner."""
    return errors_changed(_for_stranger)


def _for_stranger(error: Exception) -> Exception:
    if isinstance(error, StoredUnsynced):
        return StoredUnsynced(UNSYNCED)
    if isinstance(error, StorageFailing):
        return StorageFailing(NOT_STORED)
    if isinstance(error, (QuotaExceeded, StorageFull)):
        return StorageFull("There is no room for this. Tell whoever sent you the link.")
    return error


def metadata_of(sender: str, folder: str) -> dict[str, str]:
    """Return the metadata of a file that a stranger sends."""
    given = {"from": sender, "path": folder}
    return {name: text for name, text in given.items() if text}


def collection_of(grant: TokenGrant) -> Collection:
    """Return the target of a link that takes files."""
    if grant.collection is None:  # it was deleted a moment ago
        raise grant.spent()
    return grant.collection


def add_received(document: Document, link_id: str, answers_id: str, target: Collection) -> Receipt:
    """Judge the file again and count it, in the transaction that stores the document's row.

    `answers_id` is what the link had when its holder was let in. Raises `TokenSpent`,
    `TargetChanged`, `ScopeMissing`, `NoRoom`.
    """
    token = DocumentToken.live_one(link_id, target)
    collection = Collection.one_of(document.owner_id, target.id)
    if token.permissions != UPLOAD:
        raise TokenSpent(origins=tuple(token.allowed_origins.split()), owner_id=token.owner_id)
    if token.has_password and token.answers_id != answers_id:  # set meanwhile
        raise ScopeMissing(_OPEN_FIRST)
    # The new document is in no list yet.
    if collection.is_full or document.size > collection.room:
        raise NoRoom(collection.room)
    with token.counted_use():
        Collection.edit(
            document.owner_id,
            collection.id,
            add=[document.id],
            add_pointer="#/file",
            origin=document.origin,
        )
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
