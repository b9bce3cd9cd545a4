"""A payload: base64 (RFC 4648, section 4) that is decoded piece by piece, or refused exactly.

With padding, canonical, ASCII white space passed over; nothing else.
"""

import codecs
import json
import re
from collections.abc import Iterable, Iterator

import pybase64

from models.errors import Invalid
from models.storage.payload_rows import PIECE_BYTES

from .problems import MalformedJson
from .upload_body import Span

_ENCODED_BYTES = PIECE_BYTES // 3 * 4
_WHITE_SPACE = b" \t\r\n\f\v"
_STRAY = re.compile(r"[^A-Za-z0-9+/= \t\r\n\f\v]")
_WHOLE_ESCAPES = re.compile(r"(?:[^\\]++|\\u[0-9a-fA-F]{4}|\\[^u])*+", re.S)


class Payload:
    """`size` in bytes of the original, and its pieces.

    A long one is looked at only when it is read: `pieces` then raises what `fault` says.
    """

    def __init__(self, given: str | Span) -> None:
        self._given = given
        length, padding = self._measure()
        if length % 4:
            raise Invalid("#/payload", self.fault() or "")
        self.size = length // 4 * 3 - padding

    def pieces(self) -> Iterator[bytes]:
        """The original's bytes: 192 KiB each, the last piece shorter."""
        left = self.size
        for encoded in self._encoded():
            piece = _decoded(encoded)
            left -= len(piece or b"")
            if piece is None or (left and len(piece) != PIECE_BYTES):
                raise Invalid("#/payload", self.fault() or "")
            yield piece

    def fault(self) -> str | None:
        """What is wrong with the base64, in a sentence; None if nothing is."""
        if stray := _why_not_base64(self._texts()):
            return stray
        length, _ = self._measure()
        if length % 4:
            return "The base64 ends early: its length, padding (=) included, is a multiple of four."
        last = self._last()
        if last.count(b"=") > 2:
            return "The padding is one or two '=' at the end, not more."
        if last and _decoded(last) is None:
            return "The last character of the base64 carries bits that must be zero."
        return None

    def _measure(self) -> tuple[int, int]:
        """How many base64 characters there are, and how many of the last two are padding."""
        if isinstance(self._given, Span) and self._given.plain:
            tail = Span(self._given.stream, max(self._given.stop - 2, 0), self._given.stop, True)
            return self._given.stop - self._given.start, b"".join(tail.blocks()).count(b"=")
        length, tail_text = 0, b""
        for text in self._cleaned():
            length, tail_text = length + len(text), (tail_text + text)[-2:]
        return length, tail_text.count(b"=")

    def _encoded(self) -> Iterator[bytes]:
        """The base64 in stretches that decode to one piece each."""
        if isinstance(self._given, Span) and self._given.plain:
            yield from self._given.blocks(_ENCODED_BYTES)
            return
        waiting = b""
        for text in self._cleaned():
            waiting += text
            while len(waiting) > _ENCODED_BYTES:
                yield waiting[:_ENCODED_BYTES]
                waiting = waiting[_ENCODED_BYTES:]
        if waiting:
            yield waiting

    def _last(self) -> bytes:
        """The last four characters."""
        tail = b""
        for text in self._encoded():
            tail = text[-4:]
        return tail

    def _cleaned(self) -> Iterator[bytes]:
        """The base64 without white space; what is not ASCII stands in it as `?`."""
        for text in self._texts():
            yield text.encode("ascii", "replace").translate(None, _WHITE_SPACE)

    def _texts(self) -> Iterator[str]:
        """The JSON string's characters, in stretches."""
        if isinstance(self._given, str):
            yield self._given
        elif self._given.plain:
            yield from _characters(self._given.blocks())
        else:
            yield from _unescaped(_characters(self._given.blocks()))


def _decoded(encoded: bytes) -> bytes | None:
    """The bytes of canonical base64, or None."""
    try:
        piece = pybase64.b64decode(encoded, validate=True)
    except ValueError:
        return None
    return piece if pybase64.b64encode(piece[-(len(piece) % 3 or 3) :]) == encoded[-4:] else None


def _characters(blocks: Iterable[bytes]) -> Iterator[str]:
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        for block in blocks:
            yield _legal(decoder.decode(block))
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        raise MalformedJson("The body is not UTF-8.") from None


def _legal(text: str) -> str:
    if not text.isprintable() and re.search(r"[\x00-\x1f]", text):
        raise MalformedJson("The body is not JSON: Invalid control character in the payload.")
    return text


def _unescaped(texts: Iterable[str]) -> Iterator[str]:
    """JSON's escapes (RFC 8259, section 7) undone; none is cut by the end of a stretch."""
    waiting = ""
    for text in texts:
        waiting += text
        whole = _WHOLE_ESCAPES.match(waiting)
        stop = whole.end() if whole and len(waiting) - whole.end() < 6 else len(waiting)
        yield _string(waiting[:stop])
        waiting = waiting[stop:]
    yield _string(waiting)


def _string(inside: str) -> str:
    try:
        return str(json.loads(f'"{inside}"'))
    except json.JSONDecodeError as error:
        raise MalformedJson(f"The body is not JSON: {error.msg} in the payload.") from None


def _why_not_base64(texts: Iterable[str]) -> str | None:
    """The first stray character, or padding that is not at the end."""
    seen, padded_at, followed = 0, -1, False
    for text in texts:
        if not seen and text.startswith("data:"):
            return "Send the base64 alone, without the prefix data:…;base64, before it."
        if stray := _STRAY.search(text):
            return _named(stray[0], seen + stray.start())
        padding = text.find("=") if padded_at < 0 else 0
        if padding >= 0:
            padded_at = seen + padding if padded_at < 0 else padded_at
            followed = followed or bool(re.search(r"[^=\s]", text[padding:]))
        seen += len(text)
    return f"Nothing may follow the padding; character {padded_at} is '='." if followed else None


def _named(stray: str, place: int) -> str:
    if stray in "-_":
        return f"Character {place} is of the URL-safe alphabet; use + and / instead."
    shown = f": {stray!r}" if stray.isascii() else ""
    return f"Character {place} is not base64{shown}."
