"""Pages: routes that declare their credentials, headers of every page, errors as pages."""

import gzip
import secrets
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, wraps
from hashlib import sha256
from typing import Any
from urllib.parse import quote, unquote, urlencode, urlsplit

from flask import Blueprint, Response, current_app, render_template, request
from werkzeug.urls import iri_to_uri

from models.core import NotFound

from ..http import COOKIE
from ..http.authentication import clear_cookie
from ..http.problems import PROBLEM
from ..views.branding import brand
from ..views.notices import prefers_html
from .forms import accepts_html, show_again

HOME = "/app/documents"
_ASSETS = {"css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8"}
_POLICY = (
    "default-src 'none'; script-src 'nonce-{0}'; style-src 'nonce-{0}'; connect-src 'self'; "
    "img-src 'self'; manifest-src 'self'; frame-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)
_HEADERS = {  # by `no-referrer` our own forms would come with `Origin: null`
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}
_LEADS_TO = {"/login": "/app/login", "/signup": "/app/signup", "/app/": HOME, "/docs/": "/docs"}
_KEPT = ("Allow", "Retry-After", "WWW-Authenticate")  # headers of an error's page

MOST_CHARACTERS = 2000  # of an address that leads back to a page

Page = Callable[..., Response]


class Pages(Blueprint):
    """The pages of one noun, below `/app`."""

    def __init__(self, noun: str, prefix: str = "") -> None:
        super().__init__(f"console_{noun}", __name__, url_prefix=f"/app{prefix}")

    def route(
        self,
        rule: str,
        *,
        accepts: tuple[str, ...] = (COOKIE,),
        shows: Page | None = None,
        form: Any = None,
        **options: Any,
    ) -> Any:
        """Register a page that `accepts` these credentials.

        What a form is refused for is shown by the page `shows`, at the fields, or else by a page of
        its own. `form` is the schema of an upload's parts.
        """
        register = super().route(rule, **options)

        def registered(view: Page) -> Any:
            page = show_again(view, shows)
            page.__dict__.update(accepts=accepts, scopes=(), permission="")
            page.__dict__["form"] = form
            return register(page)

        return registered


def render(template: str, status: int = 200, **values: Any) -> Response:
    """A page of `templates/console/`."""
    nonce = secrets.token_urlsafe(16)
    html = render_template(f"console/{template}.html", nonce=nonce, brand=brand(), **values)
    policy = {"Content-Security-Policy": _POLICY.format(nonce)}
    return Response(html, status, _HEADERS | policy)


def go(path: str, done: str = "", **more: Any) -> Response:
    """303 to a page, which says what was done; `done` is a key of its table of sentences."""
    query = urlencode({"done": done} | more, doseq=True) if done else ""
    joint = query and ("&" if "?" in path else "?")
    return Response("", 303, {"Location": iri_to_uri(path + joint + query)})


def go_back(otherwise: str, done: str, **more: Any) -> Response:
    """To the page that the form names or was on, which says what was done."""
    back = page_of(request.form.get("back", "")) or referring_page() or otherwise
    return go(back, done, **more)


def errors_as_pages(response: Response) -> Response:
    """After-request hook: below `/app` people get a page, and the console's script the problem. So
    do browsers at any other address that is none of ours, but for those of programs.
    """
    if response.status_code < 400 or response.mimetype != PROBLEM or not accepts_html():
        return response
    path = request.path
    if path != "/app" and not path.startswith("/app/"):
        is_mistyped = request.url_rule is None and not path.startswith("/v1/")
        if not (is_mistyped and prefers_html()):
            return response
    if path in _LEADS_TO:
        return go(_LEADS_TO[path])
    if response.status_code == 405 and request.method in {"GET", "HEAD"}:
        return go(_page_above())  # the address of a form, loaded again
    if response.status_code == 401:
        return _to_login()
    page = render("error", response.status_code, problem=response.get_json())
    page.headers.extend(
        (name, response.headers[name]) for name in _KEPT if name in response.headers
    )
    return page


def from_here(view: Page) -> Page:
    """A GET that is recorded, or that costs much: the link of another site, with which browsers
    send the cookie, leads to the page above instead, which asks.
    """

    @wraps(view)
    def guarded(**path: str) -> Response:
        if request.headers.get("Sec-Fetch-Site") in {"cross-site", "same-site"}:
            return go(_page_above())
        return view(**path)

    return guarded


def _page_above() -> str:
    """The nearest page above the address of this request."""
    pages = current_app.url_map.bind("")
    path = request.path.rpartition("/")[0]
    while path.startswith("/app/") and not pages.test(path, "GET"):
        path = path.rpartition("/")[0]
    return path


def page_of(address: str) -> str:
    """The address, a path and perhaps a query, if browsers find a page of ours there, else ''."""
    if (
        len(address) > MOST_CHARACTERS
        or not address.isprintable()
        or not address.startswith("/app/")
    ):
        return ""
    segments = unquote(urlsplit(address).path).split("/")[1:]
    leaves = "\\" in address or "//" in address or not {"", ".", ".."}.isdisjoint(segments)
    return "" if leaves else address


def referring_page() -> str:
    """The path of the page that holds this form; '' if it is not known."""
    with suppress(ValueError):
        return page_of(urlsplit(request.referrer or "").path)
    return ""


@dataclass(frozen=True)
class Asset:
    """The stylesheet or the script of the pages, whose address changes with its content."""

    address: str
    content_type: str
    content: bytes
    compressed: bytes


@cache
def asset(kind: str) -> Asset:
    """Return the stylesheet (`css`) or the script (`js`) of the pages; made once."""
    text = render_template(f"console/console.{kind}")
    if kind == "css":
        shown = brand()
        text = render_template("base.css") + "\n" + text + (shown.css if shown else "")
    content = text.encode()
    version = sha256(content).hexdigest()[:16]
    address = f"/app/console-{version}.{kind}"
    return Asset(address, _ASSETS[kind], content, gzip.compress(content, mtime=0))


def send_asset(kind: str) -> Response:
    """Send it compressed to clients that accept that. Raises `NotFound` for another version."""
    found = asset(kind)
    if request.path != found.address:
        raise NotFound
    is_compressed = request.accept_encodings["gzip"] > 0
    response = Response(
        found.compressed if is_compressed else found.content,
        content_type=found.content_type,
        headers={
            "Cache-Control": "public, max-age=31536000, immutable",
            "Vary": "Accept-Encoding",
        },
    )
    version = found.address.rpartition("/")[2]
    if is_compressed:
        response.headers["Content-Encoding"] = "gzip"
        version += ".gz"
    response.set_etag(version)
    response.make_conditional(request)
    return response


def _to_login() -> Response:
    """To the login, and from there back to this page, or to the page that holds the form."""
    is_form = request.method == "POST"
    page = referring_page() if is_form else request.full_path.rstrip("?")
    response = go(f"/app/login?next={quote(page)}")
    clear_cookie(response)
    return response
