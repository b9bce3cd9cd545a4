"""The body of an upload, read without ever holding its payload.

A string of more than 64 KiB stays where it lies; a short stand-in takes its place in the JSON,
which is then read like any other. Only `payload` may be so long, and all beside it is small. So
what is exactly JSON is decided by the same reader as for every other body.
"""

import io
import re
import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO

from flask import Request

from models.errors import ServiceError

from .strict_json import exact_json, refuse_deep

SMALL_BODY_BYTES = 64 << 10  # of any body but an upload, and of all beside its payload
BLOCK_BYTES = 256 << 10
_STAND_IN = secrets.token_hex(16)
_INSIDE = re.compile(rb'(?:[^"\\]++|\\.)*+', re.S)


class TooMuchBeside(ServiceError):
    code = "payload_too_large"
    sentence = f"All beside the payload may have at most {SMALL_BODY_BYTES:,} bytes."


@dataclass(frozen=True)
class Span:
    """A long string of the body: where its bytes lie, between the quotes.

    `plain`: it holds neither escapes nor spaces.
    """

    stream: BinaryIO
    start: int
    stop: int
    plain: bool

    def blocks(self, block_bytes: int = BLOCK_BYTES) -> Iterator[bytes]:
        """All of it, in blocks; the last one may be shorter."""
        for at in range(self.start, self.stop, block_bytes):
            self.stream.seek(at)
            yield self.stream.read(min(block_bytes, self.stop - at))


def seekable_body(request: Request) -> BinaryIO:
    """The body as a file. The server keeps it as one; another server's is read into memory."""
    _ = request.stream  # refuses a body that is too long
    given: BinaryIO = request.environ["wsgi.input"]
    return given if given.seekable() else io.BytesIO(request.get_data())


def blocks_of(stream: BinaryIO) -> Iterator[bytes]:
    stream.seek(0)
    while block := stream.read(BLOCK_BYTES):
        yield block


def read_upload(stream: BinaryIO) -> Any:
    """The JSON of the body; a long payload in it is a `Span`."""
    reduced, spans = _Reduction().of(stream)
    read = exact_json(bytes(reduced))
    if not spans:
        return read
    if len(spans) > 1 or not isinstance(read, dict) or read.get("payload") != _STAND_IN:
        raise TooMuchBeside
    return read | {"payload": spans[0]}


class _Reduction:
    """Walks over the body once, string by string."""

    def __init__(self) -> None:
        self._reduced, self._spans = bytearray(), list[Span]()
        self._inside = self._escaped = self._plain = False
        self._start = self._mark = 0  # of the present string: in the body, in the reduced text

    def of(self, stream: BinaryIO) -> tuple[bytearray, list[Span]]:
        offset = 0
        for block in blocks_of(stream):
            at = 0
            while at < len(block):
                at = (self._through if self._inside else self._up_to)(block, at, offset, stream)
            offset += len(block)
        return self._reduced, self._spans

    def _up_to(self, block: bytes, at: int, offset: int, _stream: BinaryIO) -> int:
        """What stands between strings, up to the next quote."""
        stop = block.find(b'"', at) + 1
        self._inside = stop > 0
        stop = stop or len(block)
        self._keep(block[at:stop])
        self._start, self._mark, self._plain = offset + stop, len(self._reduced), True
        return stop

    def _through(self, block: bytes, at: int, offset: int, stream: BinaryIO) -> int:
        """What a string holds in this block; it may begin before and end after it."""
        stop, closed = self._end(block, at)
        length = offset + stop - self._start
        self._plain = self._plain and block.find(b"\\", at, stop) < 0 > block.find(b" ", at, stop)
        if length <= SMALL_BODY_BYTES:
            self._keep(block[at:stop])
        else:
            del self._reduced[self._mark :]
        if closed:
            self._inside = False
            if length > SMALL_BODY_BYTES:
                self._spans.append(Span(stream, self._start, offset + stop, self._plain))
                self._keep(_STAND_IN.encode())
            self._keep(b'"')
        return stop + closed

    def _end(self, block: bytes, at: int) -> tuple[int, bool]:
        """Where the string's closing quote is in the block, if it is there."""
        begin = at + self._escaped
        self._escaped = False
        if block.find(b"\\", begin) < 0:
            quote = block.find(b'"', begin)
            return (quote, True) if quote >= 0 else (len(block), False)
        found = _INSIDE.match(block, begin)
        stop = found.end() if found else begin
        if block[stop : stop + 1] == b"\\":  # the block ends within an escape
            self._escaped, stop = True, len(block)
        return stop, block[stop : stop + 1] == b'"'

    def _keep(self, text: bytes) -> None:
        self._reduced += text
        if len(self._reduced) > 2 * SMALL_BODY_BYTES:
            refuse_deep(bytes(self._reduced))
            raise TooMuchBeside
