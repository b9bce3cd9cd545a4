"""The wire vocabulary, written: events, webhooks, deliveries."""

import json

from marshmallow import fields

from .fields import Timestamp
from .responses import ONCE, ResponseSchema


class EventRecord(ResponseSchema):
    id = fields.String(required=True)
    type = fields.String(required=True)
    created_at = Timestamp(required=True)
    data = fields.Function(
        lambda event: json.loads(event.data),
        required=True,
        metadata={"type": "object", "description": "Ids and facts, never a name or a secret."},
    )


class EventFeed(ResponseSchema):
    events = fields.List(fields.Nested(EventRecord), required=True)
    next_cursor = fields.String(
        required=True,
        allow_none=True,
        metadata={
            "description": "What to send as `after` for the next page; null if this is the last "
            "one now. A poller goes on later behind the id of the last event it has seen."
        },
    )


class WebhookRecord(ResponseSchema):
    id = fields.String(required=True)
    url = fields.String(required=True)
    events = fields.Function(
        lambda webhook: webhook.types.split(),
        required=True,
        metadata={"type": "array", "items": {"type": "string"}},
    )
    description = fields.String(required=True, allow_none=True)
    enabled = fields.Function(
        lambda webhook: webhook.disabled_at is None, required=True, metadata={"type": "boolean"}
    )
    created_at = Timestamp(required=True)
    disabled_at = Timestamp(required=True, allow_none=True)
    disabled_reason = fields.String(
        required=True,
        allow_none=True,
        metadata={"description": "`owner`, `gone` (it answered 410), `failing` (for five days)."},
    )
    failing_since = Timestamp(required=True, allow_none=True)
    old_secret_until = Timestamp(
        required=True,
        allow_none=True,
        metadata={"description": "Until then the secret before this one signs as well."},
    )


class IssuedWebhook(WebhookRecord):
    secret = fields.String(required=True, metadata=ONCE)


class DeliveryRecord(ResponseSchema):
    id = fields.String(required=True)
    event_id = fields.String(required=True, metadata={"description": "The header `webhook-id`."})
    type = fields.String(required=True)
    state = fields.String(
        required=True, metadata={"description": "`pending`, `delivered` or `failed`."}
    )
    attempts = fields.Integer(required=True)
    created_at = Timestamp(required=True)
    attempted_at = Timestamp(required=True, allow_none=True)
    delivered_at = Timestamp(required=True, allow_none=True)
    next_attempt_at = Timestamp(required=True, allow_none=True, attribute="due_at")
    status = fields.Integer(
        required=True, allow_none=True, metadata={"description": "Of the last answer."}
    )
    duration_ms = fields.Integer(required=True, allow_none=True)
    answer = fields.String(
        required=True,
        allow_none=True,
        metadata={"description": "The first 1,024 bytes of the last answer."},
    )
    error = fields.String(
        required=True,
        allow_none=True,
        metadata={"description": "Why there was no answer at the last try."},
    )
