"""Events: what happened, as a feed, and by webhooks: where they are sent, and the deliveries."""

from typing import Any

from models import Event, Issued, Webhook
from models.events import WebhookDelivery

from .http import EVENTS, OWNER, SESSION, WEBHOOKS, ApiBlueprint, g
from .schemas.requests import EventQuery, NewWebhook, PageQuery, WebhookEdit
from .schemas.responses import (
    DeliveryRecord,
    EventPage,
    WebhookRecord,
    WebhookWithSecret,
    list_page,
    list_schema,
)
from .views.links import base_url

events = ApiBlueprint("events", __name__, url_prefix="/v1/events", description="Events")
webhooks = ApiBlueprint("webhooks", __name__, url_prefix="/v1/webhooks", description="Webhooks")


@events.get("", accepts=OWNER, scope=EVENTS)
@events.arguments(EventQuery(), location="query")
@events.response(200, EventPage)
def feed(query: dict[str, Any]) -> dict[str, Any]:
    """List what happened, oldest first

    The list has the events that webhooks send. To follow the list, ask again with `after` set to
    `nextCursor`, or, if it is `null`, to the id of the last event that you have. With `type` alone,
    one call looks through at most 10,000 events, so a page may hold fewer than `limit`, or none.
    """
    return list_page(Event.feed(g.caller.owner_id, **query))


def _owned(id: str) -> Webhook:
    return Webhook.one_of(g.caller.owner_id, id)


@webhooks.post("", accepts=[SESSION], scope=WEBHOOKS, idempotent=True)
@webhooks.arguments(NewWebhook())
@webhooks.response(201, WebhookWithSecret)
def create(body: dict[str, Any]) -> Any:
    """Have events sent to an address, signed

    Requests are signed with `secret` (https://www.standardwebhooks.com), which only this response
    shows. An event is sent until the address answers 2xx: 10 times in about 3 days. Where the
    service sends mail, the address may be `mailto:ana@example.org`. A mail then asks the recipient,
    whose click on a button enables the webhook, which has no secret.
    """
    webhook = Webhook.register(g.caller.owner_id, **body)
    row = webhook.row if isinstance(webhook, Issued) else webhook
    return webhook, 201, {"Location": f"{base_url()}/v1/webhooks/{row.id}"}


@webhooks.get("", accepts=[SESSION], scope=WEBHOOKS)
@webhooks.arguments(PageQuery(), location="query")
@webhooks.response(200, list_schema("webhooks", WebhookRecord))
def list_owned(query: dict[str, Any]) -> Any:
    """List the caller's webhooks"""
    return list_page(Webhook.page(g.caller.owner_id, **query))


@webhooks.get("/<id>", accepts=[SESSION], scope=WEBHOOKS)
@webhooks.response(200, WebhookRecord)
def get(id: str) -> Webhook:
    """Return the webhook's record"""
    return _owned(id)


@webhooks.patch("/<id>", accepts=[SESSION], scope=WEBHOOKS)
@webhooks.arguments(WebhookEdit())
@webhooks.response(200, WebhookRecord)
def edit(body: dict[str, Any], id: str) -> Webhook:
    """Change a webhook, disable it, or enable it again

    A webhook that is enabled again gets the events that happen from then on.
    """
    return _owned(id).edit(**body)


@webhooks.delete("/<id>", accepts=[SESSION], scope=WEBHOOKS)
@webhooks.response(204)
def delete(id: str) -> None:
    """Delete a webhook with its deliveries"""
    _owned(id).remove()


@webhooks.post("/<id>/test", accepts=[SESSION], scope=WEBHOOKS, idempotent=True)
@webhooks.response(202, DeliveryRecord)
def test(id: str) -> WebhookDelivery:
    """Send a `webhook.test` event to this webhook alone"""
    return _owned(id).test()


@webhooks.post("/<id>/rotate-secret", accepts=[SESSION], scope=WEBHOOKS, idempotent=True)
@webhooks.response(201, WebhookWithSecret)
def rotate_secret(id: str) -> Issued[Webhook]:
    """Replace the secret; the old one signs as well for 24 hours"""
    return _owned(id).rotate_secret()


@webhooks.get("/<id>/deliveries", accepts=[SESSION], scope=WEBHOOKS)
@webhooks.arguments(PageQuery(), location="query")
@webhooks.response(200, list_schema("deliveries", DeliveryRecord))
def deliveries(query: dict[str, Any], id: str) -> Any:
    """List what was sent to a webhook, and how it answered"""
    return list_page(_owned(id).deliveries(**query))


@webhooks.post("/<id>/deliveries/<delivery_id>/redeliver", accepts=[SESSION], scope=WEBHOOKS)
@webhooks.response(202, DeliveryRecord)
def redeliver(id: str, delivery_id: str) -> WebhookDelivery:
    """Send an event to a webhook once more"""
    return _owned(id).redeliver(delivery_id)
