"""Events: what happened to the caller's documents, links and keys, as a feed."""

from typing import Any

from flask import g

from models import Event

from .http import EVENTS, OWNER, ApiBlueprint
from .schemas.requests import EventQuery
from .schemas.responses import EventPage, list_page

events = ApiBlueprint("events", __name__, url_prefix="/v1/events", description="Events")


@events.get("", accepts=OWNER, scope=EVENTS)
@events.arguments(EventQuery(), location="query")
@events.response(200, EventPage)
def feed(query: dict[str, Any]) -> dict[str, Any]:
    """List what happened, oldest first

    These are the events that webhooks send. To follow them, ask again with `after` set to the id of
    the last event that you have.
    """
    return list_page(Event.feed(g.caller.owner_id, **query))
