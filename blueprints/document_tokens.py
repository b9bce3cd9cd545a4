"""Document tokens: links to one document that can be changed and revoked."""

from typing import Any

from flask import g

from models import Document, DocumentToken
from models.core import DocumentDamaged, QuotaExceeded, TokenRevoked
from models.links import LinkOptions, links_of_owner

from .http import OWNER, READ, WRITE, ApiBlueprint, may_fail_with
from .schemas.links import DocumentTokenRecord, DocumentTokenWithSecret, OwnedTokenRecord
from .schemas.requests import (
    DocumentTokenEdit,
    DocumentTokenQuery,
    NewDocumentToken,
    PageQuery,
)
from .schemas.responses import list_page, list_schema
from .views.links import IssuedLink, with_addresses

document_tokens = ApiBlueprint(
    "document_tokens", __name__, url_prefix="/v1", description="Document tokens"
)
OF_DOCUMENT = "/documents/<id>/tokens"


@document_tokens.post(OF_DOCUMENT, accepts=OWNER, scope=(READ, WRITE), idempotent=True)
@may_fail_with(QuotaExceeded)
@document_tokens.arguments(NewDocumentToken())
@document_tokens.response(201, DocumentTokenWithSecret)
def issue(body: dict[str, Any], id: str) -> IssuedLink:
    """Create a link that opens this document

    `token` and the addresses are shown this once. A link with `maxViews` or `password` shows a
    button first. Only the service's own pages may frame it, unless `allowedOrigins` names others.
    """
    document = Document.one_of(g.caller.owner_id, id)
    options = LinkOptions.of(document.owner_id, **body)
    return with_addresses(DocumentToken.issue(document, options))


@document_tokens.get(OF_DOCUMENT, accepts=OWNER, scope=READ)
@document_tokens.arguments(PageQuery(), location="query")
@document_tokens.response(200, list_schema("tokens", DocumentTokenRecord))
def list_masked(query: dict[str, Any], id: str) -> Any:
    """List the document's tokens (tokens masked)"""
    document = Document.one_of(g.caller.owner_id, id)
    return list_page(DocumentToken.page_of_target(document, **query))


@document_tokens.patch(f"{OF_DOCUMENT}/<token_id>", accepts=OWNER, scope=(READ, WRITE))
@may_fail_with(TokenRevoked, DocumentDamaged, QuotaExceeded)
@document_tokens.arguments(DocumentTokenEdit())
@document_tokens.response(200, DocumentTokenRecord)
def edit(body: dict[str, Any], id: str, token_id: str) -> DocumentToken:
    """Change a link without sending it anew

    What is absent stays as it is; `null` clears label, expiry, view limit or password. A link that
    has expired or is used up opens again when it gets a later expiry or more views. Pages that it
    opened before load nothing more once it has another password or may no longer view.
    """
    document = Document.one_of(g.caller.owner_id, id)
    return DocumentToken.edit(document, token_id, **body)


@document_tokens.delete(f"{OF_DOCUMENT}/<token_id>", accepts=OWNER, scope=WRITE)
@document_tokens.response(204)
def revoke(id: str, token_id: str) -> None:
    """Revoke a document token

    Its link stops at once. A second call changes nothing.
    """
    document = Document.one_of(g.caller.owner_id, id)
    DocumentToken.one_of_target(document, token_id).revoke()


@document_tokens.get("/tokens", accepts=OWNER, scope=READ)
@document_tokens.arguments(DocumentTokenQuery(), location="query")
@document_tokens.response(200, list_schema("tokens", OwnedTokenRecord))
def list_all(query: dict[str, Any]) -> Any:
    """List the links to all documents of the caller (tokens masked)

    Newest first, each with its `documentId`. A link whose document was deleted stays listed for 90
    days, as revoked and without its label.
    """
    return list_page(links_of_owner(g.caller.owner_id, **query))
