"""The prompt in front of a link that asks for something, and the address that leads on behind it.

A link that has a password, counts its views, notifies its owner or is guarded opens by POST. So a
link preview, which sends a GET, uses no view and causes no mail; no GET sends a code. By every
other link, programs that are known to fetch pages ahead get the same page, and nothing counts.
"""

from typing import Any

from flask import Response, request

import viewer
from models import Document
from models.accounts import sender_of
from models.core import Invalid, ScopeMissing, ServiceError
from models.links import UPLOAD, Proof, Target, TokenGrant, WrongCode

from ..http import is_form
from ..http.clients import is_fetched_ahead
from .links import base_url
from .small_pages import LOCAL_TIMES, address_by_token, host, moment, small_page

NOT_THAT_ONE = "That is not the password. Try again."
ASKS_FIRST = "This link asks for something first. Open it in a browser, and go on from there."
VIEW_ONLY = "This link permits to view, not to save."


def needs_prompt(grant: TokenGrant) -> bool:
    if grant.came_by:
        return False
    counts_views = grant.counts_views and UPLOAD not in grant.permissions
    return counts_views or grant.asks_first


def prompts_now(grant: TokenGrant) -> bool:
    """Return whether the prompt answers this request: always, or as it is a link preview's."""
    by_token = grant.is_link and not grant.came_by
    return needs_prompt(grant) or (by_token and is_fetched_ahead())


def require_open(grant: TokenGrant, *, counts: bool) -> None:
    """Raise `ScopeMissing` for a link that asks for something first.

    A page that the link opened is allowed by its ticket. A link that counts its views asks for
    nothing where the view `counts` at once.
    """
    if grant.came_by:
        return
    if grant.asks_first or (grant.counts_views and not counts):
        raise ScopeMissing(ASKS_FIRST)


def require_saving(grant: TokenGrant) -> None:
    """Raise `ScopeMissing` for a link that permits to view alone."""
    if not grant.may_save:
        raise ScopeMissing(VIEW_ONLY)


def admit(target: Target, grant: TokenGrant, proof: dict[str, Any]) -> TokenGrant:
    """Return the grant, once all that the link asks was sent; a ticket has passed the prompt."""
    target = grant.collection or target
    return grant.accept_proof(target, Proof(**proof), request.remote_addr or "")


def credential_of(grant: TokenGrant, *, shows_original: bool = False) -> str:
    """Return the part of an address that leads on from a page that was opened.

    It is a ticket, or the token of a link that has no prompt.
    """
    if grant.came_by or needs_prompt(grant):
        return f"ticket={grant.ticket(shows_original=shows_original)}"
    fields = request.args if "token" in request.args or not is_form() else request.form
    token = fields.get("token") or request.headers["Authorization"].split()[-1]
    return f"token={token}"


def asked_by(grant: TokenGrant) -> dict[str, Any]:
    """Return what a guarded link asks, and then the receipt, for a client that opens it by JSON."""
    if not grant.is_guarded:
        return {}
    gate = grant.gate
    asks = {
        "email": gate.recipients,
        "code": gate.recipients,
        "password": grant.has_password,
        "name": gate.agreement,
        "accept": gate.agreement,
    }
    return {
        "asks": [name for name, asked in asks.items() if asked],
        "agreement": gate.agreement,
        "agreement_sha256": gate.agreement_sha256,
        "watermark": gate.watermark,
        "receipt_url": receipt_url(grant),
    }


def receipt_url(grant: TokenGrant) -> str | None:
    """Return the address of the receipt for what was accepted to open the link.

    Return None if nothing was accepted.
    """
    if grant.reader is None or grant.gate.agreement is None:
        return None
    noun = "collections" if grant.collection_id else "documents"
    path = f"v1/{noun}/{grant.target_id}/openings/{grant.reader.opening_id}/receipt"
    return f"{base_url()}/{path}?ticket={grant.ticket(shows_original=False)}"


def prompt(
    grant: TokenGrant, action: str, opened: Target, error: ServiceError | None = None
) -> Response:
    """Return the page that asks for what the link needs, with one button.

    The page says who sent the link, how often and until when it opens, and what, unless the owner
    hides it or the link is for named people; but never for whom. The form goes to an address that
    holds the token, so that a reload or a bookmark leads back to the prompt. A link with recipients
    asks for the e-mail address first, and for all else on the next page. Typed values stay, except
    code and password.
    """
    target = grant.collection or opened
    end = end_of(grant, target)
    typed = request.form if is_form() else {}
    wants_code = bool(grant.gate.recipients)
    if wants_code and "code" not in typed:
        error = None  # nothing is wrong: the prompt asks for the code next
    email = typed.get("email", "")
    status = (422 if isinstance(error, Invalid) else 401) if error else 200
    return small_page(
        "prompt.html",
        status,
        grant.origins,
        *(LOCAL_TIMES if end else ()),
        grant=grant,
        sender=sender_of(grant.link_owner_id),
        sent=sent_by(target) if grant.names_target else None,
        gate=grant.gate,
        action=action,
        end=moment(end, shows="distance"),
        email=email,
        name=typed.get("name", ""),
        asks_email=wants_code and not email,
        errors=_by_field(error),
        is_asked=request.path.endswith("/codes"),
        address=_address(action),
        code_address=_address("codes"),
        host=host(),
    )


def end_of(grant: TokenGrant, target: Target) -> int | None:
    """Return when the link or its target ends, whichever is first; None for no end."""
    ends = [grant.expires_at, getattr(target, "expires_at", None)]
    return min(filter(None, ends), default=None)


def sent_by(target: Target) -> dict[str, Any]:
    """Return what a page says of a target before it is opened."""
    if isinstance(target, Document):
        return {**row_of(target), "kind": kind_of(target), "note": ""}
    count = len(target.documents)
    facts = f"{viewer.format_count(count, 'document')} · {viewer.format_size(target.size)}"
    return {
        "name": target.title,
        "badge": str(count),
        "kind": "Several",
        "facts": facts if count else "",
        "note": target.note,
    }


def kind_of(document: Document) -> str:
    return viewer.kind_of(document.media_type, document.name)


def row_of(document: Document) -> dict[str, str]:
    """Return the name, badge and facts of a document on a contents page."""
    kind = kind_of(document)
    return {
        "name": document.name.strip() or document.default_name,
        "badge": viewer.badge(document.name, kind),
        "facts": f"{kind} · {viewer.format_size(document.size)}",
    }


def _address(action: str) -> str:
    """Return the address of the form: the present page's, unless that page asked for a code."""
    if action != "codes" and not request.path.endswith("/codes"):
        return address_by_token() or ""
    root = request.path if request.path == "/s" else request.path.rpartition("/")[0]
    return address_by_token(root if root == "/s" and action == "view" else f"{root}/{action}") or ""


def _by_field(error: ServiceError | None) -> dict[str, str]:
    if error is None:
        return {}
    if isinstance(error, Invalid):
        return {error.pointer.rpartition("/")[2]: error.sentence}
    is_code = isinstance(error, WrongCode)
    return {"code": error.sentence} if is_code else {"password": NOT_THAT_ONE}
