"""Slots for work that few may do at once, shares of one caller, and the line of those who wait."""

import math
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from threading import Event, RLock

from ..core import Busy, Payer, ServiceError, current_payer, will_wait


class Slot:
    """The right to do the work once, of a caller, or of a part of the caller: a payer's."""

    def __init__(self, caller: str = "", part: str = "") -> None:
        self.caller = caller
        self.part = part


class Slots:
    """Slots of which `most` are held at once, `of_caller` by one caller, `of_part` by one part.

    A caller who finds none waits in a line. A released slot goes to the first in the line whom the
    shares permit to have it. The line is as long as `waiting` has slots, which several lines may
    share; without `waiting` it has no end.
    """

    def __init__(
        self,
        most: float,
        of_caller: float = math.inf,
        of_part: float = math.inf,
        *,
        waiting: "Slots | None" = None,
    ) -> None:
        self.most = most
        self._of_caller = of_caller
        self._of_part = of_part
        self._waiting = waiting
        self._held: list[Slot] = []
        self._line: dict[Slot, Event] = {}
        self._guard = RLock()  # the garbage collector may release a slot while the guard is held

    def take(self, slot: Slot) -> bool:
        """Hold this slot if there is room for it now, and return whether there is."""
        with self._guard:
            has_room = self.has_room(slot)
            if has_room:
                self._held.append(slot)
            return has_room

    def has_room(self, slot: Slot) -> bool:
        """Return whether it could be held now."""
        with self._guard:
            return (
                len(self._held) < self.most
                and self._count_of_caller(slot) < self._of_caller
                and self._count_of_part(slot) < self._of_part
            )

    def release(self, slot: Slot) -> None:
        """Hand a slot that is held to whoever waits for it."""
        with self._guard:
            self._held.remove(slot)
            for waiting, granted in list(self._line.items()):
                if self.has_room(waiting):
                    self._held.append(waiting)
                    del self._line[waiting]
                    granted.set()

    @contextmanager
    def held(
        self,
        payer: Payer | None = None,
        *,
        seconds: float | None = None,
        refusal: type[ServiceError] = Busy,
    ) -> Iterator[None]:
        """Hold a slot for the block; wait for it so many seconds, by default without an end.

        It counts for the payer of the request, or for the given one, where the request has ended.
        Raises the `refusal` after that time, and at once if too many wait.
        """
        slot = Slot(*(payer or current_payer.get()))
        if not (self.take(slot) or self._wait_for(slot, seconds)):
            raise refusal
        try:
            yield
        finally:
            self.release(slot)

    def held_by_larger_shares(self, slot: Slot) -> list[Slot]:
        """Return the slots of larger shares, without which this slot could be had at once.

        There are none where its own part has all that a part may have. Where its caller has all
        that a caller may have, the slots are those of the caller's other parts; else those of other
        callers.
        """
        with self._guard:
            of_part = self._count_of_part(slot)
            of_caller = self._count_of_caller(slot)
            if of_part >= self._of_part:
                return []
            if of_caller >= self._of_caller:
                of_same = [other for other in self._held if other.caller == slot.caller]
                return [other for other in of_same if self._count_of_part(other) > of_part]
            return [other for other in self._held if self._count_of_caller(other) > of_caller]

    def would_make_room(self, held: Slot, wanted: Slot) -> bool:
        """Return whether `wanted` could not be held now, and could if `held` was released."""
        with self._guard:
            if self.has_room(wanted):
                return False
            self._held.remove(held)
            makes_room = self.has_room(wanted)
            self._held.append(held)
            return makes_room

    def _wait_for(self, slot: Slot, seconds: float | None) -> bool:
        """Wait in the line; return whether the slot is held now."""
        if seconds == 0 or (self._waiting and not self._waiting.take(slot)):
            return False
        granted = self._line_up(slot)
        will_wait()
        granted.wait(seconds)
        if self._waiting:
            self._waiting.release(slot)
        with self._guard:
            return self._line.pop(slot, None) is None

    def _line_up(self, slot: Slot) -> Event:
        """Return the event that the slot is held."""
        granted = Event()
        with self._guard:
            if self.take(slot):  # it was released a moment ago
                granted.set()
            else:
                self._line[slot] = granted
        return granted

    def _count_of_caller(self, slot: Slot) -> int:
        return sum(other.caller == slot.caller for other in list(self._held))

    def _count_of_part(self, slot: Slot) -> int:
        if not slot.part:
            return 0
        return sum(other.part == slot.part for other in list(self._held))


class OneAtATime:
    """Things on each of which one request works at a time, whoever asks for it."""

    def __init__(self) -> None:
        self._slots = Slots(math.inf, of_caller=1)  # the caller is the id of the thing

    def held(
        self, id: str, *, seconds: float | None = None, refusal: type[ServiceError] = Busy
    ) -> AbstractContextManager[None]:
        """Have the thing with this id for the block. Waits, and raises, as `Slots.held`."""
        return self._slots.held(Payer(id), seconds=seconds, refusal=refusal)
