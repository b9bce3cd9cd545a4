"""Reads the files that Outlook packs into one attachment, `winmail.dat` (TNEF).

Source: MS-OXTNEF, 2.1.3 (attributes) and 2.1.3.4 (properties), MS-OXPROPS (their numbers).
"""

import io
from collections.abc import Iterable, Iterator
from contextlib import suppress
from struct import Struct
from typing import Final

from ...content.decoding import decode_declared, safe_codec

MEDIA_TYPES: Final = ("application/ms-tnef", "application/vnd.ms-tnef")
SIGNATURE: Final = b"\x78\x9f\x3e\x22"
HEAD: Final = Struct("<BII")  # of an attribute: whose it is, its number, its length
CODE_PAGE, BODY, MESSAGE = 0x69007, 0x2800C, 0x69003  # of the message; the last has properties
NEW, TITLE, DATA, ATTACHED = 0x69002, 0x18010, 0x6800F, 0x69005  # of an attachment, likewise
LONG_NAME, HTML = 0x3707, 0x1013
SIZES: Final = {**dict.fromkeys((5, 6, 7, 20, 64), 8), 72: 16}  # of values by type; others have 4
VARIABLE: Final = frozenset({13, 30, 31, 258})  # types whose values say their length
UNICODE, MULTIPLE, NAMED = 31, 0x1000, 0x8000  # a type, a flag of types, the first named property


Attribute = tuple[int, bytes]  # number and value


def files(data: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield name and bytes of the text that the message has in here, and of each attached file, up
    to where the data is damaged.
    """
    attributes = [*_attributes(data), (NEW, b"")]
    pages = (int.from_bytes(value[:4], "little") for id, value in attributes if id == CODE_PAGE)
    yield from _texts(attributes)
    yield from _attached(attributes, safe_codec(f"cp{next(pages, 0)}"))


def _texts(attributes: Iterable[Attribute]) -> Iterator[tuple[str, bytes]]:
    for number, value in attributes:
        if number == BODY:
            yield "message.txt", value.rstrip(b"\0")
        elif number == MESSAGE and (page := _properties(value).get(HTML)):
            yield "message.html", page


def _attached(attributes: Iterable[Attribute], charset: str | None) -> Iterator[tuple[str, bytes]]:
    name, content = b"", b""
    for number, value in attributes:
        if number == NEW:
            if content:
                yield decode_declared(name, charset).rstrip("\0"), content
            name, content = b"", b""
        elif number == DATA:
            content = value
        elif number == TITLE:
            name = value
        elif number == ATTACHED:
            name = _properties(value).get(LONG_NAME, name)


def _attributes(data: bytes) -> Iterator[Attribute]:
    at = len(SIGNATURE) + 2
    while data.startswith(SIGNATURE) and at + HEAD.size <= len(data):
        _, number, length = HEAD.unpack_from(data, at)
        at += HEAD.size
        yield number, data[at : at + length]
        at += length + 2  # a sum


def _properties(data: bytes) -> dict[int, bytes]:
    """Return the value of each property, the first of several; texts in Unicode as UTF-8."""
    left, found = io.BytesIO(data), dict[int, bytes]()

    def number(size: int = 4) -> int:
        return int.from_bytes(take(size), "little")

    def take(size: int) -> bytes:
        value = left.read(size)
        if len(value) < size:
            raise EOFError
        return value

    def padded(size: int) -> bytes:
        return take(size + -size % 4)[:size]

    with suppress(EOFError):
        for _ in range(number()):
            kind, property_ = number(2), number(2)
            if property_ >= NAMED:
                take(16)
                padded(number()) if number() else number()
            base = kind & ~MULTIPLE
            count = number() if base in VARIABLE or kind & MULTIPLE else 1
            for _ in range(count):
                value = padded(number() if base in VARIABLE else SIZES.get(base, 4))
                text = value.decode("utf-16-le", "replace").encode() if base == UNICODE else value
                found.setdefault(property_, text)
    return found
