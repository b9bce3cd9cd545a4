"""Disk space: an upload starts only if it fits beside those that run.

A reserve stays free, so that deleting and logging in work when uploads are rejected. Where other
programs have filled the disk, a ballast file beside the database is deleted: its space is enough
for the few WAL pages that those take.
"""

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress

from ..core import StorageFull
from .sqlite import database, pragma

BALLAST_BYTES = 2 << 20
_SMALL_ROWS_BYTES = 128 << 10  # WAL pages of the rows beside the payload
_lock = threading.Lock()
_reserved_bytes = 0


def reserve_disk_space(
    size: int, reserve_bytes: int, truncate_wal: Callable[[], object]
) -> AbstractContextManager[None]:
    """Reserve space for a payload of `size` bytes until the block ends; `StorageFull` without."""

    def has_room(needed: int) -> bool:
        if _fits(needed, reserve_bytes):
            return True
        if not database.in_transaction():
            truncate_wal()
        return _fits(needed, reserve_bytes)

    return _reserved(size * 9 // 8 + _SMALL_ROWS_BYTES, has_room)  # pages are not filled completely


def reserve_file_space(size: int, reserve_bytes: int) -> AbstractContextManager[None]:
    """Reserve space for a file of a payload until the block ends; `StorageFull` without."""

    def has_room(needed: int) -> bool:
        return _free_bytes_with_ballast(database.database) >= needed + reserve_bytes

    return _reserved(size * 1001 // 1000 + _SMALL_ROWS_BYTES, has_room)  # with headers and tags


@contextmanager
def _reserved(needed: int, has_room: Callable[[int], bool]) -> Iterator[None]:
    """Reserve the needed bytes until the block ends.

    Raise `StorageFull` unless there is room for them and for what is reserved already.
    """
    global _reserved_bytes  # noqa: PLW0603
    with _lock:
        if not has_room(_reserved_bytes + needed):
            raise StorageFull
        _reserved_bytes += needed
    try:
        yield
    finally:
        with _lock:
            _reserved_bytes -= needed


def _fits(needed: int, reserve_bytes: int) -> bool:
    """Return whether the needed bytes fit twice: into the WAL, and later into the database.

    If they do not, the database's free pages are counted, and half of the reserve, until the WAL is
    truncated.
    """
    free = _free_bytes_with_ballast(database.database)
    wal = _wal_bytes()
    if free >= wal + 2 * needed + reserve_bytes:
        return True
    grows = max(0, needed - _unused_bytes())
    return free >= grows + reserve_bytes and free >= wal + grows + needed + reserve_bytes // 2


def _wal_bytes() -> int:
    try:
        return os.stat(f"{database.database}-wal").st_size
    except FileNotFoundError:
        return 0


def _unused_bytes() -> int:
    """Return the size of the database's free pages."""
    return pragma("freelist_count") * pragma("page_size")


def try_disk(database: str) -> None:
    """Write and sync a byte beside the database. Raises OSError unless the disk takes it."""
    probe = f"{database}.probe"
    handle = os.open(probe, os.O_WRONLY | os.O_CREAT, 0o600)
    try:
        os.write(handle, b"\0")
        os.fsync(handle)
    finally:
        os.close(handle)
        os.unlink(probe)


def create_ballast(database: str) -> None:
    """Create the file, unless it exists or the disk is nearly full."""
    with suppress(OSError):
        if _free_bytes(database) >= 4 * BALLAST_BYTES:
            handle = os.open(_ballast(database), os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(handle, "wb") as file:
                file.write(os.urandom(BALLAST_BYTES))  # zeros might be stored sparsely


def delete_ballast_if_full(database: str) -> None:
    """Delete the file if the disk is full. Called before every transaction."""
    if _free_bytes(database) < BALLAST_BYTES:
        with suppress(FileNotFoundError):
            os.unlink(_ballast(database))


def _free_bytes_with_ballast(database: str) -> int:
    """Free bytes of the disk, the file's own included."""
    try:
        return _free_bytes(database) + os.stat(_ballast(database)).st_size
    except FileNotFoundError:
        return _free_bytes(database)


def _free_bytes(database: str) -> int:
    disk = os.statvfs(database)
    return disk.f_bavail * disk.f_frsize


def _ballast(database: str) -> str:
    return f"{database}.spare"
