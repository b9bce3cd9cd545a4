"""A payload in base64 (RFC 4648, section 4), decoded in pieces.

The base64 must be padded and canonical; ASCII white space is ignored, any other character is an
error.
"""

import re
from collections.abc import Iterable, Iterator

import pybase64

from models.core import Invalid, PayloadTooLarge
from models.storage.payloads import PIECE_BYTES

from .body import LongString

_ENCODED_BYTES = PIECE_BYTES // 3 * 4
_WHITE_SPACE = b" \t\r\n\f\v"
_INVALID = re.compile(r"[^A-Za-z0-9+/= \t\r\n\f\v]")


class Base64Payload:
    """A payload sent as base64; `size` is the number of its decoded bytes.

    The constructor decodes a string, and raises `Invalid`. A `LongString` is decoded, and raises
    `Invalid`, while `pieces` is read.
    """

    def __init__(self, encoded: str | LongString) -> None:
        self._encoded = encoded
        self._short = _without_spaces(encoded) if isinstance(encoded, str) else None
        self._plain = encoded if isinstance(encoded, LongString) and encoded.is_plain else None
        length, padding = self._measure()
        if length % 4:
            raise self._invalid()
        self.size = length // 4 * 3 - padding
        self._decoded = [*self._decode()] if isinstance(encoded, str) else None

    def pieces(self) -> Iterator[bytes]:
        """Return the decoded payload in pieces of 192 KiB, the last one shorter."""
        return self._decode() if self._decoded is None else iter(self._decoded)

    def refuse_if_longer(self, limit_bytes: int) -> None:
        """Raise `PayloadTooLarge`, or `Invalid` if the base64 is wrong besides."""
        if self.size > limit_bytes:
            raise self._invalid() if self.fault() else PayloadTooLarge(limit_bytes)

    def fault(self) -> str | None:
        """Return the fault of the base64 as a sentence for the client; None if there is none."""
        if fault := _character_fault(self._texts()):
            return fault
        length, _ = self._measure()
        if length % 4:
            return "The base64 ends early: its length, padding (=) included, is a multiple of four."
        last_four = b""
        for text in self._stretches():
            last_four = text[-4:]
        if last_four.count(b"=") > 2:
            return "The padding is one or two '=' at the end, not more."
        if last_four and decode_canonical(last_four) is None:
            return "The last character of the base64 carries bits that must be zero."
        return None

    def _invalid(self) -> Invalid:
        return Invalid("#/payload", self.fault() or "")

    def _decode(self) -> Iterator[bytes]:
        left = self.size
        for encoded in self._stretches():
            piece = decode_canonical(encoded)
            left -= len(piece or b"")
            if piece is None or (left and len(piece) != PIECE_BYTES):
                raise self._invalid()
            yield piece

    def _measure(self) -> tuple[int, int]:
        """Return the number of base64 characters, and how many of the last two are padding."""
        if self._plain:
            return self._plain.size, self._plain.tail(2).count(b"=")
        length, tail = 0, b""
        for text in self._all_without_spaces():
            length, tail = length + len(text), (tail + text)[-2:]
        return length, tail.count(b"=")

    def _stretches(self) -> Iterator[bytes]:
        """Yield the base64 in stretches, each of which decodes to one piece."""
        if self._plain:
            yield from self._plain.blocks(_ENCODED_BYTES)
            return
        pending = b""
        for text in self._all_without_spaces():
            pending += text
            while len(pending) > _ENCODED_BYTES:
                yield pending[:_ENCODED_BYTES]
                pending = pending[_ENCODED_BYTES:]
        if pending:
            yield pending

    def _all_without_spaces(self) -> Iterable[bytes]:
        """Return the base64 without white space, in texts of any length."""
        return map(_without_spaces, self._texts()) if self._short is None else [self._short]

    def _texts(self) -> Iterable[str]:
        return [self._encoded] if isinstance(self._encoded, str) else self._encoded.texts()


def _without_spaces(text: str) -> bytes:
    """Return a text without white space; a character that is not ASCII becomes `?`."""
    encoded = text.encode("ascii", "replace")
    has_spaces = any(space in encoded for space in _WHITE_SPACE)
    return encoded.translate(None, _WHITE_SPACE) if has_spaces else encoded


def decode_canonical(encoded: bytes) -> bytes | None:
    """Return the decoded bytes, or None if the base64 is not valid, padded and canonical."""
    try:
        piece = pybase64.b64decode(encoded, validate=True)
    except ValueError:
        return None
    return piece if pybase64.b64encode(piece[-(len(piece) % 3 or 3) :]) == encoded[-4:] else None


def _character_fault(texts: Iterable[str]) -> str | None:
    """Name the first character that is not base64, or padding that is not at the end."""
    seen, padded_at, is_followed = 0, -1, False
    for text in texts:
        if not seen and text.startswith("data:"):
            return "Send the base64 alone, without the prefix data:…;base64, before it."
        if invalid := _INVALID.search(text):
            return _invalid_character(invalid[0], seen + invalid.start())
        padding = text.find("=") if padded_at < 0 else 0
        if padding >= 0:
            padded_at = seen + padding if padded_at < 0 else padded_at
            is_followed = is_followed or bool(re.search(r"[^=\s]", text[padding:]))
        seen += len(text)
    return f"Nothing may follow the padding; character {padded_at} is '='." if is_followed else None


def _invalid_character(character: str, place: int) -> str:
    if character in "-_":
        return f"Character {place} is of the URL-safe alphabet; use + and / instead."
    shown = f": {character!r}" if character.isascii() else ""
    return f"Character {place} is not base64{shown}."
