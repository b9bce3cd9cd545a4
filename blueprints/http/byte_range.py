"""A byte range of a seekable file: it stays where it is and is read in blocks."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

BLOCK_BYTES = 256 << 10


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
        """Its bytes in blocks of equal length but for the last."""
        for at in range(self.start, self.stop, block_bytes):
            yield read_at(self.stream, at, min(block_bytes, self.stop - at))

    def head(self, count: int) -> bytes:
        """At most its first `count` bytes."""
        return read_at(self.stream, self.start, min(count, self.size))

    def tail(self, count: int) -> bytes:
        """At most its last `count` bytes."""
        start = max(self.start, self.stop - count)
        return read_at(self.stream, start, self.stop - start)


def read_at(stream: BinaryIO, start: int, count: int) -> bytes:
    stream.seek(start)
    return stream.read(count)


def find(stream: BinaryIO, wanted: bytes, start: int) -> int:
    """The offset of the first `wanted` at or after `start`; -1 if there is none."""
    while True:
        block = read_at(stream, start, BLOCK_BYTES)
        found = block.find(wanted)
        if found >= 0:
            return start + found
        if len(block) < BLOCK_BYTES:
            return -1
        start += len(block) - len(wanted) + 1
