"""The courier: hands what is due to a few threads, which send it.

One delivery of a webhook runs at a time, so its events arrive in order as long as they arrive at
the first try; what failed waits for its next try while later events go on. Receivers that took
long share half of the threads, so that a quick one does not wait for them. The rows stay due
until a try has ended: after a crash all that ran is sent again.
"""

import json
import logging
import queue
import random
import threading
import time
from collections.abc import Sequence

from models import Event, Webhook, WebhookDelivery, connected
from models.delivery import Outcome, delivery_queued
from models.records.ids import now, rfc3339
from models.request_activity import traffic

from .http_client import SafeHttpClient

SECOND, MINUTE, HOUR = 1, 60, 3600
RETRIES_SECONDS = (  # after each try but the last: ten tries in three days
    5 * SECOND,
    5 * MINUTE,
    30 * MINUTE,
    *(2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR),
)
LONGEST_WAIT_SECONDS = 24 * HOUR
FARTHEST_SECONDS = 48 * HOUR  # nothing waits longer: it was written under a wrong clock
THREADS = 48  # one user's webhooks, all of them silent, leave more than half
SLOW_MS = 2000
LOOK_SECONDS = 60  # a clock that was set is noticed
GIVE_WAY_SECONDS = 0.15  # to requests, for each delivery
PATIENCE_SECONDS = 60  # what is due for longer gives way no more
REST_SECONDS = 30
DRAIN_SECONDS = 5


class WebhookDispatcher:
    def __init__(
        self, guard: SafeHttpClient, retries_seconds: Sequence[float] = RETRIES_SECONDS
    ) -> None:
        self._guard, self._retries_seconds = guard, retries_seconds
        self._stopped = threading.Event()
        self._busy: set[str] = set()  # webhooks that a thread has a delivery of
        self._slow: set[str] = set()  # webhooks whose last try took long
        self._handed: queue.SimpleQueue[WebhookDelivery | None] = queue.SimpleQueue()
        self._threads = [threading.Thread(target=self._hand_out, name="courier", daemon=True)]
        for _ in range(THREADS):
            self._threads.append(threading.Thread(target=self._send, name="sender", daemon=True))
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """What still runs in the end is sent again after the next start."""
        self._stopped.set()
        delivery_queued.set()
        for _ in range(THREADS):
            self._handed.put(None)
        ends_at = time.monotonic() + DRAIN_SECONDS
        for thread in self._threads:
            thread.join(max(0, ends_at - time.monotonic()))

    def _hand_out(self) -> None:
        while not self._stopped.is_set():
            delivery_queued.clear()
            try:
                delivery_queued.wait(self._look())
            except Exception:  # a database that is away now may be back soon
                logging.getLogger("docservice").exception("the courier found no work")
                self._stopped.wait(REST_SECONDS)

    def _look(self) -> float:
        """Hand out what is due; the seconds until the next is."""
        wait_seconds: float = LOOK_SECONDS
        busy = set(self._busy)  # before the rows are read: what ends meanwhile is not sent twice
        with connected():
            waiting = [
                one for one in WebhookDelivery.next_due_per_webhook() if one.webhook_id not in busy
            ]
        for delivery in sorted(waiting, key=lambda one: one.due_at or 0):  # none starves
            left_seconds = ((delivery.due_at or 0) - now()) / 1000
            if 0 < left_seconds < FARTHEST_SECONDS:
                wait_seconds = min(wait_seconds, left_seconds)
            elif self._has_room(delivery.webhook_id):
                traffic.give_way(GIVE_WAY_SECONDS if left_seconds > -PATIENCE_SECONDS else 0)
                self._busy.add(delivery.webhook_id)
                self._handed.put(delivery)
        return wait_seconds

    def _has_room(self, webhook_id: str) -> bool:
        return webhook_id not in self._slow or len(self._busy & self._slow) < THREADS // 2

    def _send(self) -> None:
        while (delivery := self._handed.get()) is not None and not self._stopped.is_set():
            try:
                self._try(delivery)
            except Exception:  # the row stays due; without a rest it would be sent in a circle
                logging.getLogger("docservice").exception("delivery %s failed", delivery.id)
                self._stopped.wait(REST_SECONDS)
            finally:
                self._busy.discard(delivery.webhook_id)
                delivery_queued.set()

    def _try(self, delivery: WebhookDelivery) -> None:
        with connected():
            found = Webhook.rows("id = :id AND disabled_at IS NULL", id=delivery.webhook_id)
            if not found:  # deleted or disabled meanwhile
                return
            (webhook,) = found
            url, headers, body = _letter(webhook, delivery)
        outcome = self._guard.post(url, headers, body)
        (self._slow.add if outcome.duration_ms > SLOW_MS else self._slow.discard)(webhook.id)
        with connected():
            webhook.note(delivery, outcome, self._retry_at(delivery.attempts, outcome))

    def _retry_at(self, attempts: int, outcome: Outcome) -> int | None:
        """With jitter, so that what failed together does not come back together."""
        if outcome.succeeded or attempts >= len(self._retries_seconds):
            return None
        wait_seconds = self._retries_seconds[attempts] * random.uniform(0.8, 1.2)  # noqa: S311
        asked_seconds = min(outcome.retry_after_seconds, LONGEST_WAIT_SECONDS)
        return now() + int(max(wait_seconds, asked_seconds) * 1000)


def _letter(webhook: Webhook, delivery: WebhookDelivery) -> tuple[str, dict[str, str], bytes]:
    """Where to, and what. The body is the same at every try, its signature is of now."""
    where = "owner_id = :owner AND id = :id"
    (event,) = Event.rows(where, owner=delivery.owner_id, id=delivery.event_id)
    timestamp = rfc3339(event.created_at)
    told = {"type": event.type, "timestamp": timestamp, "data": json.loads(event.data)}
    body = json.dumps(told, separators=(",", ":")).encode()
    moment_seconds = now() // 1000
    headers = {
        "Content-Type": "application/json",
        "User-Agent": "Document-Service-Webhooks/1",
        "webhook-id": event.id,
        "webhook-timestamp": str(moment_seconds),
        "webhook-signature": webhook.sign(event.id, moment_seconds, body),
    }
    return webhook.url, headers, body
