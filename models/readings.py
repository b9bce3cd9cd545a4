"""Counts readings of one document by one credential, so that a minute of them is two events.

The first is recorded at once; how many followed, when the minute is over. What is counted here is
in memory: a stop records it, a crash loses at most a minute of it. Where several processes serve
one database, it is in rows (`shared_readings.py`).
"""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from .records.ids import now

MERGED_MS = 60_000


class Reading(NamedTuple):
    """`type` is that of its event; `actor` the credential, as events name it."""

    owner_id: str
    type: str
    document_id: str
    actor: tuple[tuple[str, str], ...]


@dataclass
class Window:
    """When a first reading was; and how many followed."""

    began_at: int
    further: int = 0

    def is_over(self) -> bool:
        """Also if the clock was set back."""
        return not 0 <= now() - self.began_at < MERGED_MS


Counted = list[tuple[Reading, int]]
Take = Callable[[], Counted]


class ReadingCounter:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._windows: dict[str, dict[Reading, Window]] = {}  # by the document's id

    def is_first(self, reading: Reading) -> bool:
        """Whether none like it was within the minute; else it is counted."""
        with self._lock:
            windows = self._windows.setdefault(reading.document_id, {})
            if window := windows.get(reading):
                window.further += 1
            else:
                windows[reading] = Window(now())
        return not window

    def take_of(self, document_id: str) -> Counted:
        """What was counted of a document, which begins anew."""
        with self._lock:
            return _counted(self._windows.pop(document_id, {}))

    def take_ended(self, *, all: bool = False) -> list[tuple[str, Take]]:
        """What was counted in minutes that are over, or in all: owners, and functions that return
        some of it in a transaction of the owner.
        """
        with self._lock:
            counted = [one for id in list(self._windows) for one in self._take_ended(id, all)]
        return [(one[0].owner_id, partial(list, [one])) for one in counted]

    def put_back(self, counted: Counted) -> None:
        """Count again what was taken and could not be recorded."""
        with self._lock:
            for reading, count in counted:
                windows = self._windows.setdefault(reading.document_id, {})
                windows.setdefault(reading, Window(now())).further += count

    def _take_ended(self, document_id: str, all: bool) -> Counted:
        windows = self._windows.pop(document_id)
        over = {one: window for one, window in windows.items() if all or window.is_over()}
        if len(over) < len(windows):
            self._windows[document_id] = {one: windows[one] for one in windows.keys() - over}
        return _counted(over)


def _counted(windows: dict[Reading, Window]) -> Counted:
    return [(reading, one.further) for reading, one in windows.items() if one.further]
