"""Documents: upload, list, get, edit, delete."""

from typing import Any

from models import Collection, Document, current_runtime
from models.core import (
    Allowance,
    ScopeMissing,
    current_payer,
)
from models.documents import find_documents, require_room
from models.documents import upload as store
from models.links import LinkOptions, delete_document, place_document

from .http import DELETE, OWNER, READ, WRITE, ApiBlueprint, g
from .http.base64_payload import Base64Payload
from .http.multipart import Part
from .schemas.requests import DocumentEdit, DocumentQuery, Upload, UploadForm
from .schemas.responses import DocumentRecord, UploadResponse, list_page, list_schema
from .views.links import UploadedDocument, base_url, with_addresses

documents = ApiBlueprint("documents", __name__, url_prefix="/v1/documents", description="Documents")


def _count_upload() -> Allowance | None:
    return current_runtime().upload_limiter.spend(current_payer.get())


@documents.post(
    "",
    accepts=OWNER,
    scope=WRITE,
    idempotent=True,
    spend=_count_upload,
    form=UploadForm(),
    uploads_as_json=True,
)
@documents.arguments(Upload())
@documents.response(201, UploadResponse)
def upload(body: dict[str, Any]) -> tuple[UploadedDocument, int, dict[str, str]]:
    """Upload a new document

    As a form, `file` is the file itself: `curl -F file=@report.pdf`. Without `name` or
    `contentType`, the part's `filename` or `Content-Type` is taken; `metadata` and `token` are
    JSON. As JSON, `payload` is the file in base64, as `base64 < report.pdf` prints it.

    The response holds a link that opens in a browser, for seven days unless `token` says otherwise;
    with `token` `null` there is no link. `collectionId` appends the document to a collection.
    """
    document = _store(g.caller.owner_id, **body)
    return document, 201, {"Location": f"{base_url()}/v1/documents/{document.row.id}"}


@documents.get("", accepts=OWNER, scope=READ)
@documents.arguments(DocumentQuery(), location="query")
@documents.response(200, list_schema("documents", DocumentRecord))
def list_owned(query: dict[str, Any]) -> dict[str, Any]:
    """List all documents owned by the authenticated user

    Newest first. A listed document matches every filter. With `name` or `contentType`, one call
    looks through at most 10,000 documents, and for names, which are stored sealed, at most half a
    second. So a page may hold fewer than `limit`, or none; go on as long as there is a
    `nextCursor`.
    """
    return list_page(find_documents(g.caller.owner_id, **query))


@documents.get("/<id>", accepts=OWNER, scope=READ)
@documents.response(200, DocumentRecord)
def get(id: str) -> Document:
    """Return the document's record"""
    return Document.one_of(g.caller.owner_id, id)


@documents.patch("/<id>", accepts=OWNER, scope=WRITE)
@documents.arguments(DocumentEdit())
@documents.response(200, DocumentRecord)
def edit(body: dict[str, Any], id: str) -> Document:
    """Change the document's name, metadata or expiry

    A field that is absent stays as it is; `null` clears it. An API key needs the scope
    `documents:delete` to give the document an earlier end. An API key without `documents:read` gets
    a response that shows of name, metadata and SHA-256 only the values it has sent.
    """
    caller = g.caller
    may_end_earlier = "expires_at" not in body or caller.uses(DELETE)
    document = Document.edit(caller.owner_id, id, **body, may_end_earlier=may_end_earlier)
    return document if caller.may(READ) else document.for_writer(body)


@documents.delete("/<id>", accepts=OWNER, scope=DELETE)
@documents.response(204)
def delete(id: str) -> None:
    """Delete the document and revoke all its tokens

    A deletion cannot be undone: the key that opens the document is deleted, too.
    """
    delete_document(Document.one_of(g.caller.owner_id, id))


def _store(
    owner_id: str, payload: Base64Payload | Part, token: Any, collection_id: str = "", **facts: Any
) -> UploadedDocument:
    """Store a document with its first link, at the end of its collection, in one transaction.

    `token` holds the link's options.
    """
    if collection_id:
        if not g.caller.may(READ):
            raise ScopeMissing(f"To add to a collection, this API key needs {READ!r}. Make one.")
        Collection.one_of(owner_id, collection_id)  # raises `NotFound` before anything is stored
    require_room(owner_id, payload)
    options = None if token is None else LinkOptions.of(**token)
    with store(owner_id, payload, **facts) as document:
        link = place_document(document, options, collection_id)
    return UploadedDocument(document, with_addresses(link) if link else None)
