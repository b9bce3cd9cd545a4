"""Slots for the long bodies that links have the service receive.

Most of the memory for bodies is left to those who have an account. Slots are shared fairly: a link
holds two, the links of one caller half of all. If others hold more than whoever is refused, their
bodies are hurried: they keep a pace, or the server ends them.
"""

import time
from collections.abc import Callable
from typing import cast

from ..core import Payer
from .slots import Slot, Slots

MOST_OF_LINK = 2  # bodies at once of one link,
MOST_OF_CALLER = 4  # of all links of one caller,
MOST_OF_ALL = 8  # and of all callers
HURRIED_BYTES = 1 << 20  # in any 15 seconds
HURRIED_SECONDS = 30  # after somebody was refused


class Admission:
    """A long body that is being received, as the server takes it; nobody waits for this one."""

    def end(self) -> None:
        """Release the slot, once, when the body is gone."""

    def pace_bytes(self) -> int:
        """Return how many bytes have to come in any 15 seconds, if more than of every body."""
        return 0


class LongBodies:
    """The long bodies of links that are being received."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.clock = clock
        self.slots = Slots(MOST_OF_ALL, of_caller=MOST_OF_CALLER, of_part=MOST_OF_LINK)

    def admit(self, payer: Payer) -> "LongBody | None":
        """Return a body that holds a slot; None without one, and then larger shares are hurried."""
        body = LongBody(self, payer)
        if self.slots.take(body):
            return body
        until = self.clock() + HURRIED_SECONDS
        for other in cast("list[LongBody]", self.slots.held_by_larger_shares(body)):
            other.hurry(until)
        return None


class LongBody(Slot, Admission):
    """The admission of a body that comes by a link, which holds a slot."""

    def __init__(self, bodies: LongBodies, payer: Payer) -> None:
        super().__init__(*payer)
        self._bodies = bodies
        self._hurried_until = 0.0

    def end(self) -> None:
        self._bodies.slots.release(self)

    def hurry(self, until: float) -> None:
        self._hurried_until = until

    def pace_bytes(self) -> int:
        return HURRIED_BYTES if self._bodies.clock() < self._hurried_until else 0
