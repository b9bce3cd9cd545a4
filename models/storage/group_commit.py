"""Group commit: one sync of the write-ahead log for all whose transactions wait for it.

SQLite commits without syncing (`synchronous=NORMAL`) and gives the writers' lock free; who has
committed then waits here. One of them syncs for all who came before it began; the others sleep.
A checkpoint syncs log and database itself, so what has left the log is safe as well.

What the system could not write it forgets, and it says so once to each who has the file open,
whoever asks first. So the file is kept open, and a failure is told to all who wrote before it.
"""

import logging
import os
import threading
from collections.abc import Callable

_fdatasync: Callable[[int], None] = getattr(os, "fdatasync", os.fsync)  # macOS has only fsync


class GroupCommit:
    """`path` tells which file; one that is gone was checkpointed when it was closed."""

    def __init__(self, path: Callable[[], str]) -> None:
        self._path = path
        self._changed = threading.Condition()
        self._asked = self._tried = 0  # waits begun; those that a sync has been tried for
        self._syncing = False
        self._handle: int | None = None
        self._error = OSError()  # of the last failure
        self.failures = 0

    def sync(self, since: int | None = None) -> None:
        """Returns when all that was written is on disk; else raises OSError.

        `since`: the number of `failures` before the first write that this is about.
        """
        with self._changed:
            since = self.failures if since is None else since
            self._asked += 1
            mine = self._asked
            while self._tried < mine:
                if self._syncing:
                    self._changed.wait()
                else:
                    self._lead()
            if self.failures > since:
                raise OSError(self._error.errno, self._error.strerror)

    def _lead(self) -> None:
        """Sync for all who wait by now. Who comes meanwhile waits for the next one."""
        self._syncing, until = True, self._asked
        self._changed.release()
        try:
            self._sync_file()
        except OSError as error:
            self._error = error
            self.failures += 1
            logging.getLogger("docservice").error("the disk did not sync the log: %s", error)
        finally:
            self._changed.acquire()
            self._syncing, self._tried = False, until
            self._changed.notify_all()

    def _sync_file(self) -> None:
        try:
            handle = self._opened(self._path())
        except FileNotFoundError:
            return
        _fdatasync(handle)

    def _opened(self, path: str) -> int:
        """Anew only when the database was closed meanwhile, or is another one."""
        found = os.stat(path)
        if self._handle is not None and not os.path.samestat(found, os.fstat(self._handle)):
            os.close(self._handle)
            self._handle = None
        if self._handle is None:
            self._handle = os.open(path, os.O_RDONLY)
        return self._handle
