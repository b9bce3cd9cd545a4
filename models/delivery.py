"""A delivery: one event on its way to one webhook, and how each try ended.

Pending as long as `due_at` is set. The row is made in the event's transaction and changed only
when a try has ended, so what a crash interrupts falls due again.
"""

import threading
from typing import Self

from peewee import BigIntegerField, BlobField, IntegerField, TextField

from .base import database
from .ids import first_id, now
from .owned import Owned, Page

KEPT_MS = 30 * 24 * 60 * 60 * 1000

arrived = threading.Event()  # set when there is something new to deliver

_SUBSCRIBED = """
    SELECT id FROM webhook WHERE owner_id = ? AND disabled_at IS NULL AND instr(types, ?)"""
_FORGET = """
    DELETE FROM delivery WHERE webhook_id IN (SELECT id FROM webhook) AND id < ?
    AND due_at IS NULL"""


class Delivery(Owned):
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

    @classmethod
    def hand_out(cls, owner_id: str, event_id: str, type: str, to: str | None) -> None:
        """In the event's transaction: a row for each webhook that asked for this type."""
        found = [to] if to else cls._subscribed(owner_id, type)
        for webhook_id in found:
            cls.begin(owner_id, webhook_id, event_id, type)

    @classmethod
    def begin(cls, owner_id: str, webhook_id: str, event_id: str, type: str) -> Self:
        delivery: Self = cls.fresh(owner_id=owner_id, webhook_id=webhook_id, event_id=event_id)
        delivery.type, delivery.due_at = type, delivery.created_at
        delivery.insert_row()
        database.after_commit(arrived.set)
        return delivery

    @classmethod
    def page_of_webhook(cls, webhook: Owned, limit: int, after: str | None) -> Page:
        where = "webhook_id = :webhook"
        return cls.page_of(webhook.owner_id, limit, after, where, webhook=webhook.id)

    @classmethod
    def one_of_webhook(cls, webhook: Owned, id: str) -> Self:
        return cls.one_of(webhook.owner_id, id, "webhook_id = :webhook", webhook=webhook.id)

    @classmethod
    def forget_old(cls) -> None:
        database.execute_sql(_FORGET, (first_id(cls.PREFIX, now() - KEPT_MS),))

    @property
    def state(self) -> str:
        if self.due_at is not None:
            return "pending"
        return "failed" if self.delivered_at is None else "delivered"

    @classmethod
    def _subscribed(cls, owner_id: str, type: str) -> list[str]:
        found = database.execute_sql(_SUBSCRIBED, (owner_id, f" {type} "))
        return [id for (id,) in found.fetchall()]
