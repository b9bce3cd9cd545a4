"""The account: profile, what it uses, its sessions, a new password."""

from typing import Any

from flask import Response, g, request

from models import Document, Session, Webhook, current_runtime
from models.accounts import require_strong_password
from models.events import has_mail
from models.operations import AccountContents, delete_account

from ..http.authentication import clear_cookie
from ..schemas.requests import PasswordChange, Registration
from .blueprint import Pages, go, render
from .export import everything
from .forms import text

account = Pages("account", "/account")
PATH = "/app/account"
_PROFILE = Registration(only=["name"])
MOST_SESSIONS = 100


@account.get("")
def show_account(**_: str) -> Response:
    """Show profile, use and sessions"""
    owner_id = g.caller.owner_id
    sessions, _further = Session.page_beside(g.caller.id, owner_id, MOST_SESSIONS, None)
    used: dict[str, Any] = {"stored": Document.stored_by(owner_id)}
    used["quota"] = current_runtime().quota
    used["notices"] = Webhook.mailing_to(owner_id, g.caller.user.email) if has_mail() else None
    return render("account", user=g.caller.user, sessions=sessions, mails=has_mail(), **used)


@account.post("", shows=show_account)
def edit_profile() -> Response:
    """Change the name"""
    g.caller.user.rename(**_PROFILE.load({"name": text("name")}))
    return go(PATH, "saved")


@account.post("/notices", shows=show_account)
def change_notices() -> Response:
    """Have notices sent to the account's own address, once it is confirmed; or no more"""
    address, owner_id = g.caller.user.email, g.caller.owner_id
    found = Webhook.mailing_to(owner_id, address)
    if not request.form.get("notices"):
        if found:
            found.remove()
        return go(PATH, "unasked")
    if found and found.disabled_reason != "unconfirmed":
        found.edit(enabled=True)
        return go(PATH, "saved")
    found.ask_again() if found else Webhook.register(owner_id, f"mailto:{address}")
    return go(PATH, "asked")


@account.post("/export")
def export_account() -> Response:
    """Save all that the account holds as one ZIP file"""
    return everything()


@account.get("/delete")
def ask_to_delete_account(**_: str) -> Response:
    """Ask before the account is deleted, and say what goes with it"""
    contents, mode = AccountContents.of(g.caller.owner_id), current_runtime().settings.registration
    return render("delete_account", contents=contents, user=g.caller.user, mode=mode)


@account.post("/delete", shows=ask_to_delete_account)
def delete() -> Response:
    """Delete the account with all that it holds"""
    password = request.form.get("password", "")
    delete_account(g.caller.user.identify_again(password, request.remote_addr or ""))
    response = go("/app/login", "gone")
    clear_cookie(response)
    return response


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
    Session.one_of(g.caller.owner_id, id).end()
    return go(PATH, "ended")
