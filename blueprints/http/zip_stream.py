"""A ZIP file that is made while it is sent, of entries that are stored as they are.

PKWARE's APPNOTE.TXT 6.3.10, with UTF-8 names (4.4.4, bit 11), and ZIP64 (4.3.14, 4.5.3) only where
a size, an offset or a number needs it. The length of the file is known before its first byte. The
CRC-32 of an entry stands before its bytes, so each entry is read as a whole before any of it is
sent. At an entry that does not open, the file breaks off. The last entry has the SHA-256 of all
others.
"""

import hashlib
import struct
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import accumulate
from typing import Final
from zlib import crc32

from models.core import counted

SUMS: Final = "SHA256SUMS"  # the name of the last entry, for `sha256sum -c`
_MOST_BYTES: Final = 0xFFFF_FFFF  # this value and larger ones need ZIP64
_MOST_ENTRIES: Final = 0xFFFF
_VERSION, _VERSION_64 = 20, 45  # versions needed to read a file
_UTF_8, _UNIX, _MODE = 0x0800, 3 << 8, 0o100644 << 16
_LINE_BYTES = len("\n  ") + 64  # the length of a line of the sums, without the name


@dataclass(frozen=True, slots=True)
class ZipEntry:
    """An entry of a ZIP file.

    `read` returns the same `size` bytes in pieces each time. The `name` is used as it is, with
    slashes between folders; `created_at` is in milliseconds; `sha256` in hex, if it is known.
    """

    name: str
    size: int
    read: Callable[[], Iterable[bytes]]
    created_at: int
    sha256: str = ""

    @classmethod
    def of_bytes(cls, name: str, content: bytes, created_at: int) -> "ZipEntry":
        return cls(name, len(content), lambda: (content,), created_at)


class IncompleteEntryError(Exception):
    """The error for an entry that has another number of bytes than its size says."""


class ZipStream:
    """The file as an iterable of pieces; `size` is its length in bytes."""

    def __init__(self, entries: Sequence[ZipEntry], created_at: int) -> None:
        self._entries, self._created_at = entries, created_at
        sums_size = sum(_LINE_BYTES + len(entry.name.encode()) for entry in entries)
        all = [*entries, ZipEntry(SUMS, sums_size, tuple, created_at)]
        lengths = [len(_local_header(entry, 0)) + entry.size for entry in all]
        *self._offsets, self._directory_at = accumulate(lengths, initial=0)
        placed = zip(all, self._offsets, strict=True)
        directory = sum(len(_central_header(entry, 0, offset)) for entry, offset in placed)
        end = len(_end(len(all), directory, self._directory_at))
        self.size = self._directory_at + directory + end

    def __iter__(self) -> Iterator[bytes]:
        lines, checksums = [], []
        for entry in self._entries:
            checksum, sha256, pieces = _verified(entry)
            lines.append(f"{sha256}  {entry.name}\n")
            checksums.append(checksum)
            yield _local_header(entry, checksum)
            yield from pieces
        text = "".join(lines).encode()
        sums = ZipEntry.of_bytes(SUMS, text, self._created_at)
        checksums.append(crc32(text))
        yield _local_header(sums, checksums[-1])
        yield text
        yield from self._directory([*self._entries, sums], checksums)

    def _directory(self, entries: Sequence[ZipEntry], checksums: Sequence[int]) -> Iterator[bytes]:
        length = 0
        for entry, checksum, offset in zip(entries, checksums, self._offsets, strict=True):
            header = _central_header(entry, checksum, offset)
            length += len(header)
            yield header
        yield _end(len(entries), length, self._directory_at)


def _verified(entry: ZipEntry) -> tuple[int, str, Iterable[bytes]]:
    """Return CRC-32, SHA-256 in hex and the pieces of an entry, which was read to its end."""
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


def _local_header(entry: ZipEntry, checksum: int) -> bytes:
    """Return the local header (4.3.7); with both sizes in ZIP64 where they need it."""
    name, size = entry.name.encode(), min(entry.size, _MOST_BYTES)
    extra = struct.pack("<HHQQ", 1, 16, entry.size, entry.size) if size == _MOST_BYTES else b""
    facts = _UTF_8, 0, *_dos_moment(entry.created_at), checksum, size, size
    version = _VERSION_64 if extra else _VERSION
    header = struct.pack("<4s5H3L2H", b"PK\3\4", version, *facts, len(name), len(extra))
    return header + name + extra


def _central_header(entry: ZipEntry, checksum: int, offset: int) -> bytes:
    """Return the central header (4.3.12); only the values that need ZIP64 are in ZIP64."""
    name, size, at = entry.name.encode(), min(entry.size, _MOST_BYTES), min(offset, _MOST_BYTES)
    large = [entry.size, entry.size] if size == _MOST_BYTES else []
    large += [offset] if at == _MOST_BYTES else []
    extra = struct.pack(f"<HH{len(large)}Q", 1, 8 * len(large), *large) if large else b""
    facts = _UTF_8, 0, *_dos_moment(entry.created_at), checksum, size, size
    lengths = len(name), len(extra), 0, 0, 0, _MODE, at
    version = _VERSION_64 if extra else _VERSION
    header = struct.pack("<4s6H3L5H2L", b"PK\1\2", _UNIX | version, version, *facts, *lengths)
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
