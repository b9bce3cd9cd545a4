"""In the child process: an .xls workbook with the stored results in place of its formulas.

LibreOffice reads it next. It would calculate some formulas again, with other results than the
program that wrote the file. Texts in a code page of the Macintosh become ones of Windows, as
LibreOffice knows only the Western one of the Macintosh. No record moves, so offsets stay right.

Source: MS-XLS 2.4.127 (formulas), 2.5.133 (their results), 2.4.268 (texts of these), 2.4.24,
2.4.149 and 2.4.180 (other cells); OpenOffice's Documentation of the Microsoft Excel File Format,
chapter 5 (older versions), 5.17 (code pages).
"""

import codecs
import io
from collections import Counter
from collections.abc import Iterator, Sequence
from struct import Struct, unpack_from
from typing import Any, Final, NamedTuple

from olefile import OleFileIO

from ...sandbox.messages import Message, RefusedError

DAMAGED: Final = "damaged"  # why a workbook is refused
CONTAINER: Final = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
STREAMS: Final = ("Workbook", "Book")
HEAD: Final = Struct("<HH")  # of a record: its number, and the length of what follows
MAX_LENGTH: Final = 8224
# Numbers of records; several where they changed with the version.
PASSWORD: Final = 0x002F
CODE_PAGE: Final = 0x0042
FORMULAS: Final = frozenset({0x0006, 0x0206, 0x0406})
SHARED: Final = frozenset({0x0021, 0x0221, 0x0036, 0x0037, 0x0236, 0x04BC})  # behind a formula
TEXTS: Final = frozenset({0x0007, 0x0207})  # results, behind the formula and what is shared
UNUSED: Final = 0x0F00  # no version has this record
REFERS_TO_SHARED: Final = (1, 2)  # first bytes of a formula
NO_NUMBER: Final = b"\xff\xff"  # the end of a result that is none
RESULT: Final = 8  # bytes
CALCULATE_ON_LOAD: Final = 2  # a flag of formulas, by programs that do not calculate
UNICODE: Final = 0x0600  # the version from which texts are in Unicode
# Where older versions have texts: the bytes of a record before their length, and those of it.
CODED_TEXTS: Final = {
    0x0004: (7, 1),
    0x0204: (6, 2),
    0x00D6: (6, 2),
    0x0007: (0, 1),
    0x0207: (0, 2),
    0x0085: (6, 1),  # names of sheets
    0x001E: (0, 1),  # number formats
    0x041E: (2, 1),
    0x001C: (4, 2),  # comments
    0x0014: (0, 1),  # lines at the top and the bottom of pages
    0x0015: (0, 1),
}
SAME_BYTES: Final = {10001: 932, 10002: 950, 10003: 949, 10008: 936}  # code pages of East Asia
MAC: Final = {  # code page: how Python names it, and those of Windows that may have its letters
    10004: ("mac_arabic", (1256,)),
    10006: ("mac_greek", (1253,)),
    10007: ("mac_cyrillic", (1251,)),
    10010: ("mac_romanian", (1250,)),
    10017: ("mac_cyrillic", (1251,)),
    10029: ("mac_latin2", (1250, 1257)),
    10079: ("mac_iceland", (1252,)),
    10081: ("mac_turkish", (1254,)),
    10082: ("mac_croatian", (1250,)),
}
REPLACEMENT: Final = ord("?")
_ONE: Final = Struct("<H")


class Layout(NamedTuple):
    """The numbers of the records of cells, the bytes of a cell before its value, and those from the
    result of a formula to the formula.
    """

    number: int
    label: int
    boolean: int
    cell: int
    result: int


LAYOUTS: Final = {  # by the number of the first record
    0x0009: Layout(0x0003, 0x0004, 0x0005, 7, 10),
    0x0209: Layout(0x0203, 0x0204, 0x0205, 6, 12),
    0x0409: Layout(0x0203, 0x0204, 0x0205, 6, 12),
    0x0809: Layout(0x0203, 0x0204, 0x0205, 6, 16),
}


class Record(NamedTuple):
    """A record of the stream, and where it begins."""

    at: int
    number: int
    length: int

    @property
    def body(self) -> int:
        return self.at + HEAD.size


def prepare(_data: bytes, _options: dict[str, Any]) -> None:
    """Import the codecs of the code pages."""
    for codec, pages in MAC.values():
        for name in (codec, *(f"cp{page}" for page in pages)):
            codecs.lookup(name)


def render(data: bytes, _options: dict[str, Any]) -> Iterator[Message]:
    """Yield one message with the workbook; an encrypted one stays as it is.

    Raises RefusedError if it is damaged.
    """
    if not data.startswith(CONTAINER):
        yield {}, _changed(data)
        return
    try:
        changed = _changed_container(data)
    except Exception as error:
        raise RefusedError(DAMAGED) from error  # olefile fails in many ways
    yield {}, changed


def _changed_container(data: bytes) -> bytes:
    file = io.BytesIO(data)
    with OleFileIO(file, write_mode=True) as container:
        name = next(filter(container.exists, STREAMS))
        container.write_stream(name, _changed(container.openstream(name).read()))
        return file.getvalue()


def _changed(stream: bytes) -> bytes:
    """Return the records of a workbook with results in place of formulas."""
    records = list(_records(stream))
    if not records or records[0].number not in LAYOUTS or records[0].length < _ONE.size:
        raise RefusedError(DAMAGED)
    if any(record.number == PASSWORD for record in records):
        return stream
    changed = bytearray(stream)
    (version,) = unpack_from("<H", stream, records[0].body)
    if version < UNICODE:
        _recode(changed, records)
    _put_results(changed, records, LAYOUTS[records[0].number])
    return bytes(changed)


def _records(stream: bytes) -> Iterator[Record]:
    """Yield the records up to where the stream ends or is damaged."""
    at = 0
    while at + HEAD.size <= len(stream):
        number, length = HEAD.unpack_from(stream, at)
        if at + HEAD.size + length > len(stream):
            return
        yield Record(at, number, length)
        at += HEAD.size + length


def _put_results(stream: bytearray, records: Sequence[Record], layout: Layout) -> None:
    least = layout.cell + layout.result + 2
    index = 0
    while index < len(records):
        formula = records[index]
        index += 1
        if formula.number not in FORMULAS or formula.length < least:
            continue
        first = index
        while index < len(records) and records[index].number in SHARED:
            index += 1
        has_text = index < len(records) and records[index].number in TEXTS
        text = records[index] if has_text else None
        if _put_result(stream, layout, formula, records[index - 1], text):
            for shared in records[first:index]:
                _ONE.pack_into(stream, shared.at, UNUSED)


def _put_result(
    stream: bytearray, layout: Layout, formula: Record, before_text: Record, text: Record | None
) -> bool:
    """Make a cell with the result of a formula; return False, and change nothing, without one.

    An empty text is no result: some programs write it to have the formula calculated.
    """
    at = formula.body + layout.cell
    result = bytes(stream[at : at + RESULT])
    is_shared = stream[at + layout.result] in REFERS_TO_SHARED
    if not result.endswith(NO_NUMBER):
        is_open = stream[at + RESULT] & CALCULATE_ON_LOAD and not any(result)
        if is_shared or not is_open:
            _put(stream, formula, layout.number, layout.cell + RESULT)
        return is_shared or not is_open
    match result[0]:
        case 0:
            return text is not None and _put_text(stream, layout, formula, before_text, text)
        case 1 | 2 as kind:
            stream[at] = result[2]
            stream[at + 1] = kind - 1  # whether it is an error
            _put(stream, formula, layout.boolean, layout.cell + 2)
            return True
        case _ if is_shared:
            _ONE.pack_into(stream, formula.at, UNUSED)
            return True
    return False


def _put(stream: bytearray, record: Record, number: int, length: int) -> None:
    """Make a record another, shorter one, with an unused one in the rest."""
    HEAD.pack_into(stream, record.at, number, length)
    rest = record.length - length - HEAD.size
    HEAD.pack_into(stream, record.body + length, UNUSED, rest)


def _put_text(
    stream: bytearray, layout: Layout, formula: Record, before: Record, text: Record
) -> bool:
    """Make a label of the text behind a formula, by bytes of the record before the text."""
    if text.length + layout.cell > MAX_LENGTH or before.length < layout.cell:
        return False
    cell = bytes(stream[formula.body : formula.body + layout.cell])
    _ONE.pack_into(stream, formula.at, UNUSED)
    HEAD.pack_into(stream, before.at, UNUSED, before.length - layout.cell)
    label = text.at - layout.cell
    HEAD.pack_into(stream, label, layout.label, text.length + layout.cell)
    stream[label + HEAD.size : text.body] = cell
    return True


def _recode(stream: bytearray, records: Sequence[Record]) -> None:
    """Write the texts of a workbook of the Macintosh in a code page of Windows."""
    named = next((one for one in records if one.number == CODE_PAGE and one.length >= 2), None)
    if named is None:
        return
    (page,) = _ONE.unpack_from(stream, named.body)
    if page in SAME_BYTES:
        _ONE.pack_into(stream, named.body, SAME_BYTES[page])
    if page not in MAC:
        return
    codec, pages = MAC[page]
    places = list(_places_of_texts(stream, records))
    letters = Counter(byte for start, end in places for byte in stream[start:end])
    tables = {one: _table(codec, one) for one in pages}
    lost = {
        one: sum(count for byte, count in letters.items() if table[byte] == REPLACEMENT)
        for one, table in tables.items()
    }
    best = min(pages, key=lost.__getitem__)
    for start, end in places:
        stream[start:end] = stream[start:end].translate(tables[best])
    _ONE.pack_into(stream, named.body, best)


def _places_of_texts(stream: bytearray, records: Sequence[Record]) -> Iterator[tuple[int, int]]:
    for record in records:
        before, size = CODED_TEXTS.get(record.number, (0, 0))
        if size and record.length >= before + size:
            start = record.body + before + size
            length = int.from_bytes(stream[start - size : start], "little")
            yield start, min(start + length, record.body + record.length)


def _table(codec: str, page: int) -> bytes:
    """Return the byte of the code page for each byte of the codec."""
    letters = bytes(range(256)).decode(codec, "replace")
    return letters.encode(f"cp{page}", "replace")
