"""The beginning of an upload: its row, which counts against limits, quota and disk from then on."""

from dataclasses import dataclass, field
from typing import Any

from ..core import PayloadTooLarge
from ..documents import UnfinishedUpload, acting_user_id, place_for, require_quota
from ..records import Owner, require_future
from ..runtime import current_runtime, refuse_if_full
from ..storage import engine, transaction
from ..storage.payloads import OBJECTS, seal_piece
from ..storage.payloads import rows as payload_rows
from .by_link import make_way

MOST_OF_OWNER = 100  # unfinished uploads, but those by links


@dataclass(frozen=True)
class NewUpload:
    """An upload of `size` bytes that somebody begins.

    `given` are the values of the document, as `finishing.py` takes them; `metadata_sent` is the
    header that they were read from; `begun_by_id` is the id of the session or API key.
    """

    owner_id: str
    size: int
    given: dict[str, Any] = field(default_factory=dict)
    metadata_sent: str = ""
    begun_by_id: str = ""
    came_by: str | None = None


def require_beginning(owner_id: str, size: int) -> None:
    """Raise `PayloadTooLarge` or `QuotaExceeded` for a size that the owner may not begin to send.

    `begin` asks this itself; ask it earlier before work that is done for the upload alone, as the
    hashing of a password.
    """
    settings = current_runtime().settings
    if size > settings.max_upload_bytes:
        raise PayloadTooLarge(settings.max_upload_bytes)
    require_quota(owner_id, size)


def begin(new: NewUpload) -> UnfinishedUpload:
    """Store the row of a new upload, of which nothing has arrived.

    Raises `PayloadTooLarge`, `QuotaExceeded`, `StorageFull`, `Invalid`.
    """
    require_beginning(new.owner_id, new.size)
    require_future(new.given.get("expires_at"))
    upload: UnfinishedUpload = UnfinishedUpload.fresh(
        owner_id=new.owner_id, size=new.size, received=0, rest=b"", came_by=new.came_by
    )
    upload.given = new.given
    upload.metadata_sent = new.metadata_sent
    upload.begun_by_id = new.begun_by_id
    upload.uploader_id = acting_user_id()
    upload.expires_at = upload.end_after(upload.created_at)
    with transaction(new.owner_id):
        if new.came_by:
            make_way(new.owner_id, new.came_by)
        else:
            _refuse_if_many(new.owner_id)
        require_quota(new.owner_id, new.size)
        _require_disk_space(new)
        upload.generate_key()
        upload.store()
        if not new.size:  # all has arrived
            payload_rows.store(upload.id, [seal_piece(upload.key, upload.id, 0, 0, b"")])
    return upload


def _refuse_if_many(owner_id: str) -> None:
    count = UnfinishedUpload.count_of(owner_id)
    refuse_if_full(count, MOST_OF_OWNER, "unfinished upload", "Finish or delete one first.")


def _require_disk_space(new: NewUpload) -> None:
    """Raise `StorageFull` unless it fits beside what this person has begun and not sent.

    What others have announced and not sent refuses nobody.
    """
    if place_for(new.size) == OBJECTS:  # the disk holds a segment of it
        return
    begun = UnfinishedUpload.missing_of(Owner.sharing_with(new.owner_id))
    reserve_bytes = current_runtime().settings.reserve_bytes
    with engine().reserve_disk_space(begun + new.size, reserve_bytes, in_file=True):
        pass  # it comes over time
