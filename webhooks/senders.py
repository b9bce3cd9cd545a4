"""Threads, started on demand, which send rows that are due: those of one lane one after another.

An attempt that raises an error is an attempt like any other: the row is due again later, and is
given up after the last one. No thread waits for a row. A caller, as `payer_of` has it, has a share
of the threads, and callers who hold the fewest threads come first.
"""

import queue
import random
import threading
import time
from abc import ABC, abstractmethod
from collections import Counter
from typing import Generic, TypeVar

from models import WebhookDelivery, connected, current_runtime
from models.core import now
from models.events import Mail, Outcome, delivery_queued, release_lane
from models.records import payer_of
from models.runtime import log_failure

from .limits import DispatcherLimits

Waiting = WebhookDelivery | Mail
Row = TypeVar("Row", bound=Waiting)


class Senders(ABC, Generic[Row]):
    def __init__(self, limits: DispatcherLimits, threads: int, threads_per_caller: int) -> None:
        self._limits = limits
        self._most_threads = threads
        self._most_threads_per_caller = threads_per_caller
        self._stopped = threading.Event()
        self._busy: dict[str, str] = {}  # lanes with something in flight, and their callers
        self._resting: dict[str, float] = {}  # lanes, until when by `time.monotonic`
        self._queue: queue.SimpleQueue[Row | None] = queue.SimpleQueue()
        self._threads: list[threading.Thread] = []

    @abstractmethod
    def send(self, row: Row) -> None:
        """Send it and store the outcome."""

    @abstractmethod
    def work_of(self, row: Row) -> str:
        """Return the kind of work, as the metrics name it."""

    def busy(self) -> dict[str, str]:
        """Return the lanes with something in flight, and their callers.

        Ask before the database is read: the rows of these lanes that are read may be outdated.
        """
        return self._busy.copy()

    def dispatch(self, first_due: list[Row], busy: dict[str, str]) -> float:
        """Have due rows sent, as far as there are threads; `first_due` has one row of a lane.

        Returns the seconds until the next one is due.
        """
        self._end_rests()
        wait_seconds = self._limits.poll_seconds
        waiting = [row for row in first_due if row.lane not in busy]
        for row in _in_turn(waiting, Counter(busy.values())):
            left_seconds = self._seconds_until_due(row)
            if left_seconds > 0:
                wait_seconds = min(wait_seconds, left_seconds)
            elif self._has_thread_for(row) and row.claim():
                self._enqueue(row)
        return wait_seconds

    def begin_stop(self) -> None:
        self._stopped.set()
        for _ in self._threads:
            self._queue.put(None)

    def join(self, deadline: float) -> None:
        """Wait for the rows in flight, until a moment of `time.monotonic`."""
        for thread in self._threads:
            thread.join(max(0, deadline - time.monotonic()))

    def _end_rests(self) -> None:
        """Forget those that are over. Senders add some meanwhile."""
        for lane, until in list(self._resting.items()):
            if until <= time.monotonic():
                self._resting.pop(lane, None)

    def _seconds_until_due(self, row: Row) -> float:
        rest_seconds = self._resting.get(row.lane, 0) - time.monotonic()
        if rest_seconds > 0:
            return rest_seconds
        left_seconds = ((row.due_at or 0) - now()) / 1000
        return left_seconds if left_seconds < self._limits.wait_seconds else 0

    def _has_thread_for(self, row: Row) -> bool:
        busy = self._busy.copy()
        of_caller = list(busy.values()).count(caller_of(row))
        return len(busy) < self._most_threads and of_caller < self._most_threads_per_caller

    def _enqueue(self, row: Row) -> None:
        self._busy[row.lane] = caller_of(row)
        self._queue.put(row)
        if len(self._threads) < min(len(self._busy), self._most_threads):
            thread = threading.Thread(target=self._run, name="sender", daemon=True)
            self._threads.append(thread)
            thread.start()

    def _run(self) -> None:
        while (row := self._queue.get()) is not None and not self._stopped.is_set():
            self.attempt(row)

    def attempt(self, row: Row) -> None:
        """Send a row that was claimed, store the outcome, and let others send."""
        try:
            self.send(row)
        except Exception as error:
            self.record_failure(row, error)
        finally:
            self._release(row)

    def record_failure(self, row: Row, error: Exception) -> None:
        """Count an attempt that the service itself has failed at, and let the row wait."""
        log_failure(f"{row.id} failed", error, quotes=False)
        failures = current_runtime().failures
        work = self.work_of(row)
        failures.count_failed(work)
        retries_seconds = self._limits.retries_seconds
        due_at = None
        if row.attempts < len(retries_seconds):
            pause_seconds = max(retries_seconds[row.attempts], self._limits.backoff_seconds)
            due_at = now() + int(pause_seconds * 1000)
        try:
            with connected():
                is_given_up = row.record_failure(due_at)
        except Exception as later_error:  # as while the database is away
            log_failure(f"the failure of {row.id} is not recorded", later_error)
            self._resting[row.lane] = time.monotonic() + self._limits.backoff_seconds
            return
        if is_given_up:
            failures.give_up(work, row.id)

    def _release(self, row: Row) -> None:
        try:
            release_lane(row.lane)
        except Exception as error:  # the claim ends by itself
            log_failure(f"{row.lane} is not released", error)
        self._busy.pop(row.lane, None)
        delivery_queued.set()

    def _retry_at(self, attempts: int, outcome: Outcome) -> int | None:
        """Return the moment of the next attempt, in ms, with jitter; None if there is none."""
        retries_seconds = self._limits.retries_seconds
        if outcome.succeeded or outcome.for_good or attempts >= len(retries_seconds):
            return None
        wait_seconds = retries_seconds[attempts] * random.uniform(0.8, 1.2)  # noqa: S311
        asked_seconds = min(outcome.retry_after_seconds, self._limits.retry_after_seconds)
        return now() + int(max(wait_seconds, asked_seconds) * 1000)


def caller_of(row: Waiting) -> str:
    """Return the id of the account whose share of the threads a row uses."""
    return payer_of(row.owner_id).id


def _in_turn(waiting: list[Row], held: Counter[str]) -> list[Row]:
    """Return the rows, the oldest first, but those of callers with fewer threads before others.

    Each row counts as a thread for the next ones. `held` is the number of threads by caller.
    """
    rank = {}
    for row in sorted(waiting, key=lambda row: row.due_at or 0):
        caller = caller_of(row)
        rank[row.id] = held[caller], row.due_at or 0
        held[caller] += 1
    return sorted(waiting, key=lambda row: rank[row.id])
