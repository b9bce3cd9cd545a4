"""Events: what happened to the caller's documents, links and keys, as a feed."""

from typing import Any

from flask import g

from models import Event

from .http import EVENTS, OWNER, ApiBlueprint, accepts, list_response
from .schemas.event_responses import EventFeed
from .schemas.requests import EventQuery

events = ApiBlueprint(
    "events", __name__, url_prefix="/v1/events", description="Events and webhooks"
)


@events.get("")
@accepts(*OWNER, scope=EVENTS)
@events.arguments(EventQuery(), location="query")
@events.response(200, EventFeed)
def feed(query: dict[str, Any]) -> dict[str, Any]:
    """List what happened, oldest first"""
    return list_response("events", *Event.feed(g.caller.owner_id, **query))
