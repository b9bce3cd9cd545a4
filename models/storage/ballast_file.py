"""A ballast file beside the database, deleted when other programs have filled the disk.

Its space is enough for the few WAL pages that deleting, revoking or logging in takes.
"""

import os
import shutil
from contextlib import suppress
from pathlib import Path

BALLAST_BYTES = 2 << 20


def create(database: Path) -> None:
    """Create the file, unless it exists or the disk is nearly full."""
    with suppress(OSError):
        if _free_bytes(database) >= 4 * BALLAST_BYTES:
            handle = os.open(_file(database), os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(handle, "wb") as file:
                file.write(os.urandom(BALLAST_BYTES))  # zeros might be stored sparsely


def delete_if_full(database: Path) -> None:
    """Delete the file if the disk is full. Called before every transaction."""
    if _free_bytes(database) < BALLAST_BYTES:
        _file(database).unlink(missing_ok=True)


def free_bytes(database: Path) -> int:
    """Free bytes of the disk, the file's own included."""
    try:
        return _free_bytes(database) + _file(database).stat().st_size
    except FileNotFoundError:
        return _free_bytes(database)


def _free_bytes(database: Path) -> int:
    return shutil.disk_usage(database.parent).free


def _file(database: Path) -> Path:
    return database.with_name(f"{database.name}.spare")
