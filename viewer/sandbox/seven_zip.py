"""Runs in the child process. Lists the files of a 7z archive; unpacks nothing but the list.

    signature, version, checksum, place and size of the header (32 bytes) | packed files | header

The header is plain, or itself packed and then described by another one. Source: 7zFormat.txt of
the LZMA SDK.
"""

import lzma
from collections.abc import Iterator
from itertools import islice
from struct import unpack_from
from typing import Final, NamedTuple

SIGNATURE: Final = b"7z\xbc\xaf\x27\x1c"
START_SIZE: Final = 32
MAX_HEADER: Final = 32 << 20
_, HEADER, _, _, MAIN_STREAMS, FILES, PACKED, UNPACKED, SUBSTREAMS = range(9)
SIZE, CRC, FOLDER, UNPACKED_SIZES, STREAM_COUNTS, EMPTY_STREAMS, EMPTY_FILES = range(9, 16)
NAMES, PACKED_HEADER = 0x11, 0x17
COPY, LZMA, LZMA2, AES = b"\0", b"\3\1\1", b"\x21", b"\x06\xf1\x07\x01"


class SevenZipError(ValueError):
    """The list can't be read; the reason is "format" or "encrypted"."""

    def __init__(self, reason: str = "format") -> None:
        super().__init__(reason)
        self.reason = reason


class Folder(NamedTuple):
    """What was packed together: method and its properties for each step, and the size of all."""

    coders: list[tuple[bytes, bytes]]
    size: int
    has_crc: bool


class Streams(NamedTuple):
    """Where the packed streams begin, their sizes, and those of the files in them."""

    start: int
    packed_sizes: list[int]
    folders: list[Folder]
    sizes: list[int]


def list_files(data: bytes) -> Iterator[tuple[str, int]]:
    """Yield name and size of each file. Raises SevenZipError."""
    if len(data) < START_SIZE:
        raise SevenZipError
    offset, size = unpack_from("<QQ", data, 12)
    header = _Reader(data[START_SIZE + offset :][:size])
    kind = header.byte() if size else HEADER
    for _ in range(4):
        if kind != PACKED_HEADER:
            break
        header = _Reader(_unpacked(data, _streams(header)))
        kind = header.byte()
    if kind != HEADER:
        raise SevenZipError
    yield from _files(header)


def _files(header: "_Reader") -> Iterator[tuple[str, int]]:
    streams = Streams(0, [], [], [])
    while kind := header.byte() if header.left else 0:
        if kind == MAIN_STREAMS:
            streams = _streams(header)
        elif kind == FILES:
            return _listed(header, streams.sizes)
        else:
            raise SevenZipError
    return iter(())


def _listed(header: "_Reader", sizes: list[int]) -> Iterator[tuple[str, int]]:
    """Yield the files; what has no content and is no empty file is a folder."""
    count, names = header.number(), ""
    empty: list[bool] = []
    files: list[bool] = []
    while kind := header.byte():
        part = _Reader(header.take(header.number()))
        if kind == EMPTY_STREAMS:
            empty = part.bits(count)
        elif kind == EMPTY_FILES:
            files = part.bits(sum(empty))
        elif kind == NAMES and part.byte() == 0:
            names = part.take(part.left).decode("utf-16-le", "replace")
    content, empty_file = iter(sizes), iter(files)
    for index, name in enumerate(islice(names.split("\0"), count)):
        if not (index < len(empty) and empty[index]):
            yield name, next(content, 0)
        elif next(empty_file, False):
            yield name, 0


def _streams(header: "_Reader") -> Streams:
    start = 0
    packed: list[int] = []
    folders: list[Folder] = []
    sizes: list[int] = []
    while kind := header.byte():
        if kind == PACKED:
            start, packed = _packed(header)
        elif kind == UNPACKED:
            folders = _folders(header)
            sizes = [folder.size for folder in folders]
        elif kind == SUBSTREAMS:
            sizes = _substreams(header, folders)
        else:
            raise SevenZipError
    return Streams(start, packed, folders, sizes)


def _packed(header: "_Reader") -> tuple[int, list[int]]:
    (start, count), sizes = header.numbers(2), list[int]()
    while kind := header.byte():
        if kind == SIZE:
            sizes = header.numbers(count)
        elif kind == CRC:
            header.checksums(count)
        else:
            raise SevenZipError
    return start, sizes


def _folders(header: "_Reader") -> list[Folder]:
    if header.byte() != FOLDER:
        raise SevenZipError
    count = header.number()
    if header.byte() or count > header.left:
        raise SevenZipError
    made = [_coders(header) for _ in range(count)]
    if header.byte() != UNPACKED_SIZES:
        raise SevenZipError
    sizes = [header.numbers(outputs)[main] for _, outputs, main in made]
    known = [False] * count
    while kind := header.byte():
        if kind != CRC:
            raise SevenZipError
        known = header.checksums(count)
    parts = zip(made, sizes, known, strict=True)
    return [Folder(coders, size, has_crc) for (coders, _, _), size, has_crc in parts]


def _coders(header: "_Reader") -> tuple[list[tuple[bytes, bytes]], int, int]:
    """Return the steps of a folder, how many outputs they have, and which of these is the last."""
    coders, inputs, outputs = [], 0, 0
    for _ in range(min(header.number(), header.left)):
        flags = header.byte()
        method = header.take(flags & 15)
        inputs += header.number() if flags & 16 else 1
        outputs += header.number() if flags & 16 else 1
        coders.append((method, header.take(header.number()) if flags & 32 else b""))
    bound = {header.numbers(2)[1] for _ in range(min(outputs - 1, header.left))}
    if (free := inputs - max(outputs - 1, 0)) > 1:
        header.numbers(free)
    main = next((n for n in range(len(bound) + 1) if n not in bound), 0)
    return coders, outputs, main


def _substreams(header: "_Reader", folders: list[Folder]) -> list[int]:
    counts, kind, sizes = [1] * len(folders), header.byte(), list[int]()
    if kind == STREAM_COUNTS:
        counts, kind = header.numbers(len(folders)), header.byte()
    if sum(counts) > len(folders) + header.left:
        raise SevenZipError
    for folder, count in zip(folders, counts, strict=True):
        parts = header.numbers(count - 1) if kind == SIZE and count else []
        sizes += [*parts, folder.size - sum(parts)] if count else []
    kind = header.byte() if kind == SIZE else kind
    while kind:
        if kind != CRC:
            raise SevenZipError
        pairs = zip(folders, counts, strict=True)
        header.checksums(sum(n for folder, n in pairs if not (folder.has_crc and n == 1)))
        kind = header.byte()
    return sizes


def _unpacked(data: bytes, streams: Streams) -> bytes:
    """Return a packed header. It has one step: Copy, LZMA or LZMA2; AES if names are secret."""
    if not streams.folders or not streams.packed_sizes:
        raise SevenZipError
    coders, size, _ = streams.folders[0]
    if any(method == AES for method, _ in coders):
        raise SevenZipError("encrypted")
    if len(coders) != 1 or size > MAX_HEADER:
        raise SevenZipError
    packed = data[START_SIZE + streams.start :][: streams.packed_sizes[0]]
    method, properties = coders[0]
    if method == COPY:
        return packed
    decoder = lzma.LZMADecompressor(lzma.FORMAT_RAW, filters=[_filter(method, properties, size)])
    return decoder.decompress(packed, max_length=size)


def _filter(method: bytes, properties: bytes, size: int) -> dict[str, int]:
    """Return liblzma's name for a method; no dictionary needs to be larger than what it makes."""
    if method == LZMA2 and len(properties) == 1:
        return {"id": lzma.FILTER_LZMA2, "dict_size": max(size, 4096)}
    if method != LZMA or len(properties) != 5:
        raise SevenZipError
    rest, lc = divmod(properties[0], 9)
    pb, lp = divmod(rest, 5)
    return {"id": lzma.FILTER_LZMA1, "dict_size": max(size, 4096), "lc": lc, "lp": lp, "pb": pb}


class _Reader:
    """Reads numbers and bits. Raises SevenZipError at the end."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    @property
    def left(self) -> int:
        return len(self.data) - self.at

    def take(self, size: int) -> bytes:
        if size > self.left:
            raise SevenZipError
        self.at += size
        return self.data[self.at - size : self.at]

    def byte(self) -> int:
        return self.take(1)[0]

    def number(self) -> int:
        """The highest bits of the first byte that are set count the bytes that follow."""
        first = self.byte()
        more = 8 - (first ^ 0xFF).bit_length()
        high = first & (0x7F >> more)
        return int.from_bytes(self.take(more), "little") | high << 8 * more

    def numbers(self, count: int) -> list[int]:
        if count > self.left:
            raise SevenZipError
        return [self.number() for _ in range(count)]

    def bits(self, count: int) -> list[bool]:
        data = self.take((count + 7) // 8)
        return [bool(data[n // 8] & 0x80 >> n % 8) for n in range(count)]

    def checksums(self, count: int) -> list[bool]:
        """Skip checksums; return which are there."""
        known = [True] * min(count, self.left) if self.byte() else self.bits(count)
        self.take(4 * sum(known))
        return known
