"""Events: each recorded once, in the transaction of the change that it describes.

One table feeds `GET /v1/events` and the webhooks. Events hold ids and facts, never a payload, a
name or a secret, and outlive the rows they are about. The events of each owner are a chain: each
has the number after the last one's, and a hash over the hash of the last one and its own `body`.
They are never changed.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import cache, partial
from types import MappingProxyType
from typing import Any, Self

from peewee import BigIntegerField, BlobField, TextField

from crypto import event_hash

from ..core import generate_id, now, rfc3339
from ..records import BOUNDS, MOST_READ, Owned, Owner, ResultPage
from ..runtime import Counted, CountedEvent, current_runtime
from ..storage import (
    SERVICE,
    connected,
    database,
    engine,
    is_in_transaction,
    on_rollback,
    separate_transaction,
    transaction,
)
from .chain import EventHead
from .delivery import WebhookDelivery
from .event_types import EVENT_TYPES, SERVICE_TYPES, EventType, Merging, event_type

Facts = Mapping[str, Any]

MOST_RECORDED = 500  # due events in one transaction: others wait for about 30 ms
READER_WAITS_SECONDS = 0.25  # for a writer, before it lists without its latest readings

# The credential that acts, part of every event; without a request it is the service itself.
current_actor: ContextVar[Mapping[str, str]] = ContextVar(
    "current_actor", default=MappingProxyType({"via": "service"})
)


@contextmanager
def acting(actor: Iterable[tuple[str, str]]) -> Iterator[None]:
    """Record the events of the block as those of this credential, which acted before."""
    former = current_actor.set(dict(actor))
    try:
        yield
    finally:
        current_actor.reset(former)


class Event(Owned):
    PREFIX = "evt"
    KEY = ("owner_id", "id")

    sequence = BigIntegerField()
    type = TextField()
    document_id = TextField(null=True)
    collection_id = TextField(null=True)
    body = TextField()  # JSON of id, type, createdAt and data, which is hashed
    hash = BlobField()

    @property
    def sent_body(self) -> str:
        """The JSON that webhooks are sent, the same at every attempt."""
        sent = {"type": self.type, "timestamp": rfc3339(self.created_at), "data": self.data}
        position = {"sequence": self.sequence, "hash": self.hash.hex()}
        return json.dumps(sent | position, separators=(",", ":"))

    @property
    def event_type(self) -> EventType:
        """All that is the same for each event of its type."""
        return event_type(self.type)

    @property
    def data(self) -> dict[str, Any]:
        facts: dict[str, Any] = json.loads(self.body)["data"]
        return facts

    @classmethod
    def record(cls, owner_id: str, type: str, facts: Facts, to: str | None = None) -> Self:
        """Record an event in the owner's feed, for their webhooks or for the webhook `to` alone.

        Raises KeyError for a type that is not one of `EVENT_TYPES`.
        """
        return cls._insert(owner_id, EVENT_TYPES[type].name, {**facts, **current_actor.get()}, to)

    @classmethod
    def record_of_service(cls, type: str, facts: Facts) -> Self:
        """Record a fact about all of the service in its own chain, which the CLI exports.

        There `userId` names the account that the event is about, and not the member of a space who
        did it. Raises KeyError for a type that is not one of `SERVICE_TYPES`.
        """
        if type not in SERVICE_TYPES:
            raise KeyError(type)
        actor = {name: value for name, value in current_actor.get().items() if name != "userId"}
        return cls._insert(SERVICE, type, {**facts, **actor}, None)

    @classmethod
    def record_reading(cls, owner_id: str, type: str, about_id: str) -> None:
        """Record that a document or a collection was read: in the open transaction, else soon.

        Only the first reading of a link or API key in a minute is recorded so. The later ones are
        counted, and become one event when the minute is over, or when something else happens to the
        document or collection. A link begins a limited number of minutes in a day; its readings
        beyond that become one event when the day is over.
        """
        unrecorded = current_runtime().unrecorded
        actor = tuple(current_actor.get().items())
        reading = unrecorded.within_share(CountedEvent(owner_id, type, about_id, actor))
        if reading.is_merged and not unrecorded.begin_minute(reading):
            unrecorded.add_later(reading)
            on_rollback(partial(unrecorded.add_later, reading, -1))
        elif database.in_transaction():
            cls._record_readings_before(owner_id, about_id, with_later=False)
            cls._insert_counted([(reading, 1)])
        else:
            unrecorded.add_due([(reading, 1)])
            cls.record_if_shared(owner_id)

    @classmethod
    def record_failed_login(cls, owner_id: str) -> None:
        """Record a wrong password soon, merged as readings are.

        A request that records it at once would take longer, and reveal that the account exists.
        """
        cls._record_soon(CountedEvent(owner_id, "login.failed", "", (("via", "anyone"),)))

    @classmethod
    def record_refusal(cls, owner_id: str, token_id: str, about_id: str, reason: str) -> None:
        """Record soon that a link was refused, for a reason of docs/webhooks.md, merged as readings
        are.
        """
        actor = (("via", "document_token"), ("tokenId", token_id), ("reason", reason))
        if has_mail():
            cls._record_soon(CountedEvent(owner_id, "token.refused", about_id, actor))

    @classmethod
    def _record_soon(cls, failure: CountedEvent) -> None:
        unrecorded = current_runtime().unrecorded
        failure = unrecorded.within_share(failure)
        if unrecorded.begin_minute(failure):
            unrecorded.add_due([(failure, 1)])
        else:
            unrecorded.add_later(failure)

    @classmethod
    def record_if_shared(cls, owner_id: str) -> None:
        """Record what is due before the response: the next request may reach another process."""
        if engine().is_shared:
            cls.record_readings_of(owner_id)

    @classmethod
    def record_merged_readings(cls, *, all: bool = False) -> None:
        """Record what is due, with the later readings of minutes that are over, or of all."""
        current_runtime().unrecorded.end_minutes(all=all)
        cls.record_readings(all=all)

    @classmethod
    def record_readings(cls, *, all: bool = False) -> None:
        """Record what is due of each owner.

        If the database takes no writes now, this owner and the next ones wait, unless `all` are to
        be tried.
        """
        unrecorded = current_runtime().unrecorded
        for owner_id in unrecorded.owners():
            try:
                cls._record_due(owner_id)
            except Exception as error:
                unrecorded.fail(owner_id, error)
                if not (all or unrecorded.owners()):
                    break

    @classmethod
    def record_readings_of(cls, owner_id: str) -> None:
        """Record what is due of an owner, unless a writer is in the way for long.

        In a transaction it does nothing: what is due has a transaction of its own.
        """
        if current_runtime().unrecorded.is_due(owner_id) and not is_in_transaction():
            with suppress(Exception):  # it stays due: `record_readings` logs why
                cls._record_due(owner_id, READER_WAITS_SECONDS)

    @classmethod
    def _record_due(cls, owner_id: str, wait_seconds: float | None = None) -> None:
        """Record all that is due of an owner, `MOST_RECORDED` events in a transaction."""
        while cls._record_first_due(owner_id, wait_seconds) == MOST_RECORDED:
            pass

    @classmethod
    def _record_first_due(cls, owner_id: str, wait_seconds: float | None) -> int:
        """Record the first events that are due of an owner; return how many these were."""
        with connected(), separate_transaction(owner_id, synced=False, wait_seconds=wait_seconds):
            count = cls._insert_first_due(owner_id)
        current_runtime().unrecorded.end_taking(owner_id)
        return count

    @classmethod
    def record_due_before(cls, owner_id: str) -> None:
        """Record what is due of an owner before what the open transaction does to links.

        So views that were noted are counted, however busy the database is; of more events than
        `MOST_RECORDED` the others follow.
        """
        if current_runtime().unrecorded.is_due(owner_id):
            cls._insert_first_due(owner_id)

    @classmethod
    def _insert_first_due(cls, owner_id: str) -> int:
        """Insert the first events that are due, and record all uses, in the open transaction.

        The transaction has the lock of the owner. Return how many events these were.
        """
        unrecorded = current_runtime().unrecorded
        due = unrecorded.take_due_of_owner(owner_id, MOST_RECORDED)
        on_rollback(partial(unrecorded.put_back, owner_id, due))
        if Owner.as_stored(owner_id) is not None:  # else deleted meanwhile
            with EventHead.moved_once(owner_id):
                cls._insert_counted(due.events)
        for (record_use, used), use in due.uses.items():
            record_use(used, use)
        return len(due.events)

    @classmethod
    def feed(
        cls,
        owner_id: str,
        limit: int,
        after: str | None,
        *,
        oldest_first: bool = True,
        **filters: Any,
    ) -> ResultPage[Self]:
        """Return a page of events, as `page` does; `filters` are values of columns, and `BOUNDS`.

        No index begins with the types: by a type alone, `MOST_READ` events are looked at at most.
        """
        cls.record_readings_of(owner_id)
        asked = {name for name, value in filters.items() if value is not None}.difference(BOUNDS)
        most_read = MOST_READ if asked == {"type"} else None
        return cls.page(
            owner_id, limit, after, oldest_first=oldest_first, most_read=most_read, **filters
        )

    @classmethod
    def of_deliveries(cls) -> Iterator[tuple[WebhookDelivery, Self]]:
        """Yield each delivery whose event is still kept, with this event."""
        for delivery in WebhookDelivery.each():
            if event := cls.find(delivery.owner_id, delivery.event_id):
                yield delivery, event

    @classmethod
    def is_kept(cls, owner_id: str, id: str) -> bool:
        return bool(cls.select().where(cls.owner_id == owner_id, cls.id == id).exists())

    @classmethod
    def _insert(cls, owner_id: str, type: str, facts: Facts, to: str | None = None) -> Self:
        """Insert an event, whose number and id are generated under the writer lock.

        So both follow the order of commits, and a poller of the feed misses none.
        """
        with transaction(owner_id):
            about = {name: facts.get(name) for name in ("document_id", "collection_id")}
            if event_type(type).merging is Merging.ENDS_MINUTE:
                for about_id in filter(None, about.values()):
                    cls._record_readings_before(owner_id, about_id)
            head = EventHead.of(owner_id)
            moment = now()
            id = generate_id(cls.PREFIX, head.last_id)
            sequence = head.sequence + 1
            body = _body(id, type, moment, facts)
            hash = event_hash(owner_id, sequence, head.hash, body)
            event = cls(
                id=id,
                created_at=moment,
                owner_id=owner_id,
                sequence=sequence,
                type=type,
                body=body,
                hash=hash,
                **about,
            )
            event.store()
            head.move(last_id=id, sequence=sequence, hash=hash)
            WebhookDelivery.queue_for_subscribers(event, to)
            database.after_commit(partial(current_runtime().grown_owners.add, owner_id))
        return event

    @classmethod
    def _record_readings_before(
        cls, owner_id: str, about_id: str, *, with_later: bool = True
    ) -> None:
        """Record the readings of a document or collection before the next event about it.

        Those beyond `MOST_RECORDED` follow behind it.
        """
        unrecorded = current_runtime().unrecorded
        due, later = unrecorded.take_about(
            owner_id, about_id, with_later=with_later, most=MOST_RECORDED
        )
        if not (due or later):
            return
        on_rollback(partial(unrecorded.put_back_about, due, later))
        with EventHead.moved_once(owner_id):
            cls._insert_counted(due + later)

    @classmethod
    def _insert_counted(cls, counted: Counted) -> None:
        for event, count in counted:
            facts = {**facts_about(event.about_id), "count": count, **dict(event.actor)}
            cls._insert(event.owner_id, event.type, facts)


def has_mail() -> bool:
    """Return whether the service sends mail.

    Only then are first openings, visits and refusals of links recorded: they are for notices.
    """
    return current_runtime().settings.smtp_url is not None


def facts_about(id: str) -> dict[str, str]:
    """Return the id of a document or collection as a fact of an event; '' is none."""
    return {} if not id else {"collection_id" if id.startswith("col_") else "document_id": id}


@cache
def camel_case(name: str) -> str:
    """Return the name that a value has in events, and in JSON."""
    first, *rest = name.split("_")
    return first + "".join(word.title() for word in rest)


def _body(id: str, type: str, created_at: int, facts: Facts) -> str:
    data = {
        camel_case(name): rfc3339(value) if name.endswith("_at") and value is not None else value
        for name, value in facts.items()
    }
    return json.dumps({"id": id, "type": type, "createdAt": rfc3339(created_at), "data": data})
