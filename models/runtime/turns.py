"""Turns at expensive work, so that it leaves worker threads to everyone else.

Each user has one search at a time, since it decrypts thousands of names without a pause.

A preview is made in a child process. A quarter of the worker threads may make one for a view, two
for files to save; another quarter may wait some seconds for a slot. A caller beyond that, or
beyond a share of it, is refused at once.

What takes longer than people watch an empty page, as a conversion, is made beside the requests.
"""

import logging
import math
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import BoundedSemaphore, Condition, Lock, Thread
from typing import NamedTuple

from ..core import Busy, ServiceError

PROCESSES = 4  # child processes at once
PROCESS_SECONDS = 30
SLOT_SECONDS = 10
SAVING = 2  # slots for files: views keep the other processes
BESIDE_REQUESTS = 8  # previews at once, of which those that convert wait for memory


class Turns:
    """One turn of each key at a time; `most` may have it or wait for it."""

    def __init__(self, most: float = math.inf) -> None:
        self._most = most
        self._guard = Lock()
        self._asked = Counter[str]()
        self._locks: dict[str, Lock] = {}  # of each key that somebody has or waits for

    @contextmanager
    def turn(
        self, key: str, wait_seconds: float = -1, refusal: type[ServiceError] = Busy
    ) -> Iterator[None]:
        """Returns when the former turn of the key has ended. Raises the `refusal` if too many wait,
        or after `wait_seconds`, which are without an end by default.
        """
        with self._guard:
            if self._asked[key] >= self._most:
                raise refusal
            self._asked[key] += 1
            lock = self._locks.setdefault(key, Lock())
        try:
            if not lock.acquire(timeout=wait_seconds):
                raise refusal
            try:
                yield
            finally:
                lock.release()
        finally:
            with self._guard:
                self._asked -= Counter([key])
                if not self._asked[key]:
                    del self._locks[key]


class Slots:
    """`count` slots are held by all, all but one by the links and credentials of one owner, and
    half of them by one link.
    """

    def __init__(self, count: int) -> None:
        self.count = count
        self._held = Counter[str]()

    def has_room(self, owner_id: str, caller_id: str) -> bool:
        shares = {caller_id: self.count // 2, owner_id: self.count - 1}
        within = all(self._held[id] < max(1, most) for id, most in shares.items())
        return within and self._held[""] < self.count

    def take(self, owner_id: str, caller_id: str) -> None:
        self._held.update({caller_id, owner_id, ""})

    def release(self, owner_id: str, caller_id: str) -> None:
        self._held -= Counter({caller_id, owner_id, ""})


class PreviewQueue:
    def __init__(self, threads: int, slot_seconds: float = SLOT_SECONDS) -> None:
        self.viewing = Slots(max(1, threads // 4))
        self.saving = Slots(min(SAVING, self.viewing.count))
        self.waiting = Slots(threads // 4)
        self._slot_seconds = slot_seconds
        self._processes = BoundedSemaphore(PROCESSES)
        self._changed = Condition()
        self._same = Turns()  # at each preview
        self._wanted: dict[str, list[float]] = {}  # since when, by each who has or awaits a turn

    def seconds_in_making(self, id: str) -> int | None:
        """How long this preview has been made, or waited for; None if nobody makes it now."""
        with self._changed:
            since = self._wanted.get(id)
            return int(time.monotonic() - since[0]) if since else None

    @contextmanager
    def turn(
        self, id: str, owner_id: str, caller_id: str, *, saves: bool = False
    ) -> Iterator[None]:
        """The turn to make the preview `id`: nobody else makes the same one meanwhile.

        `caller_id` is a link's id, or the owner's. Raises `Busy`.
        """
        slots = self.saving if saves else self.viewing
        with self._want(id), self._slot(slots, (owner_id, caller_id)), self._same.turn(id):
            if not self._processes.acquire(timeout=PROCESS_SECONDS):
                raise Busy
            try:
                yield
            finally:
                self._processes.release()

    @contextmanager
    def _want(self, id: str) -> Iterator[None]:
        began_at = time.monotonic()
        with self._changed:
            self._wanted.setdefault(id, []).append(began_at)
        try:
            yield
        finally:
            with self._changed:
                self._wanted[id].remove(began_at)
                if not self._wanted[id]:
                    del self._wanted[id]

    @contextmanager
    def _slot(self, slots: Slots, caller: tuple[str, str]) -> Iterator[None]:
        with self._changed:
            self._wait_for_room(slots, caller)
            slots.take(*caller)
        try:
            yield
        finally:
            with self._changed:
                slots.release(*caller)
                self._changed.notify_all()

    def _wait_for_room(self, slots: Slots, caller: tuple[str, str]) -> None:
        if slots.has_room(*caller):
            return
        if not self.waiting.has_room(*caller):
            raise Busy
        self.waiting.take(*caller)
        try:
            if not self._changed.wait_for(lambda: slots.has_room(*caller), self._slot_seconds):
                raise Busy
        finally:
            self.waiting.release(*caller)


class Progress(NamedTuple):
    """Since when something is being made, and how many others were asked for before."""

    seconds: int
    before: int


class BeingMadeError(Exception):
    """A preview is being made, beside the requests or by another one; it is kept when it is asked
    for later.
    """

    def __init__(self, progress: Progress) -> None:
        super().__init__(progress)
        self.progress = progress


class BesideRequests:
    """Makes previews in threads of their own, in the order in which they were asked for."""

    def __init__(self, count_failed: Callable[[str], object] = lambda _: None) -> None:
        self._count_failed = count_failed
        self._slots = Slots(BESIDE_REQUESTS)
        self._begun: dict[str, float] = {}
        self._ended = deque[str](maxlen=100)
        self._lock = Lock()

    def begin(
        self, id: str, owner_id: str, caller_id: str, make: Callable[[], object]
    ) -> Progress | None:
        """Have `make` called, unless it runs; None if its last call has just ended.

        What that call could not keep is then left to a request that waits. Raises `Busy`.
        """
        with self._lock:
            if id in self._ended:
                self._ended.remove(id)
                return None
            if id not in self._begun:
                if not self._slots.has_room(owner_id, caller_id):
                    raise Busy
                self._slots.take(owner_id, caller_id)
                self._begun[id] = time.monotonic()
                Thread(target=self._run, args=(id, owner_id, caller_id, make), daemon=True).start()
            seconds = int(time.monotonic() - self._begun[id])
            return Progress(seconds, list(self._begun).index(id))

    def _run(self, id: str, owner_id: str, caller_id: str, make: Callable[[], object]) -> None:
        try:
            with suppress(ServiceError):
                make()
        except Exception as error:
            self._count_failed("previews")
            logging.getLogger("docservice").error("preview %s failed", id, exc_info=error)
        finally:
            with self._lock:
                del self._begun[id]
                self._ended.append(id)
                self._slots.release(owner_id, caller_id)
