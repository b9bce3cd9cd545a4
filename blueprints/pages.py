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
from models.ids import rfc3339
from viewer.page import EMBEDDED_LIMIT

from .caller import DOCUMENT_TOKEN, FORM, TICKET
from .links import base_url


def is_form() -> bool:
    return bool(request.mimetype == FORM)


def is_gated() -> bool:
    """Whether the caller holds a link that opens by POST only."""
    held = g.caller.held
    return held is not None and (held.counted or held.locked)


def gate(leads_to: str, *, wrong: bool = False) -> Response:
    """One button, and a field if there is a password. It tells nothing of the document."""
    nonce, held = secrets.token_urlsafe(16), g.caller.held
    ancestors = " ".join(held.origins) or "'self'"
    secret = request.values.get("token", "")
    html = render_template(
        "gate.html", leads_to=leads_to, held=held, token=secret, wrong=wrong, nonce=nonce
    )
    answer = Response(html, 401 if wrong else 200)
    answer.headers["X-Robots-Tag"] = "noindex, nofollow"
    answer.headers["Content-Security-Policy"] = (
        f"default-src 'none'; style-src 'nonce-{nonce}'; base-uri 'none'; form-action 'self'; "
        f"frame-ancestors {ancestors}"
    )
    return answer


def unlocked(document: Document, password: str | None, leads_to: str) -> Response | None:
    """None if the way is free; the gate again after a wrong password in a form."""
    held = g.caller.held
    if held is None or not held.locked:
        return None
    try:
        address = request.remote_addr or ""
        DocumentToken.check_password(held, document, password or "", address)
    except WrongCredentials:
        if is_form():
            return gate(leads_to, wrong=True)
        raise
    return None


def shown(document: Document) -> Response:
    held, original = g.caller.held, _original(document)
    page = viewer.view(
        original,
        frame_ancestors=held.origins if held else (),
        content_url=_ticketed(document),
        save_url=_ticketed(document, "&save=1"),
        oembed_url=_oembed_url(document),
        embed=request.args.get("embed") == "1",
        may_save=held is None or "download" in held.may,
    )
    return _answered(page, document, "document.viewed")


def saved(document: Document) -> Response:
    return _answered(viewer.download(_original(document)), document, "document.downloaded")


def sealed(document: Document, password: str | None) -> Response:
    """Under a password of the caller's choice; a locked link shows its own first."""
    if not password:
        raise Invalid("#/password", "A password is needed: it will open the file.")
    if g.caller.held and g.caller.held.locked:
        raise ScopeMissing("This link has a password. Open it in a browser, and save from there.")
    seal = document.password_seal(password)
    page = viewer.sealed_download(_original(document), seal)
    return _answered(page, document, "document.downloaded")


def refuse_locked() -> None:
    if g.caller.via == DOCUMENT_TOKEN and g.caller.held.locked:
        raise ScopeMissing("This link has a password. Open its view first.")


def handed_out(document: Document, content: Response) -> Response:
    """A page's own requests carry a ticket and cost nothing, a 304 gives nothing; a link's limit
    counts every other GET. A part of the content is not told as a download.
    """
    held, whole = g.caller.held, content.content_length == document.size
    if request.method == "GET" and g.caller.via != TICKET and content.status_code != 304:
        if held and held.counted:
            DocumentToken.count_view(held.id, "document.downloaded")
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


def _answered(page: viewer.Page, document: Document, type: str) -> Response:
    if request.method != "HEAD":
        if g.caller.held:
            DocumentToken.count_view(g.caller.held.id, type)
        else:
            document.note_reading(type)
    headers = page.headers | {"Content-Length": str(page.length)}
    return Response(page.body, headers=headers)


def _ticketed(document: Document, more: str = "") -> str | None:
    """Where an opened page loads a large original from; the ticket dies with the token."""
    if g.caller.held is None or document.size <= EMBEDDED_LIMIT:
        return None
    ticket = DocumentToken.ticket(g.caller.held)
    return f"{base_url()}/v1/documents/{document.id}/content?ticket={ticket}{more}"


def _oembed_url(document: Document) -> str | None:
    """Only a link that opens at once can be embedded by its address."""
    secret = request.args.get("token")
    if secret is None or is_gated():
        return None
    view = f"{base_url()}/v1/documents/{document.id}/view?token={secret}"
    return f"{base_url()}/oembed?format=json&url={quote(view, safe='')}"
