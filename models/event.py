"""Events: every fact told once, in the transaction of what it tells of.

The one table feeds `GET /v1/events` and the webhooks. It carries ids and facts, never a payload,
a name or a secret, and outlives what it tells of.
"""

import json
from collections.abc import Mapping
from contextvars import ContextVar
from types import MappingProxyType
from typing import Any, Self

from peewee import TextField

from .delivery import WebhookDelivery
from .records.ids import first_id, generate_id, now, rfc3339
from .records.owned import Owned, ResultPage
from .runtime import current_runtime
from .storage import database, enqueue_write, flush_enqueued_writes, transaction

Facts = Mapping[str, Any]

TYPES = (
    "document.created",
    "document.viewed",
    "document.downloaded",
    "document.deleted",
    "document.expired",
    "token.created",
    "token.revoked",
    "token.spent",
    "api_key.created",
    "api_key.revoked",
    "api_key.rotated",
    "webhook.test",
    "webhook.disabled",
)

# who acts: told with every event. What nobody asked for, the service did
current_actor: ContextVar[Mapping[str, str]] = ContextVar(
    "current_actor", default=MappingProxyType({"via": "service"})
)

_LAST = "SELECT max(id) FROM event WHERE owner_id = ?"
_FORGET = """
    DELETE FROM event WHERE owner_id IN (SELECT id FROM user) AND id < ?
    AND id NOT IN (SELECT event_id FROM delivery WHERE due_at IS NOT NULL)"""


class Event(Owned):
    PREFIX = "evt"

    type = TextField()
    document_id = TextField(null=True)
    data = TextField()

    @classmethod
    def tell(cls, owner_id: str, type: str, facts: Facts, to: str | None = None) -> Self:
        """One fact, to the owner's feed and their webhooks, or to the one webhook `to`."""
        return cls._tell(owner_id, type, {**facts, **current_actor.get()}, to)

    @classmethod
    def note(cls, owner_id: str, type: str, facts: Facts) -> None:
        """A reading: told, but nobody waits for it."""
        told = {**facts, **current_actor.get()}
        enqueue_write(lambda: cls._tell(owner_id, type, told))

    @classmethod
    def feed(
        cls, owner_id: str, limit: int, after: str | None, **filters: str | None
    ) -> ResultPage:
        """At most `limit` events, oldest first, behind `after`; and the id to go on after."""
        flush_enqueued_writes()
        asked = {name: value for name, value in filters.items() if value is not None}
        where = " AND ".join(["owner_id = :owner", "id > :after", *(f"{n} = :{n}" for n in asked)])
        values = {"owner": owner_id, "after": after or "", "limit": limit + 1, **asked}
        found = cls.rows(f"{where} ORDER BY id LIMIT :limit", **values)
        return found[:limit], found[limit - 1].id if len(found) > limit else None

    @classmethod
    def forget_old(cls) -> None:
        """What a webhook still waits for stays."""
        oldest = now() - current_runtime().settings.event_days * 86_400_000
        database.execute_sql(_FORGET, (first_id(cls.PREFIX, oldest),))

    @classmethod
    def _tell(cls, owner_id: str, type: str, facts: Facts, to: str | None = None) -> Self:
        """The id is drawn by who holds the one pen: a feed read after it misses nothing."""
        with transaction():
            (last,) = database.execute_sql(_LAST, (owner_id,)).fetchone()
            event = cls(id=generate_id(cls.PREFIX, last), created_at=now(), owner_id=owner_id)
            event.type, event.document_id = type, facts.get("document_id")
            event.data = json.dumps({_camel(name): _told(name, facts[name]) for name in facts})
            event.insert_row()
            WebhookDelivery.queue_for_subscribers(owner_id, event.id, type, to)
        return event


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word.title() for word in rest)


def _told(name: str, value: Any) -> Any:
    return rfc3339(value) if name.endswith("_at") and value is not None else value
