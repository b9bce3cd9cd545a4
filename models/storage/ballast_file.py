"""A ballast file beside the database, deleted when other programs have filled the disk.

Its space is enough for the few WAL pages that deleting, revoking or logging in takes.
"""

import os
from contextlib import suppress

BALLAST_BYTES = 2 << 20


def create(database: str) -> None:
    """Create the file, unless it exists or the disk is nearly full."""
    with suppress(OSError):
        if _free_bytes(database) >= 4 * BALLAST_BYTES:
            handle = os.open(_file(database), os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(handle, "wb") as file:
                file.write(os.urandom(BALLAST_BYTES))  # zeros might be stored sparsely


def delete_if_full(database: str) -> None:
    """Delete the file if the disk is full. Called before every transaction."""
    if _free_bytes(database) < BALLAST_BYTES:
        with suppress(FileNotFoundError):
            os.unlink(_file(database))


def free_bytes(database: str) -> int:
    """Free bytes of the disk, the file's own included."""
    try:
        return _free_bytes(database) + os.stat(_file(database)).st_size
    except FileNotFoundError:
        return _free_bytes(database)


def _free_bytes(database: str) -> int:
    disk = os.statvfs(database)
    return disk.f_bavail * disk.f_frsize


def _file(database: str) -> str:
    return f"{database}.spare"
