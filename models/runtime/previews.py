"""Previews that are being made, and previews that were made and could not be stored.

A preview is made in a child process, by a thread that holds a slot. A quarter of the worker
threads may make previews for views, and two of them for files to save; another quarter may wait
some seconds for a slot. One caller has all slots but one at most, one link half of them. A caller
who gets no slot is refused, unless another one makes the same preview already: then the caller
waits for two seconds, in which most previews are made.

A conversion, which takes longer than people watch an empty page, is made beside the requests.
"""

import logging
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import Lock, Thread
from typing import NamedTuple

from ..core import Busy, Payer, ServiceError
from .slots import OneAtATime, Slot, Slots

PROCESSES = 4  # child processes at once
PROCESS_SECONDS = 30
SLOT_SECONDS = 10
SAME_SECONDS = 2  # of waiting for another caller who makes the same preview
SAVING = 2  # slots for files: views keep the other processes
BESIDE_REQUESTS = 8  # previews at once; conversions among them wait for memory
MOST_UNKEPT_BYTES = 48 << 20  # of all of them; a converted PDF has at most 32 MiB
UNKEPT_SECONDS = 600


def _shared(most: int, waiting: Slots | None = None) -> Slots:
    """Return slots of which one caller has all but one at most, and one link half."""
    return Slots(most, max(1, most - 1), max(1, most // 2), waiting=waiting)


class PreviewQueue:
    """Slots for views and for files to save, and a line of those who wait for one."""

    def __init__(self, threads: int, slot_seconds: float = SLOT_SECONDS) -> None:
        quarter = threads // 4
        self.waiting = _shared(quarter)
        self.viewing = _shared(max(1, quarter), self.waiting)
        self.saving = _shared(min(SAVING, max(1, quarter)), self.waiting)
        self._slot_seconds = slot_seconds
        self.same_seconds: float = SAME_SECONDS
        self._same = OneAtATime()
        self._processes = Slots(PROCESSES)
        self._guard = Lock()
        self._wanted: dict[str, list[float]] = {}  # since when, by each who has or awaits a turn

    def seconds_in_making(self, id: str) -> int | None:
        """Return how long this preview has been made or waited for; None if nobody wants it now."""
        with self._guard:
            since = self._wanted.get(id)
            return int(time.monotonic() - since[0]) if since else None

    def await_other(self, id: str) -> None:
        """Wait some time until another caller has made this preview, without a slot."""
        with suppress(Busy), self._same.held(id, seconds=self.same_seconds):
            pass

    @contextmanager
    def turn(self, id: str, payer: Payer, *, saves: bool = False) -> Iterator[None]:
        """Hold a slot to make the preview `id`, which nobody else makes meanwhile.

        Raises `Busy` if no slot gets free in time, or no child process.
        """
        slots = self.saving if saves else self.viewing
        with (
            self._want(id),
            slots.held(payer, seconds=self._slot_seconds),
            self._same.held(id),
            self._processes.held(seconds=PROCESS_SECONDS),
        ):
            yield

    @contextmanager
    def _want(self, id: str) -> Iterator[None]:
        began_at = time.monotonic()
        with self._guard:
            self._wanted.setdefault(id, []).append(began_at)
        try:
            yield
        finally:
            with self._guard:
                self._wanted[id].remove(began_at)
                if not self._wanted[id]:
                    del self._wanted[id]


class Progress(NamedTuple):
    """The seconds since a preview was begun, and how many others were asked for before."""

    seconds: int
    before: int


class BeingMadeError(Exception):
    """A preview is being made, beside the requests or by another request.

    It is kept when it is asked for later.
    """

    def __init__(self, progress: Progress) -> None:
        super().__init__(progress)
        self.progress = progress


class BesideRequests:
    """Threads that make previews, in the order in which they were asked for."""

    def __init__(self, count_failed: Callable[[str], object] = lambda _: None) -> None:
        self._count_failed = count_failed
        self._slots = _shared(BESIDE_REQUESTS)
        self._begun: dict[str, float] = {}
        self._ended = deque[str](maxlen=100)
        self._guard = Lock()

    def begin(self, id: str, payer: Payer, make: Callable[[], object]) -> Progress | None:
        """Have `make` called, unless it runs; return None if its last call has just ended.

        A preview that this call could not keep is then left to a request that waits. Raises `Busy`.
        """
        with self._guard:
            if id in self._ended:
                self._ended.remove(id)
                return None
            if id not in self._begun:
                slot = Slot(*payer)
                if not self._slots.take(slot):
                    raise Busy
                self._begun[id] = time.monotonic()
                Thread(target=self._run, args=(id, slot, make), daemon=True).start()
            seconds = int(time.monotonic() - self._begun[id])
            return Progress(seconds, list(self._begun).index(id))

    def _run(self, id: str, slot: Slot, make: Callable[[], object]) -> None:
        try:
            with suppress(ServiceError):
                make()
        except Exception as error:
            self._count_failed("previews")
            logging.getLogger("docservice").error("preview %s failed", id, exc_info=error)
        finally:
            with self._guard:
                del self._begun[id]
                self._ended.append(id)
                self._slots.release(slot)


class UnkeptPreviews:
    """The last previews that could not be stored, by id: few views make them anew."""

    def __init__(self) -> None:
        self._held: dict[str, tuple[float, bytes]] = {}  # until when; the oldest first
        self._guard = Lock()

    def put(self, id: str, made: bytes) -> None:
        with self._guard:
            self._held.pop(id, None)
            self._held[id] = (time.monotonic() + UNKEPT_SECONDS, made)
            while sum(len(held) for _, held in self._held.values()) > MOST_UNKEPT_BYTES:
                self._held.pop(next(iter(self._held)))
        self.forget_old()

    def get(self, id: str) -> bytes | None:
        end, made = self._held.get(id, (0.0, None))
        return made if end > time.monotonic() else None

    def forget_old(self) -> None:
        with self._guard:
            for id, (end, _) in list(self._held.items()):
                if end <= time.monotonic():
                    del self._held[id]
