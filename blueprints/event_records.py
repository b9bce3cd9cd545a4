"""The wire vocabulary, written: events, webhooks, deliveries."""

import json

from marshmallow import fields

from .fields import Moment
from .records import ONCE, Answer


class EventRecord(Answer):
    id = fields.String(required=True)
    type = fields.String(required=True)
    created_at = Moment(required=True)
    data = fields.Function(
        lambda event: json.loads(event.data),
        required=True,
        metadata={"type": "object", "description": "Ids and facts, never a name or a secret."},
    )


class EventFeed(Answer):
    events = fields.List(fields.Nested(EventRecord), required=True)
    next_cursor = fields.String(
        required=True,
        allow_none=True,
        metadata={
            "description": "What to send as `after` for the next page; null if this is the last "
            "one now. A poller goes on later behind the id of the last event it has seen."
        },
    )


class WebhookRecord(Answer):
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
    created_at = Moment(required=True)
    disabled_at = Moment(required=True, allow_none=True)
    disabled_reason = fields.String(
        required=True,
        allow_none=True,
        metadata={"description": "`owner`, `gone` (it answered 410), `failing` (for five days)."},
    )
    failing_since = Moment(required=True, allow_none=True)
    old_secret_until = Moment(
        required=True,
        allow_none=True,
        metadata={"description": "Until then the secret before this one signs as well."},
    )


class IssuedWebhook(WebhookRecord):
    secret = fields.String(required=True, metadata=ONCE)


class DeliveryRecord(Answer):
    id = fields.String(required=True)
    event_id = fields.String(required=True, metadata={"description": "The header `webhook-id`."})
    type = fields.String(required=True)
    state = fields.String(
        required=True, metadata={"description": "`pending`, `delivered` or `failed`."}
    )
    attempts = fields.Integer(required=True)
    created_at = Moment(required=True)
    attempted_at = Moment(required=True, allow_none=True)
    delivered_at = Moment(required=True, allow_none=True)
    next_attempt_at = Moment(required=True, allow_none=True, attribute="due_at")
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
