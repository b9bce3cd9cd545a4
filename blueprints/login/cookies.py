"""The cookies of the pages for people: the session of a person, and beside it that of a space.

Over https their names have the prefix `__Host-` (RFC 6265bis, 4.1.3.2). Over http they have other
names, as browsers drop a `Secure` cookie there.
"""

from collections.abc import Mapping
from typing import NamedTuple

from flask import Request, Response, request
from werkzeug.http import parse_cookie


class CookieName(NamedTuple):
    """The names of one cookie."""

    over_https: str
    over_http: str

    def of(self, request: Request) -> str:
        """Return the name in a request."""
        return self.over_https if request.is_secure else self.over_http

    def value_in(self, request: Request) -> str | None:
        return request.cookies.get(self.of(request))

    def set(self, response: Response, value: str, seconds: int) -> None:
        """Set the cookie for so many `seconds`, as an answer to the present request."""
        response.set_cookie(
            self.of(request),
            value,
            max_age=seconds,
            secure=request.is_secure,
            httponly=True,
            samesite="Lax",
        )


_SESSION = CookieName("__Host-session", "session")
_SPACE = CookieName("__Host-space", "space")


def session_of_cookie(request: Request) -> str | None:
    """Return the session token of the person's cookie."""
    return _SESSION.value_in(request)


def space_session_of_cookie(request: Request) -> str | None:
    """Return the session token of the cookie of a space."""
    return _SPACE.value_in(request)


def sessions_in_head(headers: Mapping[str, str]) -> tuple[str | None, str | None]:
    """Return the session tokens of the person's cookie and of that of a space, if they are there.

    Header names are as in `X_API_KEY`.
    """
    cookies = parse_cookie(headers.get("COOKIE"))
    of_person, of_space = (
        next((cookies[name] for name in names if name in cookies), None)
        for names in (_SESSION, _SPACE)
    )
    return of_person, of_space


def set_cookie(response: Response, token: str, seconds: int) -> None:
    """Set the session's cookie, for so many `seconds`. A session of a space ends with it."""
    _SESSION.set(response, token, seconds)
    if space_session_of_cookie(request):
        clear_space_cookie(response)


def clear_cookie(response: Response) -> None:
    set_cookie(response, "", 0)


def set_space_cookie(response: Response, token: str, seconds: int) -> None:
    """Set the cookie of the session of a space, beside the person's own."""
    _SPACE.set(response, token, seconds)


def clear_space_cookie(response: Response) -> None:
    set_space_cookie(response, "", 0)
