"""The account: signing up and logging in, profile and sessions, all its data, its end."""

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from flask import Response, request

from models import Document, Session, User, Webhook, current_runtime
from models.account_deletion import MOST_COUNTED, AccountContents, delete_account
from models.accounts import (
    Identity,
    Invitation,
    StartedSession,
    count_reset,
    refuse_if_passwords_off,
    remove_identity,
    request_reset,
    require_strong_password,
    spaces_of,
)
from models.accounts import register as register_account
from models.core import NotFound, RegistrationClosed, SessionRequired, now, rfc3339
from models.events import NOTICES, VISITED, has_mail
from models.runtime import Provider, network_of

from ..http import COOKIE, NOBODY, Caller, g
from ..http.clients import client_of_request
from ..login import assertion_of_proxy, begin_session, clear_cookie, end_own_sessions, set_cookie
from ..schemas.requests import Login, PasswordChange, PasswordReset, ProfileEdit, Registration
from ..views.collection import send_growing_zip
from .forms import text
from .routes import HOME, PUBLIC, Pages, go, page_of, render
from .saved_account import SavedAccount
from .spaces import land

sessions = Pages("sessions")
account = Pages("account", "/account", reads="")
PATH = "/app/account"
MOST_SESSIONS = 100
_PROFILE = ProfileEdit()
_TOO_OLD = "Your session is older than ten minutes. Log out and in again, then do this."


@sessions.get("")
def home() -> Response:
    """Lead to the documents"""
    return go(HOME)


@sessions.get("/signup", accepts=PUBLIC)
def show_signup() -> Response:
    """Show the form for a new account"""
    fields = request.form if request.method == "POST" else request.args
    invite = fields.get("invite", "")
    invitation = Invitation.of_link(invite) if invite else None
    if invite:
        session, _refusal = _by_proxy(invite)
        if session:
            return land(session, invitation)
    return render(
        "signup",
        invite=invite,
        invitation=invitation,
        is_open=User.may_register(),
        is_reset=invitation is not None and invitation.sets_password,
        is_to_space=invitation is not None and invitation.space_id is not None,
        has_mail=current_runtime().settings.smtp_url is not None,
        least=current_runtime().settings.password_min_length,
        **_ways(),
    )


@sessions.post("/signup", accepts=PUBLIC, shows=show_signup)
def sign_up() -> Response:
    """Register a new user account, and log in"""
    fields = {
        "email": request.form.get("email", ""),
        "password": request.form.get("password", ""),
        "name": text("name"),
        "invite": text("invite"),
    }
    body = Registration().load(fields)
    address = request.remote_addr or ""
    current_runtime().registration_limiter.spend(network_of(address))
    invitation = Invitation.of_link(body["invite"]) if body["invite"] else None
    user, is_new = register_account(**body, address=address)
    if not is_new:
        return _logged_in(user, HOME, "password")
    session = _begin(user)
    response = land(session, invitation)
    set_cookie(response, session.token, session.expires_in)
    return response


@sessions.get("/login", accepts=PUBLIC)
def show_login() -> Response:
    """Show the login"""
    if g.caller.credential_type == COOKIE:
        return go(_next())
    session, refusal = _by_proxy()
    if session:
        return go(_next())
    has_mail = current_runtime().settings.smtp_url is not None
    is_open = User.may_register()
    return render(
        "login", next=_next(), is_open=is_open, has_mail=has_mail, refusal=refusal, **_ways()
    )


def _by_proxy(invite: str = "") -> tuple[StartedSession | None, str]:
    """Begin a session of whom the trusted proxy names, unless somebody is logged in.

    Return the session, and if the proxy names somebody who is not let in, why not.
    """
    assertion = assertion_of_proxy(request)
    if assertion is None or request.method != "GET" or g.caller.credential_type == COOKIE:
        return None, ""
    try:
        return begin_session(assertion, invite), ""
    except RegistrationClosed as error:
        return None, error.sentence


def _ways() -> dict[str, Any]:
    """Return by which ways people log in, for the templates."""
    runtime = current_runtime()
    return {"passwords": runtime.settings.passwords == "on", "provider": runtime.provider}


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
    refuse_if_passwords_off()
    return render("forgot")


@sessions.post("/forgot", accepts=PUBLIC, shows=show_forgotten)
def ask_for_password() -> Response:
    """Have a link for a new password sent by mail"""
    count_reset(network_of(request.remote_addr or ""))
    request_reset(PasswordReset().load({"email": text("email") or ""})["email"])
    return go("/app/forgot", "sent")


@sessions.post("/logout", for_members=True, from_anywhere=True)
def log_out() -> Response:
    """End this session, and say how to log out of the proxy or the provider"""
    person = g.caller.person or g.caller
    session = Session.of_request(person.owner_id, person.id)
    identity = Identity.find(session.identity_id) if session.identity_id else None
    end_own_sessions()
    response = _farewell(identity) if identity else go("/")
    clear_cookie(response)
    return response


def _farewell(identity: Identity) -> Response:
    """Return the page that says how to log out of what has let this person in."""
    g.caller = Caller(NOBODY)
    provider = current_runtime().provider
    is_known = provider is not None and provider.issuer == identity.issuer
    return render(
        "logged_out",
        is_of_proxy=identity.is_of_proxy,
        provider_name=provider.name if provider and is_known else "The provider of your login",
        address=provider.logout_url() if provider and is_known else None,
    )


def _next() -> str:
    return page_of(request.values.get("next", "")) or HOME


def _begin(user: User) -> StartedSession:
    end_own_sessions()
    seconds = current_runtime().settings.session_seconds
    return Session.begin(user, seconds, client_of_request())


def _logged_in(user: User, path: str, done: str = "") -> Response:
    session = _begin(user)
    response = go(path, done)
    set_cookie(response, session.token, session.expires_in)
    return response


@account.get("")
def show_account(**_: str) -> Response:
    """Show profile, use and sessions"""
    owner_id = g.caller.owner_id
    user = g.caller.user
    sessions, _further = Session.page_beside(g.caller.id, owner_id, MOST_SESSIONS, None)
    return render(
        "account",
        user=user,
        sessions=sessions,
        names_of_spaces={one.row.id: one.name for one in spaces_of(owner_id)},
        stored=Document.stored_by(owner_id),
        quota=current_runtime().quota,
        notices=Webhook.mailing_to(owner_id, user.email) if has_mail() else None,
        logins=_logins(user),
        **_ways(),
    )


@dataclass(frozen=True)
class Logins:
    """The other logins of an account: those that it has, and which may be added now.

    `address` is whom the proxy names, if that login is not the account's yet.
    """

    identities: list[Identity]
    may_add: bool
    address: str | None
    provider: Provider | None

    @property
    def has_provider(self) -> bool:
        """Whether one of them is by the provider."""
        issuer = self.provider.issuer if self.provider else None
        return any(one.issuer == issuer for one in self.identities)

    def name(self, identity: Identity) -> str:
        """Return what an identity is called."""
        if identity.is_of_proxy:
            return identity.subject
        if self.provider and self.provider.issuer == identity.issuer:
            return self.provider.name
        return urlsplit(identity.issuer).netloc or identity.issuer


def _logins(user: User) -> Logins:
    found = Identity.of_owner(user.id)
    session = Session.of_request(user.id, g.caller.id)
    assertion = assertion_of_proxy(request)
    subjects = {one.subject for one in found if one.is_of_proxy}
    address = assertion.subject if assertion and assertion.subject not in subjects else None
    return Logins(found, session.is_young, address, current_runtime().provider)


@account.post("", shows=show_account)
def edit_profile() -> Response:
    """Change the name, and whether readers of links see it"""
    changes: dict[str, Any] = {"name": text("name")}
    choices = request.form.getlist("showName")
    if choices:
        changes["showName"] = "1" in choices
    g.caller.user.edit(**_PROFILE.load(changes))
    return go(PATH, "saved")


@account.post("/notices", shows=show_account)
def change_notices() -> Response:
    """Have notices sent to the account's own address, once it is confirmed; or no more"""
    owner_id = g.caller.owner_id
    address = g.caller.user.email
    found = Webhook.mailing_to(owner_id, address)
    if not request.form.get("notices"):
        if found and found.reports_visits:
            found.edit(types=(VISITED,))
        elif found:
            found.remove()
        return go(PATH, "unasked")
    if found is None:
        Webhook.register(owner_id, f"mailto:{address}")
        return go(PATH, "asked")
    if not found.reports_all_links:
        found = found.edit(types=(*NOTICES, VISITED))
    if found.is_unconfirmed:
        found.ask_again()
        return go(PATH, "asked")
    found.edit(enabled=True)
    return go(PATH, "saved")


@account.post("/password", shows=show_account)
def change_password() -> Response:
    """Change the password and end every other session"""
    fields = {name: request.form.get(name, "") for name in ("currentPassword", "newPassword")}
    body = PasswordChange().load(fields)
    require_strong_password(body["new_password"], "#/newPassword")
    user = g.caller.user.identify_again(body["current_password"], request.remote_addr or "")
    user.change_password(body["new_password"], kept_session_id=g.caller.id)
    return go(PATH, "password")


@account.post("/sessions/end")
def end_other_sessions() -> Response:
    """End every session but this one"""
    g.caller.user.end_other_sessions(g.caller.id)
    return go(PATH, "elsewhere")


@account.post("/sessions/<id>/end")
def end_session(id: str) -> Response:
    """End one of the caller's sessions"""
    Session.of_holder(g.caller.owner_id, id).end()
    return go(PATH, "ended")


@account.post("/identities", shows=show_account)
def add_identity() -> Response:
    """Add the login by the proxy to the account, in a session younger than ten minutes"""
    owner_id = g.caller.owner_id
    assertion = assertion_of_proxy(request)
    if assertion is None:
        raise NotFound
    _require_young_session()
    Identity.link(owner_id, assertion.issuer, assertion.subject)
    return go(PATH, "linked")


@account.post("/identities/<id>/remove", shows=show_account)
def remove_other_login(id: str) -> Response:
    """Remove another login from the account, with the sessions that it began"""
    session = Session.of_request(g.caller.owner_id, g.caller.id)
    remove_identity(g.caller.user, id)
    if session.identity_id != id:
        return go(PATH, "unlinked")
    response = go("/app/login", "unlinked")
    clear_cookie(response)
    return response


def _require_young_session() -> None:
    if not Session.of_request(g.caller.owner_id, g.caller.id).is_young:
        raise SessionRequired(_TOO_OLD)


@account.get("/delete")
def ask_to_delete_account(**_: str) -> Response:
    """Ask before the account is deleted, and say what goes with it"""
    contents = AccountContents.of(g.caller.owner_id)
    mode = current_runtime().settings.registration
    return render(
        "delete_account",
        contents=contents,
        most_counted=MOST_COUNTED,
        user=g.caller.user,
        mode=mode,
    )


@account.post("/delete", shows=ask_to_delete_account)
def delete() -> Response:
    """Delete the account with all that it holds"""
    user = g.caller.user
    if user.has_password:
        password = request.form.get("password", "")
        user = user.identify_again(password, request.remote_addr or "")
    else:
        _require_young_session()
    delete_account(user)
    response = go("/app/login", "gone")
    clear_cookie(response)
    return response


@account.post("/export")
def export_account() -> Response:
    """Save all that the account holds as one ZIP file

    The originals lie in `documents/`, and in `bin/` for documents in the bin. The records are JSON,
    as the API shows them or with more values, without secrets. The log is as `document-service
    audit export` prints it, and `deploy/verify_log.py` verifies it; the export itself is an event
    in the log. One export at a time is sent to each person, and two in all.
    """
    user: User = g.caller.user
    pieces = SavedAccount(user, g.caller.id).pieces()
    response = send_growing_zip(pieces, f"{user.email} {rfc3339(now())[:10]}", g.caller.grant)
    user.record_export(Document.stored_by(user.id).documents)
    return response
