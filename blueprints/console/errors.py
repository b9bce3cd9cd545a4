"""Errors of the pages for people, as pages."""

from dataclasses import dataclass
from urllib.parse import quote

from flask import Response, request

from models.accounts import spaces_of
from models.core import RegistrationClosed
from models.runtime import ProviderAway

from ..http import COOKIE, g
from ..http.declarations import declared
from ..http.problems import PROBLEM
from ..login import MADE_FOR, LeftSpace, OwnerChanged, clear_cookie, clear_space_cookie
from ..views.small_pages import prefers_html
from .forms import accepts_html
from .routes import HOME, SHARED, SPACES, go, page_above, referring_page, render

_LEADS_TO = {"/login": "/app/login", "/signup": "/app/signup", "/app/": HOME, "/docs/": "/docs"}
_KEPT = (
    "Allow",
    "Retry-After",
    "Set-Cookie",
    "WWW-Authenticate",
)  # headers that an error's page keeps


def errors_as_pages(response: Response) -> Response:
    """Replace a problem by a page for people, as an after-request hook.

    Below `/app` people get a page, and the console's script gets the problem. Browsers also get a
    page at any unknown address outside `/v1/`.
    """
    # other responses stay as they are
    if response.status_code < 400 or response.mimetype != PROBLEM:
        return response
    if not accepts_html() or declared(request).answers_scripts:
        return response
    path = request.path
    if path != "/app" and not path.startswith("/app/"):
        is_mistyped = request.url_rule is None and not path.startswith("/v1/")
        if not (is_mistyped and prefers_html()):
            return response
    # addresses that lead elsewhere
    if path in _LEADS_TO:
        return go(_LEADS_TO[path])
    if response.status_code == 405 and request.method in {"GET", "HEAD"}:
        return go(page_above())  # the address of a form, loaded again
    # sessions that have ended, and people who are not let in
    error = g.get("error")
    if isinstance(error, LeftSpace):
        response = go(SPACES, "out")
        clear_space_cookie(response)
        return response
    if response.status_code == 401:
        return _to_login()
    if isinstance(error, RegistrationClosed):
        return refuse_sign_in(response.status_code, error.sentence)
    # the page of the error
    is_inside = "caller" in g and g.caller.credential_type == COOKIE
    if isinstance(error, ProviderAway) and not is_inside:
        page = refuse_sign_in(response.status_code, error.sentence)
    else:
        problem = response.get_json()
        elsewhere = _form_is_of() if isinstance(error, OwnerChanged) else None
        page = render("error", response.status_code, problem=problem, elsewhere=elsewhere)
    page.headers.extend(pair for pair in response.headers if pair[0] in _KEPT)
    return page


@dataclass(frozen=True)
class Elsewhere:
    """Where somebody has to go for a form that was made there: the path of the act, and words."""

    path: str
    name: str


def _form_is_of() -> Elsewhere | None:
    """Return for which space or account of the person a refused form was made, if for one."""
    made_for = request.args.get(MADE_FOR, "")
    caller = g.caller
    if caller.member and made_for in {"", caller.person_id}:
        return Elsewhere(f"{SPACES}/{caller.owner_id}/leave", "My documents")
    space = next((one for one in spaces_of(caller.person_id) if one.row.id == made_for), None)
    return Elsewhere(f"{SPACES}/{space.row.id}/enter", space.name) if space else None


def refuse_sign_in(status: int, sentence: str) -> Response:
    """Return the page of somebody whom neither the proxy nor the provider lets in."""
    return render("sign_in_refused", status, status=status, sentence=sentence)


def _to_login() -> Response:
    """Redirect to the login, and from there back to this page, or to the page of the form.

    What another app shares comes from no page: it has to be shared again.
    """
    is_form = request.method == "POST"
    page = referring_page() if is_form else request.full_path.rstrip("?")
    is_shared = request.path == SHARED
    response = go("/app/login", "share") if is_shared else go(f"/app/login?next={quote(page)}")
    clear_cookie(response)
    return response
