"""Events and moments of use that are counted in memory, and not recorded yet.

They are readings of documents and collections, wrong passwords, refusals of links, views of links
without a limit, and the last uses of keys and previews. No read waits for a writer:
`Event.record_readings` records them some moments later. The first event of a kind is due at once,
as is each use; the number of the events that followed is due when a minute is over, beyond the
share of a link when a day is. A stop records all; a crash loses at most the uses of a moment, and
the counts of this minute, or day. Each of several processes that serve a database counts
and records its own.
"""

import logging
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ..core import DAY_MS, now
from .error_mapping import service_error_of

MERGED_MS = 60_000
WINDOWS_OF_LINK = 2_000  # that a link begins in a day; each is up to two events
_OF_LINK = ("via", "tokenId", "collection_id", "reason")  # facts of an actor beside the reader
MOST_DUE = 100_000  # readings, while the database takes no writes; about 50 MB
RETRY_SECONDS = 1


class CountedEvent(NamedTuple):
    """An event of which those within a minute are merged, as a reading of a document.

    `actor` is the credential, as events name it; `about_id` is a document or a collection, if any.
    """

    owner_id: str
    type: str
    about_id: str
    actor: tuple[tuple[str, str], ...]
    is_daily: bool = False  # merged by the day, as events beyond the share of a link

    @property
    def is_merged(self) -> bool:
        """Whether it is merged: each reading of a person is an event of its own."""
        return ("via", "session") not in self.actor

    @property
    def link_id(self) -> str | None:
        return dict(self.actor).get("tokenId")

    def by_link_alone(self) -> "CountedEvent":
        """Return the same event without its reader, to be merged by the day."""
        actor = tuple((name, value) for name, value in self.actor if name in _OF_LINK)
        return self._replace(actor=actor, is_daily=True)


@dataclass
class Window:
    """The moment of a first event, and the number of those that followed."""

    began_at: int
    later: int = 0

    def is_over(self, merged_ms: int) -> bool:
        """Return whether its time has passed, or the clock was set back."""
        return not 0 <= now() - self.began_at < merged_ms


class Use(NamedTuple):
    """How often something was used, and the moment of the last time."""

    times: int
    moment: int

    def and_earlier(self, use: "Use | None") -> "Use":
        return Use(self.times + use.times, max(self.moment, use.moment)) if use else self


Counted = list[tuple[CountedEvent, int]]
RecordUse = Callable[[Any, Use], object]  # records the use of a row, which the first names


@dataclass
class Due:
    """Events and uses of one owner that are to be recorded.

    A use is found by the function that records it, and what this takes: the id of a row, say.
    """

    events: Counted = field(default_factory=list)
    uses: dict[tuple[RecordUse, Any], Use] = field(default_factory=dict)


class UnrecordedEvents:
    """The counts of events by minute, and the events and uses that are due, by owner."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._windows: dict[str, dict[CountedEvent, Window]] = {}  # by `about_id`
        self._begun = Counter[str]()  # windows by link, since the day began
        self._day = 0
        self._due: dict[str, Due] = {}  # by owner, until all that was taken is recorded
        self._count_due = 0
        self._retry_at = 0.0  # of `time.monotonic`, after a failure
        self.lost = 0

    def within_share(self, event: CountedEvent) -> CountedEvent:
        """Return the event as it is to be counted.

        One link begins so few windows a day that its holders cannot push other events out of the
        owner's log.
        """
        link_id = event.link_id
        if link_id is None:
            return event
        with self._lock:
            if event in self._windows.get(event.about_id, {}):
                return event
            today = now() // DAY_MS
            if today != self._day:
                self._begun.clear()
                self._day = today
            if self._begun[link_id] >= WINDOWS_OF_LINK:
                return event.by_link_alone()
            self._begun[link_id] += 1
            return event

    def begin_minute(self, event: CountedEvent) -> bool:
        """Begin a minute with this event, unless one like it has; return whether it has begun.

        Only an event that begins a minute is recorded at once. An event that is merged by the day
        begins none.
        """
        with self._lock:
            windows = self._windows.setdefault(event.about_id, {})
            is_new = event not in windows
            if is_new:
                windows[event] = Window(now())
        return is_new and not event.is_daily

    def add_later(self, event: CountedEvent, count: int = 1) -> None:
        """Count events that were not the first, or fewer after a transaction that failed."""
        with self._lock:
            windows = self._windows.setdefault(event.about_id, {})
            windows.setdefault(event, Window(now())).later += count

    def add_due(self, counted: Iterable[tuple[CountedEvent, int]]) -> None:
        """Have events recorded soon; beyond `MOST_DUE` they are lost."""
        with self._lock:
            self._add_due(counted)

    def add_use(self, owner_id: str, record: RecordUse, used: Any, moment: int) -> None:
        """Have `record` called when the events of the owner are recorded.

        It is called once for all uses of the same.
        """
        with self._lock:
            uses = self._due.setdefault(owner_id, Due()).uses
            uses[record, used] = Use(1, moment).and_earlier(uses.get((record, used)))

    def end_minutes(self, *, all: bool = False) -> None:
        """Make due what was counted in minutes that are over, or in `all`, to be recorded now."""
        with self._lock:
            self._retry_at = 0.0 if all else self._retry_at
            for about_id in list(self._windows):
                windows = self._windows.pop(about_id)
                over = {
                    event: windows.pop(event)
                    for event, window in list(windows.items())
                    if all or window.is_over(DAY_MS if event.is_daily else MERGED_MS)
                }
                if windows:
                    self._windows[about_id] = windows
                self._add_due(_counted(over))

    def owners(self) -> list[str]:
        """Return the owners of whom something is due; none for a moment after a failure."""
        return list(self._due) if time.monotonic() >= self._retry_at else []

    def is_due(self, owner_id: str) -> bool:
        """Return whether something is due, or is being recorded by another thread."""
        return owner_id in self._due

    def take_due_of_owner(self, owner_id: str, most: int = MOST_DUE) -> Due:
        """Take the first `most` events that are due of an owner, and all uses.

        Then call `put_back`, or `end_taking`.
        """
        with self._lock:
            due = self._due.get(owner_id, Due())
            taken = Due(due.events[:most], due.uses)
            self._due[owner_id] = Due(due.events[most:])
            self._count_due -= len(taken.events)
        return taken

    def put_back(self, owner_id: str, due: Due) -> None:
        """Make due again what was taken and not recorded; the owner is the last one then."""
        with self._lock:
            newer = self._due.pop(owner_id, Due())
            self._count_due += len(due.events)
            repeated = {key: use.and_earlier(due.uses.get(key)) for key, use in newer.uses.items()}
            self._due[owner_id] = Due(due.events + newer.events, due.uses | repeated)

    def end_taking(self, owner_id: str) -> None:
        """Forget what was taken, which is recorded now."""
        with self._lock:
            self._retry_at = 0
            if self._due.get(owner_id) == Due():
                del self._due[owner_id]

    def take_about(
        self, owner_id: str, about_id: str, *, with_later: bool, most: int
    ) -> tuple[Counted, Counted]:
        """Take the first `most` events that are due about a document or collection.

        With `with_later` also those that followed, whose count starts again from zero; those beyond
        `most` are due then.
        """
        with self._lock:
            due = self._due.get(owner_id, Due())
            about, others = _parted(due.events, about_id)
            taken = about[:most]
            if taken:
                due.events = about[most:] + others
                self._count_due -= len(taken)
            later = _counted(self._windows.pop(about_id, {})) if with_later else []
            room = most - len(taken)
            self._add_due(later[room:])
            return taken, later[:room]

    def put_back_about(self, due: Counted, later: Counted) -> None:
        """Make due again what `take_about` has taken and was not recorded."""
        self.add_due(due)
        for event, count in later:
            self.add_later(event, count)

    def fail(self, owner_id: str, error: Exception) -> None:
        """Log an error once. All that the database does not take now is tried again; after another
        error all that is due of the owner is lost.
        """
        log = logging.getLogger("docservice")
        if known := service_error_of(error):
            if not self._retry_at:
                log.error("readings wait to be recorded: %s", known.sentence)
            self._retry_at = time.monotonic() + RETRY_SECONDS
        else:
            self._lose(self.take_due_of_owner(owner_id).events, error)
            self.end_taking(owner_id)

    def close(self) -> None:
        """Log what is lost, as the process ends."""
        self.end_minutes(all=True)
        for owner_id in list(self._due):
            self._lose(self.take_due_of_owner(owner_id).events)

    def _add_due(self, counted: Iterable[tuple[CountedEvent, int]]) -> None:
        for event, count in counted:
            if self._count_due < MOST_DUE:
                self._due.setdefault(event.owner_id, Due()).events.append((event, count))
                self._count_due += 1
            else:
                self._lose([(event, count)])

    def _lose(self, counted: Counted, error: Exception | None = None) -> None:
        if count := sum(count for _, count in counted):
            self.lost += count
            logging.getLogger("docservice").error("%d readings are lost", count, exc_info=error)


def _parted(events: Counted, about_id: str) -> tuple[Counted, Counted]:
    """Return the events about a document or collection, and the others."""
    about = [pair for pair in events if pair[0].about_id == about_id]
    others = [pair for pair in events if pair[0].about_id != about_id]
    return about, others


def _counted(windows: dict[CountedEvent, Window]) -> Counted:
    return [(event, window.later) for event, window in windows.items() if window.later > 0]
