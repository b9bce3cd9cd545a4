"""The cookie of the pages for people, which is a session token, and the guard of their forms.

Only handlers that declare `COOKIE` read it; no handler of the API does.
"""

from urllib.parse import urlsplit

from flask import Response, request

from models import current_runtime
from models.core import ServiceError

COOKIE_NAMES = "__Host-session", "session"  # over https, over http


class OriginNotAllowed(ServiceError):
    code = "origin_not_allowed"
    sentence = "This form was sent by another site, so nothing was done. Open the page here first."


def given_cookie() -> str | None:
    return request.cookies.get(_name())


def set_cookie(response: Response, token: str, seconds: int) -> None:
    """`__Host-` (RFC 6265bis, 4.1.3.2) where it works: over https. A login over http is kept, too,
    under another name, as browsers drop a `Secure` cookie there.
    """
    response.set_cookie(
        *(_name(), token, seconds), secure=request.is_secure, httponly=True, samesite="Lax"
    )


def clear_cookie(response: Response) -> None:
    set_cookie(response, "", 0)


def refuse_other_sites() -> None:
    """`OriginNotAllowed` for a POST that another site's page has sent, or may have sent.

    Browsers say so in `Sec-Fetch-Site` (W3C Fetch Metadata), but over plain http to another machine
    only in `Origin`.
    """
    if request.method != "POST":
        return
    site = request.headers.get("Sec-Fetch-Site")
    is_ours = _is_own_origin() if site is None else site in {"same-origin", "none"}
    if not is_ours:
        raise OriginNotAllowed


def _is_own_origin() -> bool:
    own = [request.host_url.rstrip("/")]
    if base_url := current_runtime().settings.base_url:
        public = urlsplit(base_url)
        own.append(f"{public.scheme}://{public.netloc}")
    return request.headers.get("Origin") in own


def _name() -> str:
    return COOKIE_NAMES[not request.is_secure]
