"""Buffers request bodies in memory only, so that no plaintext reaches the disk."""

import io
import os
import threading
from typing import BinaryIO

UNCOUNTED_BYTES = 64 << 10  # of each body; 500 connections hold 32 MiB of them
FILE_BYTES = 1 << 20


class MemoryBudget:
    """The memory that all bodies share."""

    def __init__(self, free_bytes: int) -> None:
        self._free, self._lock = free_bytes, threading.Lock()

    def reserve(self, wanted_bytes: int) -> bool:
        """Whether so much was free; if not, nothing is reserved."""
        with self._lock:
            is_free = wanted_bytes <= self._free
            self._free -= wanted_bytes if is_free else 0
        return is_free

    def release(self, reserved_bytes: int) -> None:
        with self._lock:
            self._free += reserved_bytes


class BodyBuffer:
    """One body. Beyond its limit or the budget it is counted and discarded.

    What exceeds UNCOUNTED_BYTES is reserved in the budget. A body of more than FILE_BYTES is a
    memory file: it grows without being copied and is freed when it is closed.
    """

    def __init__(self, limit_bytes: int, expected_bytes: int, budget: MemoryBudget) -> None:
        self._limit = limit_bytes if expected_bytes <= limit_bytes else 0
        self._received = self._reserved = 0
        is_large = FILE_BYTES < expected_bytes <= limit_bytes
        self._file = _memory_file() if is_large else io.BytesIO()
        self._budget = budget
        self.is_over_budget = False

    def __len__(self) -> int:
        return self._received

    def append(self, data: bytes | memoryview) -> None:
        self._received += len(data)
        if self._received <= self._limit and self._reserve():
            self._file.write(data)
        elif self._limit:
            self._limit = 0
            self._file.truncate(0)
            self._release()

    def _reserve(self) -> bool:
        wanted_bytes = max(0, self._received - UNCOUNTED_BYTES - self._reserved)
        self.is_over_budget = not self._budget.reserve(wanted_bytes)
        self._reserved += 0 if self.is_over_budget else wanted_bytes
        return not self.is_over_budget

    def _release(self) -> None:
        reserved, self._reserved = self._reserved, 0
        self._budget.release(reserved)

    def getfile(self) -> BinaryIO:
        self._file.seek(0)
        return self._file

    def close(self) -> None:
        self._file.close()
        self._release()

    __del__ = close  # of a pipelined request whose client disconnected


def _memory_file() -> BinaryIO:
    if not hasattr(os, "memfd_create"):
        return io.BytesIO()
    return open(os.memfd_create("body"), "w+b", buffering=0)
