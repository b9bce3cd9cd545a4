"""Uploads in pieces by a link that takes files: what its routes do.

Who begins an upload gets a ticket for this upload. Whoever has the link, and not this ticket,
learns of no upload.
"""

from typing import Any

from flask import Response, request
from marshmallow import Schema

from models.core import NotFound, ScopeMissing
from models.documents import UnfinishedUpload
from models.links import UPLOAD, TokenGrant, collection_of, metadata_of, refused_to_stranger
from models.uploads import NewUpload, begin, catch_up, end, require_beginning_by_link

from ..http import g
from ..http.tus import length_of_upload
from .links import base_url
from .uploads import begin_upload, count_upload, loaded_metadata

PATH = "/s/uploads"


def begin_by_link(schema: Schema) -> Response:
    """Begin an upload by the caller's link, and store what has come of its body.

    `schema` loads the values of `Upload-Metadata`.
    """
    grant = g.caller.grant
    if UPLOAD not in grant.permissions:
        raise ScopeMissing("This link opens something. It takes no files.")
    size = length_of_upload()

    def begin_once() -> str:
        collection = require_beginning_by_link(grant, size)
        count_upload(grant.id)
        new = NewUpload(
            owner_id=collection.owner_id,
            size=size,
            given=_given_by_stranger(grant, collection.id, schema),
            metadata_sent=request.headers.get("Upload-Metadata", ""),
            came_by=grant.id,
        )
        with refused_to_stranger():
            return begin(new).id

    return begin_upload(size, begin_once, _begun, _address)


def _given_by_stranger(grant: TokenGrant, collection_id: str, schema: Schema) -> dict[str, Any]:
    values = loaded_metadata(schema)
    sender = values.pop("sender")
    folder = values.pop("folder")
    return values | {
        "metadata": metadata_of(sender, folder),
        "collection_id": collection_id,
        "answers_id": grant.answers_id,
    }


def _begun(id: str) -> UnfinishedUpload:
    """Return an upload that the caller has just begun. Raise `NotFound`."""
    grant = g.caller.grant
    upload = UnfinishedUpload.one_of(collection_of(grant).owner_id, id)
    if upload.came_by != grant.id:
        raise NotFound
    return upload


def _address(id: str) -> str:
    return f"{base_url()}{PATH}/{id}?ticket={g.caller.grant.upload_ticket(id)}"


def upload_of_ticket(id: str) -> UnfinishedUpload:
    """Return the upload that the presented ticket is for. Raise `NotFound` for every other one."""
    if id != g.caller.grant.upload_id:
        raise NotFound
    upload = _begun(id)
    catch_up(upload)
    return upload


def end_by_link(id: str) -> None:
    """End an upload; of a finished one only its record, as the file stays with its receiver."""
    end(upload_of_ticket(id))


def shown_by_link(id: str) -> dict[str, Any]:
    """Return how far an upload is, and its receipt when the file is stored."""
    upload = upload_of_ticket(id)
    receipt = upload.result.get("receipt")
    shown = {
        "id": upload.id,
        "size": upload.size,
        "received": upload.received,
        "expires_at": upload.expires_at,
        "receipt": None if receipt is None else dict(receipt),
    }
    code = upload.result.get("failed")
    return shown | {"failed": {"code": code}} if code else shown
