"""Uploads in pieces: what the routes of the API and of the pages do with them.

The steps of one body are requests of their own. They share a dictionary: the first step of a POST
begins the upload and puts its id there, and the others go on with it.
"""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import flask_smorest
from flask import Response, request
from marshmallow import Schema, ValidationError

from models import Collection, Document, Issued, current_runtime
from models.core import (
    Busy,
    NotFound,
    OffsetMismatch,
    PayloadTooLarge,
    ScopeMissing,
    current_payer,
    whole_number,
)
from models.documents import UnfinishedUpload
from models.links import LinkOptions, link_of_owner, stored_options
from models.storage import wait_for_earlier_syncs
from models.uploads import Body, NewUpload, append, begin, catch_up, end, require_beginning

from ..http import DELETE, MEMBERS, READ, Caller, g, report_allowance
from ..http.body import seekable_body
from ..http.idempotency import once_by_key
from ..http.serving import is_without_body, step_of
from ..http.tus import (
    checksum_of_body,
    has_terms,
    headers_of,
    is_stream,
    length_of_upload,
    metadata_of_upload,
    offset_of_body,
    require_stream,
    without_body,
)
from .links import IssuedLink, UploadedDocument, base_url, with_addresses

SMALL_STEP_BYTES = 64 << 10  # a smaller step counts as an upload, unless it is the last one


@dataclass(frozen=True)
class SentBody:
    """The bytes of a request that are here now: all of its body, or a step of it.

    `start` bytes of the body came before. `whole_bytes` is the length of the whole body, None if it
    is not known. Of a body that `is_cut` nothing more will come; its end is here if this `is_last`.
    """

    here: Body
    whole_bytes: int | None
    start: int = 0
    is_cut: bool = False
    is_last: bool = True

    @classmethod
    def of_request(cls) -> "SentBody":
        file = seekable_body(request)
        length = request.content_length
        if length is None:  # of a chunked body
            length = file.seek(0, 2)
        here = Body(file, length)
        step = step_of(request)
        if step is None:
            return cls(here, request.content_length)
        return cls(here, step.body_length, step.start, step.is_cut, step.is_last)

    @property
    def arrived_bytes(self) -> int | None:
        """The length of the whole body, also of a chunked one that is here; None if not known."""
        if self.whole_bytes is None and self.is_last:
            return self.start + self.here.length
        return self.whole_bytes

    def require_received(self) -> None:
        """Raise `Busy` for a body that the server has not received, by what its head said."""
        if is_without_body(request):
            raise Busy

    def refuse_if_longer(self, room: int) -> None:
        """Raise `PayloadTooLarge` if the whole body has more bytes than there is room for."""
        if self.whole_bytes is not None and self.whole_bytes > room:
            raise PayloadTooLarge(room)


def is_refused_by_head(caller: Caller, path: str, headers: Mapping[str, str]) -> bool:
    """Return whether the head of a request says already that nothing of its body will be stored.

    Then the body is not received, and the route says why. Header names are as in `X_API_KEY`.
    """
    if not is_stream(headers.get("CONTENT_TYPE", "")):
        return True
    body_bytes = int(headers.get("CONTENT_LENGTH") or 0)
    id = path.rpartition("/")[2]
    if path.endswith("/uploads"):
        size = whole_number(headers.get("UPLOAD_LENGTH", ""))
        return size is None or body_bytes > size
    offset = whole_number(headers.get("UPLOAD_OFFSET", ""))
    if offset is None:
        return True
    try:
        if caller.grant.upload_id:
            upload = UnfinishedUpload.find(caller.grant.upload_id)
        else:
            upload = UnfinishedUpload.one_of(caller.owner_id, id)
        if upload is None:
            return True
        upload.require_offset(offset)
    except (NotFound, OffsetMismatch):
        return True
    return offset + body_bytes > upload.size


# Beginning


def begin_of_owner(path: str, schema: Schema) -> Response:
    """Begin an upload of the caller's, below this path, and store what has come of its body.

    `schema` loads the values of `Upload-Metadata`.
    """
    size = length_of_upload()
    caller = g.caller

    def begin_once() -> str:
        count_upload()
        new = NewUpload(
            owner_id=caller.owner_id,
            size=size,
            given=_given_by_owner(size, schema),
            metadata_sent=request.headers.get("Upload-Metadata", ""),
            begun_by_id=caller.id,
        )
        return begin(new).id

    return begin_upload(size, begin_once, own_upload, lambda id: f"{base_url()}{path}/{id}")


def begin_upload(
    size: int,
    begin_once: Callable[[], str],
    find: Callable[[str], UnfinishedUpload],
    address: Callable[[str], str],
) -> Response:
    """Begin an upload of `size` bytes, once for all steps of a body, and store what has come.

    `begin_once` returns the id of the upload that it begins, and is not called for a request that
    is sent again with its `Idempotency-Key`, whose body is dropped. `find` returns the upload if
    the caller may go on with it, `address` where it goes on.
    """
    body = SentBody.of_request()
    body.refuse_if_longer(size)
    checksum_of_body(body.arrived_bytes)
    if body.here.length or body.whole_bytes or is_without_body(request):
        require_stream()
    body.require_received()
    step = step_of(request)
    shared: dict[str, Any] = {} if step is None else step.shared

    def begin_there() -> dict[str, str]:
        id = begin_once()
        return {"id": id, "address": address(id)}

    if "begun" not in shared:
        shared["begun"], shared["is_repeated"] = once_by_key(_fingerprint(), begin_there)
    upload = find(shared["begun"]["id"])
    headers = {"Location": shared["begun"]["address"]}
    if shared["is_repeated"]:
        headers["Idempotency-Replayed"] = "true"
    elif body.here.length or not size:
        upload = _store(upload, 0, body)
    return without_body(201, headers | headers_of_step(upload))


def count_upload(link_id: str | None = None) -> None:
    """Count a beginning, or a step that brings little: for a link by itself, else for the caller.

    Raises `TooManyRequests`.
    """
    runtime = current_runtime()
    if link_id:
        report_allowance(runtime.uploads_by_link.spend(link_id))
    else:
        report_allowance(runtime.upload_limiter.spend(current_payer.get()))


def _fingerprint() -> str:
    """Return the SHA-256, in hex, of the headers that say what is uploaded."""
    said = [request.headers.get(name, "") for name in ("Upload-Length", "Upload-Metadata")]
    return hashlib.sha256("\n".join(said).encode()).hexdigest()


def _given_by_owner(size: int, schema: Schema) -> dict[str, Any]:
    """Return the values of the document that the caller gives, as `finishing.py` takes them."""
    values = loaded_metadata(schema)
    owner_id = g.caller.owner_id
    if collection_id := values.get("collection_id"):
        if not g.caller.may(READ):
            raise ScopeMissing(f"To add to a collection, this API key needs {READ!r}. Make one.")
        Collection.one_of(owner_id, collection_id)  # raises `NotFound`
    token = values.pop("token")
    require_beginning(owner_id, size)
    if token is None:
        return values
    options = stored_options(**token)
    LinkOptions.of_stored(options).refuse_for_document(size)
    return values | {"link": options}


def loaded_metadata(schema: Schema) -> dict[str, Any]:
    """Return the values of `Upload-Metadata`. Abort with 422 for what the schema does not take."""
    try:
        values: dict[str, Any] = schema.load(metadata_of_upload())
    except ValidationError as error:
        flask_smorest.abort(422, messages={"headers": error.messages_dict})
    return values


# Going on


def append_to(upload: UnfinishedUpload) -> Response:
    """Store what has come of the body of a request, which begins where `Upload-Offset` says."""
    require_stream()
    upload = _store(upload, offset_of_body(), SentBody.of_request())
    return without_body(204, headers_of_step(upload))


def _store(upload: UnfinishedUpload, offset: int, body: SentBody) -> UnfinishedUpload:
    """Store bytes of a body that begins at this offset of the upload; return the upload then.

    Of a body of unknown length that is too long, as much as fits is stored before it is refused.
    """
    at = offset + body.start
    if body.start and not body.here.length:  # the end of a body that has brought all
        return upload
    checksum = checksum_of_body(body.arrived_bytes)
    if body.start and at == upload.size:  # its own steps have brought all, and it goes on
        raise PayloadTooLarge(upload.size)
    upload.require_offset(at)
    body.refuse_if_longer(upload.size - offset)
    body.require_received()
    if checksum and body.is_cut:  # nobody knows whether these bytes are right
        return upload
    room = upload.size - at
    length = min(body.here.length, room)
    if length < SMALL_STEP_BYTES and length < room:
        count_upload(upload.came_by)
    upload = append(upload, at, body.here.part(0, length), checksum)
    if length < body.here.length:
        raise PayloadTooLarge(upload.size)
    return upload


def headers_of_step(upload: UnfinishedUpload) -> dict[str, str]:
    """Return the headers that answer to bytes; once it is stored they name the owner's document."""
    headers = headers_of(upload)
    if upload.document_id and not upload.came_by:
        headers["Document-Id"] = upload.document_id
    return headers


# Looking, and ending


def visible_upload(id: str) -> UnfinishedUpload:
    """Return an upload that the caller may look at and end. Raise `NotFound` for others.

    A member sees what this member has begun, and whoever manages the space sees all. What has
    arrived is read again, if it has to be, from here on.
    """
    upload = UnfinishedUpload.one_of(g.caller.owner_id, id)
    if upload.came_by or not (is_own(upload) or _manages()):
        raise NotFound
    catch_up(upload)
    return upload


def own_upload(id: str) -> UnfinishedUpload:
    """Return an upload that the caller may go on with. Raise `NotFound` for others.

    What a session or key of a person has begun, every other one of the person goes on with; in a
    space the member who has begun it, or with what a key has begun every key.
    """
    upload = visible_upload(id)
    if not is_own(upload):
        raise NotFound
    return upload


def visible_uploads() -> list[UnfinishedUpload]:
    """Return the unfinished uploads that the caller may see, newest first."""
    unfinished = UnfinishedUpload.unfinished_of(g.caller.owner_id)
    return [one for one in unfinished if is_own(one) or _manages()]


def page_of_uploads(limit: int, after: str | None) -> tuple[list[dict[str, Any]], str | None]:
    """Return a page of the unfinished uploads that the caller may see, and the next `after`."""
    behind = [one for one in visible_uploads() if after is None or one.id < after]
    next_after = behind[limit - 1].id if len(behind) > limit else None
    return [shown_upload(one) for one in behind[:limit]], next_after


def is_own(upload: UnfinishedUpload) -> bool:
    """Return whether the caller may go on with an upload of the owner's."""
    member = g.caller.member
    return upload.uploader_id == (member.user_id if member else None)


def _manages() -> bool:
    return g.caller.member is not None and g.caller.may(MEMBERS)


def _is_by_this_credential(upload: UnfinishedUpload) -> bool:
    return upload.begun_by_id == g.caller.id


def progress_of(upload: UnfinishedUpload) -> Response:
    """Return how far an upload is, as the answer to HEAD.

    The answer waits for the sync of what has arrived: another connection may have brought it a
    moment ago. `Upload-Metadata` goes to whoever may know the name; with the terms of a link in it,
    to the credential that has sent them alone.
    """
    wait_for_earlier_syncs()
    headers = headers_of_step(upload) | {
        "Upload-Length": str(upload.size),
        "Cache-Control": "no-store",
    }
    sent = upload.metadata_sent
    shows_sent = (
        upload.came_by
        or _is_by_this_credential(upload)
        or (g.caller.may(READ) and not has_terms(sent))
    )
    if sent and shows_sent:
        headers["Upload-Metadata"] = sent
    return without_body(200, headers)


def end_upload(upload: UnfinishedUpload) -> None:
    """End an upload of the caller's, or of a space that the caller manages.

    One that another credential has begun needs the scope to delete, unless a member acts.
    """
    caller = g.caller
    if not (_is_by_this_credential(upload) or caller.member or caller.uses(DELETE)):
        raise ScopeMissing(f"Another credential began this upload: to end it needs {DELETE!r}.")
    end(upload)


def shown_upload(upload: UnfinishedUpload) -> dict[str, Any]:
    """Return the values of an upload that the caller sees, by the names of its record."""
    shows_name = _is_by_this_credential(upload) or g.caller.may(READ)
    return {
        "id": upload.id,
        "name": upload.name if shows_name else None,
        "size": upload.size,
        "received": upload.received,
        "created_at": upload.created_at,
        "expires_at": upload.expires_at,
        "document_id": upload.document_id or None,
    }


def shown_result(upload: UnfinishedUpload) -> dict[str, Any]:
    """Return the values of an upload, with its document, or with why there is none."""
    shown = shown_upload(upload) | {"document": _document_of(upload)}
    code = upload.result.get("failed")
    return shown | {"failed": {"code": code}} if code else shown


def _document_of(upload: UnfinishedUpload) -> UploadedDocument | None:
    """Return the document as the answer to an upload has it; None if it is not there any more.

    The secret of its first link is for the credential that has begun the upload alone.
    """
    try:
        document = Document.one_of(upload.owner_id, upload.document_id or "")
    except NotFound:
        return None
    if _is_by_this_credential(upload):
        return UploadedDocument(document, _first_link(upload))
    return UploadedDocument(document if g.caller.may(READ) else document.for_writer(()), None)


def _first_link(upload: UnfinishedUpload) -> IssuedLink | None:
    """Return the link that was made with the document, if it is still there."""
    try:
        link = link_of_owner(upload.owner_id, upload.result.get("token_id") or "")
    except NotFound:
        return None
    return with_addresses(Issued(link, link.kept_secret)) if link.kept_secret else None
