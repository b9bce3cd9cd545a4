"""Uploads in pieces, of any number of requests: begin, go on, look, list, end."""

from typing import Any

from flask import Response

from models import current_runtime

from .http import ANYONE, LINK, OWNER, READ, UPLOAD_TICKET, WRITE, ApiBlueprint
from .http.blueprint import BINARY
from .http.tus import OFFSET_STREAM, abilities, require_version
from .schemas.requests import PageQuery, SentUploadMetadata, UploadMetadata
from .schemas.responses import (
    SentUploadRecord,
    UnfinishedUploadRecord,
    UploadRecord,
    list_page,
    list_schema,
)
from .views.uploads import (
    append_to,
    begin_of_owner,
    end_upload,
    own_upload,
    page_of_uploads,
    progress_of,
    shown_result,
    visible_upload,
)
from .views.uploads_by_link import PATH as PATH_BY_LINK
from .views.uploads_by_link import (
    begin_by_link,
    end_by_link,
    shown_by_link,
    upload_of_ticket,
)

PATH = "/v1/uploads"
_BYTES_OF_FILE = {"content": {OFFSET_STREAM: {"schema": BINARY, "example": "Hello"}}}


def _header(
    name: str, description: str, example: int | None = None, **schema: Any
) -> dict[str, Any]:
    """Return the description of a header; one with an `example` is required."""
    required = {} if example is None else {"example": example, "required": True}
    return required | {
        "name": name,
        "in": "header",
        "description": description,
        "schema": {"type": "string"} | schema,
    }


_NUMBER = {"type": "integer", "minimum": 0, "maximum": 10**15 - 1}
_VERSION = _header("Tus-Resumable", "`1.0.0`, which is taken for granted if absent.")
_LENGTH = _header("Upload-Length", "Bytes of the whole file.", 4096, **_NUMBER)
_OFFSET = _header("Upload-Offset", "Where the body begins in the file.", 0, **_NUMBER)
_CHECKSUM = _header(
    "Upload-Checksum",
    "`sha256` or `sha1`, a space, and the digest of a body of at most 8 MiB in base64.",
)
_METADATA = _header(
    "Upload-Metadata",
    "Names and base64 of UTF-8, with commas between: `filename`, `filetype`, `expiresAt`, "
    "`collectionId`, `sha256`, `relativePath`, and as JSON `metadata` and `token`. At most 8 KiB.",
)
_METADATA_BY_LINK = _header(
    "Upload-Metadata",
    "Names and base64 of UTF-8, with commas between: `filename`, `filetype`, `from`, `sha256`, "
    "`relativePath`. At most 8 KiB.",
)
uploads = ApiBlueprint("uploads", __name__, url_prefix=PATH, description="Uploads in pieces")
uploads_by_link = ApiBlueprint(
    "uploads_by_link", __name__, url_prefix=PATH_BY_LINK, description="Uploads in pieces by a link"
)
for blueprint in (uploads, uploads_by_link):
    blueprint.before_request(require_version)


@uploads.route("", methods=["OPTIONS"], accepts=ANYONE)
@uploads.response(204)
def options() -> Response:
    """Say what uploads in pieces can do

    `Tus-Version`, `Tus-Extension`, `Tus-Max-Size` and `Tus-Checksum-Algorithm`.
    """
    return abilities(current_runtime().settings.max_upload_bytes)


@uploads.post("", accepts=OWNER, scope=WRITE, idempotent=True, handles_key=True, stepped=True)
@uploads.doc(parameters=[_VERSION, _LENGTH, _METADATA, _CHECKSUM], requestBody=_BYTES_OF_FILE)
@uploads.response(201)
def begin() -> Response:
    """Begin an upload in pieces

    `Upload-Length` is the size of the file, `Upload-Metadata` holds the fields of an upload, each
    in base64. A body is the beginning of the file. `Location` is where the upload goes on.
    """
    return begin_of_owner(PATH, UploadMetadata())


@uploads.get("", accepts=OWNER, scope=READ)
@uploads.arguments(PageQuery(), location="query")
@uploads.response(200, list_schema("uploads", UnfinishedUploadRecord))
def list_unfinished(query: dict[str, Any]) -> dict[str, Any]:
    """List the uploads that are not finished

    In a space a member sees those that this member has begun, and whoever manages it sees all.
    """
    return list_page(page_of_uploads(**query))


@uploads.route("/<id>", methods=["HEAD"], accepts=OWNER, scope=WRITE)
@uploads.response(200)
def progress(id: str) -> Response:
    """Say how much of an upload has arrived

    `Upload-Offset` is where it goes on, `Upload-Expires` how long it is kept without another byte.
    """
    return progress_of(visible_upload(id))


@uploads.route("/<id>", methods=["GET"], accepts=OWNER, scope=WRITE)
@uploads.response(200, UploadRecord)
def get(id: str) -> dict[str, Any]:
    """Return an upload's record, and its document when that is stored

    The record of a finished upload is kept for 24 hours. `name` and the document's `token` are for
    the credential that began it; `name` also for those who may read.
    """
    return shown_result(visible_upload(id))


@uploads.patch("/<id>", accepts=OWNER, scope=WRITE, stepped=True)
@uploads.doc(parameters=[_VERSION, _OFFSET, _CHECKSUM], requestBody=_BYTES_OF_FILE)
@uploads.response(204)
def append(id: str) -> Response:
    """Send more of an upload

    The body, of any length, is `application/offset+octet-stream`; it begins at `Upload-Offset`.
    With the last byte the document is stored, which `Document-Id` names.
    """
    return append_to(own_upload(id))


@uploads.delete("/<id>", accepts=OWNER, scope=WRITE)
@uploads.response(204)
def end(id: str) -> None:
    """End an upload, and delete what has arrived of it

    Of a finished upload the record is deleted, and the document stays. An upload that another
    credential began needs the scope `documents:delete`.
    """
    end_upload(visible_upload(id))


@uploads_by_link.after_request
def keep_out_of_search(response: Response) -> Response:
    response.headers["X-Robots-Tag"] = "noindex, nofollow"
    return response


@uploads_by_link.route("", methods=["OPTIONS"], accepts=ANYONE)
@uploads_by_link.response(204)
def options_by_link() -> Response:
    """Say what uploads in pieces by a link can do

    As for uploads of an owner.
    """
    return abilities(current_runtime().settings.max_upload_bytes)


@uploads_by_link.post("", accepts=LINK, idempotent=True, handles_key=True, stepped=True)
@uploads_by_link.doc(
    parameters=[_VERSION, _LENGTH, _METADATA_BY_LINK, _CHECKSUM], requestBody=_BYTES_OF_FILE
)
@uploads_by_link.response(201)
def begin_sending() -> Response:
    """Begin to send a file in pieces by a link that takes files

    As an owner begins an upload. `Location` holds a ticket, which opens this upload and nothing
    else, until 24 hours after the last byte. Of a link with a password it takes a ticket.
    """
    return begin_by_link(SentUploadMetadata())


@uploads_by_link.route("/<id>", methods=["HEAD"], accepts=(UPLOAD_TICKET,))
@uploads_by_link.response(200)
def progress_of_sent(id: str) -> Response:
    """Say how much of a sent file has arrived"""
    return progress_of(upload_of_ticket(id))


@uploads_by_link.route("/<id>", methods=["GET"], accepts=(UPLOAD_TICKET,))
@uploads_by_link.response(200, SentUploadRecord)
def get_sent(id: str) -> dict[str, Any]:
    """Return how much of a sent file has arrived, and its receipt when it is stored

    The receipt is kept for 24 hours.
    """
    return shown_by_link(id)


@uploads_by_link.patch("/<id>", accepts=(UPLOAD_TICKET,), stepped=True)
@uploads_by_link.doc(parameters=[_VERSION, _OFFSET, _CHECKSUM], requestBody=_BYTES_OF_FILE)
@uploads_by_link.response(204)
def append_to_sent(id: str) -> Response:
    """Send more of a file by a link

    With the last byte the file is stored in the link's collection, as by `POST /s`.
    """
    return append_to(upload_of_ticket(id))


@uploads_by_link.delete("/<id>", accepts=(UPLOAD_TICKET,))
@uploads_by_link.response(204)
def end_sending(id: str) -> None:
    """End a file that is being sent, and delete what has arrived of it

    Of a file that is stored the record is deleted alone.
    """
    end_by_link(id)
