"""The document of an upload that has arrived: stored as `POST /v1/documents` stores one.

It is stored in one transaction with its first link, its place in a collection, its event, and the
row of the upload, which says for a day what it has become. The values that an upload is given at
its beginning:

    name, content_type, expires_at, metadata, sha256    as they are, or missing
    link                                                the options of the first link, or None
    collection_id                                       the collection that it is appended to
"""

from typing import Any

import viewer

from ..core import (
    Busy,
    ChecksumMismatch,
    Invalid,
    QuotaExceeded,
    ServiceError,
    StorageFull,
    TokenSpent,
    TooManyRequests,
    now,
)
from ..documents import (
    READ_TWICE_BYTES,
    Collection,
    Document,
    UnfinishedUpload,
    new_document,
    require_quota,
)
from ..documents.unfinished_upload import FAILED, RESULT_KEPT_MS
from ..events import EventHead, acting
from ..links import DocumentToken, LinkOptions
from ..runtime import current_runtime, log_failure, service_error_of
from ..storage import transaction
from .by_link import may_come_back, receive_document, refusals_of
from .ending import drop_payload

_GIVEN_TO_DOCUMENT = ("name", "metadata", "expires_at")


class WrongFile(ChecksumMismatch):
    """All has arrived, and it is not the file that was announced."""

    sentence = "The file is not that of `sha256`. The upload is ended, and no document is stored."


def finish(upload: UnfinishedUpload, sha256: str) -> Document:
    """Store the document of an upload of which all has arrived.

    Call it in the transaction that stores the last byte, or says that it was stored. Raises
    `WrongFile`, `QuotaExceeded`, and what refuses the link or the collection.
    """
    given = upload.given
    if given.get("sha256") not in (None, sha256):
        raise WrongFile
    with transaction(upload.owner_id), EventHead.moved_once(upload.owner_id):
        require_quota(upload.owner_id, upload.size, instead_of=upload.id)
        document = new_document(
            upload.owner_id,
            upload.size,
            content_type=_content_type(upload),
            origin=_origin(upload),
            came_by=upload.came_by,
            given={name: given[name] for name in _GIVEN_TO_DOCUMENT if name in given},
        )
        document.uploader_id = upload.uploader_id
        document.place = upload.place
        document.key = upload.key
        document.payload_head = upload.id.encode()
        document.sha256 = sha256
        document.crc32 = upload.crc32 if upload.size > READ_TWICE_BYTES else None
        document.store_row()
        result = _place(upload, document)
        upload.generate_key()  # that of before is now the document's, and ends with it
        _store_result(upload, document.id, result)
    return document


def _origin(upload: UnfinishedUpload) -> dict[str, Any]:
    """Return the facts for the event that records the document."""
    facts = {"upload_id": upload.id, "begun_at": upload.created_at}
    return facts | {"collection_id": upload.given["collection_id"]} if upload.came_by else facts


def _place(upload: UnfinishedUpload, document: Document) -> dict[str, Any]:
    """Put the document where it was sent to, and return the facts that the upload keeps of it."""
    if upload.came_by:
        return {"receipt": receive_document(upload, document)}
    token_id = _first_link(upload, document)
    if collection_id := upload.given.get("collection_id"):
        Collection.append(upload.owner_id, collection_id, document)
    return {"token_id": token_id}


def _first_link(upload: UnfinishedUpload, document: Document) -> str | None:
    """Make the link that was asked for at the beginning, and return its id; None if there is none.

    An error that refuses the link now does not refuse the document, since nobody could mend it with
    the last byte: its end has come, it marks pages and the file has none, or the account has no
    address or no room for the webhook that reports its visits.
    """
    options = upload.given.get("link")
    if options is None:
        return None
    try:
        link = DocumentToken.issue(document, LinkOptions.of_stored(options), with_upload=True)
    except (Invalid, QuotaExceeded, TooManyRequests):  # before anything of the link is stored
        return None
    return str(link.row.id)


def finish_arrived(upload: UnfinishedUpload, sha256: str) -> None:
    """Store the document of an upload whose last byte was acknowledged before, beside the requests.

    What refuses it is kept as its result. Where the storage is full or busy, it is tried again
    later.
    """
    try:
        slot = current_runtime().upload_slots.held(upload.id)
        with refusals_of(upload), slot, transaction(upload.owner_id):
            row = UnfinishedUpload.locked(upload.owner_id, upload.id)
            if row.is_unfinished and row.has_arrived:
                with acting(row.last_actor.items()):
                    finish(row, sha256)
    except Exception as error:
        known = service_error_of(error)
        if isinstance(known, TokenSpent) and may_come_back(known):
            return  # it waits for its link
        if known is None or isinstance(known, Busy | StorageFull):
            log_failure(f"The document of {upload.id} is not stored yet", error)
            return
        _fail(upload, known)
    current_runtime().upload_digests.forget(upload.id)


def _fail(upload: UnfinishedUpload, error: ServiceError) -> None:
    """Keep why no document is stored, and delete what has arrived."""
    with transaction(upload.owner_id):
        row = UnfinishedUpload.locked(upload.owner_id, upload.id)
        drop_payload(row)
        row.generate_key()
        _store_result(row, FAILED, {"failed": error.code})


def _store_result(upload: UnfinishedUpload, document_id: str, result: dict[str, Any]) -> None:
    upload.change(
        received=upload.size,
        rest=b"",
        document_id=document_id,
        expires_at=now() + RESULT_KEPT_MS,
        root=upload.root,
        sealed_key=upload.sealed_key,
        given={"name": upload.name},
        last_actor={},
        result=result,
    )


def _content_type(upload: UnfinishedUpload) -> str:
    """Return the type that was given; if that is missing or generic, what name and bytes say."""
    content_type = upload.given.get("content_type") or ""
    if not viewer.is_generic(content_type):
        return str(content_type)
    named = viewer.type_of_name(upload.given.get("name") or "")
    return viewer.detect(named, b"".join(upload.read(0, viewer.FIRST_BYTES)))
