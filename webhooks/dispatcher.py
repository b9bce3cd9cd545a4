"""Dispatches due webhook deliveries to sender threads, which are started on demand.

Each webhook has one delivery in flight, so events arrive in order as long as first attempts
succeed; a failed delivery waits for its retry while later events are sent. Webhooks whose last
attempt was slow share half of the threads, so that fast ones do not wait for them. A row stays due
until its attempt has ended: after a crash, deliveries in flight are sent again.
"""

import json
import logging
import queue
import random
import threading
import time
from dataclasses import dataclass

from models import Event, Webhook, WebhookDelivery, connected
from models.delivery import Outcome, delivery_queued
from models.records.ids import now, rfc3339
from models.request_activity import request_activity

from .http_client import SafeHttpClient

MINUTE, HOUR = 60, 3600


@dataclass(frozen=True)
class DispatcherLimits:
    threads: int = 48  # the webhooks of one user, all of them hanging, leave more than half
    retries_seconds: tuple[float, ...] = (  # after each attempt but the last: ten in three days
        *(5, 5 * MINUTE, 30 * MINUTE),
        *(2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR),
    )
    retry_after_seconds: float = 24 * HOUR  # a receiver can't ask for more
    wait_seconds: float = 48 * HOUR  # a later due time was written under a wrong clock
    slow_ms: int = 2000
    poll_seconds: float = 60  # between looks at the database, in case the clock was set
    idle_wait_seconds: float = 0.15  # for running requests, before each delivery
    overdue_seconds: float = 60  # a delivery due for longer waits for no requests
    backoff_seconds: float = 30  # after a failure of the database
    drain_seconds: float = 5


class WebhookDispatcher:
    def __init__(self, client: SafeHttpClient, limits: DispatcherLimits | None = None) -> None:
        self._client, self._limits = client, limits or DispatcherLimits()
        self._stopped = threading.Event()
        self._busy: set[str] = set()  # ids of webhooks with a delivery in flight
        self._slow: set[str] = set()  # ids of webhooks whose last attempt was slow
        self._queue: queue.SimpleQueue[WebhookDelivery | None] = queue.SimpleQueue()
        self._senders: list[threading.Thread] = []
        self._dispatcher = threading.Thread(target=self._run, name="dispatcher", daemon=True)
        self._dispatcher.start()

    def stop(self) -> None:
        """Wait for deliveries in flight; what takes longer is sent again after the next start."""
        deadline = time.monotonic() + self._limits.drain_seconds
        self._stopped.set()
        delivery_queued.set()
        self._dispatcher.join(self._limits.drain_seconds)
        for _ in self._senders:
            self._queue.put(None)
        for sender in self._senders:
            sender.join(max(0, deadline - time.monotonic()))

    def _run(self) -> None:
        while not self._stopped.is_set():
            delivery_queued.clear()
            try:
                delivery_queued.wait(self._dispatch_due())
            except Exception:  # the database may be unavailable for a while
                logging.getLogger("docservice").exception("webhook deliveries cannot be read")
                self._stopped.wait(self._limits.backoff_seconds)

    def _dispatch_due(self) -> float:
        """Dispatch what is due; returns the seconds until the next delivery is."""
        wait_seconds = self._limits.poll_seconds
        busy = set(self._busy)  # before the query: its rows of these webhooks may be outdated
        with connected():
            waiting = [
                one for one in WebhookDelivery.next_due_per_webhook() if one.webhook_id not in busy
            ]
        for delivery in sorted(waiting, key=lambda one: one.due_at or 0):  # the oldest first
            left_seconds = ((delivery.due_at or 0) - now()) / 1000
            if 0 < left_seconds < self._limits.wait_seconds:
                wait_seconds = min(wait_seconds, left_seconds)
            elif self._has_thread_for(delivery.webhook_id):
                if left_seconds > -self._limits.overdue_seconds:
                    request_activity.wait_until_idle(self._limits.idle_wait_seconds)
                self._enqueue(delivery)
        return wait_seconds

    def _has_thread_for(self, webhook_id: str) -> bool:
        half = self._limits.threads // 2
        return webhook_id not in self._slow or len(self._busy & self._slow) < half

    def _enqueue(self, delivery: WebhookDelivery) -> None:
        self._busy.add(delivery.webhook_id)
        self._queue.put(delivery)
        if len(self._senders) < min(len(self._busy), self._limits.threads):
            self._senders.append(threading.Thread(target=self._send, name="sender", daemon=True))
            self._senders[-1].start()

    def _send(self) -> None:
        while (delivery := self._queue.get()) is not None and not self._stopped.is_set():
            try:
                self.deliver(delivery)
            except Exception:  # the row stays due: without a pause this would be a busy loop
                logging.getLogger("docservice").exception("delivery %s failed", delivery.id)
                self._stopped.wait(self._limits.backoff_seconds)
            finally:
                self._busy.discard(delivery.webhook_id)
                delivery_queued.set()

    def deliver(self, delivery: WebhookDelivery) -> None:
        """Send a delivery and store the outcome, unless its webhook was deleted or disabled."""
        with connected():
            webhook = Webhook.find(delivery.webhook_id)
            if webhook is None or webhook.disabled_at is not None:
                return
            url, headers, body = _request(webhook, delivery)
        outcome = self._client.post(url, headers, body)
        is_slow = outcome.duration_ms > self._limits.slow_ms
        (self._slow.add if is_slow else self._slow.discard)(webhook.id)
        with connected():
            webhook.record_outcome(delivery, outcome, self._retry_at(delivery.attempts, outcome))

    def _retry_at(self, attempts: int, outcome: Outcome) -> int | None:
        """Unix time in ms, with jitter; None if there is no further attempt."""
        retries_seconds = self._limits.retries_seconds
        if outcome.succeeded or attempts >= len(retries_seconds):
            return None
        wait_seconds = retries_seconds[attempts] * random.uniform(0.8, 1.2)  # noqa: S311
        asked_seconds = min(outcome.retry_after_seconds, self._limits.retry_after_seconds)
        return now() + int(max(wait_seconds, asked_seconds) * 1000)


def _request(webhook: Webhook, delivery: WebhookDelivery) -> tuple[str, dict[str, str], bytes]:
    """URL, headers and body. The body is the same at every attempt; the signature is not."""
    event = Event.one_of(delivery.owner_id, delivery.event_id)
    timestamp = rfc3339(event.created_at)
    payload = {"type": event.type, "timestamp": timestamp, "data": json.loads(event.data)}
    body = json.dumps(payload, separators=(",", ":")).encode()
    sent_at = now() // 1000
    headers = {
        "Content-Type": "application/json",
        "User-Agent": "Document-Service-Webhooks/1",
        "webhook-id": event.id,
        "webhook-timestamp": str(sent_at),
        "webhook-signature": webhook.sign(event.id, sent_at, body),
    }
    return webhook.url, headers, body
