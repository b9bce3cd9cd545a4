"""The end of events that are too old or too many: always the oldest entries of a chain.

The head keeps the number and the previous hash of the oldest entry that is left, and the service's
chain tells which were forgotten. Only entries that hold are forgotten: altered entries stay, so
that they can be found.
"""

import logging
import math
from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

from peewee import SQL

from ..core import DAY_MS, first_id, now
from ..runtime import current_runtime, independent_steps
from ..storage import finds_a_row, separate_transaction, transaction
from .chain import ChainEntry, EventHead, oldest_entries
from .delivery import WebhookDelivery
from .event import Event

MOST_HELD_BACK = 3  # times the quota, by a delivery that is pending for days
BATCH = 500  # entries forgotten in one transaction: no other writer waits for long
BATCHES = 20  # of one chain in each run, so that no chain grows faster
_ALTERED = "Event %d of %s was altered outside of the service, and is not forgotten."


def kept_since() -> str:
    """Return an id; events with smaller ids are no longer kept by their age."""
    return first_id(Event.PREFIX, oldest_kept_at())


def oldest_kept_at() -> int:
    """Return a moment; events from before it are no longer kept by their age."""
    today = now() // DAY_MS * DAY_MS
    return today - current_runtime().settings.event_days * DAY_MS


def forget_old_events() -> None:
    """Forget events of days before the setting, unless a delivery of an older one is pending.

    Once all are forgotten, there are none until the day ends.
    """
    before = kept_since()
    forgotten_before = current_runtime().forgotten_before
    if before == forgotten_before.get(Event.PREFIX):
        return
    has_older = Event.select(SQL("1")).where(Event.owner_id == EventHead.id, Event.id < before)
    with independent_steps() as do:
        owner_ids = _owners(finds_a_row(has_older))
        for owner_id in owner_ids:
            do(partial(_forget_old_of, owner_id, before))
    if not owner_ids:
        forgotten_before[Event.PREFIX] = before


def forget_many_events(owner_ids: Iterable[str] | None = None) -> None:
    """Forget the oldest events of those of the owners, or of all, who have too many, unless a
    delivery is pending.

    Owners with several times too many lose pending deliveries as well. Who still has too many is
    looked at again by the next sweep.
    """
    most = current_runtime().settings.quota_events
    has_many = EventHead.sequence - EventHead.oldest + 1 > most
    with independent_steps() as do:
        for owner_id in _owners(has_many) if owner_ids is None else _those(owner_ids, has_many):
            current_runtime().grown_owners.add(owner_id)
            do(partial(_forget_many_of, owner_id, most))


def forget_all_events(owner_id: str) -> None:
    """Forget the events of an account that is deleted, but what was altered outside of the service
    and what follows it.
    """
    while EventHead.as_stored(owner_id):
        with separate_transaction(synced=False):
            if not _forget(owner_id, "~"):
                return


def _forget_old_of(owner_id: str, before: str) -> None:
    for _ in range(BATCHES):
        with transaction():
            pending = WebhookDelivery.first_pending_event(owner_id)
            if not _forget(owner_id, min(before, pending or before)):
                return


def _forget_many_of(owner_id: str, most: int) -> None:
    pending = "~"
    for _ in range(BATCHES):
        with transaction():
            newest = EventHead.of(owner_id).sequence
            # What this run gives up is still held back until the next one.
            pending = min(pending, WebhookDelivery.first_pending_event(owner_id) or "~")
            last = _forget(owner_id, pending, newest - most)
            if last is None:
                last = _forget(owner_id, "~", newest - MOST_HELD_BACK * most)
                if last:
                    WebhookDelivery.give_up_until(owner_id, last.id)
        if last is None:
            return


def _owners(condition: Any) -> list[str]:
    return [head.id for head in EventHead.select(EventHead.id).where(condition)]


def _those(owner_ids: Iterable[str], condition: Any) -> Iterator[str]:
    for owner_id in owner_ids:
        yield from _owners(condition & (EventHead.id == owner_id))


def _forget(owner_id: str, before: str, until: float = math.inf) -> ChainEntry | None:
    """Forget entries with ids before `before` and numbers up to `until`; returns the last one."""
    head = EventHead.of(owner_id)
    if last := _last_to_forget(head, before, until):
        facts = {"owner_id": owner_id, "first": head.oldest, "last": last.sequence}
        numbers = Event.sequence.between(head.oldest, last.sequence)
        Event.delete().where(Event.owner_id == owner_id, Event.id <= last.id, numbers).execute()
        head.move(oldest=last.sequence + 1, hash_before=last.hash)
        Event.record_of_service("events.forgotten", facts)
    return last


def _last_to_forget(head: EventHead, before: str, until: float) -> ChainEntry | None:
    last = None
    expected = head.oldest
    previous = head.hash_before
    for entry in oldest_entries(head.id, BATCH if head.is_sealed else 0):
        if entry.sequence != expected or not entry.follows(head.id, previous):
            logging.getLogger("docservice").error(_ALTERED, expected, head.id)
            break
        if entry.id >= before or entry.sequence > until:
            break
        last = entry
        expected = entry.sequence + 1
        previous = entry.hash
    return last
