"""Documents as seen: view, download, content. By their owner, or by who holds a token."""

from typing import Any

from flask import Response, g

from models.errors import DocumentDamaged, TokenSpent, TooManyRequests, WrongCredentials

from .http.authentication import DOCUMENT_TOKEN, OWNER, READ, TICKET, accepts
from .http.blueprint import ApiBlueprint, takes_form
from .schemas.openapi import may_fail_with
from .schemas.requests import Opening, Sealing
from .views import pages
from .views.content import RangeNotSatisfiable, content_of

viewing = ApiBlueprint(
    "viewing", __name__, url_prefix="/v1/documents/<id>", description="Viewing and saving"
)
HTML = {"type": "string"}
BINARY = {"type": "string", "format": "binary"}


@viewing.get("/view")
@accepts(*OWNER, DOCUMENT_TOKEN, scope=READ, permission="view")
@may_fail_with(TokenSpent, DocumentDamaged)
@viewing.response(200, HTML, content_type="text/html")
def view(id: str) -> Response:
    """Render the document as an inline HTML viewer"""
    document = g.caller.document(id)
    return pages.render_prompt("view") if pages.needs_prompt() else pages.render_view(document)


@viewing.post("/view")
@accepts(*OWNER, DOCUMENT_TOKEN, scope=READ, permission="view")
@may_fail_with(TokenSpent, DocumentDamaged, WrongCredentials, TooManyRequests)
@takes_form
@viewing.arguments(Opening())
@viewing.response(200, HTML, content_type="text/html")
def open_view(body: dict[str, Any], id: str) -> Response:
    """Open a link that has a password or counts its views"""
    document = g.caller.document(id)
    return pages.check_link_password(document, body["password"], "view") or pages.render_view(
        document
    )


@viewing.get("/download")
@accepts(*OWNER, DOCUMENT_TOKEN, scope=READ, permission="download")
@may_fail_with(TokenSpent, DocumentDamaged)
@viewing.response(200, HTML, content_type="text/html")
def download(id: str) -> Response:
    """Download the document as a self-contained HTML file"""
    document = g.caller.document(id)
    return (
        pages.render_prompt("download") if pages.needs_prompt() else pages.render_download(document)
    )


@viewing.post("/download")
@accepts(*OWNER, DOCUMENT_TOKEN, scope=READ, permission="download")
@may_fail_with(TokenSpent, DocumentDamaged, WrongCredentials, TooManyRequests)
@takes_form
@viewing.arguments(Sealing())
@viewing.response(200, HTML, content_type="text/html")
def download_sealed(body: dict[str, Any], id: str) -> Response:
    """Download the document as a self-contained HTML file that a password opens"""
    document = g.caller.document(id)
    if pages.is_form():
        return pages.check_link_password(
            document, body["password"], "download"
        ) or pages.render_download(document)
    return pages.render_encrypted_download(document, body["password"])


@viewing.get("/content")
@accepts(*OWNER, DOCUMENT_TOKEN, TICKET, scope=READ, permission="download")
@may_fail_with(TokenSpent, DocumentDamaged, RangeNotSatisfiable)
@viewing.alt_response(206, schema=BINARY, content_type="*/*", description="The range asked for")
@viewing.alt_response(304, description="What the client has is current")
@viewing.response(200, BINARY, content_type="*/*")
def content(id: str) -> Response:
    """Return the original's bytes, as their type"""
    document = g.caller.document(id)
    pages.refuse_locked()
    return pages.record_content_read(document, content_of(document))
