"""Bodies of requests: kept in memory only, so that no plaintext reaches the disk, and chunked ones.

A body with `Transfer-Encoding: chunked` is received strictly (RFC 9112, section 7.1):

    body    = *( size CRLF data CRLF ) "0" CRLF *( trailer CRLF ) CRLF

Lines end in CRLF only, sizes have at most 15 hexadecimal digits, the length of lines and trailers
is limited. Extensions and trailers are ignored.
"""

import io
import os
import re
from collections.abc import Callable
from typing import BinaryIO

from waitress.utilities import BadRequest

from .memory_budget import MemoryBudget

UNCOUNTED_BYTES = 64 << 10  # of each body; 500 connections hold 32 MiB of them
FILE_BYTES = 1 << 20
LINE_BYTES = 4096
TRAILER_BYTES = 8192
_TOKEN = rb"[!#$%&'*+\-.^_`|~0-9A-Za-z]+"
_EXTENSION = rb'(?:;%b(?:=(?:%b|"[\t !#-\[\]-~]*"))?)*' % (_TOKEN, _TOKEN)
_SIZE = re.compile(rb"([0-9A-Fa-f]{1,15})%b\r\n" % _EXTENSION)
_TRAILER = re.compile(_TOKEN + rb":[\t -~\x80-\xff]*\r\n")


class BodyBuffer:
    """The body of a request. Beyond its limit or the budget it is counted and discarded.

    Bytes beyond UNCOUNTED_BYTES are reserved in the budget. A body of more than FILE_BYTES is a
    memory file: it grows without being copied and is freed when it is closed.
    """

    def __init__(
        self,
        limit_bytes: int,
        expected_bytes: int,
        budget: MemoryBudget,
        when_gone: Callable[[], None],
    ) -> None:
        """Make an empty body; `when_gone` is called once, when it is closed."""
        self._limit = limit_bytes if expected_bytes <= limit_bytes else 0
        self._received = self._reserved = 0
        self._budget, self._when_gone = budget, [when_gone]
        self.is_over_budget = self._has_unused = False
        is_large = FILE_BYTES < expected_bytes <= limit_bytes
        self._file = _memory_file() if is_large else io.BytesIO()

    def __len__(self) -> int:
        return self._received

    def append(self, data: bytes | memoryview) -> None:
        self._received += len(data)
        if self._received <= self._limit and self._reserve():
            self._file.write(data)
        elif self._limit:
            self._limit = 0
            self._has_unused = False
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

    def clear(self) -> None:
        """Forget the bytes that have come: those of the next step follow.

        If they are here, they take the memory of the former ones: to free it and have it zeroed
        again takes a third of the time of receiving. `free_unused` ends that.
        """
        self._received = 0
        self._file.seek(0)
        self._has_unused = True

    def free_unused(self) -> None:
        """Free the memory of a former step that the present one has not taken."""
        if self._has_unused:
            self._has_unused = False
            self._file.truncate(self._received)
            counted_bytes = max(0, self._received - UNCOUNTED_BYTES)
            unused_bytes, self._reserved = self._reserved - counted_bytes, counted_bytes
            self._budget.release(unused_bytes)

    def getfile(self) -> BinaryIO:
        """Return the bytes that have come, and nothing of a former step behind them."""
        self.free_unused()
        self._file.seek(0)
        return self._file

    def close(self) -> None:
        self._release()
        while self._when_gone:
            self._when_gone.pop()()
        self._file.close()

    __del__ = close  # of a pipelined request whose client disconnected


def _memory_file() -> BinaryIO:
    if not hasattr(os, "memfd_create"):
        return io.BytesIO()
    return open(os.memfd_create("body"), "w+b", buffering=0)


class ChunkedReceiver:
    """A state machine: `_parse_line` is the parser of the next line; `remain` counts data."""

    completed = False
    error: BadRequest | None = None

    def __init__(self, buffer: BodyBuffer) -> None:
        self.buf = buffer
        self.remain = self._trailer_bytes = 0
        self._line = b""
        self._parse_line: Callable[[bytes], bool] = self._parse_size

    def __len__(self) -> int:
        return len(self.buf)

    def received(self, data: bytes) -> int:
        """Take bytes that arrived; return how many of them belong to the body."""
        at, view = 0, memoryview(data)
        while at < len(data) and not self.completed:
            at += self._receive_data(view[at:]) if self.remain else self._receive_line(data, at)
        return at

    def _receive_data(self, data: memoryview) -> int:
        chunk = data[: self.remain]
        self.buf.append(chunk)
        self.remain -= len(chunk)
        return len(chunk)

    def _receive_line(self, data: bytes, at: int) -> int:
        stop = data.find(b"\n", at, at + LINE_BYTES) + 1 or len(data)
        self._line += data[at:stop]
        if self._line.endswith(b"\n") or len(self._line) > LINE_BYTES:
            line, self._line = self._line, b""
            if not self._parse_line(line):
                self.error = BadRequest("The chunks of the body are not as RFC 9112, 7.1 has them.")
                self.completed = True
        return stop - at

    def _parse_size(self, line: bytes) -> bool:
        match = _SIZE.fullmatch(line)
        if match:
            self.remain = int(match[1], 16)
            self._parse_line = self._parse_end_of_data if self.remain else self._parse_trailer
        return match is not None

    def _parse_end_of_data(self, line: bytes) -> bool:
        self._parse_line = self._parse_size
        return line == b"\r\n"

    def _parse_trailer(self, line: bytes) -> bool:
        self.completed = line == b"\r\n"
        self._trailer_bytes += len(line)
        is_valid = self.completed or _TRAILER.fullmatch(line) is not None
        return is_valid and self._trailer_bytes <= TRAILER_BYTES
