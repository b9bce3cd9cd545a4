"""Slots for the long bodies that links have the service receive.

Most of the memory for bodies is left to those who have an account. Slots are shared fairly: a link
holds two, the links of one owner half of all. Whoever is refused because others hold more has those
hurry: they keep a pace, or the server ends them.
"""

import time
from collections.abc import Callable, Iterable
from threading import RLock

OF_LINK, OF_OWNER, OF_ALL = 2, 4, 8  # bodies at once of one link, of one owner's, and of all
HURRIED_BYTES = 1 << 20  # in any 15 seconds
HURRIED_SECONDS = 30  # after somebody was refused


class Admission:
    """A long body that is being received, as the server takes it; for this one nobody waits."""

    def end(self) -> None:
        """Called once, when the body is gone."""

    def pace_bytes(self) -> int:
        """How many bytes have to come in any 15 seconds, if more than of every body."""
        return 0


class BodySlot(Admission):
    """The admission of a body by a link, which holds a slot."""

    def __init__(self, slots: "BodySlots", owner_id: str, link_id: str) -> None:
        self.owner_id, self.link_id = owner_id, link_id
        self._slots = slots
        self._hurried_until = 0.0

    def end(self) -> None:
        self._slots.release(self)

    def hurry(self, until: float) -> None:
        self._hurried_until = until

    def pace_bytes(self) -> int:
        return HURRIED_BYTES if self._slots.clock() < self._hurried_until else 0


class BodySlots:
    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.clock = clock
        self._held: list[BodySlot] = []
        self._guard = RLock()  # a body may be collected, and release its slot, while it is held

    def take(self, owner_id: str, link_id: str) -> BodySlot | None:
        """A slot; None if there is none, and then those who hold more have to hurry."""
        with self._guard:
            of_link, of_owner = self._of_link(link_id), self._of_owner(owner_id)
            if of_link >= OF_LINK:
                return None
            if of_owner >= OF_OWNER:
                own = [slot for slot in self._held if slot.owner_id == owner_id]
                self._hurry(slot for slot in own if self._of_link(slot.link_id) > of_link)
                return None
            if len(self._held) >= OF_ALL:
                self._hurry(slot for slot in self._held if self._of_owner(slot.owner_id) > of_owner)
                return None
            slot = BodySlot(self, owner_id, link_id)
            self._held.append(slot)
            return slot

    def release(self, slot: BodySlot) -> None:
        with self._guard:
            self._held.remove(slot)

    def _hurry(self, slots: Iterable[BodySlot]) -> None:
        until = self.clock() + HURRIED_SECONDS
        for slot in slots:
            slot.hurry(until)

    def _of_link(self, link_id: str) -> int:
        return sum(slot.link_id == link_id for slot in self._held)

    def _of_owner(self, owner_id: str) -> int:
        return sum(slot.owner_id == owner_id for slot in self._held)
