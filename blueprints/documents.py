"""Documents: upload, list, get, edit, view, download, content, delete."""

from typing import Any

from flask import Response, g, request

import viewer
from models import Document, DocumentToken
from models.errors import DocumentDamaged, PayloadTooLarge, StorageFull, TokenSpent

from .caller import DELETE, DOCUMENT_TOKEN, OWNER, READ, WRITE, accepts
from .content import RangeNotSatisfiable, content_of
from .fields import rfc3339
from .idempotency import idempotent
from .links import base_url
from .lists import after, answered
from .openapi import refuses
from .records import DocumentRecord, Uploaded, listed
from .schemas import DocumentPage, Edit, Upload
from .strict import Blueprint, takes_uploads
from .uploads import store

documents = Blueprint("documents", __name__, url_prefix="/v1/documents", description="Documents")


@documents.post("")
@accepts(*OWNER, scope=WRITE)
@refuses(PayloadTooLarge, StorageFull)
@takes_uploads
@idempotent
@documents.arguments(Upload)
@documents.response(201, Uploaded)
def upload(body: dict[str, Any]) -> Any:
    """Upload a new document"""
    document = store(g.caller.owner_id, body)
    return document, 201, {"Location": f"{base_url()}/v1/documents/{document.id}"}


@documents.get("")
@accepts(*OWNER, scope=READ)
@documents.arguments(DocumentPage, location="query")
@documents.response(200, listed("documents", DocumentRecord))
def list_owned(query: dict[str, Any]) -> Any:
    """List all documents owned by the authenticated user"""
    limit, cursor = query.pop("limit"), after(query.pop("cursor"))
    rows, further = Document.page_of(g.caller.owner_id, limit, cursor, **query)
    return answered("documents", rows, further)


@documents.get("/<id>")
@accepts(*OWNER, scope=READ)
@refuses(DocumentDamaged)
@documents.response(200, DocumentRecord)
def get(id: str) -> Document:
    """Return the document's record"""
    return Document.one_of(g.caller.owner_id, id)


@documents.patch("/<id>")
@accepts(*OWNER, scope=WRITE)
@documents.arguments(Edit)
@documents.response(200, DocumentRecord)
def edit(body: dict[str, Any], id: str) -> Document:
    """Change the document's name, metadata or expiry"""
    document = Document.one_of(g.caller.owner_id, id)
    document.edit(**body)
    return document


@documents.get("/<id>/view")
@accepts(*OWNER, DOCUMENT_TOKEN, scope=READ, permission="view")
@refuses(TokenSpent, DocumentDamaged)
@documents.response(200, {"type": "string"}, content_type="text/html")
def view(id: str) -> Response:
    """Render the document as an inline HTML viewer"""
    original = _original(g.caller.document(id))
    page = viewer.view(original, frame_ancestors=g.caller.origins)
    return _counted(page)


@documents.get("/<id>/download")
@accepts(*OWNER, DOCUMENT_TOKEN, scope=READ, permission="download")
@refuses(TokenSpent, DocumentDamaged)
@documents.response(200, {"type": "string"}, content_type="text/html")
def download(id: str) -> Response:
    """Download the document as a self-contained HTML file"""
    return _counted(viewer.download(_original(g.caller.document(id))))


@documents.get("/<id>/content")
@accepts(*OWNER, DOCUMENT_TOKEN, scope=READ, permission="download")
@refuses(TokenSpent, DocumentDamaged, RangeNotSatisfiable)
@documents.response(200, {"type": "string", "format": "binary"}, content_type="*/*")
def content(id: str) -> Response:
    """Return the original's bytes, as their type"""
    return content_of(g.caller.document(id))


@documents.delete("/<id>")
@accepts(*OWNER, scope=DELETE)
@documents.response(204)
def delete(id: str) -> None:
    """Delete the document and revoke all its tokens"""
    Document.one_of(g.caller.owner_id, id).delete_with_tokens()


def _original(document: Document) -> viewer.Original:
    return viewer.Original(
        id=document.id,
        name=document.name,
        content_type=document.content_type,
        size=document.size,
        sha256=document.sha256,
        created_at=rfc3339(document.created_at),
        read=document.read,
    )


def _counted(page: viewer.Page) -> Response:
    """The page; a token's view is counted once the document has been opened."""
    if g.caller.via == DOCUMENT_TOKEN and request.method == "GET":
        DocumentToken.count_view(g.caller.id)
    headers = page.headers | {"Content-Length": str(page.length)}
    return Response(page.body, headers=headers)
