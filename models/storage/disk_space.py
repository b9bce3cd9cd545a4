"""Disk space: an upload starts only if it fits beside those that run.

A reserve stays free, so that deleting and logging in work when uploads are rejected.
"""

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from ..core import StorageFull
from . import ballast_file
from .sqlite import database, pragma

_SMALL_ROWS_BYTES = 128 << 10  # WAL pages of the rows beside the payload
_lock = threading.Lock()
_reserved_bytes = 0


@contextmanager
def reserve_disk_space(
    size: int, reserve_bytes: int, truncate_wal: Callable[[], object]
) -> Iterator[None]:
    """Reserve space for a payload of `size` bytes until the block ends; `StorageFull` without."""
    global _reserved_bytes  # noqa: PLW0603
    needed = size * 9 // 8 + _SMALL_ROWS_BYTES  # pages are not filled completely
    with _lock:
        if not _fits(_reserved_bytes + needed, reserve_bytes):
            if not database.in_transaction():
                truncate_wal()
            if not _fits(_reserved_bytes + needed, reserve_bytes):
                raise StorageFull
        _reserved_bytes += needed
    try:
        yield
    finally:
        with _lock:
            _reserved_bytes -= needed


def _fits(needed: int, reserve_bytes: int) -> bool:
    """What is written needs its size twice: in the WAL, and in the database after a checkpoint.

    If that does not fit, the database's free pages are counted, and half of the reserve, until
    the WAL is truncated.
    """
    free, wal = ballast_file.free_bytes(database.database), _wal_bytes()
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
    """The size of the database's free pages."""
    return pragma("freelist_count") * pragma("page_size")
