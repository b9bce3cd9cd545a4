"""Accounts and sessions: register, log in, profile, log out."""

from typing import Any

from flask import request

from models import Document, Session, User, current_runtime
from models.accounts import (
    RESET_SECONDS,
    StartedSession,
    count_reset,
    request_reset,
    require_strong_password,
)
from models.accounts import register as register_account
from models.runtime import network_of

from .http import MEMBERS, NOBODY, SESSION, ApiBlueprint, g, report_allowance
from .http.clients import client_of_request
from .schemas.requests import (
    Login,
    PageQuery,
    PasswordChange,
    PasswordReset,
    ProfileEdit,
    Registration,
)
from .schemas.responses import (
    LoginResponse,
    Myself,
    Profile,
    ResetResponse,
    SessionRecord,
    UserRecord,
    list_page,
    list_schema,
)

auth = ApiBlueprint("auth", __name__, url_prefix="/v1/auth", description="Accounts and sessions")


@auth.post("/register", accepts=[NOBODY, SESSION], idempotent=True)
@auth.arguments(Registration())
@auth.alt_response(200, schema=UserRecord)
@auth.response(201, UserRecord)
def register(body: dict[str, Any]) -> tuple[User, int]:
    """Register a new user account

    Registering does not log in. Two addresses that differ only in case are the same address. An
    `invite` works once, for its e-mail address, also while registration is closed. For an account
    that exists, an invitation sets the new password and ends all sessions; the response is then
    200, not 201.
    """
    report_allowance(current_runtime().registration_limiter.spend(_network()))
    user, is_new = register_account(**body, address=request.remote_addr or "")
    return user, 201 if is_new else 200


@auth.post("/login", accepts=[NOBODY, SESSION])
@auth.arguments(Login())
@auth.response(200, LoginResponse)
def log_in(body: dict[str, str]) -> StartedSession:
    """Log in and receive a session token

    Send `accessToken` as `Authorization: Bearer …`. The token is valid for 12 hours unless the
    service is set up otherwise.
    """
    user = User.identify(**body, address=request.remote_addr or "")
    return Session.begin(user, current_runtime().settings.session_seconds, client_of_request())


@auth.get("/me", accepts=[SESSION], for_members=True)
@auth.response(200, Myself)
def me() -> Any:
    """Return the authenticated user's profile

    `stored` is what quotas count. With the session of a space: the space, the role, and the person
    who acts as the space.
    """
    user = g.caller.user
    member = g.caller.member
    if member is None:
        user.stored = Document.stored_by(user.id)
        return user
    person = User.get_by_id(member.user_id)
    return {"id": user.id, "name": user.name, "role": member.role, "acting_for": person}


@auth.patch("/me", accepts=[SESSION])
@auth.arguments(ProfileEdit())
@auth.response(200, Profile)
def edit_profile(body: dict[str, Any]) -> User:
    """Change the user's name, and whether readers of links see it

    With `showName` true, as it is at first, the pages that links open begin with the user's name
    and e-mail address.
    """
    user: User = g.caller.user
    return user.edit(**body)


@auth.post("/logout", accepts=[SESSION], for_members=True)
@auth.response(204)
def log_out() -> None:
    """End this session; its token is dead at once"""
    Session.of_request(g.caller.owner_id, g.caller.id).end()


@auth.post("/password", accepts=[SESSION])
@auth.arguments(PasswordChange())
@auth.response(204)
def change_password(body: dict[str, str]) -> None:
    """Change the password and end every other session

    API keys and links stay valid.
    """
    require_strong_password(body["new_password"], "#/newPassword")
    user = g.caller.user.identify_again(body["current_password"], request.remote_addr or "")
    user.change_password(body["new_password"], kept_session_id=g.caller.id)


@auth.post("/reset", accepts=[NOBODY, SESSION], spend=lambda: count_reset(_network()))
@auth.arguments(PasswordReset())
@auth.response(202, ResetResponse)
def reset_password(body: dict[str, str]) -> dict[str, int]:
    """Have a link for a new password sent by mail

    The response is always the same. If an enabled account has this e-mail address, the service
    sends a mail to it. The link in the mail works once, for an hour; it sets a new password and
    ends all sessions. A service that sends no mail answers 404.
    """
    request_reset(body["email"])
    return {"expires_in": RESET_SECONDS}


@auth.get("/sessions", accepts=[SESSION], for_members=True)
@auth.arguments(PageQuery(), location="query")
@auth.response(200, list_schema("sessions", SessionRecord))
def list_sessions(query: dict[str, Any]) -> Any:
    """List the caller's live sessions

    Those by which the caller acts as a space, too. They end with the session that began them. In a
    space: those by which the caller acts as the space; for a manager those of all members.
    """
    page = Session.page_beside(g.caller.id, g.caller.owner_id, **query, **_of_member())
    return list_page(page)


@auth.delete("/sessions/<id>", accepts=[SESSION], for_members=True)
@auth.response(204)
def end_session(id: str) -> None:
    """End one of the caller's sessions"""
    Session.of_holder(g.caller.owner_id, id, **_of_member()).end()


def _of_member() -> dict[str, Any]:
    """Return the filter for the sessions that the caller may see: in a space one's own."""
    member = g.caller.member
    if member is None or g.caller.may(MEMBERS):
        return {}
    return {"acting_user_id": member.user_id}


def _network() -> str:
    return network_of(request.remote_addr or "")
