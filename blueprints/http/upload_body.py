"""Reads the JSON body of an upload without holding its payload in memory.

A string of more than 64 KiB stays in the body: a placeholder replaces it in the JSON, which is
then parsed by the parser of every other body. Only `payload` may be that long.
"""

import codecs
import io
import json
import re
import secrets
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any, BinaryIO

from flask import Request

from models.errors import ServiceError

from .problems import MalformedJson
from .strict_json import parse_json, refuse_deep_nesting

SMALL_BODY_BYTES = 64 << 10  # of any body but an upload, and of an upload without its payload
BLOCK_BYTES = 256 << 10
_PLACEHOLDER = secrets.token_hex(16)
_TO_QUOTE = re.compile(rb'(?:[^"\\]++|\\.?)*+', re.S)
_WHOLE_ESCAPES = re.compile(r"(?:[^\\]++|\\u[0-9a-fA-F]{4}|\\[^u])*+", re.S)


class FieldsTooLarge(ServiceError):
    code = "payload_too_large"
    sentence = f"All beside the payload may have at most {SMALL_BODY_BYTES:,} bytes."


@dataclass(frozen=True)
class LongString:
    """A long JSON string that stays in the body: the offsets of its bytes between the quotes.

    `is_plain`: it holds neither escapes nor spaces.
    """

    stream: BinaryIO
    start: int
    stop: int
    is_plain: bool

    def blocks(self, block_bytes: int = BLOCK_BYTES) -> Iterator[bytes]:
        """Its bytes as sent, in blocks of equal length but for the last."""
        for at in range(self.start, self.stop, block_bytes):
            self.stream.seek(at)
            yield self.stream.read(min(block_bytes, self.stop - at))

    def tail(self, count: int) -> bytes:
        """At most its last `count` bytes."""
        self.stream.seek(max(self.start, self.stop - count))
        return self.stream.read(min(count, self.stop - self.start))

    def texts(self) -> Iterator[str]:
        """Its characters, unescaped, in pieces. Raises `MalformedJson`."""
        texts = _decode_utf8(self.blocks())
        return texts if self.is_plain else _unescape(texts)


def seekable_body(request: Request) -> BinaryIO:
    """The body as a file. The project's server keeps one; another server's is read into memory."""
    _ = request.stream  # raises if the body is too long
    body: BinaryIO = request.environ["wsgi.input"]
    return body if body.seekable() else io.BytesIO(request.get_data())


def blocks_of(stream: BinaryIO) -> Iterator[bytes]:
    stream.seek(0)
    while block := stream.read(BLOCK_BYTES):
        yield block


def read_upload(stream: BinaryIO) -> Any:
    """The JSON of the body, in which a long payload is a `LongString`.

    Raises `MalformedJson`, `FieldsTooLarge`.
    """
    text, long_strings = _Scanner(stream).scan()
    value = parse_json(text)
    if not long_strings:
        return value
    if len(long_strings) > 1 or not isinstance(value, dict) or value.get("payload") != _PLACEHOLDER:
        raise FieldsTooLarge
    return value | {"payload": long_strings[0]}


class _Scanner:
    """Reads a body once and replaces its long strings by the placeholder."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream, self._text, self._long = stream, bytearray(), list[LongString]()
        self._in_string = self._is_plain = False
        self._start = self._text_start = 0  # of the current string: in the body, in the new text

    def scan(self) -> tuple[bytes, list[LongString]]:
        offset = 0
        for block in self._blocks():
            at = 0
            while at < len(block):
                at = (self._scan_string if self._in_string else self._scan_to_string)(
                    block, at, offset
                )
            offset += len(block)
        return bytes(self._text), self._long

    def _blocks(self) -> Iterator[bytes]:
        """The body in blocks, none of which ends within a two-byte escape."""
        for block in blocks_of(self._stream):
            backslashes = len(block) - len(block.rstrip(b"\\"))
            yield block + self._stream.read(1) if backslashes % 2 else block

    def _scan_to_string(self, block: bytes, at: int, offset: int) -> int:
        """Copy up to and with the next quote; returns the position after it."""
        stop = block.find(b'"', at) + 1
        self._in_string = stop > 0
        stop = stop or len(block)
        self._append(block[at:stop])
        self._start, self._text_start, self._is_plain = offset + stop, len(self._text), True
        return stop

    def _scan_string(self, block: bytes, at: int, offset: int) -> int:
        """Copy the string's part in this block; returns the position after it and its quote."""
        stop = self._end_of_string(block, at)
        self._in_string = stop == len(block)
        if is_long := offset + stop - self._start > SMALL_BODY_BYTES:
            del self._text[self._text_start :]
        else:
            self._append(block[at:stop])
        if self._in_string:
            return stop
        if is_long:
            self._long.append(LongString(self._stream, self._start, offset + stop, self._is_plain))
            self._append(_PLACEHOLDER.encode())
        self._append(b'"')
        return stop + 1

    def _end_of_string(self, block: bytes, at: int) -> int:
        """Where the closing quote is, or the block's length."""
        quote = block.find(b'"', at)
        stop = len(block) if quote < 0 else quote
        if block.find(b"\\", at, stop) >= 0:
            self._is_plain, found = False, _TO_QUOTE.match(block, at)
            return found.end() if found else stop
        self._is_plain = self._is_plain and block.find(b" ", at, stop) < 0
        return stop

    def _append(self, text: bytes) -> None:
        self._text += text
        if len(self._text) > 2 * SMALL_BODY_BYTES:
            refuse_deep_nesting(bytes(self._text))
            raise FieldsTooLarge


def _decode_utf8(blocks: Iterable[bytes]) -> Iterator[str]:
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        for block in chain(blocks, [b""]):
            text = decoder.decode(block, final=not block)
            if not text.isprintable() and re.search(r"[\x00-\x1f]", text):
                sentence = "The body is not JSON: Invalid control character in the payload."
                raise MalformedJson(sentence)
            yield text
    except UnicodeDecodeError:
        raise MalformedJson("The body is not UTF-8.") from None


def _unescape(texts: Iterable[str]) -> Iterator[str]:
    """Undo JSON's escapes (RFC 8259, section 7), also those cut by the end of a piece."""
    pending = ""
    for text in texts:
        pending += text
        whole = _WHOLE_ESCAPES.match(pending)
        stop = whole.end() if whole and len(pending) - whole.end() < 6 else len(pending)
        yield _parse_string(pending[:stop])
        pending = pending[stop:]
    yield _parse_string(pending)


def _parse_string(content: str) -> str:
    try:
        return str(json.loads(f'"{content}"'))
    except json.JSONDecodeError as error:
        raise MalformedJson(f"The body is not JSON: {error.msg} in the payload.") from None
