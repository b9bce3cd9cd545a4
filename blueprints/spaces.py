"""Spaces: documents that several people own, their members, and sessions to act as them."""

from typing import Any

from models import Session, current_runtime
from models.account_deletion import delete_space
from models.accounts import (
    ListedMember,
    MemberSpace,
    SessionOfSpace,
    add_member,
    change_member,
    enter_space,
    make_space,
    page_of_members,
    page_of_spaces,
    page_of_waiting_spaces,
    remove_member,
    rename_space,
)
from models.core import current_payer

from .http import SESSION, ApiBlueprint, g
from .http.clients import client_of_request
from .schemas.requests import MemberEdit, NewMember, NewSpace, PageQuery, SpaceQuery
from .schemas.responses import (
    MemberRecord,
    SpaceLoginResponse,
    SpaceRecord,
    list_page,
    list_schema,
)

spaces = ApiBlueprint("spaces", __name__, url_prefix="/v1/spaces", description="Spaces")


@spaces.post("", accepts=[SESSION], idempotent=True)
@spaces.arguments(NewSpace())
@spaces.response(201, SpaceRecord)
def make(body: dict[str, str]) -> MemberSpace:
    """Make a space, which the caller manages

    A space owns documents, links, keys and webhooks as an account does, with the quotas of an
    account, and nobody can log in to it. Its members act as it, by sessions of their own.
    """
    return make_space(g.caller.user, body["name"])


@spaces.get("", accepts=[SESSION])
@spaces.arguments(SpaceQuery(), location="query")
@spaces.response(200, list_schema("spaces", SpaceRecord))
def list_owned(query: dict[str, Any]) -> Any:
    """List the spaces of which the caller is a member

    With `waiting=true`: those to which somebody has added the caller, who has not entered them yet.
    """
    page = page_of_waiting_spaces if query.pop("waiting") else page_of_spaces
    return list_page(page(g.caller.owner_id, **query))


@spaces.patch("/<id>", accepts=[SESSION])
@spaces.arguments(NewSpace())
@spaces.response(200, SpaceRecord)
def rename(body: dict[str, str], id: str) -> MemberSpace:
    """Rename a space

    A manager may. The new name stands on the pages of its members, and wherever a link says who has
    sent it.
    """
    return rename_space(id, g.caller.owner_id, body["name"])


@spaces.delete("/<id>", accepts=[SESSION])
@spaces.response(204)
def delete(id: str) -> None:
    """Delete a space that holds no document

    Its links, keys and webhooks end with it. Documents in the bin count.
    """
    delete_space(id, g.caller.owner_id)


@spaces.get("/<id>/members", accepts=[SESSION])
@spaces.arguments(PageQuery(), location="query")
@spaces.response(200, list_schema("members", MemberRecord))
def list_members(query: dict[str, Any], id: str) -> Any:
    """List the members of a space"""
    return list_page(page_of_members(id, g.caller.owner_id, **query))


@spaces.post(
    "/<id>/members",
    accepts=[SESSION],
    spend=lambda: current_runtime().member_limiter.spend(current_payer.get()),
)
@spaces.arguments(NewMember())
@spaces.response(201, MemberRecord)
def add(body: dict[str, str], id: str) -> ListedMember:
    """Make the person with this e-mail address a member

    The person needs an account, and is a member from the moment on at which they first enter the
    space; `acceptedAt` is null before that. `read` sees documents and events; `write` also uploads,
    edits and makes links; `manage` also deletes, and manages keys, webhooks and members.
    """
    return add_member(id, g.caller.owner_id, body["email"], body["role"])


@spaces.patch("/<id>/members/<user_id>", accepts=[SESSION])
@spaces.arguments(MemberEdit())
@spaces.response(200, MemberRecord)
def change(body: dict[str, str], id: str, user_id: str) -> ListedMember:
    """Give a member another role

    It counts from the member's next request on. The last manager stays one. Whoever manages no more
    has invited nobody any more: such invitations end, and memberships that wait.
    """
    return change_member(id, g.caller.owner_id, user_id, body["role"])


@spaces.delete("/<id>/members/<user_id>", accepts=[SESSION])
@spaces.response(204)
def remove(id: str, user_id: str) -> None:
    """Remove a member, who is out at once; or leave the space

    Everybody may leave, but the last manager; who has not entered the space yet declines. Keys that
    a member has made stay: they belong to the space. Invitations that a manager has made end, and
    memberships that wait.
    """
    remove_member(id, g.caller.owner_id, user_id)


@spaces.post("/<id>/sessions", accepts=[SESSION])
@spaces.response(201, SpaceLoginResponse)
def begin_session(id: str) -> SessionOfSpace:
    """Receive a session token of a space

    With it every other call acts as the space, as far as the caller's role permits. Role and
    membership are read at each request. The first one makes somebody a member who was added. It
    ends with the session that asks for it.
    """
    caller = g.caller
    own = Session.of_request(caller.owner_id, caller.id)
    space = enter_space(id, caller.owner_id)
    started = Session.begin_in_space(id, caller.user, own, client_of_request())
    return SessionOfSpace(started, space)
