"""What reads leave behind: readings, which become events, and when keys and previews were used.

All of it is counted in memory, so that no read waits for a writer, and recorded some moments later
by `Event.record_readings`. The first reading of a document by one credential is due at once; how
many followed, when a minute is over; beyond the share of a link, when a day is. A stop records all,
a crash loses at most that minute, or day. Each of several processes that serve a database counts
and records its own.
"""

import logging
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from ..core import now
from .error_mapping import service_error_of

MERGED_MS = 60_000
DAY_MS = 86_400_000
WINDOWS_OF_LINK = 2_000  # that a link begins in a day; each is up to two events
_OF_LINK = ("via", "tokenId", "collection_id", "reason")  # what an actor says beside the reader
MOST_DUE = 100_000  # readings, while the database takes no writes; about 50 MB
RETRY_SECONDS = 1


class Reading(NamedTuple):
    """`type` is that of its event; `actor` the credential, as events name it. It is about a
    document or a collection. A wrong password and a link that is refused are counted so, too.
    """

    owner_id: str
    type: str
    about_id: str
    actor: tuple[tuple[str, str], ...]
    is_daily: bool = False  # merged by the day, as those beyond the share of a link

    @property
    def is_merged(self) -> bool:
        """Each reading of a person is an event of its own."""
        return ("via", "session") not in self.actor

    @property
    def link_id(self) -> str | None:
        return dict(self.actor).get("tokenId")

    def by_link_alone(self) -> "Reading":
        """The same, of whoever has the link, to be merged by the day."""
        actor = tuple((name, value) for name, value in self.actor if name in _OF_LINK)
        return self._replace(actor=actor, is_daily=True)


@dataclass
class Window:
    """When a first reading was; and how many followed."""

    began_at: int
    further: int = 0

    def is_over(self, merged_ms: int) -> bool:
        """Also if the clock was set back."""
        return not 0 <= now() - self.began_at < merged_ms


Counted = list[tuple[Reading, int]]
RecordUse = Callable[[str, int], object]  # of the row with this id, at this moment


@dataclass
class Due:
    """What is to be recorded of one owner: readings, and moments by what records them in a row,
    and its id.
    """

    readings: Counted = field(default_factory=list)
    uses: dict[tuple[RecordUse, str], int] = field(default_factory=dict)


class ReadingCounter:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._windows: dict[str, dict[Reading, Window]] = {}  # by what they are about
        self._begun = Counter[str]()  # windows by link, since the day began
        self._day = 0
        self._due: dict[str, Due] = {}  # by owner, who stays until what was taken is recorded
        self._count_due = 0
        self._retry_at = 0.0  # of `time.monotonic`, after a failure
        self.lost = 0

    def within_share(self, reading: Reading) -> Reading:
        """The reading as it is to be counted: whoever has a link begins so many windows a day, that
        they cannot push other events out of the owner's log.
        """
        link_id = reading.link_id
        if link_id is None:
            return reading
        with self._lock:
            if reading in self._windows.get(reading.about_id, {}):
                return reading
            today = now() // DAY_MS
            if today != self._day:
                self._begun.clear()
                self._day = today
            if self._begun[link_id] >= WINDOWS_OF_LINK:
                return reading.by_link_alone()
            self._begun[link_id] += 1
            return reading

    def is_first(self, reading: Reading) -> bool:
        """Whether it is an event at once: none like it was within the minute, which begins with it
        then. One that is merged by the day is none.
        """
        with self._lock:
            windows = self._windows.setdefault(reading.about_id, {})
            is_new = reading not in windows
            if is_new:
                windows[reading] = Window(now())
        return is_new and not reading.is_daily

    def add_further(self, reading: Reading, count: int = 1) -> None:
        """Count readings that were not the first, or fewer after a transaction that failed."""
        with self._lock:
            windows = self._windows.setdefault(reading.about_id, {})
            windows.setdefault(reading, Window(now())).further += count

    def add_due(self, counted: Iterable[tuple[Reading, int]]) -> None:
        """Readings to be recorded soon; beyond `MOST_DUE` they are lost."""
        with self._lock:
            self._add_due(counted)

    def add_use(self, owner_id: str, record: RecordUse, id: str, moment: int) -> None:
        """`record` is to be called when the readings are recorded."""
        with self._lock:
            self._due.setdefault(owner_id, Due()).uses[record, id] = moment

    def end_minutes(self, *, all: bool = False) -> None:
        """What was counted in minutes that are over becomes due; of `all`, to be recorded now."""
        with self._lock:
            self._retry_at = 0.0 if all else self._retry_at
            for about_id in list(self._windows):
                windows = self._windows.pop(about_id)
                over = {
                    reading: windows.pop(reading)
                    for reading, window in list(windows.items())
                    if all or window.is_over(DAY_MS if reading.is_daily else MERGED_MS)
                }
                if windows:
                    self._windows[about_id] = windows
                self._add_due(_counted(over))

    def owners(self) -> list[str]:
        """Those of whom something is due; none for a moment after a failure."""
        return list(self._due) if time.monotonic() >= self._retry_at else []

    def is_due(self, owner_id: str) -> bool:
        """Also while another thread records it."""
        return owner_id in self._due

    def take(self, owner_id: str) -> Due:
        """What is due of an owner. Then call `put_back`, or `end_taking`."""
        with self._lock:
            due = self._due.get(owner_id, Due())
            self._due[owner_id] = Due()
            self._count_due -= len(due.readings)
        return due

    def put_back(self, owner_id: str, due: Due) -> None:
        """What was taken and could not be recorded; this owner is the last one then."""
        with self._lock:
            newer = self._due.pop(owner_id, Due())
            self._count_due += len(due.readings)
            self._due[owner_id] = Due(due.readings + newer.readings, due.uses | newer.uses)

    def end_taking(self, owner_id: str) -> None:
        """What was taken is recorded."""
        with self._lock:
            self._retry_at = 0
            if self._due.get(owner_id) == Due():
                del self._due[owner_id]

    def take_of(self, owner_id: str, about_id: str, *, further: bool) -> tuple[Counted, Counted]:
        """What is due of one of them, and if `further` what was counted of it, which starts again
        from zero.
        """
        with self._lock:
            due = self._due.get(owner_id, Due())
            taken = [pair for pair in due.readings if pair[0].about_id == about_id]
            if taken:
                due.readings = [pair for pair in due.readings if pair[0].about_id != about_id]
                self._count_due -= len(taken)
            return taken, _counted(self._windows.pop(about_id, {})) if further else []

    def put_back_of(self, due: Counted, further: Counted) -> None:
        """What `take_of` has taken, and could not be recorded."""
        self.add_due(due)
        for reading, count in further:
            self.add_further(reading, count)

    def fail(self, owner_id: str, error: Exception) -> None:
        """Told once: what the database does not take now is tried again; of what fails for another
        reason, what is due of the owner is lost.
        """
        log = logging.getLogger("docservice")
        if known := service_error_of(error):
            if not self._retry_at:
                log.error("readings wait to be recorded: %s", known.sentence)
            self._retry_at = time.monotonic() + RETRY_SECONDS
        else:
            self._lose(self.take(owner_id).readings, error)
            self.end_taking(owner_id)

    def close(self) -> None:
        """Tell what is lost, as the process ends."""
        self.end_minutes(all=True)
        for owner_id in list(self._due):
            self._lose(self.take(owner_id).readings)

    def _add_due(self, counted: Iterable[tuple[Reading, int]]) -> None:
        for reading, count in counted:
            if self._count_due < MOST_DUE:
                self._due.setdefault(reading.owner_id, Due()).readings.append((reading, count))
                self._count_due += 1
            else:
                self._lose([(reading, count)])

    def _lose(self, counted: Counted, error: Exception | None = None) -> None:
        if count := sum(count for _, count in counted):
            self.lost += count
            logging.getLogger("docservice").error("%d readings are lost", count, exc_info=error)


def _counted(windows: dict[Reading, Window]) -> Counted:
    return [(reading, window.further) for reading, window in windows.items() if window.further > 0]
