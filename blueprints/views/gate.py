"""The prompt in front of a link that has a password or a view limit.

Such a link opens by POST, so that a link preview, which sends a GET, uses no view.
"""

from urllib.parse import urlencode

from flask import Response, request

from models import Document
from models.links import TokenGrant

from .notices import small_page


def needs_prompt(grant: TokenGrant | None) -> bool:
    limited = grant is not None and (grant.has_view_limit or grant.has_password)
    return limited and not (grant and grant.came_by)


def check_password(document: Document, grant: TokenGrant | None, password: str | None) -> None:
    """`WrongCredentials` if a link has another one; what came by a ticket has been asked."""
    if grant and grant.has_password and not grant.came_by:
        grant.check_password(document, password or "", request.remote_addr or "")


def prompt(grant: TokenGrant, action: str, *, wrong: bool = False) -> Response:
    """One button, and a field if there is a password. It says nothing about the document.

    It posts to an address that holds the token: a reload, or a bookmark, leads back to it.
    """
    embed = {"embed": "1"} if request.args.get("embed") == "1" else {}
    address = "?" + urlencode({"token": request.values.get("token", ""), **embed})
    given = {"grant": grant, "action": action, "wrong": wrong, "address": address}
    return small_page("gate.html", 401 if wrong else 200, grant.origins, **given)
