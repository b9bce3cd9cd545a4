"""Slots for the long bodies that links have the service receive.

Most of the memory for bodies is left to those who have an account. Slots are shared fairly: a link
holds two, the links of one caller half of all. If others hold more than whoever is refused, their
bodies are hurried: they keep a pace, or the server ends them.

A body in steps may be of any length. So it gives way after a while to somebody who was refused, and
its client goes on behind that one.
"""

import threading
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
KEPT_BYTES = 64 << 20  # that a body brings before it gives way,
KEPT_SECONDS = 60  # or for which it holds its slot
ASKED_SECONDS = 60  # after which a body gives way no more to somebody who was refused


class Admission:
    """A long body that is being received, as the server takes it; nobody waits for this one."""

    def end(self) -> None:
        """Release the slot, once, when the body is gone."""

    def pace_bytes(self) -> int:
        """Return how many bytes have to come in any 15 seconds, if more than of every body."""
        return 0

    def gives_way(self, _received_bytes: int) -> bool:
        """Return whether a body that has brought so much ends now, as somebody was refused."""
        return False


class LongBodies:
    """The long bodies of links that are being received."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.clock = clock
        self.slots = Slots(MOST_OF_ALL, of_caller=MOST_OF_CALLER, of_part=MOST_OF_LINK)
        self._refused: dict[Payer, float] = {}  # and when; until they have a slot
        self._guard = threading.Lock()

    def admit(self, payer: Payer) -> "LongBody | None":
        """Return a body that holds a slot; None without one, and then larger shares are hurried."""
        now = self.clock()
        body = LongBody(self, payer, now)
        with self._guard:
            self._refused.pop(payer, None)
            if self.slots.take(body):
                return body
            self._refused[payer] = now
        for other in cast("list[LongBody]", self.slots.held_by_larger_shares(body)):
            other.hurry(now + HURRIED_SECONDS)
        return None

    def hands_on(self, body: "LongBody") -> bool:
        """Return whether somebody was refused who finds a slot without this body.

        Each one who was refused gets one slot in this way.
        """
        asked_since = self.clock() - ASKED_SECONDS
        with self._guard:
            for payer, refused_at in list(self._refused.items()):
                if refused_at <= asked_since:
                    del self._refused[payer]
                elif self.slots.would_make_room(body, Slot(*payer)):
                    del self._refused[payer]
                    return True
        return False


class LongBody(Slot, Admission):
    """The admission of a body that comes by a link, which holds a slot."""

    def __init__(self, bodies: LongBodies, payer: Payer, began_at: float) -> None:
        super().__init__(*payer)
        self._bodies = bodies
        self._began_at = began_at
        self._hurried_until = 0.0

    def end(self) -> None:
        self._bodies.slots.release(self)

    def hurry(self, until: float) -> None:
        self._hurried_until = until

    def pace_bytes(self) -> int:
        return HURRIED_BYTES if self._bodies.clock() < self._hurried_until else 0

    def gives_way(self, received_bytes: int) -> bool:
        held_seconds = self._bodies.clock() - self._began_at
        is_long = received_bytes >= KEPT_BYTES or held_seconds >= KEPT_SECONDS
        return is_long and self._bodies.hands_on(self)
