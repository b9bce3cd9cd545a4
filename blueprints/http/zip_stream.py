"""A ZIP file that is made while it is sent.

PKWARE's APPNOTE.TXT 6.3.10, with UTF-8 names (4.4.4, bit 11), and ZIP64 (4.3.14, 4.5.3) only where
a size, an offset or a number needs it. An entry of known size is stored as it is. The CRC-32 of
such an entry stands before its bytes, so it is read as a whole before any of it is sent, unless its
CRC-32 is known. An entry that grows while it is read is deflated, and a data descriptor follows it
(4.3.9). At an entry that does not open, the file breaks off. The last entry has the SHA-256 of all
others.
"""

import hashlib
import struct
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import chain
from typing import Final, NamedTuple
from zlib import crc32

from models.core import counted

SUMS: Final = "SHA256SUMS"  # the name of the last entry, for `sha256sum -c`
_MOST_BYTES: Final = 0xFFFF_FFFF  # this value and larger ones need ZIP64
_MOST_ENTRIES: Final = 0xFFFF
_VERSION, _VERSION_64 = 20, 45  # versions needed to read a file
_STORED, _DEFLATED = 0, 8
_UTF_8, _HAS_DESCRIPTOR, _UNIX, _MODE = 0x0800, 8, 3 << 8, 0o100644 << 16
_LINE_BYTES = len("\n  ") + 64  # the length of a line of the sums, without the name
_RAW = -15  # deflate without a header, with a window of 32 KiB


@dataclass(frozen=True, slots=True)
class ZipEntry:
    """An entry of a ZIP file.

    `read` returns the same `size` bytes in pieces each time, or raises `EntryGoneError`. The `name`
    is used as it is, with slashes between folders; `created_at` is in milliseconds; `sha256` in
    hex, if it is known. An entry whose `crc32` is known as well is read once, while it is sent.
    """

    name: str
    size: int
    read: Callable[[], Iterable[bytes]]
    created_at: int
    sha256: str = ""
    crc32: int | None = None

    @classmethod
    def of_bytes(cls, name: str, content: bytes, created_at: int) -> "ZipEntry":
        return cls(name, len(content), lambda: (content,), created_at)


@dataclass(frozen=True, slots=True)
class GrowingEntry:
    """An entry whose size is known only when `read`, which is called once, has come to its end."""

    name: str
    read: Callable[[], Iterable[bytes]]
    created_at: int


class IncompleteEntryError(Exception):
    """The error for an entry that has another number of bytes than its size says."""


class EntryGoneError(Exception):
    """The exception by which an entry says, before its first byte, that it is to be left out."""


class CompressedBytes:
    """Bytes that are kept in memory, compressed, until they are read once; with their CRC-32."""

    def __init__(self) -> None:
        self.size = self.checksum = 0
        self._deflate = zlib.compressobj(1)
        self._kept: list[bytes] = []

    def add(self, content: bytes) -> None:
        self.size += len(content)
        self.checksum = crc32(content, self.checksum)
        if compressed := self._deflate.compress(content):
            self._kept.append(compressed)

    def pieces(self) -> Iterator[bytes]:
        """Yield all that was added, in pieces of any length; nothing is added after that."""
        inflate = zlib.decompressobj()
        for compressed in (*self._kept, self._deflate.flush()):
            if piece := inflate.decompress(compressed):
                yield piece


class _Written(NamedTuple):
    """The values in the headers of an entry. A growing one has sums and sizes after its bytes."""

    name: str
    created_at: int
    checksum: int = 0
    size: int = 0
    sent_bytes: int = 0
    method: int = _STORED

    @classmethod
    def stored(cls, entry: ZipEntry, checksum: int = 0) -> "_Written":
        return cls(entry.name, entry.created_at, checksum, entry.size, entry.size)

    @property
    def flags(self) -> int:
        return _UTF_8 | _HAS_DESCRIPTOR if self.method == _DEFLATED else _UTF_8


class ZipStream:
    """The file as an iterable of pieces; `size` is its length in bytes."""

    def __init__(self, entries: Sequence[ZipEntry], created_at: int) -> None:
        self._entries, self._created_at = entries, created_at
        sums_size = sum(_LINE_BYTES + len(entry.name.encode()) for entry in entries)
        offset = directory = 0
        for entry in (*entries, ZipEntry(SUMS, sums_size, tuple, created_at)):
            written = _Written.stored(entry)
            directory += len(_central_header(written, offset))
            offset += len(_local_header(written)) + entry.size
        self.size = offset + directory + len(_end(len(entries) + 1, directory, offset))

    def __iter__(self) -> Iterator[bytes]:
        return pieces_of_zip(self._entries, self._created_at)


def pieces_of_zip(entries: Iterable[ZipEntry | GrowingEntry], created_at: int) -> Iterator[bytes]:
    """Yield a file, whose length nobody knows before its end, in pieces.

    Each entry is taken when the one before it was sent. Some hundred bytes are kept of it.
    """
    file = _File()
    for entry in entries:
        yield from file.growing(entry) if isinstance(entry, GrowingEntry) else file.stored(entry)
    yield from file.end(created_at)


class _File:
    """A file that is sent, with the entries that its end names."""

    def __init__(self) -> None:
        self._offset = self._count = 0
        self._directory, self._sums = CompressedBytes(), CompressedBytes()

    def stored(self, entry: ZipEntry) -> Iterator[bytes]:
        try:
            checksum, sha256, pieces = _verified(entry)
        except EntryGoneError:
            return
        written = _Written.stored(entry, checksum)
        yield _local_header(written)
        yield from pieces
        self._add(written, sha256)

    def growing(self, entry: GrowingEntry) -> Iterator[bytes]:
        written = _Written(entry.name, entry.created_at, method=_DEFLATED)
        yield _local_header(written)
        deflate, digest = zlib.compressobj(wbits=_RAW), hashlib.sha256()
        checksum = size = sent_bytes = 0
        for piece in entry.read():
            digest.update(piece)
            checksum, size = crc32(piece, checksum), size + len(piece)
            compressed = deflate.compress(piece)
            sent_bytes += len(compressed)
            yield compressed
        compressed = deflate.flush()
        sent_bytes += len(compressed)
        yield compressed
        written = written._replace(checksum=checksum, size=size, sent_bytes=sent_bytes)
        yield _descriptor(written)
        self._add(written, digest.hexdigest())

    def end(self, created_at: int) -> Iterator[bytes]:
        sums = self._sums
        size = sums.size
        written = _Written(SUMS, created_at, sums.checksum, size, size)
        yield _local_header(written)
        yield from sums.pieces()
        self._add_header(written)
        yield from self._directory.pieces()
        yield _end(self._count, self._directory.size, self._offset)

    def _add(self, written: _Written, sha256: str) -> None:
        self._sums.add(f"{sha256}  {written.name}\n".encode())
        self._add_header(written)

    def _add_header(self, written: _Written) -> None:
        self._directory.add(_central_header(written, self._offset))
        self._offset += len(_local_header(written)) + written.sent_bytes
        self._offset += len(_descriptor(written))
        self._count += 1


def _verified(entry: ZipEntry) -> tuple[int, str, Iterable[bytes]]:
    """Return CRC-32, SHA-256 in hex and the pieces of an entry, which was read to its end.

    Of an entry whose checksums are known only the first piece was read.
    """
    if entry.sha256 and entry.crc32 is not None:
        sent = _counted(entry)
        return entry.crc32, entry.sha256, chain([next(sent, b"")], sent)
    checksum, length, digest, first = 0, 0, hashlib.sha256(), b""
    for piece in entry.read():
        first = first or piece
        checksum, length = crc32(piece, checksum), length + len(piece)
        if not entry.sha256:
            digest.update(piece)
    if length != entry.size:
        raise IncompleteEntryError(f"{counted(length, 'byte')} instead of {entry.size:,}.")
    pieces = (first,) if length == len(first) else _counted(entry)
    return checksum, entry.sha256 or digest.hexdigest(), pieces


def _counted(entry: ZipEntry) -> Iterator[bytes]:
    length = 0
    for piece in entry.read():
        length += len(piece)
        yield piece
    if length != entry.size:
        raise IncompleteEntryError(f"{counted(length, 'byte')} instead of {entry.size:,}.")


def _local_header(written: _Written) -> bytes:
    """Return the local header (4.3.7); with both sizes in ZIP64 where a stored entry needs it."""
    if written.method == _DEFLATED:
        written = written._replace(checksum=0, size=0, sent_bytes=0)
    name, size = written.name.encode(), min(written.size, _MOST_BYTES)
    extra = struct.pack("<HHQQ", 1, 16, written.size, written.size) if size == _MOST_BYTES else b""
    version = _VERSION_64 if extra else _VERSION
    facts = written.flags, written.method, *_dos_moment(written.created_at), written.checksum
    header = struct.pack("<4s5H3L2H", b"PK\3\4", version, *facts, size, size, len(name), len(extra))
    return header + name + extra


def _descriptor(written: _Written) -> bytes:
    """Return the data descriptor of an entry that has grown; b"" of a stored one."""
    if written.method == _STORED:
        return b""
    is_large = max(written.size, written.sent_bytes) >= _MOST_BYTES
    form = "<4sLQQ" if is_large else "<4sLLL"
    return struct.pack(form, b"PK\7\10", written.checksum, written.sent_bytes, written.size)


def _central_header(written: _Written, offset: int) -> bytes:
    """Return the central header (4.3.12); only the values that need ZIP64 are in ZIP64."""
    name = written.name.encode()
    values = written.size, written.sent_bytes, offset
    size, sent_bytes, at = (min(value, _MOST_BYTES) for value in values)
    large = [value for value in values if value >= _MOST_BYTES]
    extra = struct.pack(f"<HH{len(large)}Q", 1, 8 * len(large), *large) if large else b""
    version = _VERSION_64 if extra else _VERSION
    facts = written.flags, written.method, *_dos_moment(written.created_at), written.checksum
    lengths = len(name), len(extra), 0, 0, 0, _MODE, at
    header = struct.pack(
        "<4s6H3L5H2L", b"PK\1\2", _UNIX | version, version, *facts, sent_bytes, size, *lengths
    )
    return header + name + extra


def _end(count: int, length: int, offset: int) -> bytes:
    """Return the end (4.3.16), after ZIP64's record and locator where the file needs them."""
    short = min(count, _MOST_ENTRIES), min(length, _MOST_BYTES), min(offset, _MOST_BYTES)
    end = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, short[0], *short, 0)
    if short[0] != _MOST_ENTRIES and _MOST_BYTES not in short[1:]:
        return end
    facts = _UNIX | _VERSION_64, _VERSION_64, 0, 0, count, count, length, offset
    record = struct.pack("<4sQ2H2L4Q", b"PK\6\6", 44, *facts)
    return record + struct.pack("<4sLQL", b"PK\6\7", 0, offset + length, 1) + end


def _dos_moment(moment: int) -> tuple[int, int]:
    """Return time and date in UTC, of 1980 to 2107, in steps of two seconds."""
    at = datetime.fromtimestamp(moment / 1000, UTC)
    year = min(max(at.year - 1980, 0), 127)
    return at.hour << 11 | at.minute << 5 | at.second // 2, year << 9 | at.month << 5 | at.day
