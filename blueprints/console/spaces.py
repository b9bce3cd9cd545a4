"""The pages of spaces: which there are, their members, and the switch from one to another."""

from contextlib import suppress
from typing import Any

from flask import Response, request

from models import Session, User, current_runtime
from models.account_deletion import delete_space
from models.accounts import (
    ROLES,
    Invitation,
    Member,
    MemberSpace,
    StartedSession,
    add_member,
    address_of,
    change_member,
    enter_space,
    make_space,
    members_of,
    page_of_waiting_spaces,
    remove_member,
    rename_space,
    space_of,
    spaces_of,
)
from models.core import NotFound, SessionExpired, current_payer
from models.records import Owner

from ..http import g
from ..http.clients import client_of_request
from ..login import clear_space_cookie, set_space_cookie
from ..schemas.requests import MemberEdit, NewMember, NewSpace
from .forms import once, text
from .routes import HOME, SPACES, Pages, go, render

spaces = Pages("spaces", "/spaces")
WAITING_ON_A_PAGE = 50


def _person() -> Any:
    """Return the caller without the space in which they are now, if in any."""
    return g.caller.person or g.caller


def _own(id: str) -> MemberSpace:
    """Return a space of which the person is a member; raise `NotFound` for any other one."""
    return space_of(id, g.caller.person_id)


@spaces.get("")
def show_spaces(**_: str) -> Response:
    """List the spaces of which the person is a member, and those that wait for the person"""
    person_id = g.caller.person_id
    after = request.args.get("after")
    waiting, older = page_of_waiting_spaces(person_id, WAITING_ON_A_PAGE, after)
    return render(
        "spaces",
        spaces=spaces_of(person_id),
        waiting=waiting,
        older=older,
        after=after,
        my_id=person_id,
    )


@spaces.post("", for_members=True, shows=show_spaces)
def make() -> Response:
    """Make a space, and go there"""
    body = NewSpace().load({"name": text("name") or ""})
    id = once(lambda: make_space(_person().user, body["name"]).row.id)
    return _enter(id)


@spaces.get("/<id>")
def show_space(id: str, **_: str) -> Response:
    """Show the members of a space, and to a manager who is invited"""
    space = _own(id)
    manages = space.role == "manage"
    return render(
        "space",
        space=space,
        members=members_of(id),
        manages=manages,
        invited=Invitation.waiting_for(id) if manages else [],
        roles=ROLES,
        my_id=g.caller.person_id,
    )


@spaces.post("/<id>", for_members=True, shows=show_space)
def rename(id: str) -> Response:
    """Rename a space"""
    _own(id)
    body = NewSpace().load({"name": text("name") or ""})
    rename_space(id, g.caller.person_id, body["name"])
    return go(f"{SPACES}/{id}", "saved")


@spaces.post("/<id>/delete", for_members=True, shows=show_space)
def delete(id: str) -> Response:
    """Delete a space that holds no document"""
    delete_space(id, g.caller.person_id)
    return _at_home("space_gone") if g.caller.owner_id == id else go(SPACES, "space_gone")


@spaces.post("/<id>/members", for_members=True, shows=show_space)
def invite(id: str) -> Response:
    """Make somebody a member, or invite who has no account, by mail or a link shown this once"""
    space = _own(id)
    body = NewMember().load({"email": text("email") or "", "role": request.form.get("role", "")})
    person_id = g.caller.person_id
    current_runtime().member_limiter.spend(current_payer.get())
    if User.find_by_email(body["email"]):
        add_member(id, person_id, body["email"], body["role"])
        return go(f"{SPACES}/{id}", "added")
    address = once(lambda: _invitation(id, **body))
    if not address:
        return go(f"{SPACES}/{id}", "invited")
    return render("invited", space=space, address=address, email=body["email"])


def _invitation(id: str, email: str, role: str) -> str:
    """Invite somebody, and return the address of the invitation; '' if it goes by mail."""
    issued = Invitation.issue_for_space(id, _person().user, email, role)
    return address_of(issued.secret) if issued else ""


@spaces.post("/<id>/members/<user_id>", for_members=True, shows=show_space)
def change(id: str, user_id: str) -> Response:
    """Give a member another role"""
    _own(id)
    body = MemberEdit().load({"role": request.form.get("role", "")})
    change_member(id, g.caller.person_id, user_id, body["role"])
    return go(f"{SPACES}/{id}", "saved")


@spaces.post("/<id>/members/<user_id>/remove", for_members=True, shows=show_space)
def remove(id: str, user_id: str) -> Response:
    """Remove a member, who is out at once; or give up one's own membership, or decline it"""
    person_id = g.caller.person_id
    is_waiting = Member.listed(id, person_id).is_waiting
    remove_member(id, person_id, user_id)
    if user_id != person_id:
        return go(f"{SPACES}/{id}", "out_of_it")
    done = "declined" if is_waiting else "left"
    return _at_home(done) if g.caller.owner_id == id else go(SPACES, done)


@spaces.post("/<id>/invitations/<invitation_id>/delete", for_members=True, shows=show_space)
def take_back(id: str, invitation_id: str) -> Response:
    """Take an invitation back"""
    Invitation.take_back(id, g.caller.person_id, invitation_id)
    return go(f"{SPACES}/{id}", "uninvited")


@spaces.post("/<id>/enter", for_members=True, from_anywhere=True)
def enter(id: str) -> Response:
    """Go into a space: what is shown and done from then on is the space's"""
    return _enter(id)


def _enter(id: str) -> Response:
    person = _person()
    own = Session.of_request(person.owner_id, person.id)
    enter_space(id, person.owner_id)
    _end_session_of_space()
    return _begin_in(id, person.user, own)


def _begin_in(space_id: str, user: Owner, own: Session, done: str = "") -> Response:
    """Begin a session of a space for the person of the session `own`, and lead to the documents."""
    session = Session.begin_in_space(space_id, user, own, client_of_request())
    response = go(HOME, done)
    set_space_cookie(response, session.token, session.expires_in)
    return response


def land(session: StartedSession, invitation: Invitation | None) -> Response:
    """Lead somebody who has just logged in to the space of their invitation, else to their own
    documents.
    """
    if invitation is None or invitation.space_id is None:
        return go(HOME)
    try:
        space_of(invitation.space_id, session.user.id)
    except NotFound:  # the account was there before, and is no member
        return go(HOME)
    return _begin_in(invitation.space_id, session.user, session.row, "joined")


@spaces.post("/<id>/leave", for_members=True, from_anywhere=True)
def leave(id: str) -> Response:
    """Go back from a space to one's own documents"""
    if g.caller.owner_id != id:
        _own(id)
    _end_session_of_space()
    response = go(HOME)
    clear_space_cookie(response)
    return response


def _at_home(done: str) -> Response:
    response = go(SPACES, done)
    clear_space_cookie(response)
    return response


def _end_session_of_space() -> None:
    if g.caller.member:
        with suppress(SessionExpired):
            Session.of_request(g.caller.owner_id, g.caller.id).end()
