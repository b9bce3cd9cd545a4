"""The prompt in front of a link that has a password or a view limit, and what leads on behind it.

Such a link opens by POST, so that a link preview, which sends a GET, uses no view.
"""

from typing import Any

from flask import Response, request

from models.links import UPLOAD, Target, TokenGrant

from ..http.authentication import is_form
from .notices import address_by_token, day, small_page


def needs_prompt(grant: TokenGrant | None) -> bool:
    if grant is None or grant.came_by:
        return False
    counts_views = grant.has_view_limit and UPLOAD not in grant.permissions
    return counts_views or grant.has_password


def check_password(target: Target, grant: TokenGrant | None, password: str | None) -> None:
    """`WrongCredentials` if a link has another one; what came by a ticket has been asked."""
    if grant and grant.has_password and not grant.came_by:
        grant.check_password(grant.collection or target, password or "", request.remote_addr or "")


def credential_of(grant: TokenGrant, *, shows_original: bool = False) -> str:
    """What leads on from a page that was opened: its ticket, or the token of a link that has no
    prompt, as a part of an address.
    """
    if grant.came_by or needs_prompt(grant):
        return f"ticket={grant.ticket(shows_original=shows_original)}"
    fields = request.args if "token" in request.args or not is_form() else request.form
    token = fields.get("token") or request.headers["Authorization"].split()[-1]
    return f"token={token}"


def prompt(grant: TokenGrant, action: str, its_end: int | None, *, wrong: bool = False) -> Response:
    """One button, and a field if there is a password; how often and until when the link opens,
    where `its_end` is that of the target. It does not say what it opens, or for whom.

    It posts to an address that holds the token: a reload, or a bookmark, leads back to it.
    """
    end = day(min(filter(None, [grant.expires_at, its_end]), default=None))
    given: dict[str, Any] = {"grant": grant, "action": action, "wrong": wrong, "end": end}
    given["address"] = address_by_token() or ""
    return small_page("gate.html", 401 if wrong else 200, grant.origins, **given)
