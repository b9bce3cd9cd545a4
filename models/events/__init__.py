"""What happened, in chains that can be verified, and its way to webhooks."""

from .chain import ChainEntry, EventHead, entries_of, last_entry
from .delivery import (
    OpenedDelivery,
    Outcome,
    WebhookDelivery,
    delivery_queued,
    release_webhook,
    release_webhooks,
)
from .event import READINGS, TYPES, Event, Facts, current_actor, facts_about
from .retention import forget_many_events, forget_old_events
from .webhook import Webhook
from .webhook_url import Networks, WebhookUrl, may_reach
