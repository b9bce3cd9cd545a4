"""The pages that show a document, and the prompt in front of a protected link.

A link with a password or a view limit opens by POST, so that a link preview, which sends a GET,
uses no view. A view is counted after the document was decrypted.
"""

from urllib.parse import quote

from flask import Response, g, request

import viewer
from models import Document, DocumentToken
from models.core import Invalid, ScopeMissing, WrongCredentials
from models.links import TokenGrant

from ..http import TICKET
from ..http.authentication import Caller, is_form
from .links import base_url
from .notices import small_page
from .originals import opened_pdf, original_of


def needs_prompt(grant: TokenGrant | None) -> bool:
    return grant is not None and (grant.has_view_limit or grant.has_password)


def render(action: str, document: Document, grant: TokenGrant | None) -> Response:
    """The page for `action`, `view` or `download`; for a protected link its prompt."""
    if grant and needs_prompt(grant):
        return _prompt(grant, action)
    return _RENDER[action](document, grant)


def unlock(
    action: str, document: Document, grant: TokenGrant | None, password: str | None
) -> Response:
    """The page; after a wrong password in a form the prompt, in JSON `WrongCredentials`."""
    if grant and grant.has_password:
        try:
            grant.check_password(document, password or "", request.remote_addr or "")
        except WrongCredentials:
            if is_form():
                return _prompt(grant, action, wrong=True)
            raise
    return _RENDER[action](document, grant)


def download_by_password(
    document: Document,
    caller: Caller,
    password: str | None = None,
    pdf_password: str | None = None,
) -> Response:
    """The file for a link's form, for an opened page, or encrypted as a program asks."""
    if caller.credential_type == TICKET:
        return _opened_download(document, caller.grant, password)
    if is_form():
        return unlock("download", document, caller.grant, password)
    return encrypted_download(document, caller.grant, password, pdf_password)


def _opened_download(
    document: Document, grant: TokenGrant | None, pdf_password: str | None
) -> Response:
    """The file that shows the pages of an encrypted PDF, for a page that was opened: no view."""
    if grant and "download" not in grant.permissions:  # a ticket loads what is shown without it
        raise ScopeMissing("This link permits to view the document, not to save it.")
    page = viewer.download(_opened_original(document, grant, pdf_password))
    document.record_read("document.downloaded")
    return Response(page.body, headers=page.headers)


def encrypted_download(
    document: Document,
    grant: TokenGrant | None,
    password: str | None,
    pdf_password: str | None = None,
) -> Response:
    """The file encrypted with a password of the caller's choice, or with that of a PDF opened.

    Raises `ScopeMissing` for a link with a password, which opens by its form.
    """
    if not password and pdf_password is None:
        raise Invalid("#/password", "A password is needed: it will open the file.")
    if grant and grant.has_password:
        raise ScopeMissing("This link has a password. Open it in a browser, and save from there.")
    original = _opened_original(document, grant, pdf_password)
    if not password:
        return _record_and_send(viewer.download(original), document, grant, "document.downloaded")
    seal = document.password_seal(password, grant.id if grant else document.owner_id)
    page = viewer.sealed_download(original, seal)
    return _record_and_send(page, document, grant, "document.downloaded")


def allow_opened_pages(response: Response) -> Response:
    """An opened page has no origin; what it sends is a ticket, never a cookie."""
    response.headers["Access-Control-Allow-Origin"] = "*"
    response.headers["Access-Control-Expose-Headers"] = "Retry-After"
    return response


def _opened_original(
    document: Document, grant: TokenGrant | None, pdf_password: str | None
) -> viewer.Document:
    """The original, whose password has been tried if there is one."""
    original = original_of(document, grant, pdf_password, saves=True)
    if pdf_password is not None:
        opened_pdf(original)
    return original


def _view(document: Document, grant: TokenGrant | None) -> Response:
    original = original_of(document, grant)
    content_url = _content_url(original, grant) if grant and not viewer.embeds(original) else None
    page = viewer.view(
        original,
        frame_ancestors=grant.origins if grant else (),
        content_url=content_url,
        save_url=content_url and f"{content_url}&save=1",
        pages_url=_pages_url(document, grant) if original.has_pages else None,
        oembed_url=_oembed_url(document, grant),
        embed=request.args.get("embed") == "1",
        may_save=grant is None or "download" in grant.permissions,
        headers_only=request.method == "HEAD",
    )
    return _record_and_send(page, document, grant, "document.viewed")


def _download(document: Document, grant: TokenGrant | None) -> Response:
    original = original_of(document, grant, saves=True)
    page = viewer.download(original, headers_only=request.method == "HEAD")
    return _record_and_send(page, document, grant, "document.downloaded")


_RENDER = {"view": _view, "download": _download}


def _prompt(grant: TokenGrant, action: str, *, wrong: bool = False) -> Response:
    """One button, and a field if there is a password. It says nothing about the document."""
    given = {"grant": grant, "action": action, "wrong": wrong}
    token, status = request.values.get("token", ""), 401 if wrong else 200
    return small_page("gate.html", status, grant.origins, token=token, **given)


def _record_and_send(
    page: viewer.RenderedPage, document: Document, grant: TokenGrant | None, type: str
) -> Response:
    """HEAD is not recorded and has no Content-Length: the preview would have to be drawn."""
    if request.method == "HEAD":
        return Response(page.body, headers=page.headers)
    if grant and not grant.owner_id:
        DocumentToken.count_view(document.owner_id, grant.id, type)
    else:
        document.record_read(type)
    return Response(page.body, headers=page.headers | {"Content-Length": str(page.length)})


def _content_url(original: viewer.Document, grant: TokenGrant) -> str:
    """Where the page loads a large original from; its ticket dies with the token or session."""
    origin = "" if grant.owner_id else base_url()
    ticket = grant.ticket(shows_original=original.shows_original)
    return f"{origin}/v1/documents/{original.id}/content?ticket={ticket}"


def _pages_url(document: Document, grant: TokenGrant | None) -> str:
    """Where the page of a PDF loads further pages from."""
    of_owner = TokenGrant.of_owner(g.caller.id, document.id, document.owner_id)
    origin = base_url() if grant and not grant.owner_id else f"{request.scheme}://{request.host}"
    ticket = (grant or of_owner).ticket(shows_original=False)
    return f"{origin}/v1/documents/{document.id}/pages?ticket={ticket}"


def _oembed_url(document: Document, grant: TokenGrant | None) -> str | None:
    """Only a link that opens without a prompt can be embedded by its URL."""
    token = request.args.get("token")
    if token is None or needs_prompt(grant):
        return None
    view = f"{base_url()}/v1/documents/{document.id}/view?token={token}"
    return f"{base_url()}/oembed?format=json&url={quote(view, safe='')}"
