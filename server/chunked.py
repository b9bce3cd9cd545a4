"""A body that comes in chunks (RFC 9112, 7.1), read strictly.

    body    = *( size CRLF data CRLF ) "0" CRLF *( trailer CRLF ) CRLF

Line ends are CRLF and nothing else, sizes have at most 15 digits, lines and trailers are short.
Extensions and trailers are read over.
"""

import re
from collections.abc import Callable

from waitress.receiver import ChunkedReceiver
from waitress.utilities import BadRequest

from .body_spool import BodyBuffer

LINE_BYTES = 4096
TRAILER_BYTES = 8192
_TOKEN = rb"[!#$%&'*+\-.^_`|~0-9A-Za-z]+"
_EXTENSION = rb'(?:;%b(?:=(?:%b|"[\t !#-\[\]-~]*"))?)*' % (_TOKEN, _TOKEN)
_SIZE = re.compile(rb"([0-9A-Fa-f]{1,15})%b\r\n" % _EXTENSION)
_TRAILER = re.compile(_TOKEN + rb":[\t -~\x80-\xff]*\r\n")


class Chunks(ChunkedReceiver):
    def __init__(self, spool: BodyBuffer) -> None:
        super().__init__(spool)
        self.remain = self._trailer_bytes = 0
        self._line = b""
        self._end_of_line: Callable[[bytes], bool] = self._size

    def received(self, data: bytes) -> int:
        """How many of these bytes belong to the body."""
        at, view = 0, memoryview(data)
        while at < len(data) and not self.completed:
            at += self._data(view[at:]) if self.remain else self._part_of_line(data, at)
        return at

    def _data(self, data: memoryview) -> int:
        taken = data[: self.remain]
        self.buf.append(taken)
        self.remain -= len(taken)
        return len(taken)

    def _part_of_line(self, data: bytes, at: int) -> int:
        stop = data.find(b"\n", at, at + LINE_BYTES) + 1
        stop = stop or len(data)
        self._line += data[at:stop]
        if self._line.endswith(b"\n") or len(self._line) > LINE_BYTES:
            line, self._line = self._line, b""
            if not self._end_of_line(line):
                self.error = BadRequest("The chunks of the body are not as RFC 9112, 7.1 has them.")
                self.completed = True
        return stop - at

    def _size(self, line: bytes) -> bool:
        found = _SIZE.fullmatch(line)
        if found:
            self.remain = int(found[1], 16)
            self._end_of_line = self._after_data if self.remain else self._trailer
        return found is not None

    def _after_data(self, line: bytes) -> bool:
        self._end_of_line = self._size
        return line == b"\r\n"

    def _trailer(self, line: bytes) -> bool:
        self.completed = line == b"\r\n"
        self._trailer_bytes += len(line)
        known = self.completed or _TRAILER.fullmatch(line) is not None
        return known and self._trailer_bytes <= TRAILER_BYTES
