"""The pages that show a document, and the small page that stands before a limited link.

A link with a password or a limit of views opens by POST, so that a preview of it, which comes by
GET, spends nothing. A view is counted after the document has been opened with its key.
"""

import secrets
from urllib.parse import quote

from flask import Response, g, render_template, request

import viewer
from models import Document, DocumentToken
from models.errors import Invalid, ScopeMissing, WrongCredentials
from models.records.ids import rfc3339
from viewer.page import EMBEDDED_LIMIT

from ..http.authentication import DOCUMENT_TOKEN, FORM, TICKET
from .links import base_url


def is_form() -> bool:
    return bool(request.mimetype == FORM)


def needs_prompt() -> bool:
    """Whether the caller holds a link that opens by POST only."""
    grant = g.caller.grant
    return grant is not None and (grant.has_view_limit or grant.has_password)


def render_prompt(leads_to: str, *, wrong: bool = False) -> Response:
    """One button, and a field if there is a password. It tells nothing of the document."""
    nonce, grant = secrets.token_urlsafe(16), g.caller.grant
    ancestors = " ".join(grant.origins) or "'self'"
    secret = request.values.get("token", "")
    html = render_template(
        "gate.html", leads_to=leads_to, grant=grant, token=secret, wrong=wrong, nonce=nonce
    )
    answer = Response(html, 401 if wrong else 200)
    answer.headers["X-Robots-Tag"] = "noindex, nofollow"
    answer.headers["Content-Security-Policy"] = (
        f"default-src 'none'; style-src 'nonce-{nonce}'; base-uri 'none'; form-action 'self'; "
        f"frame-ancestors {ancestors}"
    )
    return answer


def check_link_password(document: Document, password: str | None, leads_to: str) -> Response | None:
    """None if the way is free; the gate again after a wrong password in a form."""
    grant = g.caller.grant
    if grant is None or not grant.has_password:
        return None
    try:
        address = request.remote_addr or ""
        DocumentToken.check_password(grant, document, password or "", address)
    except WrongCredentials:
        if is_form():
            return render_prompt(leads_to, wrong=True)
        raise
    return None


def render_view(document: Document) -> Response:
    grant, original = g.caller.grant, _original(document)
    page = viewer.view(
        original,
        frame_ancestors=grant.origins if grant else (),
        content_url=_ticketed(document),
        save_url=_ticketed(document, "&save=1"),
        oembed_url=_oembed_url(document),
        embed=request.args.get("embed") == "1",
        may_save=grant is None or "download" in grant.permissions,
    )
    return _answered(page, document, "document.viewed")


def render_download(document: Document) -> Response:
    return _answered(viewer.download(_original(document)), document, "document.downloaded")


def render_encrypted_download(document: Document, password: str | None) -> Response:
    """Under a password of the caller's choice; a locked link shows its own first."""
    if not password:
        raise Invalid("#/password", "A password is needed: it will open the file.")
    if g.caller.grant and g.caller.grant.has_password:
        raise ScopeMissing("This link has a password. Open it in a browser, and save from there.")
    seal = document.password_seal(password)
    page = viewer.sealed_download(_original(document), seal)
    return _answered(page, document, "document.downloaded")


def refuse_locked() -> None:
    if g.caller.credential_type == DOCUMENT_TOKEN and g.caller.grant.has_password:
        raise ScopeMissing("This link has a password. Open its view first.")


def record_content_read(document: Document, content: Response) -> Response:
    """A page's own requests carry a ticket and cost nothing, a 304 gives nothing; a link's limit
    counts every other GET. A part of the content is not told as a download.
    """
    grant, whole = g.caller.grant, content.content_length == document.size
    if (
        request.method == "GET"
        and g.caller.credential_type != TICKET
        and content.status_code != 304
    ):
        if grant and grant.has_view_limit:
            DocumentToken.count_view(grant.id, "document.downloaded")
        elif whole:
            document.note_reading("document.downloaded")
    return content


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


def _answered(page: viewer.RenderedPage, document: Document, type: str) -> Response:
    if request.method != "HEAD":
        if g.caller.grant:
            DocumentToken.count_view(g.caller.grant.id, type)
        else:
            document.note_reading(type)
    headers = page.headers | {"Content-Length": str(page.length)}
    return Response(page.body, headers=headers)


def _ticketed(document: Document, more: str = "") -> str | None:
    """Where an opened page loads a large original from; the ticket dies with the token."""
    if g.caller.grant is None or document.size <= EMBEDDED_LIMIT:
        return None
    ticket = DocumentToken.ticket(g.caller.grant)
    return f"{base_url()}/v1/documents/{document.id}/content?ticket={ticket}{more}"


def _oembed_url(document: Document) -> str | None:
    """Only a link that opens at once can be embedded by its address."""
    secret = request.args.get("token")
    if secret is None or needs_prompt():
        return None
    view = f"{base_url()}/v1/documents/{document.id}/view?token={secret}"
    return f"{base_url()}/oembed?format=json&url={quote(view, safe='')}"
