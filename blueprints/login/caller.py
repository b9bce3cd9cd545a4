"""The caller of a page: by a cookie, in the space that the browser has entered; or by the proxy."""

import logging
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace

from flask import Request, Response, after_this_request, request

from models import Session, current_runtime
from models.accounts import (
    Assertion,
    NotLetIn,
    ProxyNamesAnother,
    SessionHolder,
    StartedSession,
    acting,
    let_in,
)
from models.core import AmbiguousCredentials, SessionExpired
from models.runtime import network_of

from ..http import COOKIE, NOBODY, SESSION, Caller, g
from ..http.authentication import (
    credentials_of,
    only_caller,
    require_accepted,
    require_permission,
)
from ..http.clients import client_of_request
from ..http.declarations import Declaration
from .cookies import (
    clear_cookie,
    clear_space_cookie,
    session_of_cookie,
    sessions_in_head,
    set_cookie,
    space_session_of_cookie,
)
from .forms import acts, refuse_form_of_another, refuse_other_sites
from .proxy import address_by_proxy, folded_address_by_proxy

NAMED = "named"  # by the trusted proxy: somebody who has no session yet


class LeftSpace(SessionExpired):
    """The session of a space has ended, of somebody whose own session goes on."""


def caller_of_page(request: Request, page: Declaration) -> Caller:
    """Return the caller of a page, whom it permits, or somebody who is `NAMED`.

    Raise an error for others, and for a form that another site has sent, or that was made before
    the person entered or left a space.
    """
    refuse_other_sites(request)
    g.caller = caller = _caller(request, page)
    if caller.credential_type == NAMED:
        return caller
    require_accepted(caller, page)
    if acts(request) and not (page.is_public or page.from_anywhere):
        refuse_form_of_another(request, caller)
    require_permission(caller, page, request)
    return caller


def _caller(request: Request, page: Declaration) -> Caller:
    """Return the caller by the cookie, or by the only other credential where the page takes one.

    Without a credential the caller may be `NAMED`. Raise `AmbiguousCredentials`.
    """
    cookie = session_of_cookie(request)
    has_others = next(credentials_of(request), None) is not None
    if has_others and (cookie or SESSION not in page.accepts):
        raise AmbiguousCredentials("Pages take the cookie of a login and no other credential.")
    if has_others:
        return only_caller(credentials_of(request))
    if cookie:
        return _caller_by_cookie(request, cookie, page)
    if not page.is_public and _opens_window(request) and address_by_proxy(request):
        return Caller(NAMED)
    return Caller(NOBODY)


def _caller_by_cookie(request: Request, cookie: str, page: Declaration) -> Caller:
    """Return the person, in a space or not. An ended session counts as none at a public page."""
    try:
        holder = Session.of_cookie(cookie, folded_address_by_proxy(request))
    except SessionExpired as error:
        if isinstance(error, ProxyNamesAnother):
            after_this_request(_without_cookie)
        if page.is_public:
            return Caller(NOBODY)
        raise
    person = Caller.owner(COOKIE, *holder)
    space_cookie = space_session_of_cookie(request)
    return _in_space(request, person, space_cookie, page) if space_cookie else person


def _in_space(request: Request, person: Caller, cookie: str, page: Declaration) -> Caller:
    """Return the person as a member of the space that this browser has entered.

    If the session of the space has ended, raise `LeftSpace` for a page that is not public. A form
    is the person's then, who is told so if it was made for the space: what another app has sent
    does not say so.
    """
    if member := _as_member(person, cookie):
        return member
    is_form = acts(request) and not (page.from_anywhere and page.scopes)
    if is_form or page.is_public:
        after_this_request(_without_space)
        return person
    raise LeftSpace


def _as_member(person: Caller, cookie: str) -> Caller | None:
    """Return the person as a member of a space, by its session; None if that has ended."""
    try:
        holder = Session.of_token(cookie)
    except SessionExpired:
        return None
    if not _is_of(holder, person):
        return None
    return replace(Caller.owner(COOKIE, *holder), person=person)


def _is_of(holder: SessionHolder, person: Caller) -> bool:
    """Return whether it is a session of a space, by which this person acts."""
    return holder.member is not None and holder.member.user_id == person.owner_id


def _without_cookie(response: Response) -> Response:
    clear_cookie(response)
    return response


def _without_space(response: Response) -> Response:
    clear_space_cookie(response)
    return response


def _opens_window(request: Request) -> bool:
    """Return whether this GET is for a page in a window of its own, and not for a part of one."""
    is_document = request.headers.get("Sec-Fetch-Dest", "document") == "document"
    return request.method == "GET" and is_document


def let_in_named(request: Request) -> Caller:
    """Begin a session of whom the trusted proxy names, and return the caller with this session.

    The hook calls it when nothing can make the server begin the request again. Raise as `let_in`.
    """
    session = begin_session(Assertion.of_proxy(address_by_proxy(request) or ""))
    g.caller = Caller.owner(COOKIE, session.row.owner_id, session.row.id)
    return g.caller


def begin_session(assertion: Assertion, invite: str = "") -> StartedSession:
    """Begin a session of somebody whom the proxy or a provider knows, and set its cookie.

    Raise as `let_in`.
    """
    try:
        user, identity = let_in(assertion, invite, network_of(request.remote_addr or ""))
    except NotLetIn as error:
        line = "request %s: nobody was logged in: %s"
        logging.getLogger("docservice").warning(line, g.request_id, error.reason)
        raise
    seconds = current_runtime().settings.session_seconds
    with acting(assertion):
        session = Session.begin(user, seconds, client_of_request(), identity)

    @after_this_request
    def give(response: Response) -> Response:
        set_cookie(response, session.token, session.expires_in)
        return response

    return session


def end_own_sessions() -> None:
    """End the sessions that this browser has: the person's, and that of a space."""
    for caller in filter(None, (g.caller, g.caller.person)):
        with suppress(SessionExpired):  # there was none, or it has ended meanwhile
            Session.of_request(caller.owner_id, caller.id).end()


def caller_in_head(headers: Mapping[str, str]) -> Caller:
    """Return the caller of a page by the head of a request: a person, in a space or not, or nobody.

    Header names are as in `X_API_KEY`. Raises `SessionExpired`.
    """
    cookie, space_cookie = sessions_in_head(headers)
    if not cookie:
        return Caller(NOBODY)
    person = Caller.owner(COOKIE, *Session.of_token(cookie))
    return (space_cookie and _as_member(person, space_cookie)) or person
