"""A strict receiver of bodies with `Transfer-Encoding: chunked` (RFC 9112, section 7.1).

    body    = *( size CRLF data CRLF ) "0" CRLF *( trailer CRLF ) CRLF

Lines end in CRLF only, sizes have at most 15 hexadecimal digits, the length of lines and trailers
is limited. Extensions and trailers are ignored.
"""

import re
from collections.abc import Callable

from waitress.utilities import BadRequest

from .body_buffer import BodyBuffer

LINE_BYTES = 4096
TRAILER_BYTES = 8192
_TOKEN = rb"[!#$%&'*+\-.^_`|~0-9A-Za-z]+"
_EXTENSION = rb'(?:;%b(?:=(?:%b|"[\t !#-\[\]-~]*"))?)*' % (_TOKEN, _TOKEN)
_SIZE = re.compile(rb"([0-9A-Fa-f]{1,15})%b\r\n" % _EXTENSION)
_TRAILER = re.compile(_TOKEN + rb":[\t -~\x80-\xff]*\r\n")


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
        """How many of these bytes belong to the body."""
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
