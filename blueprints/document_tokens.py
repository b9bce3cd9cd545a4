"""Document tokens: links to a document or a collection that can be changed and revoked."""

from typing import Any

from flask import Response

from models import DocumentToken
from models.links import (
    LinkOptions,
    Opening,
    SentLink,
    kept_text,
    links_of_owner,
    listed_link,
    send_link,
    target_of,
)

from .http import EVENTS, OWNER, READ, TICKET, WRITE, ApiBlueprint, g
from .schemas.requests import (
    DocumentTokenEdit,
    DocumentTokenQuery,
    LinkEdit,
    LinkNote,
    NewDocumentToken,
    PageQuery,
)
from .schemas.responses import (
    DocumentTokenRecord,
    DocumentTokenWithSecret,
    OpeningRecord,
    SentLinkRecord,
    list_page,
    list_schema,
)
from .views.links import IssuedLink, receipt_file, with_addresses

document_tokens = ApiBlueprint(
    "document_tokens", __name__, url_prefix="/v1", description="Document tokens"
)
OF_DOCUMENT, OF_COLLECTION = "/documents/<id>/tokens", "/collections/<id>/tokens"
TOKENS = list_schema("tokens", DocumentTokenRecord)
OF_BOTH = (f"{OF_DOCUMENT}/<token_id>", f"{OF_COLLECTION}/<token_id>")


@document_tokens.post(
    OF_DOCUMENT, also=[OF_COLLECTION], accepts=OWNER, scope=(READ, WRITE), idempotent=True
)
@document_tokens.arguments(NewDocumentToken())
@document_tokens.response(201, DocumentTokenWithSecret)
def issue(body: dict[str, Any], id: str) -> IssuedLink:
    """Create a link to a document or a collection

    The response is the only one that shows `token` and the addresses. A link with `maxViews` or
    `password` shows a button first. Only the service's own pages may frame the link, unless
    `allowedOrigins` names other sites.
    """
    target = target_of(g.caller.owner_id, id)
    options = LinkOptions.of(**body)
    return with_addresses(DocumentToken.issue(target, options))


@document_tokens.get(OF_DOCUMENT, also=[OF_COLLECTION], accepts=OWNER, scope=READ)
@document_tokens.arguments(PageQuery(), location="query")
@document_tokens.response(200, TOKENS)
def list_masked(query: dict[str, Any], id: str) -> Any:
    """List the links to a document or a collection (tokens masked)"""
    target = target_of(g.caller.owner_id, id)
    return list_page(DocumentToken.page_of_target(target, **query))


def _link_of(id: str, token_id: str) -> DocumentToken:
    """Return a link to the document or collection with this id. Raise `NotFound`."""
    return DocumentToken.one_of_target(target_of(g.caller.owner_id, id), token_id)


@document_tokens.patch(OF_BOTH[0], also=OF_BOTH[1:], accepts=OWNER, scope=(READ, WRITE))
@document_tokens.arguments(DocumentTokenEdit())
@document_tokens.response(200, DocumentTokenRecord)
def edit(body: dict[str, Any], id: str, token_id: str) -> DocumentToken:
    """Change a link without sending it anew

    A field that is absent stays as it is; `null` clears the label, expiry, view limit or password.
    A link that has expired or is used up opens again when it gets a later expiry or more views.
    Pages that the link opened before load nothing more after the password was changed or the
    permission to view was taken away.
    """
    return DocumentToken.edit(g.caller.owner_id, _link_of(id, token_id).id, **body)


@document_tokens.delete(OF_BOTH[0], also=OF_BOTH[1:], accepts=OWNER, scope=WRITE)
@document_tokens.response(204)
def revoke(id: str, token_id: str) -> None:
    """Revoke a document token

    The link stops at once. A second call changes nothing.
    """
    _link_of(id, token_id).revoke()


@document_tokens.get(
    f"{OF_BOTH[0]}/openings", also=[f"{OF_BOTH[1]}/openings"], accepts=OWNER, scope=(READ, EVENTS)
)
@document_tokens.arguments(PageQuery(), location="query")
@document_tokens.response(200, list_schema("openings", OpeningRecord))
def openings(query: dict[str, Any], id: str, token_id: str) -> Any:
    """List who has opened a guarded link, and what they accepted

    Newest first. Openings are kept as long as events.
    """
    return list_page(Opening.page_of_link(_link_of(id, token_id), **query))


@document_tokens.get(
    "/documents/<id>/agreements/<sha256>",
    also=["/collections/<id>/agreements/<sha256>"],
    accepts=OWNER,
    scope=READ,
)
@document_tokens.response(200, {"type": "string"}, content_type="text/plain")
def agreement(id: str, sha256: str) -> Response:
    """Return a text that links have asked to accept

    The text is kept as long as the document or collection, also after its link asks for another
    text.
    """
    text = kept_text(target_of(g.caller.owner_id, id), sha256)
    return Response(text, content_type="text/plain; charset=utf-8")


@document_tokens.get(
    "/documents/<id>/openings/<opening_id>/receipt",
    also=["/collections/<id>/openings/<opening_id>/receipt"],
    accepts=(*OWNER, TICKET),
    scope=(READ, EVENTS),
)
@document_tokens.returns_file("application/jsonl")
def receipt(id: str, opening_id: str) -> Response:
    """Return the receipt of what was accepted at an opening

    The receipt is one line of the owner's log, which `deploy/verify_log.py` verifies. A reader who
    has opened the link gets the receipt by the ticket of the opening.
    """
    caller = g.caller
    return receipt_file(Opening.of_reader(opening_id, id, caller.owner_id, caller.grant.reader))


@document_tokens.get("/tokens", accepts=OWNER, scope=READ)
@document_tokens.arguments(DocumentTokenQuery(), location="query")
@document_tokens.response(200, TOKENS)
def list_all(query: dict[str, Any]) -> Any:
    """List all links of the caller (tokens masked)

    Newest first. A link whose document or collection was deleted stays listed for 90 days, as
    revoked and without its label.
    """
    return list_page(links_of_owner(g.caller.owner_id, **query))


@document_tokens.get("/tokens/<id>", accepts=OWNER, scope=READ)
@document_tokens.response(200, DocumentTokenRecord)
def get(id: str) -> Any:
    """Return a link's record (token masked)"""
    return listed_link(g.caller.owner_id, id)


@document_tokens.patch("/tokens/<id>", accepts=OWNER, scope=(READ, WRITE))
@document_tokens.arguments(LinkEdit())
@document_tokens.response(200, DocumentTokenRecord)
def change(body: dict[str, Any], id: str) -> DocumentToken:
    """Change a link, or what it opens

    With `documentId` or `collectionId` the same link opens another target from the next request on;
    secret, terms and counted views stay. Pages that the link opened before load nothing more.
    """
    target_id = body.pop("target_id", None)
    target = target_of(g.caller.owner_id, target_id) if target_id else None
    return DocumentToken.edit(g.caller.owner_id, id, target, **body)


@document_tokens.post("/tokens/<id>/send", accepts=OWNER, scope=(READ, WRITE))
@document_tokens.arguments(LinkNote())
@document_tokens.response(202, SentLinkRecord)
def send(body: dict[str, Any], id: str) -> SentLink:
    """Send a link by mail to the addresses among its recipients

    The mail names the sender and holds the note and the link's address, and not what the link
    opens. A domain among the recipients gets none.
    """
    return send_link(g.caller.owner_id, id, body["note"])


@document_tokens.delete("/tokens/<id>", accepts=OWNER, scope=WRITE)
@document_tokens.response(204)
def end(id: str) -> None:
    """Revoke a link, whatever it opens"""
    DocumentToken.one_of(g.caller.owner_id, id).revoke()
