"""Getting in and out: sign up, log in, log out; and the stylesheet and script of all pages."""

from contextlib import suppress
from typing import Any

from flask import Response, g, request

from models import Session, User, current_runtime
from models.accounts import Invitation, count_reset, request_reset
from models.accounts import register as register_account
from models.core import NotFound
from models.runtime import network_of

from ..http import COOKIE, NOBODY
from ..http.authentication import clear_cookie, set_cookie
from ..http.clients import client_of_request
from ..schemas.requests import Login, PasswordReset, Registration
from .blueprint import HOME, Pages, errors_as_pages, go, page_of, render, send_asset
from .forms import text
from .templating import prepare_templates

sessions = Pages("sessions")
PUBLIC = (NOBODY, COOKIE)

sessions.after_app_request(errors_as_pages)
sessions.record_once(prepare_templates)


@sessions.get("")
def home() -> Response:
    """Lead to the documents"""
    return go(HOME)


@sessions.get("/signup", accepts=PUBLIC)
def show_signup() -> Response:
    """Show the form for a new account"""
    least = current_runtime().settings.password_min_length
    invite = (request.form if request.method == "POST" else request.args).get("invite", "")
    shown: dict[str, Any] = {"invite": invite, "is_reset": Invitation.sets_password(invite)}
    return render("signup", is_open=User.may_register(), least=least, **shown)


@sessions.post("/signup", accepts=PUBLIC, shows=show_signup)
def sign_up() -> Response:
    """Register a new user account, and log in"""
    address, form = request.remote_addr or "", request.form
    fields = {"email": form.get("email", ""), "password": form.get("password", "")}
    body = Registration().load(fields | {"name": text("name"), "invite": text("invite")})
    current_runtime().registration_limiter.spend(network_of(address))
    user, _is_new = register_account(**body, address=address)
    return _logged_in(user, HOME)


@sessions.get("/login", accepts=PUBLIC)
def show_login() -> Response:
    """Show the login"""
    if g.caller.credential_type == COOKIE:
        return go(_next())
    has_mail = current_runtime().settings.smtp_url is not None
    return render("login", next=_next(), is_open=User.may_register(), has_mail=has_mail)


@sessions.post("/login", accepts=PUBLIC, shows=show_login)
def log_in() -> Response:
    """Log in; a session that the browser had before ends"""
    fields = {name: request.form.get(name, "") for name in ("email", "password")}
    user = User.identify(**Login().load(fields), address=request.remote_addr or "")
    return _logged_in(user, _next())


@sessions.get("/forgot", accepts=PUBLIC)
def show_forgotten() -> Response:
    """Show the form for a new password, where the service sends mail"""
    if current_runtime().settings.smtp_url is None:
        raise NotFound
    return render("forgot")


@sessions.post("/forgot", accepts=PUBLIC, shows=show_forgotten)
def ask_for_password() -> Response:
    """Have a link for a new password sent by mail"""
    count_reset(network_of(request.remote_addr or ""))
    request_reset(PasswordReset().load({"email": text("email") or ""})["email"])
    return go("/app/forgot", "sent")


@sessions.post("/logout")
def log_out() -> Response:
    """End this session"""
    Session.one_of(g.caller.owner_id, g.caller.id).end()
    response = go("/")
    clear_cookie(response)
    return response


@sessions.get("/console-<version>.<any(css,js):kind>", accepts=PUBLIC)
def static(version: str, kind: str) -> Response:  # noqa: ARG001
    """Return the stylesheet or the script of the pages"""
    return send_asset(kind)


def _next() -> str:
    return page_of(request.values.get("next", "")) or HOME


def _logged_in(user: User, path: str) -> Response:
    with suppress(NotFound):  # there was none, or an invitation has ended it
        Session.one_of(g.caller.owner_id, g.caller.id).end()
    seconds = current_runtime().settings.session_seconds
    session = Session.begin(user, seconds, client_of_request())
    response = go(path)
    set_cookie(response, session.token, session.expires_in)
    return response
