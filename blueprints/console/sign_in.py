"""Logging in by an OpenID Connect provider: a link there, and the answer that comes back."""

import logging
from urllib.parse import urlencode, urlsplit

from flask import Response, request

from models import Session, current_runtime
from models.accounts import (
    LIFE_SECONDS,
    Assertion,
    Identity,
    Invitation,
    PendingSignIn,
)
from models.core import NotFound, ServiceError
from models.runtime import AnswerRefusedError, Provider, ProviderAway, network_of
from models.storage import RightLost, current_right

from ..http import COOKIE, g
from ..http.authentication import held_right
from ..http.problems import CHALLENGE, STATUS
from ..login import CookieName, begin_session, end_own_sessions, is_own_origin
from .errors import refuse_sign_in
from .routes import HOME, PUBLIC, Pages, go, page_of, render
from .spaces import land

sign_in = Pages("sign_in", "/oidc")
_PENDING_COOKIE = CookieName("__Host-sign-in", "sign-in")
ACCOUNT = "/app/account"
MOST_INVITE_CHARACTERS = 100
_MOST_ANSWER_CHARACTERS = 4096  # of each field of the provider's answer
_ANSWER = ("code", "state", "iss", "error")
_FAILED = "The login did not work. Begin it again from the login page, in this browser."


@sign_in.get("", accepts=PUBLIC)
def begin() -> Response:
    """Lead to the provider, where people log in, or to add this login to the account"""
    provider = _provider()
    links = request.args.get("add") == "yes"
    if not _is_begun_here(must_be_known=links):
        here = f"{request.path}?{urlencode(request.args)}" if request.args else request.path
        return render("sign_in_begin", provider=provider, here=here, links=links)
    if links:
        session = _young_session()
        if session is None:
            return go(ACCOUNT, "old")
        pending, sealed = PendingSignIn.begin(provider.issuer, ACCOUNT, session_id=session.id)
    else:
        next = page_of(request.args.get("next", "")) or HOME
        invite = request.args.get("invite", "")[:MOST_INVITE_CHARACTERS]
        pending, sealed = PendingSignIn.begin(provider.issuer, next, invite)
    try:
        address = provider.authorization_url(pending.state, pending.nonce, pending.verifier)
    except ProviderAway as error:
        line = "request %s: nobody was led to the provider: %s"
        logging.getLogger("docservice").warning(line, g.request_id, error.reason)
        raise
    response = go(address)
    _PENDING_COOKIE.set(response, sealed, LIFE_SECONDS)
    return response


@sign_in.get("/callback", accepts=PUBLIC)
def end() -> Response:
    """Take the answer of the provider, and log in"""
    provider = _provider()
    try:
        return _end(provider)
    except AnswerRefusedError as error:
        line = "request %s: nobody was logged in: %s"
        logging.getLogger("docservice").warning(line, g.request_id, error)
        response = refuse_sign_in(401, _FAILED)
    except ServiceError as error:
        if isinstance(error, ProviderAway):
            line = "request %s: nobody was logged in: %s"
            logging.getLogger("docservice").warning(line, g.request_id, error.reason)
        status = 403 if STATUS[error.code] in {403, 409, 429} else 401
        response = refuse_sign_in(status, error.sentence)
    if response.status_code == 401:
        response.headers["WWW-Authenticate"] = CHALLENGE
    return response


def _end(provider: Provider) -> Response:
    """Log in by the answer, or link the login to the account that has begun this."""
    answer = {name: request.args[name] for name in _ANSWER if name in request.args}
    if any(len(value) > _MOST_ANSWER_CHARACTERS for value in answer.values()):
        raise AnswerRefusedError("the answer is too long")
    pending = _pending(provider.issuer, answer.get("state", ""))
    claims = provider.claims(answer, pending.verifier, pending.nonce)
    assertion = Assertion.of_claims(claims)
    if pending.session_id:
        if (g.caller.credential_type, g.caller.id) != (COOKIE, pending.session_id):
            raise AnswerRefusedError("the session that adds a login has ended")
        current_right.set(held_right(g.caller))
        try:
            Identity.link(g.caller.owner_id, assertion.issuer, assertion.subject)
        except RightLost:
            raise AnswerRefusedError("the session that adds a login has ended") from None
        response = go(pending.next or ACCOUNT, "linked")
    else:
        invitation = Invitation.of_link(pending.invite) if pending.invite else None
        session = begin_session(assertion, pending.invite)
        end_own_sessions()
        response = land(session, invitation) if invitation else go(pending.next or HOME)
    _PENDING_COOKIE.set(response, "", 0)
    return response


def _pending(issuer: str, state: str) -> PendingSignIn:
    """Return the login that this browser has begun, used up now."""
    sealed = _PENDING_COOKIE.value_in(request)
    pending = PendingSignIn.of_cookie(sealed) if sealed else None
    if pending is None or pending.issuer != issuer:
        raise AnswerRefusedError("this browser has begun no login, or too long ago")
    if not pending.is_answered_by(state):
        raise AnswerRefusedError("the answer belongs to another login")
    current_runtime().sign_in_limiter.spend(_network())
    if not pending.use_up():
        raise AnswerRefusedError("the answer came before")
    return pending


def _young_session() -> Session | None:
    """Return the session of the caller, if it may add a login to the account."""
    if g.caller.credential_type != COOKIE or g.caller.member:
        return None
    session = Session.of_request(g.caller.owner_id, g.caller.id)
    return session if session.is_young else None


def _is_begun_here(*, must_be_known: bool) -> bool:
    """Return whether a page of ours has led here, or, unless it `must_be_known`, nobody else."""
    site = request.headers.get("Sec-Fetch-Site")
    if site is not None:
        return site == "same-origin" or (site == "none" and not must_be_known)
    if request.referrer is None:
        return not must_be_known
    page = urlsplit(request.referrer)
    return is_own_origin(f"{page.scheme}://{page.netloc}")


def _provider() -> Provider:
    provider = current_runtime().provider
    if provider is None:
        raise NotFound
    return provider


def _network() -> str:
    return network_of(request.remote_addr or "")
