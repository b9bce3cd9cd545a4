"""What sealed rows have opened to, for some minutes: a row that is read again is not opened again.

An entry is found by a digest of all that the row was opened from. So a row of which one byte was
altered, or that was changed or moved, has another entry, or none, and nothing has to be invalidated
for an answer to be right. Entries are forgotten nevertheless: with the document, collection or
account that they are about, and by their age.
"""

import sys
import threading
import time
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

KEPT_SECONDS = 290  # and removed from the memory in less than five minutes, by `FORGET_SECONDS`
FORGET_SECONDS = 5  # between two calls of `forget_old`
MOST_BYTES = 4 << 20
ENTRY_BYTES = 1_250  # of an entry beside its values: its digest, its place, its ids
GONE_BYTES = 200  # of an id that is gone

Values = Mapping[str, Any]


class _Entry(NamedTuple):
    values: Values
    until: float  # of the clock
    size: int
    about: tuple[str, ...]


class OpenedRows:
    """The values of opened rows by digest, the oldest first; at most `most_bytes` of them.

    `clock` returns seconds. Values are never changed: they are shared by all threads.
    """

    def __init__(
        self, most_bytes: int = MOST_BYTES, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._most_bytes = most_bytes
        self._clock = clock
        self._lock = threading.Lock()
        self._entries: dict[bytes, _Entry] = {}
        self._about: dict[str, set[bytes]] = {}  # the digests of the entries about an id
        self._gone: dict[str, float] = {}  # ids of what was deleted, until when nobody reads it
        self.size_bytes = 0

    def __len__(self) -> int:
        return len(self._entries)

    def find(self, digest: bytes) -> Values | None:
        """Return the values of a row, or None if they are not known, or were for too long."""
        entry = self._entries.get(digest)
        return entry.values if entry and entry.until > self._clock() else None

    def add(self, digest: bytes, values: Mapping[str, Any], about: tuple[str, ...]) -> Values:
        """Remember values, which are about these ids, and return them as they are remembered.

        Lists and dictionaries in them become tuples and mappings that nobody can change.
        """
        frozen: Values = _frozen(values)
        size = ENTRY_BYTES + sum(map(size_of, frozen.values()))
        with self._lock:
            self._forget_until(self._clock())
            if digest not in self._entries and self._gone.keys().isdisjoint(about):
                self._entries[digest] = _Entry(frozen, self._clock() + KEPT_SECONDS, size, about)
                self.size_bytes += size
                for id in about:
                    self._about.setdefault(id, set()).add(digest)
                self._keep_to_size()
        return frozen

    def forget(self, id: str) -> None:
        """Forget all about a document, collection or account that is deleted.

        Who has read a row of it before the deletion adds none afterwards.
        """
        with self._lock:
            self.size_bytes += 0 if self._gone.pop(id, None) else GONE_BYTES
            self._gone[id] = self._clock() + KEPT_SECONDS
            for digest in list(self._about.get(id, ())):
                self._remove(digest)
            self._keep_to_size()

    def forget_old(self) -> None:
        """Forget the entries that are too old, as a periodic task does."""
        with self._lock:
            self._forget_until(self._clock())

    def _forget_until(self, moment: float) -> None:
        while self._entries:
            digest, entry = next(iter(self._entries.items()))
            if entry.until > moment:
                break
            self._remove(digest)
        while self._gone:
            id, until = next(iter(self._gone.items()))
            if until > moment:
                break
            self._forget_gone(id)

    def _keep_to_size(self) -> None:
        """Drop the oldest; ids that are gone take a quarter, so that many leave room for rows."""
        while GONE_BYTES * len(self._gone) > self._most_bytes // 4:
            self._forget_gone(next(iter(self._gone)))
        while self.size_bytes > self._most_bytes:
            self._remove(next(iter(self._entries)))

    def _forget_gone(self, id: str) -> None:
        del self._gone[id]
        self.size_bytes -= GONE_BYTES

    def _remove(self, digest: bytes) -> None:
        entry = self._entries.pop(digest)
        self.size_bytes -= entry.size
        for id in entry.about:
            digests = self._about[id]
            digests.discard(digest)
            if not digests:
                del self._about[id]


def _frozen(value: Any) -> Any:
    """Return a value of JSON as one that cannot be changed."""
    if isinstance(value, Mapping):
        return MappingProxyType({name: _frozen(one) for name, one in value.items()})
    if isinstance(value, list | tuple):
        return tuple(_frozen(one) for one in value)
    return value


def size_of(value: Any) -> int:
    """Return about how many bytes a value of JSON occupies in the memory."""
    size = sys.getsizeof(value)
    if isinstance(value, Mapping):
        inner = sys.getsizeof({}) + sum(size_of(name) + size_of(one) for name, one in value.items())
        return size + inner + 100 * len(value)
    if isinstance(value, tuple):
        return size + sum(map(size_of, value))
    return size
