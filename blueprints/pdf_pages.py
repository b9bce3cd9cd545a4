"""The pages of a PDF: their text, and each as a picture with its links."""

from typing import Any

from flask import g

from models.core import DocumentDamaged, NotFound, TokenSpent, TooManyRequests, WrongCredentials

from .http import READ, READERS, TICKET, ApiBlueprint, may_fail_with
from .schemas.pdf import DrawnPdfPage, PdfPageList, PdfPagesQuery, PdfPassword
from .views import pdf
from .views.pages import allow_opened_pages

pdf_pages = ApiBlueprint(
    "pdf_pages", __name__, url_prefix="/v1/documents/<id>/pages", description="Pages of a PDF"
)
BY_PAGE = (*READERS, TICKET)
pdf_pages.after_request(allow_opened_pages)
ERRORS = (TokenSpent, DocumentDamaged, NotFound, WrongCredentials, TooManyRequests)


@pdf_pages.get("", accepts=BY_PAGE, scope=READ, permission="view")
@may_fail_with(*ERRORS)
@pdf_pages.arguments(PdfPagesQuery(), location="query")
@pdf_pages.response(200, PdfPageList())
def list_pages(query: dict[str, Any], id: str) -> dict[str, Any]:
    """List the pages of a PDF with their sizes and text"""
    return pdf.list_pages(g.caller.document(id), g.caller, query["cursor"])


@pdf_pages.post("", accepts=BY_PAGE, scope=READ, permission="view")
@may_fail_with(*ERRORS)
@pdf_pages.arguments(PdfPagesQuery(), location="query")
@pdf_pages.arguments(PdfPassword())
@pdf_pages.response(200, PdfPageList())
def list_locked_pages(query: dict[str, Any], body: dict[str, Any], id: str) -> dict[str, Any]:
    """List the pages of a PDF that has a password"""
    return pdf.list_pages(g.caller.document(id), g.caller, query["cursor"], body["password"])


@pdf_pages.get("/<number>", accepts=BY_PAGE, scope=READ, permission="view")
@may_fail_with(*ERRORS)
@pdf_pages.response(200, DrawnPdfPage())
def page(id: str, number: str) -> dict[str, Any]:
    """Return a page of a PDF as a picture, with its text and links

    Pages that were drawn once are kept with the document. It counts as no view.
    """
    return pdf.drawn_page(g.caller.document(id), g.caller, number)


@pdf_pages.post("/<number>", accepts=BY_PAGE, scope=READ, permission="view")
@may_fail_with(*ERRORS)
@pdf_pages.arguments(PdfPassword())
@pdf_pages.response(200, DrawnPdfPage())
def locked_page(body: dict[str, Any], id: str, number: str) -> dict[str, Any]:
    """Return a page of a PDF that has a password"""
    return pdf.drawn_page(g.caller.document(id), g.caller, number, body["password"])
