"""Conversions that may run at once: one, and as many more as there is memory for."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from os import sysconf
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
    """Slots for conversions: each may take `needed` bytes of those that are `available`."""

    def __init__(self, needed: int, available: Callable[[], int]) -> None:
        self._needed = needed
        self._available = available
        self._running = 0
        self._changed = Condition()

    @contextmanager
    def slot(self, seconds: float) -> Iterator[None]:
        """Hold a slot for a conversion. Raises ConverterBusyError if there is none in time."""
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
        """Return whether one more fits; memory that running ones may still take counts, too."""
        if not self._running:
            return True
        is_room = self._available() >= (self._running + 1) * self._needed
        return self._running < MOST and is_room


def available_memory() -> int:
    """Return how many bytes this process and others of its cgroups can still take."""
    return min((_of_machine(), *_of_cgroups()))


def _of_machine() -> int:
    """Return what could be had without swapping; what is free where /proc does not say."""
    with suppress(OSError):
        for line in MEMORY_INFO.read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) << 10
    return sysconf("SC_AVPHYS_PAGES") * sysconf("SC_PAGESIZE")


def _of_cgroups() -> Iterator[int]:
    """Yield what the limit of each cgroup (version 2) that holds this process leaves.

    Source: Documentation/admin-guide/cgroup-v2.rst. Inactive pages of files can be taken back.
    """
    with suppress(OSError):
        for line in OWN_CGROUP.read_text().splitlines():
            if line.startswith("0::/"):
                own = CGROUPS / line[4:]
                for folder in (own, *own.parents):
                    with suppress(OSError, ValueError):  # "max" is no limit
                        yield _left(folder)


def _left(folder: Path) -> int:
    limit, taken = (int((folder / f"memory.{name}").read_text()) for name in ("max", "current"))
    state = dict(line.split() for line in (folder / "memory.stat").read_text().splitlines())
    return limit - taken + int(state["inactive_file"])
