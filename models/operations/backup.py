"""Backups: one consistent snapshot of the database in a file, taken while the service runs.

Deleted rows are not in it. Nor is the keyring: without it a backup cannot be decrypted.
"""

import os
import sqlite3
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import closing
from pathlib import Path

from ..errors import OperatorError
from ..setup import TABLES_WITH_KEYS
from ..storage import connected, database, pragma
from .progress import ReportProgress, no_progress

POLL_SECONDS = 0.1


def create_backup(file: Path, report: ReportProgress = no_progress) -> list[str]:
    """Write the backup atomically; returns the ids of the root keys that a restore needs.

    Raises OperatorError if `file` exists.
    """
    part = file.with_name(file.name + ".part")
    for one in (file, part):
        if one.exists():
            raise OperatorError(f"{one} exists, and is never overwritten. Name another file.")
    os.close(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    try:
        _copy(part, report)
        fsync(part)
        part.rename(file)
    finally:
        part.unlink(missing_ok=True)
    fsync(file.parent)
    return required_root_keys(file)


def open_read_only(file: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"{file.resolve().as_uri()}?mode=ro", uri=True)


def required_root_keys(file: Path) -> list[str]:
    """The ids of the root keys that wrap the data keys in a database file."""
    with closing(open_read_only(file)) as copy:
        existing = {name for (name,) in copy.execute("SELECT name FROM sqlite_master")}
        tables = [table._meta.table_name for table in TABLES_WITH_KEYS]
        selects = [f"SELECT root FROM {name}" for name in tables if name in existing]  # noqa: S608
        return sorted(root for (root,) in copy.execute(" UNION ".join(selects)))


def fsync(path: Path) -> None:
    """Force a file's content, or a folder's entries, to the disk."""
    handle = os.open(path, os.O_RDONLY)
    os.fsync(handle)
    os.close(handle)


def _copy(part: Path, report: ReportProgress) -> None:
    """In one step: an incremental copy would restart at every write of the service."""
    total = _bytes_in_use()
    with ThreadPoolExecutor(1) as executor:
        copying: Future[None] = executor.submit(_vacuum_into, part)
        while wait([copying], POLL_SECONDS).not_done:
            report(part.stat().st_size, total)
        copying.result()


def _vacuum_into(part: Path) -> None:
    with connected():
        database.execute_sql("VACUUM INTO ?", (str(part),))


def _bytes_in_use() -> int:
    return (pragma("page_count") - pragma("freelist_count")) * pragma("page_size")
