"""The page of requests for files: what came in, and a form for a new request."""

from typing import Any

from flask import Response, request

from models import Collection, DocumentToken, in_one_transaction
from models.documents import USUAL_MAX_BYTES
from models.links import FileRequest, LinkOptions, requests_of_owner

from ..http import WRITE, g
from ..schemas.requests import NewCollection, NewDocumentToken
from .collections import words_of_form
from .forms import once, room
from .links import go_to_ready, link_fields
from .routes import Pages, render

requests = Pages("requests", "/requests")
ON_A_PAGE = 50
USUAL_FILES = 20  # that a request takes


@requests.get("")
def show_requests() -> Response:
    """List the requests for files, with what came in; then it counts as seen"""
    user = g.caller.user
    seen_at = user.received_seen_at or 0
    after = request.args.get("after")
    found, further = requests_of_owner(user.id, ON_A_PAGE, after, seen_at)
    page = render(
        "requests", requests=found, further=further, after=after, usual_room=USUAL_MAX_BYTES
    )
    if g.caller.may(WRITE):
        _note_as_seen(found, seen_at)
    return page


def _note_as_seen(found: list[FileRequest], seen_at: int) -> None:
    """Note the newest of the files as seen, unless another site has led here."""
    is_from_here = request.headers.get("Sec-Fetch-Site") not in {"cross-site", "same-site"}
    newest = max((one.created_at for each in found for one in each.new), default=seen_at)
    if newest > seen_at and is_from_here:
        g.caller.user.see_received(newest)


@requests.post("", scope=WRITE, shows=show_requests)
def request_files() -> Response:
    """Request files: make a collection with a link that takes them, and show the link"""
    owner_id = g.caller.owner_id
    size = room()
    limits = {} if size is None else {"maxBytes": size}
    facts = NewCollection().load(words_of_form() | limits)
    del facts["token"]
    fields = link_fields()
    usual = {"permissions": ["upload"], "maxViews": fields["maxViews"] or USUAL_FILES}
    options = LinkOptions.of(**NewDocumentToken().load(fields | usual))

    def make() -> Any:
        with in_one_transaction():
            collection = Collection.make(owner_id, **facts)
            return DocumentToken.issue(collection, options).row.id

    return go_to_ready([once(make)])
