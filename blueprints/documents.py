"""Documents: upload, list, get, edit, delete."""

from typing import Any

from flask import current_app, g

from models import Document
from models.errors import DocumentDamaged, PayloadTooLarge, QuotaExceeded, StorageFull
from models.upload import uploaded

from .http import (
    DELETE,
    OWNER,
    READ,
    WRITE,
    ApiBlueprint,
    accepts,
    idempotent,
    list_response,
    may_fail_with,
    parse_cursor,
    rate_limited,
    takes_uploads,
)
from .http.base64_payload import Base64Payload
from .schemas.requests import DocumentPage, Edit, Upload
from .schemas.responses import DocumentRecord, Uploaded, listed
from .views.links import base_url, issue_link, link_options

documents = ApiBlueprint("documents", __name__, url_prefix="/v1/documents", description="Documents")


@documents.post("")
@accepts(*OWNER, scope=WRITE)
@may_fail_with(PayloadTooLarge, QuotaExceeded, StorageFull)
@takes_uploads
@idempotent
@rate_limited(lambda: Document.uploads.spend(g.caller.owner_id))
@documents.arguments(Upload())
@documents.response(201, Uploaded)
def upload(body: dict[str, Any]) -> Any:
    """Upload a new document"""
    document = _store(g.caller.owner_id, **body)
    return document, 201, {"Location": f"{base_url()}/v1/documents/{document.id}"}


@documents.get("")
@accepts(*OWNER, scope=READ)
@documents.arguments(DocumentPage(), location="query")
@documents.response(200, listed("documents", DocumentRecord))
def list_owned(query: dict[str, Any]) -> Any:
    """List all documents owned by the authenticated user"""
    cursor = parse_cursor(query.pop("cursor"))
    return list_response("documents", *Document.matching(g.caller.owner_id, after=cursor, **query))


@documents.get("/<id>")
@accepts(*OWNER, scope=READ)
@may_fail_with(DocumentDamaged)
@documents.response(200, DocumentRecord)
def get(id: str) -> Document:
    """Return the document's record"""
    return Document.one_of(g.caller.owner_id, id)


@documents.patch("/<id>")
@accepts(*OWNER, scope=WRITE)
@documents.arguments(Edit())
@documents.response(200, DocumentRecord)
def edit(body: dict[str, Any], id: str) -> Document:
    """Change the document's name, metadata or expiry"""
    document = Document.one_of(g.caller.owner_id, id)
    document.edit(**body)
    return document


@documents.delete("/<id>")
@accepts(*OWNER, scope=DELETE)
@documents.response(204)
def delete(id: str) -> None:
    """Delete the document and revoke all its tokens"""
    Document.one_of(g.caller.owner_id, id).delete_with_tokens()


def _store(owner_id: str, payload: Base64Payload, token: Any, **facts: Any) -> Document:
    """A document with its first link, in one transaction; `token` holds the link's options."""
    payload.refuse_if_longer(current_app.config["MAX_DOCUMENT_BYTES"])
    options = None if token is None else link_options(token)
    with uploaded(owner_id, payload.pieces(), size=payload.size, **facts) as document:
        document.token = None if options is None else issue_link(document, options)
    return document
