"""Backups: one consistent snapshot of the database in a file, taken while the service runs.

Deleted rows are not in it. Nor is the keyring: without it a backup cannot be decrypted.
"""

import os
from concurrent.futures import Future, ThreadPoolExecutor, wait
from pathlib import Path

from ..core import OperatorError
from ..runtime import current_runtime
from ..storage import is_server, sqlite_files
from .audit import Receipt
from .progress import ReportProgress, no_progress

POLL_SECONDS = 0.1


def require_file(address: str) -> Path:
    """The database's file; OperatorError if it is a server, which has tools of its own."""
    if is_server(address):
        raise OperatorError(
            "The database is on a PostgreSQL server. Back it up with: pg_dump -Fc; restore it into "
            "an empty database with: pg_restore; then check it: keys check --deep."
        )
    return Path(address)


def create_backup(file: Path, report: ReportProgress = no_progress) -> list[str]:
    """Write the backup atomically; returns the ids of the root keys that a restore needs.

    Raises OperatorError if `file` exists.
    """
    require_file(current_runtime().settings.database)
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
    return sqlite_files.required_root_keys(file)


def receipts_of(file: Path) -> list[Receipt]:
    """The last link of each chain in a database file."""
    heads = sqlite_files.event_heads(file)
    return [Receipt(owner_id, sequence, hash.hex()) for owner_id, sequence, hash in heads]


def fsync(path: Path) -> None:
    """Force a file's content, or a folder's entries, to the disk."""
    handle = os.open(path, os.O_RDONLY)
    os.fsync(handle)
    os.close(handle)


def _copy(part: Path, report: ReportProgress) -> None:
    total = sqlite_files.bytes_in_use()
    with ThreadPoolExecutor(1) as executor:
        copying: Future[None] = executor.submit(sqlite_files.write_snapshot, part)
        while wait([copying], POLL_SECONDS).not_done:
            report(part.stat().st_size, total)
        copying.result()
