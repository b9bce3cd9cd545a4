"""A delivery: one event to be sent to one webhook, and the result of the last attempt.

Pending while `due_at` is set. The row is stored in the event's transaction and changed only after
an attempt, so an attempt that a crash interrupts is made again. It seals a hash of the event, since
the service signs what it sends: an event that was altered in the database is not sent.
"""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple, Protocol, Self

from peewee import SQL, BigIntegerField, IntegerField, TextField, fn
from peewee import Table as TableReference

from crypto import sealing

from ..core import first_id, ids_like, now
from ..records import Sealed, SealedByOwner, log_altered
from ..runtime import current_runtime
from ..storage import database, param, prepared, separate_transaction
from .attempt import Outcome, Sendable, delivery_queued

MOST_ATTEMPTS = 10  # that are kept of a delivery
HOUR_MS = 60 * 60 * 1000
DELIVERY_KEPT_MS = 30 * 24 * HOUR_MS

_FIRST_OF_EACH = """
    (webhook_id, id) IN (
        SELECT webhook.id, (
            SELECT id FROM delivery
            WHERE webhook_id = webhook.id AND due_at IS NOT NULL ORDER BY due_at, id LIMIT 1)
        FROM webhook JOIN user_account ON user_account.id = webhook.owner_id
        WHERE webhook.disabled_at IS NULL AND user_account.disabled_at IS NULL)"""


class SentEvent(Protocol):
    """The row of an `Event`, as webhooks are sent it."""

    @property
    def id(self) -> str: ...

    @property
    def owner_id(self) -> str: ...

    @property
    def sequence(self) -> int: ...

    @property
    def type(self) -> str: ...

    @property
    def created_at(self) -> int: ...

    @property
    def body(self) -> str: ...

    @property
    def hash(self) -> bytes: ...


class WebhookDelivery(Sendable, SealedByOwner):
    PREFIX = "dlv"
    UNBOUND = ("due_at", "attempts", "attempted_at")
    KEY = ("webhook_id", "id")

    webhook_id = TextField()
    event_id = TextField()
    type = TextField()
    due_at = BigIntegerField(null=True)
    attempts = IntegerField(default=0)
    attempted_at = BigIntegerField(null=True)
    delivered_at = BigIntegerField(null=True)
    status = IntegerField(null=True)
    duration_ms = IntegerField(null=True)

    event_digest = Sealed[str]()
    """Of all that is sent of the event."""
    answer = Sealed[str | None](never_remembered="It is what another server likes to send.")
    """Of the last attempt, as `error`, a sentence."""
    error = Sealed[str | None](never_remembered="As `answer`.")
    attempts_kept = Sealed[Sequence[Any]](default=(), never_remembered="As `answer`.")
    """The last attempts, oldest first, each the values of an `Attempt`."""

    class Meta:
        table_name = "delivery"

    @classmethod
    def queue_for_subscribers(cls, event: SentEvent, to: str | None) -> None:
        """Store a delivery for each webhook that subscribes to the event, or for `to` alone.

        Ids sort as those of their events, whichever process generates them.
        """
        asked = {"owner_id": event.owner_id, "type": f" {event.type} "}
        webhook_ids = [to] if to else [id for (id,) in _subscribed().all(**asked)]
        if not webhook_ids:
            return
        delivery = cls.fresh(owner_id=event.owner_id, event_id=event.id, attempts=0)
        delivery.type = event.type
        delivery.due_at = delivery.created_at
        delivery.values = cls.values_of(event)
        ids = ids_like(cls.PREFIX, event.id, len(webhook_ids))
        own = zip(ids, webhook_ids, strict=True)
        delivery.store_copies({"id": id, "webhook_id": webhook_id} for id, webhook_id in own)
        database.after_commit(delivery_queued.set)

    @classmethod
    def values_of(cls, event: SentEvent) -> dict[str, Any]:
        """Return the sealed values of a new delivery of this event."""
        return {"event_digest": _digest_of(event)}

    def is_of(self, event: SentEvent) -> bool:
        """Return whether it was made for this event, which is as it was recorded."""
        return self.opens() and self.event_digest == _digest_of(event)

    def refuse(self) -> None:
        """Withdraw a delivery that, or whose event, was altered outside of the service."""
        log_altered(self.id)
        self.withdraw()

    def withdraw(self) -> None:
        """Send it no more: nobody gets it."""
        with separate_transaction(self.owner_id, synced=False):
            self._set(due_at=None)

    def record_failure(self, due_at: int | None) -> bool:
        attempts = type(self).attempts + 1
        with separate_transaction(self.owner_id, synced=False):
            self._set(due_at=due_at, attempts=attempts, attempted_at=now())
        return due_at is None

    @property
    def lane(self) -> str:
        return self.webhook_id

    def itself(self) -> Any:
        """Return the condition that finds this row, as its index does."""
        return (WebhookDelivery.webhook_id == self.webhook_id) & (WebhookDelivery.id == self.id)

    def _set(self, **values: Any) -> None:
        self.update(values).where(self.itself()).execute()

    @classmethod
    def next_due_per_webhook(cls) -> list[Self]:
        """Return the first due delivery of each enabled webhook of an enabled user.

        One that was altered is among them: `refuse` lets those behind it follow.
        """
        return cls.rows_as_stored(cls.select().where(SQL(_FIRST_OF_EACH)))

    def due_with(self, most: int) -> list[Self]:
        """Return this delivery and all others that are due to its webhook, the oldest first."""
        due = type(self).select().where(*self._is_due_with())
        return self.rows_as_stored(due.order_by(type(self).id).limit(most))

    def postpone(self, due_at: int) -> None:
        """Postpone this delivery and all others that are due to its webhook."""
        self.update(due_at=due_at).where(*self._is_due_with()).execute()

    def _is_due_with(self) -> tuple[Any, Any]:
        """Return conditions that a delivery is due to the same webhook, as this one is.

        This one is due whatever its row says, which may be the moment of a wrong clock.
        """
        table = type(self)
        is_due = (table.due_at <= now()) | ((table.id == self.id) & table.due_at.is_null(False))
        return table.webhook_id == self.webhook_id, is_due

    @classmethod
    def last_duration_ms(cls, webhook_id: str) -> int | None:
        """Return how long the newest attempted delivery took; None if there is none."""
        attempted = cls.select(cls.duration_ms).where(
            cls.webhook_id == webhook_id, cls.duration_ms.is_null(False)
        )
        duration: int | None = attempted.order_by(cls.id.desc()).limit(1).scalar()
        return duration

    @classmethod
    def pending_of(cls, webhook_id: str) -> tuple[Any, Any]:
        """Return the conditions that a delivery of the webhook is pending."""
        return cls.webhook_id == webhook_id, cls.due_at.is_null(False)

    @classmethod
    def first_pending_event(cls, owner_id: str) -> str | None:
        """Return the id of the oldest event that an owner's webhook still waits for.

        Deliveries sort as their events, and the index of what is pending has their ids.
        """
        pending: Any = cls.select(fn.MIN(cls.id), cls.webhook_id)
        pending = pending.where(*cls._pending_of_owner(owner_id)).group_by(cls.webhook_id)
        oldest = min(pending.tuples(), default=None)
        if oldest is None:
            return None
        is_oldest = (cls.id == oldest[0]) & (cls.webhook_id == oldest[1])
        id: str | None = cls.select(cls.event_id).where(is_oldest).scalar()
        return id

    @classmethod
    def give_up_until(cls, owner_id: str, event_id: str) -> None:
        """Let no delivery of this event, or of an older one of the owner, be pending."""
        is_pending = cls._pending_of_owner(owner_id)
        cls.update(due_at=None).where(*is_pending, cls.event_id <= event_id).execute()

    @classmethod
    def _pending_of_owner(cls, owner_id: str) -> tuple[Any, Any]:
        """Return the conditions that a delivery to a webhook of the owner is pending.

        The index of what is pending begins with the webhook.
        """
        webhook = TableReference("webhook")
        of_owner = webhook.select(webhook.c.id).where(webhook.c.owner_id == owner_id)
        return cls.due_at.is_null(False), cls.webhook_id.in_(of_owner)

    @classmethod
    def forget_old(cls) -> None:
        """Delete old deliveries of each webhook in turn: the index begins with the webhook.

        It is done once an hour, since it looks at all webhooks.
        """
        webhook = TableReference("webhook")
        before = first_id(cls.PREFIX, now() // HOUR_MS * HOUR_MS - DELIVERY_KEPT_MS)
        forgotten_before = current_runtime().forgotten_before
        if before == forgotten_before.get(cls.PREFIX):
            return
        for (webhook_id,) in list(webhook.bind(database).select(webhook.c.id).tuples()):
            is_old = (cls.webhook_id == webhook_id) & (cls.id < before)
            cls.delete_in_batches(is_old & cls.due_at.is_null())
        forgotten_before[cls.PREFIX] = before

    @classmethod
    def forget_many(cls, owner_ids: Iterable[str] | None = None) -> None:
        """Delete the oldest deliveries of webhooks that have too many, also if they are pending.

        `owner_ids` are those whose webhooks may have too many; None are all.
        """
        most = current_runtime().settings.quota_deliveries
        webhook_ids = None if owner_ids is None else _webhooks_of(owner_ids)
        cls.keep_newest_of_each(cls.webhook_id, most, among=webhook_ids)

    @property
    def history(self) -> list["Attempt"]:
        """The last attempts, oldest first."""
        return [Attempt(*one) for one in self.attempts_kept]

    @property
    def state(self) -> str:
        if self.due_at is not None:
            return "pending"
        return "failed" if self.delivered_at is None else "delivered"

    def record_attempt(self, outcome: Outcome, due_at: int | None) -> None:
        """Record an attempt. `due_at` is the moment of the next one, None if there is none.

        Raises `NotFound` if the delivery was deleted meanwhile.
        """
        moment = now()
        attempt = [moment, outcome.status, outcome.duration_ms, outcome.error]
        self.change(
            delivered_at=moment if outcome.succeeded else None,
            status=outcome.status,
            duration_ms=outcome.duration_ms,
            answer=outcome.answer,
            error=outcome.error,
            attempts_kept=[*self.attempts_kept[1 - MOST_ATTEMPTS :], attempt],
        )
        self._set(due_at=due_at, attempts=type(self).attempts + 1, attempted_at=moment)

    def send_again(self) -> None:
        """Make it pending again, due now, with all attempts left."""
        self.due_at = now()
        self.attempts = 0
        self.change(delivered_at=None)
        self._set(due_at=self.due_at, attempts=0)
        database.after_commit(delivery_queued.set)


def _webhooks_of(owner_ids: Iterable[str]) -> Iterator[str]:
    webhook: Any = TableReference("webhook", ("id", "owner_id")).bind(database)
    for owner_id in owner_ids:
        for (id,) in list(webhook.select(webhook.id).where(webhook.owner_id == owner_id).tuples()):
            yield id


class Attempt(NamedTuple):
    """The end of an attempt: its moment in milliseconds, and its result."""

    attempted_at: int
    status: int | None
    duration_ms: int
    error: str | None


def _digest_of(event: SentEvent) -> str:
    """Return the SHA-256 in hex of all that is sent of an event."""
    sent = event.id, event.type, event.created_at, event.sequence, event.hash.hex(), event.body
    return hashlib.sha256(sealing.context(*map(str, sent))).hexdigest()


@prepared
def _subscribed() -> Any:
    """Return the webhooks that want an event; prepared, since each event asks."""
    webhook = TableReference("webhook")
    is_subscribed = fn.REPLACE(webhook.c.types, param("type"), SQL("''")) != webhook.c.types
    return (
        webhook.bind(database)
        .select(webhook.c.id)
        .where(
            webhook.c.owner_id == param("owner_id"),
            webhook.c.disabled_at.is_null(),
            is_subscribed,
        )
    )
