"""What the pages show of large files: how large one may be, and which uploads are unfinished."""

from dataclasses import dataclass
from typing import Self

from models import current_runtime
from models.documents import room_in_quota

from ..http import WRITE, g
from ..views.uploads import is_own, visible_uploads


@dataclass(frozen=True)
class UploadLimits:
    """The most bytes of a file: sent by the script, and sent by a form."""

    largest: int
    by_form: int

    @classmethod
    def of_service(cls) -> Self:
        settings = current_runtime().settings
        return cls(settings.max_upload_bytes, settings.max_document_bytes)

    def data(self) -> dict[str, int | None]:
        """Return the attributes from which the script knows them, and what the quota has left.

        Files are dropped on any page. None of them is for a caller who may upload nothing.
        """
        if not g.caller.may(WRITE):
            return {}
        room = room_in_quota(g.caller.owner_id)
        return {"data-limit": self.largest, "data-once": self.by_form, "data-room": room}


@dataclass(frozen=True)
class ShownUpload:
    """An unfinished upload as a page lists it: `received` of `size` bytes have arrived.

    The caller goes on with what `is_own`, and may end the others.
    """

    id: str
    name: str
    size: int
    received: int
    is_own: bool


def unfinished_uploads(collection_id: str = "") -> list[ShownUpload]:
    """Return the unfinished uploads of the caller's, newest first; or those to a collection."""
    if not g.caller.may(WRITE):
        return []
    return [
        ShownUpload(one.id, one.name or "", one.size, one.received, is_own(one))
        for one in visible_uploads()
        if not collection_id or one.given.get("collection_id") == collection_id
    ]
