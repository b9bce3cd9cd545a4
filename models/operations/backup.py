"""A backup: one file, as of one moment, while the service writes; without deleted rows.

The keyring is never in it: who finds a backup alone has noise.
"""

import os
import sqlite3
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import closing
from pathlib import Path

from ..errors import OperatorError
from ..setup import TABLES_WITH_KEYS
from ..storage.database import connected, database, pragma
from .progress import ReportProgress, no_progress

LOOK_SECONDS = 0.1


def back_up(file: Path, tell: ReportProgress = no_progress) -> list[str]:
    """Write the backup, whole or not at all; the ids of the root keys a restore needs."""
    part = file.with_name(file.name + ".part")
    for one in (file, part):
        if one.exists():
            raise OperatorError(f"{one} exists, and is never overwritten. Name another file.")
    os.close(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    try:
        _copy(part, tell)
        sync(part)
        part.rename(file)
    finally:
        part.unlink(missing_ok=True)
    sync(file.parent)
    return roots_needed(file)


def opened(file: Path) -> sqlite3.Connection:
    """A database file, to be read only."""
    return sqlite3.connect(f"{file.resolve().as_uri()}?mode=ro", uri=True)


def roots_needed(file: Path) -> list[str]:
    with closing(opened(file)) as copy:
        there = {name for (name,) in copy.execute("SELECT name FROM sqlite_master")}
        tables = [table._meta.table_name for table in TABLES_WITH_KEYS]
        asked = [f"SELECT root FROM {name}" for name in tables if name in there]  # noqa: S608
        return sorted(root for (root,) in copy.execute(" UNION ".join(asked)))


def sync(path: Path) -> None:
    """On the disk for good: a file's content, or a folder's names."""
    handle = os.open(path, os.O_RDONLY)
    os.fsync(handle)
    os.close(handle)


def _copy(part: Path, tell: ReportProgress) -> None:
    """In one step: a copy in small ones begins anew at every write of the service."""
    total = _bytes_in_use()
    with ThreadPoolExecutor(1) as beside:
        copying: Future[None] = beside.submit(_vacuum_into, part)
        while wait([copying], LOOK_SECONDS).not_done:
            tell(part.stat().st_size, total)
        copying.result()


def _vacuum_into(part: Path) -> None:
    with connected():
        database.execute_sql("VACUUM INTO ?", (str(part),))


def _bytes_in_use() -> int:
    return (pragma("page_count") - pragma("freelist_count")) * pragma("page_size")
