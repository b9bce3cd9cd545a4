"""Dispatches due webhook deliveries, and mail, to sender threads, which are started on demand.

Each webhook has one delivery in flight, so events arrive in order as long as first attempts
succeed; a failed delivery waits for its retry while later events are sent. So it is with the mails
of an owner: what has the same lane is sent one after another. A row stays due until its attempt
has ended: after a crash, what was in flight is sent again.

A receiver that hangs holds a thread for 15 s. So a user has a share of the threads; webhooks that
are new, or were slow at the last attempt, share a part of them, of which one user gets a few; and
users who hold the fewest threads come first.
"""

import queue
import random
import threading
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass

from models import Event, Webhook, WebhookDelivery, connected, transaction
from models.core import NotFound, now
from models.events import (
    MOST_LINES,
    Mail,
    MailLimit,
    Outcome,
    SmtpClient,
    compose_notice,
    delivery_queued,
    release_lane,
    release_lanes,
)
from models.runtime import log_failure

from .http_client import SafeHttpClient

MINUTE, HOUR = 60, 3600
Waiting = WebhookDelivery | Mail


@dataclass(frozen=True)
class DispatcherLimits:
    threads: int = 48  # at most half of them for slow webhooks, three quarters with new ones
    threads_per_owner: int = 8
    unproven_threads_per_owner: int = 3  # of these, for slow and new webhooks
    retries_seconds: tuple[float, ...] = (  # after each attempt but the last: ten in three days
        *(5, 5 * MINUTE, 30 * MINUTE),
        *(2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR),
    )
    retry_after_seconds: float = 24 * HOUR  # a receiver can't ask for more
    wait_seconds: float = 48 * HOUR  # a later due time was written under a wrong clock
    slow_ms: int = 2000
    poll_seconds: float = 60  # between looks at the database, in case the clock was set
    backoff_seconds: float = 30  # after a failure of the database
    drain_seconds: float = 5


class Dispatcher:
    def __init__(
        self,
        client: SafeHttpClient,
        limits: DispatcherLimits | None = None,
        mailer: SmtpClient | None = None,
    ) -> None:
        self._client, self._mailer, self._limits = client, mailer, limits or DispatcherLimits()
        self._stopped = threading.Event()
        self._busy: dict[str, str] = {}  # lanes with something in flight, and their owners
        self._durations: dict[str, int | None] = {}  # in ms, of lanes' last attempts; None: new
        self._queue: queue.SimpleQueue[WebhookDelivery | Mail | None] = queue.SimpleQueue()
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
        self._release_all()

    def _run(self) -> None:
        self._release_all()
        while not self._stopped.is_set():
            try:
                delivery_queued.wait(self._dispatch_due())
            except Exception as error:  # the database may be unavailable for a while
                log_failure("deliveries and mail cannot be read", error)
                self._stopped.wait(self._limits.backoff_seconds)
            delivery_queued.clear()  # before it is seen if `stop`, which sets it, was called

    def _dispatch_due(self) -> float:
        """Dispatch what is due; returns the seconds until the next delivery is."""
        wait_seconds = self._limits.poll_seconds
        busy = self._busy.copy()  # before the query: its rows of these webhooks may be outdated
        with connected():
            first_due: list[Waiting] = [*WebhookDelivery.next_due_per_webhook()]
            first_due += Mail.next_due_per_owner() if self._mailer else []
            waiting = [one for one in first_due if one.lane not in busy]
            self._recall({one.lane for one in waiting} | busy.keys())
        for delivery in _in_turn(waiting, Counter(busy.values())):
            left_seconds = ((delivery.due_at or 0) - now()) / 1000
            if 0 < left_seconds < self._limits.wait_seconds:
                wait_seconds = min(wait_seconds, left_seconds)
            elif self._has_thread_for(delivery) and delivery.claim():
                self._enqueue(delivery)
        return wait_seconds

    def _recall(self, lanes: set[str]) -> None:
        """Know of these lanes, and of no others, how long their last attempts took."""
        for lane in lanes - self._durations.keys():
            self._durations[lane] = WebhookDelivery.last_duration_ms(lane)
        for lane in self._durations.keys() - lanes:
            del self._durations[lane]

    def _has_thread_for(self, delivery: Waiting) -> bool:
        limits, busy = self._limits, self._busy.copy()
        mine = {id for id, owner_id in busy.items() if owner_id == delivery.owner_id}
        if len(busy) >= limits.threads or len(mine) >= limits.threads_per_owner:
            return False
        if self._is_proven(delivery.lane):
            return True
        slow = {id for id in busy if self._is_slow(id)}
        unproven = {id for id in busy if not self._is_proven(id)}
        return (
            len(unproven) < limits.threads * 3 // 4
            and len(unproven & mine) < limits.unproven_threads_per_owner
            and (len(slow) < limits.threads // 2 or not self._is_slow(delivery.lane))
        )

    def _is_slow(self, lane: str) -> bool:
        return (self._durations.get(lane) or 0) > self._limits.slow_ms

    def _is_proven(self, lane: str) -> bool:
        return self._durations.get(lane) is not None and not self._is_slow(lane)

    def _enqueue(self, delivery: Waiting) -> None:
        self._busy[delivery.lane] = delivery.owner_id
        self._queue.put(delivery)
        if len(self._senders) < min(len(self._busy), self._limits.threads):
            self._senders.append(threading.Thread(target=self._send, name="sender", daemon=True))
            self._senders[-1].start()

    def _send(self) -> None:
        while (delivery := self._queue.get()) is not None and not self._stopped.is_set():
            try:
                self.deliver(delivery)
            except Exception as error:  # the row stays due: without a pause, a busy loop
                log_failure(f"delivery {delivery.id} failed", error)
                self._stopped.wait(self._limits.backoff_seconds)
            finally:
                self._release(delivery)

    def _release_all(self) -> None:
        try:
            release_lanes()
        except Exception as error:
            log_failure("what is sent is not released", error)

    def _release(self, delivery: Waiting) -> None:
        try:
            release_lane(delivery.lane)
        except Exception as error:  # the claim ends by itself
            log_failure(f"{delivery.lane} is not released", error)
        self._busy.pop(delivery.lane, None)
        delivery_queued.set()

    def deliver(self, delivery: Waiting) -> None:
        """Send it and store the outcome."""
        if isinstance(delivery, WebhookDelivery):
            self._send_event(delivery)
        elif self._mailer:
            self._send_mail(delivery, self._mailer)

    def _send_mail(self, mail: Mail, mailer: SmtpClient) -> None:
        """By the last pause again and again, until its end."""
        attempts = min(mail.attempts, len(self._limits.retries_seconds) - 1)
        with connected():
            message = mail.message()
        if message is not None:
            outcome = mailer.send(message)
            self._durations[mail.lane] = outcome.duration_ms
            with connected():
                mail.record_outcome(outcome, self._retry_at(attempts, outcome))

    def _send_event(self, delivery: WebhookDelivery) -> None:
        """Unless its webhook was deleted or disabled."""
        with connected():
            webhook = Webhook.find(delivery.webhook_id)
            if webhook is None or webhook.disabled_at is not None:
                return
            if webhook.mail_address:
                self._send_notice(webhook)
                return
            event = _event_of(delivery)
            if event is None:
                delivery.refuse()
                return
            url, headers, body = _request(webhook, event)
        outcome = self._client.post(url, headers, body)
        self._durations[webhook.id] = outcome.duration_ms
        with connected():
            webhook.record_outcome(delivery, outcome, self._retry_at(delivery.attempts, outcome))

    def _send_notice(self, webhook: Webhook) -> None:
        """One mail for what is due, once a minute."""
        with connected():
            with transaction(webhook.owner_id):
                about = webhook.owner_id, "notice", webhook.mail_address
                if wait_ms := MailLimit.wait_ms(*about):
                    WebhookDelivery.postpone(webhook.id, now() + wait_ms)
                    return
            found = {one: _event_of(one) for one in WebhookDelivery.due_of(webhook.id, MOST_LINES)}
            events = {one: event for one, event in found.items() if event}
            for altered in found.keys() - events:
                altered.refuse()
            if not events:
                return
            message = compose_notice(webhook, next(iter(events)), events.values())
        nobody = Outcome(0, error="This service sends no mail.")
        outcome = self._mailer.send(message) if self._mailer else nobody
        self._durations[webhook.id] = outcome.duration_ms
        with connected():
            due_at = self._retry_at(next(iter(events)).attempts, outcome)
            for delivery in events:
                webhook.record_outcome(delivery, outcome, due_at)

    def _retry_at(self, attempts: int, outcome: Outcome) -> int | None:
        """Unix time in ms, with jitter; None if there is no further attempt."""
        retries_seconds = self._limits.retries_seconds
        if outcome.succeeded or outcome.for_good or attempts >= len(retries_seconds):
            return None
        wait_seconds = retries_seconds[attempts] * random.uniform(0.8, 1.2)  # noqa: S311
        asked_seconds = min(outcome.retry_after_seconds, self._limits.retry_after_seconds)
        return now() + int(max(wait_seconds, asked_seconds) * 1000)


def _in_turn(waiting: list[Waiting], held: Counter[str]) -> list[Waiting]:
    """The oldest first, but owners who hold fewer threads before others, as if one after another.

    `held` is the number of threads by owner.
    """
    rank = {}
    for delivery in sorted(waiting, key=lambda delivery: delivery.due_at or 0):
        rank[delivery.id] = held[delivery.owner_id], delivery.due_at or 0
        held[delivery.owner_id] += 1
    return sorted(waiting, key=lambda delivery: rank[delivery.id])


def _event_of(delivery: WebhookDelivery) -> Event | None:
    """The event to send; None if it or the delivery was altered outside of the service."""
    with suppress(NotFound):
        event = Event.one_of(delivery.owner_id, delivery.event_id)
        return event if delivery.is_of(event) else None
    return None


def _request(webhook: Webhook, event: Event) -> tuple[str, dict[str, str], bytes]:
    """URL, headers and body. The body is the same at every attempt; the signature is not."""
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
