"""SHA-256 of what has arrived of unfinished uploads, which is kept in memory alone.

The state of a digest cannot be stored. So of each upload it is kept beside the offset up to which
it went. After a restart, or where another process took a step, it is behind, and what has arrived
is read again: beside the requests, by one thread, which works for those who wait in turns. However
many uploads one of them has, the next one waits for a slice of each person's.
"""

import hashlib
from collections import OrderedDict, deque
from collections.abc import Callable
from threading import Lock, Thread
from typing import Protocol

from .error_mapping import log_failure

MOST_KEPT = 10_000  # digests of some hundred bytes; those that were used last


class Digest(Protocol):
    """A hash of `hashlib` that is not finished."""

    def copy(self) -> "Digest": ...
    def update(self, data: bytes, /) -> None: ...
    def hexdigest(self) -> str: ...


Slice = Callable[[], bool]  # does a part of the work, and returns whether there is more


class UploadDigests:
    """The digests of this process, and the thread that lets those that are behind catch up."""

    def __init__(self, count_failed: Callable[[str], object] = lambda _: None) -> None:
        self._count_failed = count_failed
        self._kept: OrderedDict[str, tuple[Digest, int]] = OrderedDict()
        self._waiting: OrderedDict[str, deque[tuple[str, Slice]]] = OrderedDict()  # by person
        self._wanted: set[str] = set()
        self._guard = Lock()
        self._runs = False
        self._is_closed = False

    def of(self, upload_id: str) -> tuple[Digest, int]:
        """Return a copy of the digest of an upload, and the number of bytes that are in it."""
        with self._guard:
            digest, offset = self._kept.get(upload_id) or (hashlib.sha256(), 0)
            return digest.copy(), offset

    def keep(self, upload_id: str, digest: Digest, offset: int) -> None:
        """Keep the digest of the first bytes of an upload, whose number is the offset."""
        with self._guard:
            self._kept[upload_id] = digest, offset
            self._kept.move_to_end(upload_id)
            while len(self._kept) > MOST_KEPT:
                self._kept.popitem(last=False)

    def forget(self, upload_id: str) -> None:
        with self._guard:
            self._kept.pop(upload_id, None)

    def catch_up(self, upload_id: str, person_id: str, work: Slice) -> None:
        """Have `work` called beside the requests, again and again, until it returns False.

        Nothing happens while it is called for this upload already.
        """
        with self._guard:
            if upload_id in self._wanted or self._is_closed:
                return
            self._wanted.add(upload_id)
            self._waiting.setdefault(person_id, deque()).append((upload_id, work))
            if not self._runs:
                self._runs = True
                Thread(target=self._run, name="upload digests", daemon=True).start()

    def close(self) -> None:
        """Begin no more slices. What is left is begun again when it is asked for."""
        with self._guard:
            self._is_closed = True
            self._waiting.clear()
            self._wanted.clear()

    def _run(self) -> None:
        while taken := self._next():
            person_id, upload_id, work = taken
            has_more = False
            try:
                has_more = work()
            except Exception as error:
                self._count_failed("uploads")
                log_failure(f"What has arrived of {upload_id} was not read", error)
            self._put_back(person_id, upload_id, work, has_more=has_more)

    def _next(self) -> tuple[str, str, Slice] | None:
        """Return whose turn it is, the upload and the work; None, and no thread runs, if none."""
        with self._guard:
            if not self._waiting:
                self._runs = False
                return None
            person_id, line = self._waiting.popitem(last=False)
            upload_id, work = line.popleft()
            if line:
                self._waiting[person_id] = line
            return person_id, upload_id, work

    def _put_back(self, person_id: str, upload_id: str, work: Slice, *, has_more: bool) -> None:
        with self._guard:
            if has_more and not self._is_closed:
                self._waiting.setdefault(person_id, deque()).append((upload_id, work))
            else:
                self._wanted.discard(upload_id)
