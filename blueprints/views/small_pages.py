"""Small pages for people: why a link does not open, and that its document is still prepared.

The operator's name, colour and logo are on all pages for people, and never in a saved file. On the
routes that a link opens, a browser gets an error as such a page, with the same status.
"""

import base64
import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache
from hashlib import sha256
from typing import Any, Final
from urllib.parse import urlencode, urlsplit

from flask import Response, current_app, render_template, request
from markupsafe import Markup, escape

from models import current_runtime
from models.accounts import sender_of
from models.core import NotFound, StoredUnsynced, TokenSpent, rfc3339
from models.links import NO_GRANT, TokenGrant
from models.runtime import Progress

from ..http import g, is_form
from ..http.caller import current_request
from ..http.declarations import declared
from ..http.multipart import FORM_DATA
from ..http.problems import PROBLEM
from .links import TooLargeForOneFile, base_url, visible


@dataclass(frozen=True)
class Brand:
    """The operator's name, colour and logo.

    `logo` is an address; `css` sets the colour. Each is '' without its setting.
    """

    name: str
    css: str
    logo: str

    @property
    def host(self) -> str:
        """Return the host of the page, which a brand does not hide."""
        return host()


def host() -> str:
    """Return the host of the service, as its links have it."""
    return urlsplit(base_url()).netloc


BRAND_CSS: Final = (
    ":root{--accent:%s}@supports (color:light-dark(#000,#fff)){:root{--accent:light-dark(%s,%s)}}"
)


def brand() -> Brand | None:
    """Return the brand of the settings; None if no setting asks for a brand."""
    runtime = current_app.extensions.get("runtime")
    names = "brand_name", "brand_color", "brand_logo"
    return _brand(*(getattr(runtime.settings, name) for name in names)) if runtime else None


@cache
def _brand(
    name: str | None, color: tuple[str, str] | None, logo: tuple[str, bytes] | None
) -> Brand | None:
    css = BRAND_CSS % (color[0], *color) if color else ""
    address = f"/logo?{sha256(logo[1]).hexdigest()[:16]}" if logo else ""
    return Brand(name or "", css, address) if name or css or address else None


def send_logo() -> Response:
    """Return the logo, whose address holds its hash. Raise `NotFound` if there is none."""
    logo = current_runtime().settings.brand_logo
    if logo is None:
        raise NotFound
    headers = {"Cache-Control": "public, max-age=31536000, immutable"}
    return Response(logo[1], headers=headers, content_type=logo[0])


JSON = "application/json"
LOCAL_TIMES = ("moments.js", "reader/local_times.js")  # for each page with a moment
UPLOADS = "reader/upload.js"
REFRESH = 2  # seconds, after which a page that waits asks again
NEW_ONE = "Ask the person who sent it to you for a new one."
TURN_ON = "Ask the sender to turn it on again."
BY_NAME = {  # the same where the page names the sender
    NEW_ONE: "Ask {} for a new one.",
    TURN_ON: "Ask {} to turn it on again.",
}


@dataclass(frozen=True)
class Explanation:
    """A message on a page: the fault, its reason and the advice.

    `way` is a button that leads on by the link's token: its words, and the path that it leads to.
    """

    title: str
    reason: str
    advice: str = "Ask the person who sent you the link."
    way: tuple[str, str] | None = None


ENDS = {  # explanations for the end of a link, by `TokenSpent.cause`
    "": Explanation("This link no longer works", "What it opened is no longer shared.", NEW_ONE),
    "expired": Explanation("This link has ended", "It worked until {}.", NEW_ONE),
    "revoked": Explanation(
        "This link is off",
        "The sender turned it off or deleted the document.",
        NEW_ONE,
    ),
    "off": Explanation(
        "This link is off",
        "The sender turned it off.",
        TURN_ON,
    ),
    "used_up": Explanation(
        "This link is used up",
        "It could be used a limited number of times.",
        NEW_ONE,
    ),
}
STALE_PAGE = Explanation(
    "This page is too old", "It was opened too long ago to load more.", "Open the link once more."
)
NOT_NOW = "The document can’t be shown now"
AGAIN = "This page tries again by itself."
EXPLANATIONS = {  # by the code of the problem; `{}` is its sentence
    "not_authenticated": Explanation(
        "This link doesn’t open",
        "Part of it may be missing.",
        "Go back and copy the whole link. If that doesn’t help, ask the person who sent it to you.",
    ),
    "scope_missing": Explanation(
        "This link doesn’t open that",
        "It opens the document in another way.",
        "Open it just as it was sent to you, or ask for a link that permits more.",
        ("Open what the link opens", "/s"),
    ),
    "not_found": Explanation(
        "There is no document here",
        "It was deleted, the address was mistyped, or the link has been changed since.",
        way=("Open what this link shows now", "/s"),
    ),
    "too_many_requests": Explanation("Please wait", "{}", AGAIN, ("Try again", "")),
    "busy": Explanation(NOT_NOW, "The service has too much to do.", AGAIN, ("Try again", "")),
}
SAVES_ONLY = Explanation(
    "This link saves the document",
    "It does not show it in the browser.",
    "What you save opens without a network.",
    ("Save the document", "/s/download"),
)
SAVED_AS_IT_IS = Explanation(
    "This is too large for a page to save",
    "A page that opens without a network holds only so much.",
    "Save it as it was sent to you.",
)
NOT_TAKEN = Explanation(
    "This was not taken", "{}", "You can send it again, or another file.", ("Go back", "")
)
MAY_BE_TAKEN = Explanation("This may have arrived", "{}", way=("Go back", ""))
FAULT = Explanation(NOT_NOW, "Something is wrong where it is kept.", "Tell the person who sent it.")
OTHER = Explanation("This can’t be shown", "{}")


def small_page(
    template: str, status: int, origins: Sequence[str], *scripts: str, **values: Any
) -> Response:
    """Return a small page, which these `origins` may frame; without any, only the service's own.

    `scripts` are the names of the scripts on the page; in a frame another one tells `embed.js` that
    the page is there.
    """
    is_framed = status == 200 and request.args.get("embed") == "1"
    if is_framed and UPLOADS not in scripts:
        scripts = (*scripts, "framed.js")
    code = "\n".join(render_template(script) for script in scripts)
    shown = brand()
    page = render_template(
        template,
        status=status,
        script=code,
        brand=shown,
        visible=visible,
        **values,
    )
    style = page.partition("<style>")[2].partition("</style>")[0]  # in the head
    may_run = f"script-src {source(code)}; connect-src 'self'; " if code else ""
    may_show = "data: 'self'" if shown and shown.logo else "data:"
    response, ancestors = Response(page, status), " ".join(origins) or "'self'"
    response.headers["X-Robots-Tag"] = "noindex, nofollow"
    response.headers["Content-Security-Policy"] = (
        f"default-src 'none'; style-src {source(style)}; {may_run}img-src {may_show}; "
        f"base-uri 'none'; "
        f"form-action 'self'; frame-ancestors {ancestors}"
    )
    return response


def source(text: str) -> str:
    """Return the source expression that allows this text in a Content-Security-Policy."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def preparing_page(progress: Progress, id: str, grant: TokenGrant) -> Response:
    """Return the page for a browser while the document is being prepared: it asks again by itself.

    The bar goes on where the page before left it, ever slower, as nobody knows the end.
    """
    ends = (progress.seconds, progress.seconds + REFRESH)
    shares = [round(100 - 100 * math.exp(-seconds / 12)) for seconds in ends]
    values: dict[str, Any] = {"progress": progress, "shares": shares, "refresh": REFRESH}
    page = small_page("preparing.html", 202, grant.origins, **values)
    page.headers["Refresh"] = str(REFRESH)
    if request.method == "POST" or _needs_ticket(grant):
        query = {**request.args, "ticket": grant.ticket(shows_original=False)}
        query.pop("token", None)  # a ticket stands alone
        page.headers["Refresh"] += f"; url=/v1/documents/{id}/view?{urlencode(query)}"
    return page


def page_for_people(response: Response) -> Response:
    """Turn a problem into a page for a browser that opened a link; return other responses as is."""
    is_problem = response.status_code >= 400 and response.mimetype == PROBLEM
    if not is_problem or not declared().opens_links or not prefers_html():
        return response
    # what has happened, and where to go on
    explanation = _explanation(response.get_json(), response.status_code)
    way = explanation.way and address_by_token(explanation.way[1])
    # who sent the link, and which sites may frame its pages, also after its end
    origins_of_ended = getattr(g.get("error"), "origins", ())
    owner_id = getattr(g.get("error"), "owner_id", "")
    origins = origins_of_ended or _grant().origins
    sender = sender_of(owner_id) if owner_id else None
    if sender and explanation.advice in BY_NAME:
        explanation = replace(explanation, advice=BY_NAME[explanation.advice].format(sender.called))
    # the page, with the headers of the problem
    scripts = LOCAL_TIMES if "<time" in explanation.reason else ()
    page = small_page(
        "explanation.html",
        response.status_code,
        origins,
        *scripts,
        explanation=explanation,
        way=way,
        sender=sender,
    )
    kept = [pair for pair in response.headers if not pair[0].startswith("Content-")]
    page.headers.extend(kept)
    if explanation.advice == AGAIN:
        page.headers["Refresh"] = f"{response.headers['Retry-After']}; url={way or ''}"
    return page


def address_by_token(path: str = "") -> str | None:
    """Return the address of this path, or without a path that of the present page.

    The address holds the token or ticket that came in the address or in a form, so that a link
    opened by a form can be opened again. Return None without a query.
    """
    given = dict(request.args)
    if "caller" in g and is_form():  # the form has been read
        given |= request.form.to_dict()
    names = ("token", "ticket", "embed", "as") if path or request.method == "POST" else given
    query = {name: given[name] for name in names if name in given}
    return f"{path}?{urlencode(query)}" if query else None


def asks_again(grant: TokenGrant) -> bool:
    """Return whether this request is one of a browser that will ask again.

    `Refresh` makes the browser repeat a GET. After the form of a link, the browser asks by a ticket
    for the document that the form has opened.
    """
    method = current_request().method
    if method == "POST":
        return grant.is_link and is_form() and prefers_html()
    can = _keeps_access() or _needs_ticket(grant)
    return method == "GET" and can and prefers_html()


def _keeps_access() -> bool:
    """Return whether the same address opens again: a page in a sandboxed frame sends no cookie.

    Over plain HTTP not every browser says that its page is in a frame.
    """
    request = current_request()
    place = "iframe" if "embed" in request.args else "document"
    is_framed = request.headers.get("Sec-Fetch-Dest", place) != "document"
    return not is_framed or "token" in request.args or "ticket" in request.args


def _needs_ticket(grant: TokenGrant) -> bool:
    """Return whether the page is the owner's in a frame, which asks again by a ticket alone."""
    return grant.is_page_of_owner and not _keeps_access()


def prefers_html() -> bool:
    accepted = request.accept_mimetypes
    return accepted["text/html"] > max(accepted[JSON], accepted[PROBLEM])


def prefers_json() -> bool:
    """Return whether a link answers with JSON rather than with a page.

    It does so if JSON is preferred, and for a file or the JSON of a program, unless a page is
    preferred.
    """
    accepted = request.accept_mimetypes
    by_program = request.is_json or request.mimetype == FORM_DATA
    return accepted[JSON] > accepted["text/html"] or (by_program and not prefers_html())


def _grant() -> TokenGrant:
    return getattr(g.get("caller"), "grant", NO_GRANT)


def _explanation(problem: dict[str, Any], status: int) -> Explanation:
    error = g.get("error")
    if isinstance(error, TokenSpent):
        found = ENDS[error.cause]
        detail = moment(error.ended_at)
    elif status == 401 and "ticket" in request.args:
        return STALE_PAGE
    elif isinstance(error, TooLargeForOneFile):
        content = request.path.removesuffix("download") + "content"
        return replace(SAVED_AS_IT_IS, way=("Save it", content))
    elif request.mimetype == FORM_DATA and status != 401:
        found = MAY_BE_TAKEN if isinstance(error, StoredUnsynced) else NOT_TAKEN
        detail = problem["detail"]
    elif status == 403 and _grant().permissions == {"download"}:
        return SAVES_ONLY
    else:
        found = EXPLANATIONS.get(problem["code"], FAULT if status >= 500 else OTHER)
        detail = problem["detail"]
    return replace(found, reason=escape(found.reason).format(detail))


def moment(milliseconds: int | None, *, shows: str = "") -> Markup:
    """Return an element with a moment in words: `31 January 2026, 09:30 UTC`.

    `LOCAL_TIMES` put it into the reader's own zone and words; with `shows="distance"` they say how
    far away the moment is, too.
    """
    if milliseconds is None:
        return Markup()
    data = Markup(' data-shows="{}"').format(shows) if shows else ""
    text = f"{datetime.fromtimestamp(milliseconds / 1000, UTC):%-d %B %Y, %H:%M} UTC"
    element = Markup('<time datetime="{}"{}>{}</time>')
    return element.format(rfc3339(milliseconds), data, text)
