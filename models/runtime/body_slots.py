"""Slots for the long bodies that links have the service receive.

Most of the memory for bodies is left to those who have an account.
"""

from collections import Counter
from collections.abc import Callable
from functools import partial
from threading import RLock

OF_LINK, OF_ALL = 2, 4  # bodies at once of one link, and of all links together


class BodySlots:
    def __init__(self) -> None:
        self._held = Counter[str]()
        self._guard = RLock()  # a body may be collected, and release its slot, while it is held

    def take(self, link_id: str) -> Callable[[], None] | None:
        """What releases the slot; None if there is none."""
        with self._guard:
            is_full = self._held[link_id] >= OF_LINK or self._held.total() >= OF_ALL
            if is_full:
                return None
            self._held[link_id] += 1
        return partial(self._release, link_id)

    def _release(self, link_id: str) -> None:
        with self._guard:
            self._held -= Counter([link_id])
