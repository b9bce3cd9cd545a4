"""Where a request's body is kept while it comes in: in memory, since the disk sees no plaintext."""

import io
import os
import threading
from typing import BinaryIO

SMALL_BYTES = 1 << 20


class MemoryBudget:
    """The memory that long bodies share."""

    def __init__(self, free_bytes: int) -> None:
        self._free, self._lock = free_bytes, threading.Lock()

    def take(self, wanted_bytes: int) -> bool:
        with self._lock:
            enough = wanted_bytes <= self._free
            self._free -= wanted_bytes if enough else 0
        return enough

    def give(self, taken_bytes: int) -> None:
        with self._lock:
            self._free += taken_bytes


class BodyBuffer:
    """A body. Past its limit, or without room for it, it is counted, not kept.

    A long one lies in a file that is memory: it grows without being moved, and goes back when it
    is closed.
    """

    def __init__(self, limit_bytes: int, expected_bytes: int, room: MemoryBudget) -> None:
        self._limit = limit_bytes if expected_bytes <= limit_bytes else 0
        self._received = self._taken = 0
        self._is_long = SMALL_BYTES < expected_bytes <= limit_bytes
        self._file = _memory_file() if self._is_long else io.BytesIO()
        self._room = room
        self.found_no_room = False

    def __len__(self) -> int:
        return self._received

    def append(self, data: bytes | memoryview) -> None:
        self._received += len(data)
        if self._received <= self._limit and self._has_room(len(data)):
            self._file.write(data)
        elif self._limit:
            self._limit = 0
            self._file.truncate(0)
            self._give_back()

    def _has_room(self, wanted_bytes: int) -> bool:
        if not self._is_long:
            return True
        self.found_no_room = not self._room.take(wanted_bytes)
        self._taken += 0 if self.found_no_room else wanted_bytes
        return not self.found_no_room

    def _give_back(self) -> None:
        taken, self._taken = self._taken, 0
        self._room.give(taken)

    def getfile(self) -> BinaryIO:
        self._file.seek(0)
        return self._file

    def getbuf(self) -> "BodyBuffer":
        return self

    def close(self) -> None:
        self._file.close()
        self._give_back()

    __del__ = close  # of a request that came behind another, when the client has gone


def _memory_file() -> BinaryIO:
    if not hasattr(os, "memfd_create"):
        return io.BytesIO()
    return open(os.memfd_create("body"), "w+b", buffering=0)
