"""Room on the disk: an upload begins only if it fits beside those that run already.

A reserve is kept, so that deleting and logging in still work when there is no room for more.
"""

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ..errors import StorageFull
from . import ballast_file as spare
from .sqlite import database, truncate_wal, unused_bytes

_SMALL_ROWS_BYTES = 128 << 10  # in the log, for an upload however short
_counting = threading.Lock()
_begun_bytes = 0


@contextmanager
def reserve_disk_space(size: int, reserve_bytes: int) -> Iterator[None]:
    """`StorageFull` unless there is room for a payload of this size until the block ends."""
    global _begun_bytes  # noqa: PLW0603
    needed = size * 9 // 8 + _SMALL_ROWS_BYTES  # pages are not quite filled
    with _counting:
        if not _fits(_begun_bytes + needed, reserve_bytes):
            _cut_log()
            if not _fits(_begun_bytes + needed, reserve_bytes):
                raise StorageFull
        _begun_bytes += needed
    try:
        yield
    finally:
        with _counting:
            _begun_bytes -= needed


def _fits(needed: int, reserve_bytes: int) -> bool:
    """What is written lies in the log until it is moved into the database: it is needed twice.

    When the disk is nearly full, pages that deleted documents left are counted. The log is cut
    when it was moved, so meanwhile it may take of the reserve.
    """
    free, log = spare.free_bytes(Path(database.database)), _log_bytes()
    if free >= log + 2 * needed + reserve_bytes:
        return True
    grows = max(0, needed - unused_bytes())
    return free >= grows + reserve_bytes and free >= log + grows + needed + reserve_bytes // 2


def _cut_log() -> None:
    if not database.in_transaction():
        truncate_wal()


def _log_bytes() -> int:
    try:
        return os.stat(f"{database.database}-wal").st_size
    except FileNotFoundError:
        return 0
