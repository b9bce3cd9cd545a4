"""Strict JSON bodies, and uploads read without a long payload in memory.

JSON is strict (RFC 8259): UTF-8, unique names, no NaN, at most 32 deep, no endless numbers. A long
payload stays in the body, as a byte range: a placeholder replaces it in the JSON, which the parser
of every other body then parses.
"""

import codecs
import io
import json
import re
import secrets
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain
from typing import Any, BinaryIO

from flask import Request

from models.core import ServiceError

from .problems import MalformedJson

MAX_DEPTH = 32
BLOCK_BYTES = 256 << 10
# the most for a body that is no upload, and for an upload without its payload
SMALL_BODY_BYTES = 64 << 10
PARSED_BYTES = 16 << 10  # a body of this length is parsed as quickly as it is searched
_PLACEHOLDER = secrets.token_hex(16)
_CLOSED_STRINGS = re.compile(rb'[^"]*+(?:"(?:[^"\\]++|\\.)*+"[^"]*+)*+', re.S)
_TO_QUOTE = re.compile(rb'(?:[^"\\]++|\\.?)*+', re.S)
_WHOLE_ESCAPES = re.compile(r"(?:[^\\]++|\\u[0-9a-fA-F]{4}|\\[^u])*+", re.S)
_STRING_OR_BRACKET = re.compile(rb'"(?:[^"\\]|\\.)*"?|[\[\]{}]', re.S)


class FieldsTooLarge(ServiceError):
    code = "payload_too_large"
    sentence = f"All beside the payload may have at most {SMALL_BODY_BYTES:,} bytes."


@dataclass(frozen=True)
class ByteRange:
    """The bytes of `stream` from `start` to before `stop`."""

    stream: BinaryIO
    start: int
    stop: int

    @property
    def size(self) -> int:
        return self.stop - self.start

    def blocks(self, block_bytes: int = BLOCK_BYTES) -> Iterator[bytes]:
        """Yield the bytes in blocks of equal length but for the last."""
        for at in range(self.start, self.stop, block_bytes):
            yield read_at(self.stream, at, min(block_bytes, self.stop - at))

    def head(self, count: int) -> bytes:
        """Return at most the first `count` bytes."""
        return read_at(self.stream, self.start, min(count, self.size))

    def tail(self, count: int) -> bytes:
        """Return at most the last `count` bytes."""
        start = max(self.start, self.stop - count)
        return read_at(self.stream, start, self.stop - start)


@dataclass(frozen=True)
class LongString(ByteRange):
    """A long JSON string that stays in the body: its bytes between the quotes, as sent.

    If `is_plain`, the string holds neither escapes nor spaces.
    """

    is_plain: bool

    def texts(self) -> Iterator[str]:
        """Return the characters, unescaped, in pieces, which raise `MalformedJson` when read."""
        texts = _decode_utf8(self.blocks())
        return texts if self.is_plain else _unescape(texts)


def parse_json(raw: bytes) -> Any:
    """Return the value of a JSON text. Raise `MalformedJson` with a sentence for the client."""
    refuse_deep_nesting(raw)
    if raw.startswith(codecs.BOM_UTF8):
        raise MalformedJson("The body begins with a byte order mark. Leave it out.")
    try:
        text = raw.decode()
        return _DECODER.decode(text)
    except UnicodeDecodeError:
        raise MalformedJson("The body is not UTF-8.") from None
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise MalformedJson(f"The body is not JSON: {error.msg}, {place}.") from None
    except ValueError:
        raise MalformedJson("A number in the body has too many digits.") from None


def refuse_deep_nesting(raw: bytes) -> None:
    is_flat = raw.find(b"[") < 0 and raw.find(b"{", 1) < 0  # to count takes many times as long
    if is_flat or raw.count(b"[") + raw.count(b"{") <= MAX_DEPTH:
        return
    depth = 0
    for found in _STRING_OR_BRACKET.finditer(raw):
        depth += {b"[": 1, b"{": 1, b"]": -1, b"}": -1}.get(found[0], 0)
        if depth > MAX_DEPTH:
            raise MalformedJson(f"The body is nested more than {MAX_DEPTH} deep.")


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        [(twice, _)] = Counter(name for name, _ in pairs).most_common(1)
        raise MalformedJson(f"The name {twice[:80]!a} is there twice.")
    return value


def _refuse_constant(name: str) -> None:
    raise MalformedJson(f"{name} is not JSON.")


_DECODER = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_refuse_constant)


def seekable_body(request: Request) -> BinaryIO:
    """Return the body as a file.

    The project's server keeps the body in a file; another server's body is read into memory.
    """
    _ = request.stream  # raises if the body is too long
    body: BinaryIO = request.environ["wsgi.input"]
    return body if body.seekable() else io.BytesIO(request.get_data())


def read_upload(stream: BinaryIO) -> Any:
    """Return the JSON of the body, in which a long payload is a `LongString`.

    Raise `MalformedJson` or `FieldsTooLarge`. For a body of at most 128 KiB the parser of the whole
    body decides which of them is raised.
    """
    stream.seek(0)
    head = stream.read(2 * SMALL_BODY_BYTES + 1)
    if len(head) > 2 * SMALL_BODY_BYTES:
        return _read_around_payload(stream, head)
    if len(head) > PARSED_BYTES:
        with suppress(MalformedJson, FieldsTooLarge):
            return _read_around_payload(stream, head)
    return parse_json(head)


def _read_around_payload(stream: BinaryIO, head: bytes) -> Any:
    """Return the JSON around the string that holds the byte in the middle of `head`, the payload.

    In a body of more than 128 KiB the payload must be that string, as all other fields have at most
    64 KiB. Raise `MalformedJson` or `FieldsTooLarge`.
    """
    before = head[: len(head) // 2]
    start = _start_of_open_string(before)
    payload = _long_string(stream, start)
    tail = read_at(stream, payload.stop, SMALL_BODY_BYTES + 1)
    if start > len(before) or len(tail) > SMALL_BODY_BYTES:
        refuse_deep_nesting(before)
        raise FieldsTooLarge
    value = parse_json(before[:start] + _PLACEHOLDER.encode() + tail)
    if not isinstance(value, dict) or value.get("payload") != _PLACEHOLDER:
        raise FieldsTooLarge
    return value | {"payload": payload}


def _start_of_open_string(text: bytes) -> int:
    """Return the start of the string that `text` ends in; beyond the end if there is none."""
    if b"\\" in text:
        return _end(_CLOSED_STRINGS, text) + 1
    start = text.rfind(b'"') + 1
    return start if text.count(b'"', 0, start) % 2 else len(text) + 1


def _long_string(stream: BinaryIO, start: int) -> LongString:
    """Return the string from `start` up to its closing quote, or to the end of the body."""
    stop, is_plain = start, True
    stream.seek(start)
    while block := stream.read(BLOCK_BYTES):
        if (len(block) - len(block.rstrip(b"\\"))) % 2:  # the block ends within an escape
            block += stream.read(1)
        quote = block.find(b'"')
        length = len(block) if quote < 0 else quote
        if block.find(b"\\", 0, length) >= 0:
            length, is_plain = _end(_TO_QUOTE, block), False
        is_plain = is_plain and block.find(b" ", 0, length) < 0
        stop += length
        if length < len(block):
            break
    return LongString(stream, start, stop, is_plain)


def _end(pattern: re.Pattern[bytes], text: bytes) -> int:
    found = pattern.match(text)
    return found.end() if found else 0


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


def read_at(stream: BinaryIO, start: int, count: int) -> bytes:
    stream.seek(start)
    return stream.read(count)


def find(stream: BinaryIO, wanted: bytes, start: int) -> int:
    """Return the offset of the first `wanted` at or after `start`; -1 if there is none."""
    while True:
        block = read_at(stream, start, BLOCK_BYTES)
        found = block.find(wanted)
        if found >= 0:
            return start + found
        if len(block) < BLOCK_BYTES:
            return -1
        start += len(block) - len(wanted) + 1
