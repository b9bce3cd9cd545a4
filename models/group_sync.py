"""Group commit: one sync of the write-ahead log for all whose transactions wait for it.

SQLite commits without syncing (`synchronous=NORMAL`) and gives the writers' lock free; who has
committed then waits here. One of them syncs for all who came before it began; the others sleep.
A checkpoint syncs log and database itself, so what has left the log is safe as well.
"""

import os
import threading
from collections.abc import Callable

_fdatasync: Callable[[int], None] = getattr(os, "fdatasync", os.fsync)  # macOS has only fsync


class GroupSync:
    """`path` tells which file; one that is gone was checkpointed when it was closed."""

    def __init__(self, path: Callable[[], str]) -> None:
        self._path = path
        self._changed = threading.Condition()
        self._asked = self._tried = 0  # waits begun; those that a sync has been tried for
        self._syncing = False
        self._failed: tuple[int, OSError] | None = None

    def sync(self) -> None:
        """Returns when all that was written before the call is on disk; else raises OSError."""
        with self._changed:
            self._asked += 1
            mine = self._asked
            while self._tried < mine:
                if self._syncing:
                    self._changed.wait()
                else:
                    self._lead()
            if self._failed and mine <= self._failed[0]:
                raise self._failed[1]

    def _lead(self) -> None:
        """Sync for all who wait by now. Who comes meanwhile waits for the next one."""
        self._syncing, until = True, self._asked
        self._changed.release()
        try:
            _sync_file(self._path())
        except OSError as error:
            self._failed = until, error  # the system forgets what it could not write: no retry
        finally:
            self._changed.acquire()
            self._syncing, self._tried = False, until
            self._changed.notify_all()


def _sync_file(path: str) -> None:
    try:
        handle = os.open(path, os.O_RDONLY)
    except FileNotFoundError:
        return
    try:
        _fdatasync(handle)
    finally:
        os.close(handle)
