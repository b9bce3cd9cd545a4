"""The files that Outlook packs into one attachment, `winmail.dat` (TNEF).

Source: MS-OXTNEF, 2.1.3 (attributes), 2.1.3.3.6 (senders) and 2.1.3.4 (properties), MS-OXPROPS
(their numbers).
"""

import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from struct import Struct
from typing import Final

from ...content.decoding import decode_declared, safe_codec
from .outlook_items import CLASS, NAMED, SENDER, SENDER_ADDRESS, SUBJECT, Properties
from .rtf import packed_body

SIGNATURE: Final = b"\x78\x9f\x3e\x22"
HEAD: Final = Struct("<BII")  # of an attribute: whose it is, its number, its length
# Attributes of the message.
CODE_PAGE: Final = 0x69007
BODY: Final = 0x2800C
MESSAGE: Final = 0x69003  # properties
FROM: Final = 0x08000
TEXTS: Final = {0x18004: SUBJECT, 0x78008: CLASS}  # that stand for properties
# Attributes of an attachment.
NEW: Final = 0x69002
TITLE: Final = 0x18010
DATA: Final = 0x6800F
ATTACHED: Final = 0x69005  # properties
# Properties, and their types.
OBJECT: Final = (
    0x3701  # attached: 16 bytes that say what it is, a message or another, and its bytes
)
LONG_NAME: Final = 0x3707
HTML: Final = 0x1013
RTF: Final = 0x1009
SIZES: Final = {5: 8, 6: 8, 7: 8, 20: 8, 64: 8, 72: 16}  # of values by type; others have 4 bytes
VARIABLE: Final = frozenset({13, 30, 31, 258})  # types whose values say their length
UNICODE: Final = 31
MULTIPLE: Final = 0x1000  # a flag of a type: there are several values
MAX_DEPTH: Final = 4  # of messages in messages
NAMES_IN_HEAD: Final = Struct("<4xHH")  # of a sender: lengths of the name and of the address
KIND_OF_ADDRESS: Final = b"SMTP:"

Attribute = tuple[int, bytes]  # number and value


def files(data: bytes, depth: int = 0) -> Iterator[tuple[str, bytes]]:
    """Yield name and bytes of the text that the message has in here, and of each attached file, up
    to where the data is damaged. What is in an attached message follows it.
    """
    attributes = [*_attributes(data), (NEW, b"")]
    yield from _texts(attributes)
    for name, content in _attached(attributes, _charset(attributes)):
        yield name, content
        if content.startswith(SIGNATURE) and depth < MAX_DEPTH:
            yield from files(content, depth + 1)


def headers(data: bytes) -> dict[str, str]:
    """Return the headers and fields that the message has in here, up to where it is damaged."""
    return _Message(list(_attributes(data))).headers()


class _Message(Properties):
    """The properties of the message; attributes stand for those that it lacks."""

    def __init__(self, attributes: Sequence[Attribute]) -> None:
        self._charset = _charset(attributes)
        self._values: dict[int, bytes] = {}
        self._names: dict[int, int] = {}
        for number, value in attributes:
            if number == MESSAGE:
                values, names = _properties_and_names(value)
                self._values |= values
                self._names |= names
        for number, value in attributes:
            if number in TEXTS:
                self._values.setdefault(TEXTS[number], value)
            elif number == FROM:
                name, address = _sender(value)
                self._values.setdefault(SENDER, name)
                self._values.setdefault(SENDER_ADDRESS, address)

    def fixed(self, number: int) -> bytes:
        return self._values.get(number, b"")[:8]

    def binary(self, number: int) -> bytes:
        return self._values.get(number, b"")

    def text(self, number: int) -> str:
        return decode_declared(self.binary(number), self._charset).rstrip("\0")

    def numbers_of_names(self) -> Mapping[int, int]:
        return self._names


def _sender(value: bytes) -> tuple[bytes, bytes]:
    """Return the name and the address of a sender."""
    if len(value) < NAMES_IN_HEAD.size:
        return b"", b""
    length, length_of_address = NAMES_IN_HEAD.unpack_from(value)
    end = NAMES_IN_HEAD.size + length
    address = value[end : end + length_of_address].rstrip(b"\0")
    return value[NAMES_IN_HEAD.size : end], address.removeprefix(KIND_OF_ADDRESS)


def _charset(attributes: Iterable[Attribute]) -> str | None:
    pages = (int.from_bytes(value[:4], "little") for id, value in attributes if id == CODE_PAGE)
    return safe_codec(f"cp{next(pages, 0)}")


def _texts(attributes: Iterable[Attribute]) -> Iterator[tuple[str, bytes]]:
    for number, value in attributes:
        if number == BODY:
            yield "message.txt", value.rstrip(b"\0")
        elif number == MESSAGE:
            yield from _bodies(_properties(value))


def _bodies(properties: Mapping[int, bytes]) -> Iterator[tuple[str, bytes]]:
    page = properties.get(HTML)
    html, text = ("", "") if page else packed_body(properties.get(RTF, b""))
    if page or html:
        yield "message.html", page or html.encode()
    elif text:
        yield "message.txt", text.encode()


def _attached(attributes: Iterable[Attribute], charset: str | None) -> Iterator[tuple[str, bytes]]:
    name = b""
    content = b""
    for number, value in attributes:
        if number == NEW:
            if content:
                yield decode_declared(name, charset).rstrip("\0"), content
            name = b""
            content = b""
        elif number == DATA:
            content = value
        elif number == TITLE:
            name = value
        elif number == ATTACHED:
            properties = _properties(value)
            name = properties.get(LONG_NAME, name)
            content = content or properties.get(OBJECT, b"")[16:]


def _attributes(data: bytes) -> Iterator[Attribute]:
    at = len(SIGNATURE) + 2
    while data.startswith(SIGNATURE) and at + HEAD.size <= len(data):
        _, number, length = HEAD.unpack_from(data, at)
        at += HEAD.size
        yield number, data[at : at + length]
        at += length + 2  # a sum


def _properties(data: bytes) -> dict[int, bytes]:
    """Return the value of each property, the first of several; texts in Unicode as UTF-8."""
    return _properties_and_names(data)[0]


def _properties_and_names(data: bytes) -> tuple[dict[int, bytes], dict[int, int]]:
    """Return the value of each property, and the numbers of properties whose names are numbers."""
    reader = _Reader(data)
    found: dict[int, bytes] = {}
    names: dict[int, int] = {}
    with suppress(EOFError):
        for _ in range(reader.number()):
            kind = reader.number(2)
            property_ = reader.number(2)
            if property_ >= NAMED and (name := reader.name()):
                names[name] = property_
            for value in reader.values(kind):
                found.setdefault(property_, value)
    return found, names


class _Reader:
    """The bytes of properties, read in their order. Each method may raise EOFError."""

    def __init__(self, data: bytes) -> None:
        self._left = io.BytesIO(data)

    def number(self, size: int = 4) -> int:
        return int.from_bytes(self._take(size), "little")

    def name(self) -> int:
        """Return the name of a property if it is a number; 0 for a text, which has its length."""
        self._take(16)  # the set of names
        is_text = self.number()
        if not is_text:
            return self.number()
        self._padded(self.number())
        return 0

    def values(self, kind: int) -> Iterator[bytes]:
        """Yield the values of a property of this type."""
        base = kind & ~MULTIPLE
        is_variable = base in VARIABLE
        count = self.number() if is_variable or kind & MULTIPLE else 1
        for _ in range(count):
            size = self.number() if is_variable else SIZES.get(base, 4)
            value = self._padded(size)
            yield value.decode("utf-16-le", "replace").encode() if base == UNICODE else value

    def _take(self, size: int) -> bytes:
        value = self._left.read(size)
        if len(value) < size:
            raise EOFError
        return value

    def _padded(self, size: int) -> bytes:
        """Return so many bytes, behind which the next value begins at a multiple of four."""
        return self._take(size + -size % 4)[:size]
