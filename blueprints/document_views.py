"""Documents as seen by their owner or the holder of a token: view, download, content, pages."""

from typing import Any

from flask import Response
from marshmallow import EXCLUDE

import viewer

from .http import DOCUMENT_TOKEN, READ, READERS, TICKET, ApiBlueprint, g
from .http.blueprint import BINARY
from .http.caller import request_and_globals
from .schemas.requests import (
    CodeRequest,
    DownloadRequest,
    PdfPageQuery,
    PdfPagesQuery,
    PdfPassword,
    ViewQuery,
    ViewRequest,
)
from .schemas.responses import CodeSent, DrawnPdfPage, PdfPageList
from .views import content as contents
from .views import document_pages

document_views = ApiBlueprint(
    "document_views",
    __name__,
    url_prefix="/v1/documents/<id>",
    description="Viewing and saving",
    template_folder=viewer.TEMPLATES,  # the pages of the service share styles and icons
)
pdf_pages = ApiBlueprint(
    "pdf_pages", __name__, url_prefix="/v1/documents/<id>/pages", description="Pages of a PDF"
)
BY_PAGE = (*READERS, TICKET)
HTML = {"type": "string"}


@pdf_pages.after_request
def allow_opened_pages(response: Response) -> Response:
    """Allow a page without an origin, as opened pages are: it sends a ticket, never a cookie."""
    response.headers["Access-Control-Allow-Origin"] = "*"
    response.headers["Access-Control-Expose-Headers"] = "Retry-After"
    return response


@document_views.after_request
def allow_tickets(response: Response) -> Response:
    """Allow an opened page to read what it loads by its ticket, and why a ticket loads nothing."""
    return allow_opened_pages(response) if _sends_ticket() else response


def _sends_ticket() -> bool:
    request, g = request_and_globals()
    is_by_page = getattr(g.get("caller"), "credential_type", None) == TICKET
    return is_by_page or "ticket" in request.args


@document_views.get("/view", accepts=BY_PAGE, scope=READ, permission="view")
@document_views.arguments(ViewQuery(), location="query", unknown=EXCLUDE)
@document_views.alt_response(202, schema=HTML, content_type="text/html")
@document_views.response(200, HTML, content_type="text/html")
def view(_query: dict[str, Any], id: str) -> Response:
    """Render the document as an inline HTML viewer

    A workbook is shown as tables, and with `as=pages` as the pages that LibreOffice draws.

    While the document is being prepared, a browser gets 202 and a page that asks again by itself;
    every other client waits for the view, or gets 503 with `Retry-After`.

    A link that has a password or counts its views gets a page with a button instead. The button
    sends a POST, so that a preview of the link uses up no view.
    """
    return document_pages.render("view", g.caller.document(id), g.caller.grant)


@document_views.post("/view", accepts=READERS, scope=READ, permission="view")
@document_views.arguments(ViewQuery(), location="query", unknown=EXCLUDE)
@document_views.arguments(ViewRequest())
@document_views.alt_response(202, schema=HTML, content_type="text/html")
@document_views.response(200, HTML, content_type="text/html")
def open_view(_query: dict[str, Any], body: dict[str, Any], id: str) -> Response:
    """Open a link that asks for something first, or counts its views

    `password` is the link's. A guarded link asks for everything in this one request: `email` and
    `code` if it has recipients, `name` and `accept` if it has an agreement. Each call uses up one
    view. While the document is being prepared, the form of a browser gets 202 and a page that leads
    on by a ticket.
    """
    return document_pages.unlock("view", g.caller.document(id), g.caller.grant, body)


@document_views.post("/codes", accepts=(DOCUMENT_TOKEN,), spend=document_pages.count_code)
@document_views.arguments(CodeRequest())
@document_views.alt_response(202, schema=HTML, content_type="text/html")
@document_views.response(202, CodeSent)
def request_code(body: dict[str, Any], id: str) -> Any:
    """Ask for a code by mail, for a link with recipients

    Every address gets the same answer; one of the recipients gets a mail with 8 digits.
    """
    return document_pages.send_code(g.caller.document(id), g.caller.grant, **body)


@document_views.get("/download", accepts=BY_PAGE, scope=READ, permission="download")
@document_views.response(200, HTML, content_type="text/html")
def download(id: str) -> Response:
    """Download the document as a self-contained HTML file

    The file opens offline, checks its SHA-256, and gives the original back byte for byte.
    """
    return document_pages.save(g.caller.document(id), g.caller.grant)


@document_views.post("/download", accepts=BY_PAGE, scope=READ, permission="download")
@document_views.arguments(DownloadRequest(), required=True)
@document_views.alt_response(200, schema=BINARY, content_type="*/*")
@document_views.response(200, HTML, content_type="text/html")
def download_encrypted(body: dict[str, Any], id: str) -> Response:
    """Download the document as a self-contained HTML file that a password opens

    You choose the password. A link that has a password of its own cannot be used here. With
    `pdfPassword` the file shows the first page of an encrypted PDF; without `password` the picture
    of this page is not encrypted. The form of an opened page sends its ticket and `pdfPassword`.
    The form of a link's prompt gets the original if that is too large for the file.
    """
    return document_pages.download_by_password(g.caller.document(id), g.caller, **body)


@document_views.get(
    "/content", accepts=BY_PAGE, scope=READ, permission="download", returns_original=True
)
def content(id: str) -> Response:
    """Return the original's bytes, as their type

    The call takes `Range`, `If-Range`, `If-Match` and `If-None-Match`. Types that a browser could
    run arrive as an attachment.
    """
    caller = g.caller
    read = contents.read_by_page if caller.credential_type == TICKET else contents.read
    return read(caller.document(id), caller.grant)


@pdf_pages.get("", accepts=BY_PAGE, scope=READ, permission="view")
@pdf_pages.arguments(PdfPagesQuery(), location="query")
@pdf_pages.response(200, PdfPageList())
def list_pages(query: dict[str, Any], id: str) -> dict[str, Any]:
    """List the pages of a PDF with their sizes and text"""
    return document_pages.list_pages(g.caller.document(id), g.caller, query["cursor"])


@pdf_pages.post("", accepts=BY_PAGE, scope=READ, permission="view")
@pdf_pages.arguments(PdfPagesQuery(), location="query")
@pdf_pages.arguments(PdfPassword())
@pdf_pages.response(200, PdfPageList())
def list_locked_pages(query: dict[str, Any], body: dict[str, Any], id: str) -> dict[str, Any]:
    """List the pages of a PDF that has a password"""
    return document_pages.list_pages(
        g.caller.document(id), g.caller, query["cursor"], body["password"]
    )


@pdf_pages.get("/<number>", accepts=BY_PAGE, scope=READ, permission="view")
@pdf_pages.arguments(PdfPageQuery(), location="query")
@pdf_pages.response(200, DrawnPdfPage())
def page(query: dict[str, Any], id: str, number: str) -> dict[str, Any]:
    """Return a page of a PDF as a picture, with its text and links

    Pages that were drawn once are kept with the document. The call counts as no view.
    """
    return document_pages.drawn_page(g.caller.document(id), g.caller, number, query["scale"])


@pdf_pages.post("/<number>", accepts=BY_PAGE, scope=READ, permission="view")
@pdf_pages.arguments(PdfPageQuery(), location="query")
@pdf_pages.arguments(PdfPassword())
@pdf_pages.response(200, DrawnPdfPage())
def locked_page(
    query: dict[str, Any], body: dict[str, Any], id: str, number: str
) -> dict[str, Any]:
    """Return a page of a PDF that has a password"""
    document = g.caller.document(id)
    return document_pages.drawn_page(document, g.caller, number, query["scale"], body["password"])
