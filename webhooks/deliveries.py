"""The senders of events to webhooks by HTTP.

A receiver that hangs holds a thread for 15 s. So webhooks that are new, or were slow at the last
attempt, share a part of the threads, of which one caller gets a few.
"""

from contextlib import suppress

from models import Event, Webhook, WebhookDelivery, connected
from models.core import NotFound, now

from .http_client import SafeHttpClient
from .limits import DispatcherLimits
from .senders import Senders, caller_of


class DeliverySenders(Senders[WebhookDelivery]):
    def __init__(self, client: SafeHttpClient, limits: DispatcherLimits) -> None:
        super().__init__(limits, limits.threads, limits.threads_per_caller)
        self._client = client
        self._durations: dict[str, int | None] = {}  # in ms, of lanes' last attempts; None: new

    def dispatch(self, first_due: list[WebhookDelivery], busy: dict[str, str]) -> float:
        self._recall({row.lane for row in first_due} | busy.keys())
        return super().dispatch(first_due, busy)

    def work_of(self, row: WebhookDelivery) -> str:  # noqa: ARG002
        return "deliveries"

    def send(self, row: WebhookDelivery) -> None:
        """Send a delivery, unless its webhook was deleted, disabled or altered."""
        with connected():
            webhook = Webhook.find(row.webhook_id)
            if webhook is None or webhook.disabled_at is not None:
                row.withdraw()
                return
            event = event_of(row)
            if event is None:
                row.refuse()
                return
            url, headers, body = _request(webhook, event)
        outcome = self._client.post(url, headers, body)
        self._durations[webhook.id] = outcome.duration_ms
        with connected():
            webhook.record_outcome(row, outcome, self._retry_at(row.attempts, outcome))

    def _recall(self, lanes: set[str]) -> None:
        """Remember how long the last attempts of these lanes took, and of no others."""
        for lane in lanes - self._durations.keys():
            self._durations[lane] = WebhookDelivery.last_duration_ms(lane)
        for lane in self._durations.keys() - lanes:
            del self._durations[lane]

    def _has_thread_for(self, row: WebhookDelivery) -> bool:
        if not super()._has_thread_for(row):
            return False
        if self._is_proven(row.lane):
            return True
        limits = self._limits
        busy = self._busy.copy()
        slow = {lane for lane in busy if self._is_slow(lane)}
        unproven = [caller for lane, caller in busy.items() if not self._is_proven(lane)]
        return (
            len(unproven) < limits.threads * 3 // 4
            and unproven.count(caller_of(row)) < limits.unproven_threads_per_caller
            and (len(slow) < limits.threads // 2 or not self._is_slow(row.lane))
        )

    def _is_slow(self, lane: str) -> bool:
        return (self._durations.get(lane) or 0) > self._limits.slow_ms

    def _is_proven(self, lane: str) -> bool:
        return self._durations.get(lane) is not None and not self._is_slow(lane)


def event_of(delivery: WebhookDelivery) -> Event | None:
    """Return the event to send; None if it or the delivery was altered outside of the service."""
    with suppress(NotFound):
        event = Event.one_of(delivery.owner_id, delivery.event_id)
        return event if delivery.is_of(event) else None
    return None


def _request(webhook: Webhook, event: Event) -> tuple[str, dict[str, str], bytes]:
    """Return URL, headers and body. The body is the same at every attempt; the signature is not."""
    body = event.sent_body.encode()
    sent_at = now() // 1000
    headers = {
        "Content-Type": "application/json",
        "User-Agent": "Document-Service-Webhooks/1",
        "webhook-id": event.id,
        "webhook-timestamp": str(sent_at),
        "webhook-signature": webhook.sign(event.id, sent_at, body),
    }
    return webhook.url, headers, body
