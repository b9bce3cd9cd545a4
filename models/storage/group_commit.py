"""Group commit: one sync of the write-ahead log for all transactions that wait for it.

SQLite commits without syncing (`synchronous=NORMAL`) and releases the writer lock; threads that
have committed wait here. One of them syncs for all that committed before it began; the others wait.
A checkpoint syncs WAL and database itself, so changes that have left the WAL are safe as well.

After a failed sync the kernel drops the dirty pages and reports the error once per open file
descriptor. So the file is kept open, and the failure is raised in all that had committed before.
"""

import errno
import logging
import os
import threading
from collections.abc import Callable

_fdatasync: Callable[[int], None] = getattr(os, "fdatasync", os.fsync)  # macOS has only fsync


class NotSynced(OSError):
    """A sync that failed: the commit is there, but a power cut may undo it."""


class GroupCommit:
    """Syncs of the log, whose path `path` returns. Without a file SQLite has checkpointed it."""

    def __init__(self, path: Callable[[], str]) -> None:
        self._path = path
        self._changed = threading.Condition()
        self._requested = self._attempted = 0  # syncs asked for; those attempted
        self._syncing = False
        self._handle: int | None = None
        self._error = OSError()  # of the last failure
        self.failures = 0

    def sync(self, since: int | None = None) -> None:
        """Return when all that was written is on disk; raise `NotSynced` if a sync failed.

        `since` is the number of `failures` before the first write that has to be on disk.
        """
        with self._changed:
            since = self.failures if since is None else since
            self._requested += 1
            mine = self._requested
            while self._attempted < mine:
                if self._syncing:
                    self._changed.wait()
                else:
                    self._lead()
            if failure := self.failure_after(since):
                raise failure

    def failure_after(self, since: int) -> NotSynced | None:
        """Return the error of a sync that has failed after `failures` was `since`, or None."""
        if self.failures <= since:
            return None
        return NotSynced(self._error.errno, self._error.strerror)

    def _lead(self) -> None:
        """Sync for all that wait by now; later ones wait for the next sync."""
        self._syncing = True
        until = self._requested
        self._changed.release()
        try:
            self._sync_file()
        except OSError as error:
            self._error = error
            self.failures += 1
            logging.getLogger("docservice").error("the disk did not sync the log: %s", error)
        except BaseException:
            self._error = OSError(errno.EIO, "The sync was not made.")
            self.failures += 1
            raise
        finally:
            self._changed.acquire()
            self._syncing = False
            self._attempted = until
            self._changed.notify_all()

    def _sync_file(self) -> None:
        try:
            handle = self._opened(self._path())
        except FileNotFoundError:
            return
        _fdatasync(handle)

    def _opened(self, path: str) -> int:
        """Return the file, opened again only if the database was closed or is another one."""
        file = os.stat(path)
        if self._handle is not None and not os.path.samestat(file, os.fstat(self._handle)):
            os.close(self._handle)
            self._handle = None
        if self._handle is None:
            self._handle = os.open(path, os.O_RDONLY)
        return self._handle
