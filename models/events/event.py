"""Events: each recorded once, in the transaction of the change that it describes.

One table feeds `GET /v1/events` and the webhooks. Events hold ids and facts, never a payload, a
name or a secret, and outlive the rows they are about. The events of each owner are a chain: each
has the number after the last one's, and a hash over that one's hash and its own `body`. They are
never changed.
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from contextvars import ContextVar
from functools import cache, partial
from types import MappingProxyType
from typing import Any, Self

from peewee import BigIntegerField, BlobField, TextField

from crypto import event_hash

from ..core import generate_id, now, rfc3339
from ..records import Owned, Owner, ResultPage
from ..runtime import Counted, Reading, current_runtime
from ..storage import (
    SERVICE,
    connected,
    database,
    engine,
    on_rollback,
    separate_transaction,
    transaction,
)
from .chain import EventHead
from .delivery import WebhookDelivery

Facts = Mapping[str, Any]

READER_WAITS_SECONDS = 0.25  # for a writer, before it lists without its latest readings

READINGS = (
    *("document.viewed", "document.downloaded"),
    *("collection.viewed", "collection.downloaded"),
)
TYPES = (
    *("document.created", *READINGS, "document.binned", "document.restored"),
    *("document.deleted", "document.expired"),
    *("collection.created", "collection.updated", "collection.added", "collection.removed"),
    *("collection.deleted", "token.created", "token.updated", "token.revoked", "token.opened"),
    *("token.refused", "token.spent", "agreement.accepted"),
    *("api_key.created", "api_key.revoked", "api_key.rotated", "webhook.test", "webhook.disabled"),
    *("session.created", "session.ended", "password.changed", "login.failed", "account.exported"),
)

_BESIDE_READINGS = ("document.created", "token.opened", "token.refused")  # they end no minute

# The credential that acts, part of every event; without a request it is the service itself.
current_actor: ContextVar[Mapping[str, str]] = ContextVar(
    "current_actor", default=MappingProxyType({"via": "service"})
)


class Event(Owned):
    PREFIX = "evt"

    sequence = BigIntegerField()
    type = TextField()
    document_id = TextField(null=True)
    collection_id = TextField(null=True)
    body = TextField()  # JSON of id, type, createdAt and data: what is hashed
    hash = BlobField()

    @property
    def sent_body(self) -> str:
        """What webhooks are sent of it, the same at every attempt."""
        sent = {"type": self.type, "timestamp": rfc3339(self.created_at), "data": self.data}
        position = {"sequence": self.sequence, "hash": self.hash.hex()}
        return json.dumps(sent | position, separators=(",", ":"))

    @property
    def data(self) -> dict[str, Any]:
        facts: dict[str, Any] = json.loads(self.body)["data"]
        return facts

    @classmethod
    def record(cls, owner_id: str, type: str, facts: Facts, to: str | None = None) -> Self:
        """Record an event in the owner's feed, for their webhooks or for the webhook `to` alone."""
        return cls._insert(owner_id, type, {**facts, **current_actor.get()}, to)

    @classmethod
    def record_of_service(cls, type: str, facts: Facts) -> Self:
        """Record what concerns all of the service in its own chain, which the CLI exports."""
        return cls.record(SERVICE, type, facts)

    @classmethod
    def record_reading(cls, owner_id: str, type: str, about_id: str) -> None:
        """Record that a document or a collection was read: in the open transaction, else soon.

        Only the first reading of a link or API key in a minute is recorded so; the further ones
        are one event, when the minute is over or something else happens to what was read; and those
        beyond the share of a link one event when the day is over.
        """
        readings = current_runtime().readings
        actor = tuple(current_actor.get().items())
        reading = readings.within_share(Reading(owner_id, type, about_id, actor))
        if reading.is_merged and not readings.is_first(reading):
            readings.add_further(reading)
            on_rollback(partial(readings.add_further, reading, -1))
        elif database.in_transaction():
            cls._record_readings_before(owner_id, about_id, further=False)
            cls._insert_readings([(reading, 1)])
        else:
            readings.add_due([(reading, 1)])
            cls.record_if_shared(owner_id)

    @classmethod
    def record_failed_login(cls, owner_id: str) -> None:
        """Merged as readings are. Recorded soon, not now: a request that takes longer for it would
        tell that there is such an account.
        """
        cls._record_soon(Reading(owner_id, "login.failed", "", (("via", "anyone"),)))

    @classmethod
    def record_refusal(cls, owner_id: str, token_id: str, about_id: str, reason: str) -> None:
        """A link that did not open, for a reason of docs/webhooks.md. Merged as readings are."""
        how = ("via", "document_token"), ("tokenId", token_id), ("reason", reason)
        if has_mail():
            cls._record_soon(Reading(owner_id, "token.refused", about_id, how))

    @classmethod
    def _record_soon(cls, failure: Reading) -> None:
        readings = current_runtime().readings
        failure = readings.within_share(failure)
        if readings.is_first(failure):
            readings.add_due([(failure, 1)])
        else:
            readings.add_further(failure)

    @classmethod
    def record_if_shared(cls, owner_id: str) -> None:
        """Record what is due before the response: the next request may reach another process."""
        if engine().is_shared:
            cls.record_readings_of(owner_id)

    @classmethod
    def record_merged_readings(cls, *, all: bool = False) -> None:
        """Record what is due, with the further readings of minutes that are over, or of all."""
        current_runtime().readings.end_minutes(all=all)
        cls.record_readings(all=all)

    @classmethod
    def record_readings(cls, *, all: bool = False) -> None:
        """Record what is due. What the database does not take now stays due, and what follows it,
        too, unless `all` is to be tried.
        """
        readings = current_runtime().readings
        for owner_id in readings.owners():
            try:
                cls._record_due(owner_id)
            except Exception as error:
                readings.fail(owner_id, error)
                if not (all or readings.owners()):
                    break

    @classmethod
    def record_readings_of(cls, owner_id: str) -> None:
        """Record what is due of an owner, unless a writer is in the way for long."""
        if current_runtime().readings.is_due(owner_id):
            with suppress(Exception):  # it stays due: `record_readings` tells why
                cls._record_due(owner_id, READER_WAITS_SECONDS)

    @classmethod
    def _record_due(cls, owner_id: str, wait_seconds: float | None = None) -> None:
        readings = current_runtime().readings
        with connected(), separate_transaction(owner_id, synced=False, wait_seconds=wait_seconds):
            due = readings.take(owner_id)
            on_rollback(partial(readings.put_back, owner_id, due))
            if Owner.select().where(Owner.id == owner_id).exists():  # else deleted meanwhile
                cls._insert_readings(due.readings)
            for (record, id), moment in due.uses.items():
                record(id, moment)
        readings.end_taking(owner_id)

    @classmethod
    def feed(
        cls,
        owner_id: str,
        limit: int,
        after: str | None,
        *,
        oldest_first: bool = True,
        **filters: Any,
    ) -> ResultPage:
        """A page of events, as `page_of` has it; `filters` are values of columns."""
        cls.record_readings_of(owner_id)
        return cls.page_of(owner_id, limit, after, oldest_first=oldest_first, **filters)

    @classmethod
    def of_deliveries(cls) -> Iterator[tuple[WebhookDelivery, Self]]:
        """Each delivery whose event is still kept, with that event."""
        for delivery in WebhookDelivery.each():
            if event := cls.find(delivery.event_id):
                yield delivery, event

    @classmethod
    def is_kept(cls, owner_id: str, id: str) -> bool:
        return bool(cls.select().where(cls.owner_id == owner_id, cls.id == id).exists())

    @classmethod
    def _insert(cls, owner_id: str, type: str, facts: Facts, to: str | None = None) -> Self:
        """Number and id are generated under the writer lock, so both follow the order of commits
        and a poller of the feed misses none.
        """
        with transaction(owner_id):
            about = {name: facts.get(name) for name in ("document_id", "collection_id")}
            if type not in READINGS + _BESIDE_READINGS:
                for about_id in filter(None, about.values()):
                    cls._record_readings_before(owner_id, about_id)
            head, moment = EventHead.of(owner_id), now()
            id, sequence = generate_id(cls.PREFIX, head.last_id), head.sequence + 1
            body = _body(id, type, moment, facts)
            hash = event_hash(owner_id, sequence, head.hash, body)
            position = {"sequence": sequence, "hash": hash}
            event = cls(id=id, created_at=moment, owner_id=owner_id, type=type, body=body)
            event.__data__ |= position | about
            event.insert_row()
            head.move(last_id=id, **position)
            WebhookDelivery.queue_for_subscribers(event, to)
        return event

    @classmethod
    def _record_readings_before(cls, owner_id: str, about_id: str, *, further: bool = True) -> None:
        """Those of a document or collection come before what happens to it next."""
        readings = current_runtime().readings
        due, merged = readings.take_of(owner_id, about_id, further=further)
        on_rollback(partial(readings.put_back_of, due, merged))
        cls._insert_readings(due + merged)

    @classmethod
    def _insert_readings(cls, counted: Counted) -> None:
        for reading, count in counted:
            facts = {**facts_about(reading.about_id), "count": count, **dict(reading.actor)}
            cls._insert(reading.owner_id, reading.type, facts)


def has_mail() -> bool:
    """Whether the service sends mail. Only then first openings and refusals of links are recorded:
    notices tell of them, and without mail all is as it was before there was any.
    """
    return current_runtime().settings.smtp_url is not None


def facts_about(id: str) -> dict[str, str]:
    """The id of a document or collection as a fact of an event; '' is none."""
    return {} if not id else {"collection_id" if id.startswith("col_") else "document_id": id}


@cache
def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word.title() for word in rest)


def _body(id: str, type: str, created_at: int, facts: Facts) -> str:
    data = {
        _camel(name): rfc3339(value) if name.endswith("_at") and value is not None else value
        for name, value in facts.items()
    }
    return json.dumps({"id": id, "type": type, "createdAt": rfc3339(created_at), "data": data})
