"""Where a request's body is kept while it comes in: in memory, since the disk sees no plaintext."""

import io
import os
from typing import BinaryIO

SMALL_BYTES = 1 << 20


class Spool:
    """A body. Past its limit it is counted, not kept.

    A long one lies in a file that is memory: it grows without being moved, and goes back when it
    is closed.
    """

    def __init__(self, limit_bytes: int, expected_bytes: int) -> None:
        self._limit = limit_bytes if expected_bytes <= limit_bytes else 0
        self._received = 0
        self._file = _memory_file() if SMALL_BYTES < expected_bytes <= limit_bytes else io.BytesIO()

    def __len__(self) -> int:
        return self._received

    def append(self, data: bytes | memoryview) -> None:
        self._received += len(data)
        if self._received <= self._limit:
            self._file.write(data)
        else:
            self._file.truncate(0)

    def getfile(self) -> BinaryIO:
        self._file.seek(0)
        return self._file

    def getbuf(self) -> "Spool":
        return self

    def close(self) -> None:
        self._file.close()


def _memory_file() -> BinaryIO:
    if not hasattr(os, "memfd_create"):
        return io.BytesIO()
    return open(os.memfd_create("body"), "w+b", buffering=0)
