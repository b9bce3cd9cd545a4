"""Routes of the pages: what a page declares, how it is returned, where it leads."""

import gzip
import secrets
from collections.abc import Callable
from contextlib import suppress
from functools import wraps
from typing import Any
from urllib.parse import unquote, urlencode, urlsplit

from flask import Blueprint, Response, current_app, render_template, request
from marshmallow import Schema
from werkzeug.urls import iri_to_uri

from models.core import whole_number

from ..http import COOKIE, NOBODY, READ
from ..http.declarations import Declaration, declare
from ..login import caller_of_page
from ..views.small_pages import brand
from .forms import show_again

HOME = "/app/documents"
SPACES = "/app/spaces"
SHARED = "/app/share"  # where a phone sends what another app shares
PUBLIC = (NOBODY, COOKIE)
MOST_DIGITS = 10  # of the number of a page
MOST_ADDRESS_CHARACTERS = 2000  # of an address that leads back to a page
_POLICY = (
    "default-src 'none'; script-src 'nonce-{0}'; style-src 'nonce-{0}'; connect-src 'self'; "
    "img-src 'self'; manifest-src 'self'; frame-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)
_HEADERS = {  # with `no-referrer` our own forms would come with `Origin: null`
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}
# A page is compressed for a person and for our own pages. Its length says which of its parts are
# alike: another site, which could have it loaded again and again with words of its own, would learn
# from the lengths what else is on the page (BREACH, 2013). Browsers say who asks (Fetch Metadata).
_ASKED_FOR_HERE = ("none", "same-origin")
_COMPRESSION_OF_PAGES = 3  # of a list of 57 KB: 7.1 KB in 0.25 ms; 6 makes 6.6 KB in 0.64 ms
Page = Callable[..., Response]


class Pages(Blueprint):
    """The pages of one noun, below `/app`."""

    def __init__(
        self, noun: str, prefix: str = "", reads: str = READ, *, answers_scripts: bool = False
    ) -> None:
        """`reads` is the scope that a member of a space needs for the pages; '' for a person's.

        What `answers_scripts` has problems for errors, and no pages.
        """
        super().__init__(f"console_{noun}", __name__, url_prefix=f"/app{prefix}")
        self._reads = (reads,) if reads else ()
        self._answers_scripts = answers_scripts

    def route(
        self,
        rule: str,
        *,
        accepts: tuple[str, ...] = (COOKIE,),
        scope: str = "",
        for_members: bool = False,
        from_anywhere: bool = False,
        shows: Page | None = None,
        form: Schema | None = None,
        stepped: bool = False,
        **options: Any,
    ) -> Any:
        """Register a page that `accepts` these credentials.

        In a space a form needs a role with its `scope`, and is a person's own without one, unless
        it is `for_members` of any role. It is refused if it was made for another space or account,
        unless it may be sent `from_anywhere`. If a form is refused, the page `shows` shows the
        errors at the fields; without `shows`, the errors have a page of their own. `form` is the
        schema of an upload's parts. A body that is `stepped` may be of any length.
        """
        register = super().route(rule, **options)
        reads = self._reads if options.get("methods") == ["GET"] else ()
        declaration = Declaration(
            accepts=accepts,
            scopes=(scope,) if scope else reads,
            for_members=for_members,
            resolve_caller=caller_of_page,
            from_anywhere=from_anywhere,
            form=form,
            answers_scripts=self._answers_scripts,
            stepped=stepped,
        )

        def registered(view: Page) -> Any:
            page = show_again(view, shows)
            declare(page, declaration)
            return register(page)

        return registered


def render(template: str, status_code: int = 200, **values: Any) -> Response:
    """Return a page of `templates/console/`."""
    nonce = secrets.token_urlsafe(16)
    html = render_template(f"console/{template}.html", nonce=nonce, brand=brand(), **values)
    policy = {"Content-Security-Policy": _POLICY.format(nonce)}
    page = Response(html, status_code, _HEADERS | policy)
    if accepts_gzip() and request.headers.get("Sec-Fetch-Site") in _ASKED_FOR_HERE:
        page.data = gzip.compress(page.data, _COMPRESSION_OF_PAGES, mtime=0)
        page.headers["Content-Encoding"] = "gzip"
        page.headers["Vary"] = "Accept-Encoding, Sec-Fetch-Site"
    return page


def accepts_gzip() -> bool:
    return request.accept_encodings["gzip"] > 0


def go(path: str, done: str = "", **more: Any) -> Response:
    """Redirect with 303 to a page that shows a sentence; `done` is the key of the sentence."""
    address = path
    if done:
        query = urlencode({"done": done} | more, doseq=True)
        address += f"&{query}" if "?" in path else f"?{query}"
    return Response("", 303, {"Location": iri_to_uri(address)})


def go_back(otherwise: str, done: str, **more: Any) -> Response:
    """Redirect to the page that the form names or was on, which shows the sentence of `done`."""
    back = page_of(request.form.get("back", "")) or referring_page() or otherwise
    return go(back, done, **more)


def page_number() -> int:
    """Return the number of the page of a list that is asked for: also one typed as `1,200`."""
    typed = request.args.get("page", "").replace(",", "")
    number = whole_number(typed) if len(typed) < MOST_DIGITS else None
    return max(1, number or 1)


def from_here(view: Page) -> Page:
    """Wrap a GET that is recorded or expensive: a link of another site leads to the page above.

    Browsers send the cookie with such a link. The page above asks first.
    """

    @wraps(view)
    def guarded(**path: str) -> Response:
        if _comes_from_another_site():
            return go(page_above())
        return view(**path)

    return guarded


def search_from_here(*names: str) -> Callable[[Page], Page]:
    """Decorate a GET that looks through all names for one of these values of its query: a link of
    another site leads to the page without a query.
    """

    def decorate(view: Page) -> Page:
        @wraps(view)
        def guarded(**path: str) -> Response:
            if _comes_from_another_site() and any(map(request.args.get, names)):
                return go(request.path)
            return view(**path)

        return guarded

    return decorate


def _comes_from_another_site() -> bool:
    return request.headers.get("Sec-Fetch-Site") in {"cross-site", "same-site"}


def page_of(address: str) -> str:
    """Return the address, a path and perhaps a query, if it leads to a page of ours, else ''."""
    if (
        len(address) > MOST_ADDRESS_CHARACTERS
        or not address.isprintable()
        or not address.startswith("/app/")
    ):
        return ""
    segments = unquote(urlsplit(address).path).split("/")[1:]
    leaves = "\\" in address or "//" in address or not {"", ".", ".."}.isdisjoint(segments)
    return "" if leaves else address


def referring_page() -> str:
    """Return the path of the page that holds this form; '' if it is not known."""
    with suppress(ValueError):
        return page_of(urlsplit(request.referrer or "").path)
    return ""


def page_above() -> str:
    """Return the path of the nearest page above the address of this request."""
    pages = current_app.url_map.bind("")
    path = request.path.rpartition("/")[0]
    while path.startswith("/app/") and not pages.test(path, "GET"):
        path = path.rpartition("/")[0]
    return path
