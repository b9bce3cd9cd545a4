"""Document tokens: links to one document that can be revoked."""

from typing import Any

from flask import g

from models import Document, DocumentToken

from .http import OWNER, READ, WRITE, ApiBlueprint
from .schemas.requests import NewDocumentToken, PageQuery
from .schemas.responses import DocumentTokenRecord, DocumentTokenWithSecret, list_page, list_schema
from .views.links import IssuedLink, link_options, with_addresses

document_tokens = ApiBlueprint(
    "document_tokens",
    __name__,
    url_prefix="/v1/documents/<id>/tokens",
    description="Document tokens",
)


@document_tokens.post("", accepts=OWNER, scope=(READ, WRITE), idempotent=True)
@document_tokens.arguments(NewDocumentToken())
@document_tokens.response(201, DocumentTokenWithSecret)
def issue(body: dict[str, Any], id: str) -> IssuedLink:
    """Create a link that opens this document

    `token` and the addresses are shown this once. A link with `maxViews` or `password` shows a
    button first. Only the service's own pages may frame it, unless `allowedOrigins` names others.
    """
    document = Document.one_of(g.caller.owner_id, id)
    return with_addresses(DocumentToken.issue(document, link_options(body)))


@document_tokens.get("", accepts=OWNER, scope=READ)
@document_tokens.arguments(PageQuery(), location="query")
@document_tokens.response(200, list_schema("tokens", DocumentTokenRecord))
def list_masked(query: dict[str, Any], id: str) -> Any:
    """List the document's tokens (tokens masked)"""
    document = Document.one_of(g.caller.owner_id, id)
    return list_page(DocumentToken.page_of_document(document, **query))


@document_tokens.delete("/<token_id>", accepts=OWNER, scope=WRITE)
@document_tokens.response(204)
def revoke(id: str, token_id: str) -> None:
    """Revoke a document token

    Its link stops at once. A second call changes nothing.
    """
    document = Document.one_of(g.caller.owner_id, id)
    DocumentToken.one_of_document(document, token_id).revoke()
