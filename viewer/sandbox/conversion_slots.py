"""Lets as many conversions run at once as there is memory for: one, and more where it allows."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Condition
from typing import Final

WAIT_SECONDS: Final = 20  # for a slot
MOST: Final = 4  # at once
MEMORY_INFO: Final = Path("/proc/meminfo")
OWN_CGROUP: Final = Path("/proc/self/cgroup")
CGROUPS: Final = Path("/sys/fs/cgroup")


class ConverterBusyError(Exception):
    """Other conversions take the memory, and none of them ended in time."""


class ConversionSlots:
    """Each conversion may take `needed` bytes of those that are `available`."""

    def __init__(self, needed: int, available: Callable[[], int]) -> None:
        self._needed, self._available = needed, available
        self._running, self._changed = 0, Condition()

    @contextmanager
    def slot(self, seconds: float) -> Iterator[None]:
        """A slot for one conversion. Raises ConverterBusyError if there is none for so long."""
        with self._changed:
            if not self._changed.wait_for(self._has_room, seconds):
                raise ConverterBusyError
            self._running += 1
        try:
            yield
        finally:
            with self._changed:
                self._running -= 1
                self._changed.notify_all()

    def _has_room(self) -> bool:
        """Those that run may take what they have not taken yet, so that theirs counts as well."""
        room = not self._running or self._available() >= (self._running + 1) * self._needed
        return self._running < MOST and room


def available_memory() -> int:
    """Return what the machine has, and what the limit of the own cgroup (version 2) leaves."""
    left = []
    with suppress(OSError, LookupError):
        left.append(int(MEMORY_INFO.read_text().split("MemAvailable:")[1].split()[0]) << 10)
    with suppress(OSError, LookupError, ValueError):  # "max" is no limit
        own = CGROUPS / OWN_CGROUP.read_text().split("0::/")[1].strip()
        limit, taken = (int((own / f"memory.{name}").read_text()) for name in ("max", "current"))
        left.append(limit - taken)
    return min(left, default=0)
