"""Webhooks: where events are sent, and what became of each."""

from typing import Any

from flask import g

from models import Delivery, Webhook
from models.errors import QuotaExceeded, WebhookDisabled

from .caller import SESSION, accepts
from .event_records import DeliveryRecord, IssuedWebhook, WebhookRecord
from .idempotency import idempotent
from .lists import after, answered
from .openapi import refuses
from .records import listed
from .schemas import NewWebhook, Page, WebhookEdit
from .strict import Blueprint

webhooks = Blueprint(
    "webhooks", __name__, url_prefix="/v1/webhooks", description="Where events are sent"
)


def _mine(id: str) -> Webhook:
    return Webhook.one_of(g.caller.owner_id, id)


@webhooks.post("")
@accepts(SESSION)
@refuses(QuotaExceeded)
@idempotent
@webhooks.arguments(NewWebhook())
@webhooks.response(201, IssuedWebhook)
def create(body: dict[str, Any]) -> Webhook:
    """Have events sent to an address, signed"""
    return Webhook.register(g.caller.owner_id, **body)


@webhooks.get("")
@accepts(SESSION)
@webhooks.arguments(Page(), location="query")
@webhooks.response(200, listed("webhooks", WebhookRecord))
def list_owned(query: dict[str, Any]) -> Any:
    """List the caller's webhooks"""
    page = Webhook.page_of(g.caller.owner_id, query["limit"], after(query["cursor"]))
    return answered("webhooks", *page)


@webhooks.get("/<id>")
@accepts(SESSION)
@webhooks.response(200, WebhookRecord)
def get(id: str) -> Webhook:
    """Return the webhook's record"""
    return _mine(id)


@webhooks.patch("/<id>")
@accepts(SESSION)
@webhooks.arguments(WebhookEdit())
@webhooks.response(200, WebhookRecord)
def edit(body: dict[str, Any], id: str) -> Webhook:
    """Change a webhook, disable it, or enable it again"""
    return _mine(id).edit(**body)


@webhooks.delete("/<id>")
@accepts(SESSION)
@webhooks.response(204)
def delete(id: str) -> None:
    """Delete a webhook with its deliveries"""
    _mine(id).remove()


@webhooks.post("/<id>/test")
@accepts(SESSION)
@refuses(WebhookDisabled)
@idempotent
@webhooks.response(202, DeliveryRecord)
def test(id: str) -> Delivery:
    """Send a `webhook.test` event to this webhook alone"""
    return _mine(id).test()


@webhooks.post("/<id>/rotate-secret")
@accepts(SESSION)
@idempotent
@webhooks.response(201, IssuedWebhook)
def rotate_secret(id: str) -> Webhook:
    """Replace the secret; the old one signs as well for 24 hours"""
    return _mine(id).rotate_secret()


@webhooks.get("/<id>/deliveries")
@accepts(SESSION)
@webhooks.arguments(Page(), location="query")
@webhooks.response(200, listed("deliveries", DeliveryRecord))
def deliveries(query: dict[str, Any], id: str) -> Any:
    """List what was sent to a webhook, and how it answered"""
    page = _mine(id).deliveries(query["limit"], after(query["cursor"]))
    return answered("deliveries", *page)


@webhooks.post("/<id>/deliveries/<delivery_id>/redeliver")
@accepts(SESSION)
@refuses(WebhookDisabled)
@webhooks.response(202, DeliveryRecord)
def redeliver(id: str, delivery_id: str) -> Delivery:
    """Send an event to a webhook once more"""
    return _mine(id).redeliver(delivery_id)
