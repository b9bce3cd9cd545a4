"""Small pages for people: the prompt in front of a protected link, and why a link does not open.

On the routes that a link opens, a browser gets an error as such a page, with the same status.
"""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from flask import Response, g, render_template, request

from models.core import TokenSpent

from ..http.declarations import declared, opens_links
from ..http.problems import PROBLEM

JSON = "application/json"
NEW_ONE = "Ask the person who sent it to you for a new one."


@dataclass(frozen=True)
class Notice:
    """What is wrong, why, and what to do."""

    title: str
    reason: str
    advice: str = "Ask the person who sent you the link."


ENDS = {  # of a link, by `TokenSpent.cause`
    "": Notice("This link no longer works", "What it opened is no longer shared.", NEW_ONE),
    "expired": Notice("This link has ended", "It opened a document until {}.", NEW_ONE),
    "revoked": Notice(
        "This link was taken back",
        "Whoever shared the document has withdrawn the link, or deleted the document.",
        NEW_ONE,
    ),
    "used_up": Notice(
        "This link is used up",
        "It could be opened a limited number of times, and it has been.",
        NEW_ONE,
    ),
}
STALE_PAGE = Notice(
    "This page is too old", "It was opened too long ago to load more.", "Open the link once more."
)
NOT_NOW = "The document can’t be shown now"
NOTICES = {  # by the code of the problem; `{}` is its sentence
    "not_authenticated": Notice(
        "This link doesn’t open",
        "It is not complete, was mistyped, or is not known here.",
        "Open it again where you found it, or copy all of it. If that doesn’t help, ask the person "
        "who sent it to you.",
    ),
    "scope_missing": Notice(
        "This link doesn’t open that",
        "It opens the document in another way.",
        "Open it just as it was sent to you, or ask for a link that permits more.",
    ),
    "not_found": Notice("There is no document here", "It was deleted, or the link was mistyped."),
    "too_many_requests": Notice("Please wait", "{}"),
    "busy": Notice(NOT_NOW, "The service has too much to do.", "This page tries again by itself."),
}
BY_FORM = "Go back one page, and open it again in a moment."  # what a reload would not send
FAULT = Notice(NOT_NOW, "Something is wrong where it is kept.", "Tell the person who sent it.")
OTHER = Notice("This can’t be shown", "{}")


def small_page(template: str, status: int, origins: Sequence[str], **values: Any) -> Response:
    """A page that runs no script; these `origins` may frame it, without any only our own."""
    nonce, ancestors = secrets.token_urlsafe(16), " ".join(origins) or "'self'"
    response = Response(render_template(template, nonce=nonce, status=status, **values), status)
    response.headers["X-Robots-Tag"] = "noindex, nofollow"
    response.headers["Content-Security-Policy"] = (
        f"default-src 'none'; style-src 'nonce-{nonce}'; img-src data:; base-uri 'none'; "
        f"form-action 'self'; frame-ancestors {ancestors}"
    )
    return response


def page_for_people(response: Response) -> Response:
    """For a browser that has opened a link, a problem as a page; else the response as it is."""
    is_problem = response.status_code >= 400 and response.mimetype == PROBLEM
    if not is_problem or not opens_links(declared("accepts")) or not prefers_html():
        return response
    notice = _notice(response.get_json(), response.status_code)
    page = small_page("notice.html", response.status_code, _origins(), notice=notice)
    kept = [pair for pair in response.headers if not pair[0].startswith("Content-")]
    page.headers.extend(kept)
    if _reloads(response.get_json()):
        page.headers["Refresh"] = response.headers["Retry-After"]
    return page


def _reloads(problem: dict[str, Any]) -> bool:
    return problem["code"] == "busy" and request.method == "GET"


def prefers_html() -> bool:
    accepted = request.accept_mimetypes
    return accepted["text/html"] > max(accepted[JSON], accepted[PROBLEM])


def prefers_json() -> bool:
    """Whether a link answers by JSON rather than by a page: if it is preferred, and for a body of
    a program, unless a page is.
    """
    accepted = request.accept_mimetypes
    return accepted[JSON] > accepted["text/html"] or (request.is_json and not prefers_html())


def _origins() -> Sequence[str]:
    """Those that may frame what the link opens, also after its end."""
    grant = getattr(g.get("caller"), "grant", None)
    return getattr(g.get("error"), "origins", ()) or (grant.origins if grant else ())


def _notice(problem: dict[str, Any], status: int) -> Notice:
    error = g.get("error")
    if isinstance(error, TokenSpent):
        found, detail = ENDS[error.cause], _day(error.ended_at)
    elif status == 401 and "ticket" in request.args:
        return STALE_PAGE
    else:
        found = NOTICES.get(problem["code"], FAULT if status >= 500 else OTHER)
        detail = problem["detail"]
    if problem["code"] == "busy" and not _reloads(problem):
        found = replace(found, advice=BY_FORM)
    return replace(found, reason=found.reason.format(detail))


def _day(moment: int | None) -> str:
    """As in `31 January 2026, 09:30 UTC`."""
    if moment is None:
        return ""
    return f"{datetime.fromtimestamp(moment / 1000, UTC):%-d %B %Y, %H:%M} UTC"
