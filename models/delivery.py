"""A delivery: one event on its way to one webhook, and how its last try ended.

Pending as long as `due_at` is set. The row is made in the event's transaction and changed only
when a try has ended, so what a crash interrupts falls due again.
"""

import threading
from dataclasses import dataclass
from typing import Self

from peewee import BigIntegerField, BlobField, IntegerField, TextField

from .records.ids import first_id, now
from .records.issued import RowWith
from .records.owned import Owned, ResultPage
from .storage import database

KEPT_MS = 30 * 24 * 60 * 60 * 1000

delivery_queued = threading.Event()  # set when there is something new to deliver

_SUBSCRIBED = """
    SELECT id FROM webhook WHERE owner_id = ? AND disabled_at IS NULL AND instr(types, ?)"""
_FIRST_OF_EACH = """
    rowid IN (
        SELECT (SELECT rowid FROM delivery WHERE webhook_id = webhook.id AND due_at IS NOT NULL
                ORDER BY due_at, id LIMIT 1)
        FROM webhook JOIN user ON user.id = webhook.owner_id
        WHERE webhook.disabled_at IS NULL AND user.disabled_at IS NULL
    )"""
_TRIED = """
    UPDATE delivery SET due_at = ?, attempts = attempts + 1, attempted_at = ?,
        delivered_at = ?, status = ?, duration_ms = ?, sealed_result = ?
    WHERE webhook_id = ? AND id = ?"""
_AGAIN = """
    UPDATE delivery SET due_at = ?, attempts = 0, delivered_at = NULL
    WHERE webhook_id = ? AND id = ?"""
_GIVE_UP = "UPDATE delivery SET due_at = NULL WHERE webhook_id = ? AND due_at IS NOT NULL"
_FORGET = """
    DELETE FROM delivery WHERE webhook_id IN (SELECT id FROM webhook) AND id < ?
    AND due_at IS NULL"""


@dataclass(frozen=True)
class Outcome:
    """How a try ended: with the receiver's answer, or with an error in a sentence of ours."""

    duration_ms: int
    status: int | None = None
    answer: str | None = None
    error: str | None = None
    retry_after_seconds: int = 0

    @property
    def succeeded(self) -> bool:
        return self.status is not None and 200 <= self.status < 300


class WebhookDelivery(Owned):
    PREFIX = "dlv"

    webhook_id = TextField()
    event_id = TextField()
    type = TextField()
    due_at = BigIntegerField(null=True)
    attempts = IntegerField(default=0)
    attempted_at = BigIntegerField(null=True)
    delivered_at = BigIntegerField(null=True)
    status = IntegerField(null=True)
    duration_ms = IntegerField(null=True)
    sealed_result = BlobField(null=True)

    class Meta:
        table_name = "delivery"

    @classmethod
    def queue_for_subscribers(cls, owner_id: str, event_id: str, type: str, to: str | None) -> None:
        """In the event's transaction: a row for each webhook that asked for this type."""
        found = [to] if to else cls._subscribed(owner_id, type)
        for webhook_id in found:
            delivery: Self = cls.fresh(owner_id=owner_id, webhook_id=webhook_id, event_id=event_id)
            delivery.type, delivery.due_at, delivery.attempts = type, delivery.created_at, 0
            delivery.insert_row()
        if found:
            database.after_commit(delivery_queued.set)

    @classmethod
    def next_due_per_webhook(cls) -> list[Self]:
        """Of every enabled webhook, its user not shut out, the pending delivery due first."""
        return cls.rows(_FIRST_OF_EACH)

    @classmethod
    def page_of_webhook(cls, webhook: Owned, limit: int, after: str | None) -> ResultPage:
        where = "webhook_id = :webhook"
        return cls.page_of(webhook.owner_id, limit, after, where, webhook=webhook.id)

    @classmethod
    def one_of_webhook(cls, webhook: Owned, id: str) -> Self:
        return cls.one_of(webhook.owner_id, id, "webhook_id = :webhook", webhook=webhook.id)

    @classmethod
    def give_up(cls, webhook: Owned) -> None:
        """Nothing more is sent to it, unless somebody asks for it again."""
        database.execute_sql(_GIVE_UP, (webhook.id,))

    @classmethod
    def forget_old(cls) -> None:
        database.execute_sql(_FORGET, (first_id(cls.PREFIX, now() - KEPT_MS),))

    @property
    def state(self) -> str:
        if self.due_at is not None:
            return "pending"
        return "failed" if self.delivered_at is None else "delivered"

    def tried(self, outcome: Outcome, sealed_result: bytes, due_at: int | None) -> None:
        """`due_at` is when it is tried again, if it is."""
        moment = now()
        delivered_at = moment if outcome.succeeded else None
        how = due_at, moment, delivered_at, outcome.status, outcome.duration_ms, sealed_result
        database.execute_sql(_TRIED, (*how, self.webhook_id, self.id))

    def send_again(self) -> None:
        """From the start, at once."""
        self.due_at, self.attempts, self.delivered_at = now(), 0, None
        database.execute_sql(_AGAIN, (self.due_at, self.webhook_id, self.id))
        database.after_commit(delivery_queued.set)

    @classmethod
    def _subscribed(cls, owner_id: str, type: str) -> list[str]:
        found = database.execute_sql(_SUBSCRIBED, (owner_id, f" {type} "))
        return [id for (id,) in found.fetchall()]


@dataclass(frozen=True)
class OpenedDelivery(RowWith[WebhookDelivery]):
    """A delivery with the unsealed result of its last attempt."""

    answer: str | None
    error: str | None
