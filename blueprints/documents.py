"""Documents: upload, list, get, edit, delete."""

from typing import Any

from flask import g

from models import Document
from models.errors import DocumentDamaged, PayloadTooLarge, QuotaExceeded, StorageFull

from .http.authentication import DELETE, OWNER, READ, WRITE, accepts
from .http.blueprint import ApiBlueprint, takes_uploads
from .http.idempotency import idempotent
from .http.pagination import list_response, parse_cursor
from .http.rate_limiting import rate_limited
from .schemas.openapi import may_fail_with
from .schemas.requests import DocumentPage, Edit, Upload
from .schemas.responses import DocumentRecord, Uploaded, listed
from .uploads import store
from .views.links import base_url

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
    document = store(g.caller.owner_id, body)
    return document, 201, {"Location": f"{base_url()}/v1/documents/{document.id}"}


@documents.get("")
@accepts(*OWNER, scope=READ)
@documents.arguments(DocumentPage(), location="query")
@documents.response(200, listed("documents", DocumentRecord))
def list_owned(query: dict[str, Any]) -> Any:
    """List all documents owned by the authenticated user"""
    limit, cursor = query.pop("limit"), parse_cursor(query.pop("cursor"))
    rows, further = Document.matching(g.caller.owner_id, limit, cursor, **query)
    return list_response("documents", rows, further)


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
