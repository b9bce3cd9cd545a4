"""Documents as seen: view, download, content. By their owner, or by who holds a token."""

from typing import Any

from flask import Response, g

from models.errors import DocumentDamaged, TokenSpent, TooManyRequests, WrongCredentials

from . import pages
from .caller import DOCUMENT_TOKEN, OWNER, READ, TICKET, accepts
from .content import RangeNotSatisfiable, content_of
from .openapi import refuses
from .schemas import Opening, Sealing
from .strict import Blueprint, takes_form

viewing = Blueprint(
    "viewing", __name__, url_prefix="/v1/documents/<id>", description="Viewing and saving"
)
HTML = {"type": "string"}
BINARY = {"type": "string", "format": "binary"}


@viewing.get("/view")
@accepts(*OWNER, DOCUMENT_TOKEN, scope=READ, permission="view")
@refuses(TokenSpent, DocumentDamaged)
@viewing.response(200, HTML, content_type="text/html")
def view(id: str) -> Response:
    """Render the document as an inline HTML viewer"""
    document = g.caller.document(id)
    return pages.gate("view") if pages.is_gated() else pages.shown(document)


@viewing.post("/view")
@accepts(*OWNER, DOCUMENT_TOKEN, scope=READ, permission="view")
@refuses(TokenSpent, DocumentDamaged, WrongCredentials, TooManyRequests)
@takes_form
@viewing.arguments(Opening())
@viewing.response(200, HTML, content_type="text/html")
def open_view(body: dict[str, Any], id: str) -> Response:
    """Open a link that has a password or counts its views"""
    document = g.caller.document(id)
    return pages.unlocked(document, body["password"], "view") or pages.shown(document)


@viewing.get("/download")
@accepts(*OWNER, DOCUMENT_TOKEN, scope=READ, permission="download")
@refuses(TokenSpent, DocumentDamaged)
@viewing.response(200, HTML, content_type="text/html")
def download(id: str) -> Response:
    """Download the document as a self-contained HTML file"""
    document = g.caller.document(id)
    return pages.gate("download") if pages.is_gated() else pages.saved(document)


@viewing.post("/download")
@accepts(*OWNER, DOCUMENT_TOKEN, scope=READ, permission="download")
@refuses(TokenSpent, DocumentDamaged, WrongCredentials, TooManyRequests)
@takes_form
@viewing.arguments(Sealing())
@viewing.response(200, HTML, content_type="text/html")
def download_sealed(body: dict[str, Any], id: str) -> Response:
    """Download the document as a self-contained HTML file that a password opens"""
    document = g.caller.document(id)
    if pages.is_form():
        return pages.unlocked(document, body["password"], "download") or pages.saved(document)
    return pages.sealed(document, body["password"])


@viewing.get("/content")
@accepts(*OWNER, DOCUMENT_TOKEN, TICKET, scope=READ, permission="download")
@refuses(TokenSpent, DocumentDamaged, RangeNotSatisfiable)
@viewing.alt_response(206, schema=BINARY, content_type="*/*", description="The range asked for")
@viewing.alt_response(304, description="What the client has is current")
@viewing.response(200, BINARY, content_type="*/*")
def content(id: str) -> Response:
    """Return the original's bytes, as their type"""
    document = g.caller.document(id)
    pages.refuse_locked()
    return pages.handed_out(document, content_of(document))
