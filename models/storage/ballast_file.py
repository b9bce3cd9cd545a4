"""A little room beside the database, taken in good times.

Others may fill the disk to the last byte: the room is given back, and who deletes a document,
revokes a link or logs in is not refused for the few pages that this takes in the log.
"""

import os
import shutil
from contextlib import suppress
from pathlib import Path

SPARE_BYTES = 2 << 20


def keep(database: Path) -> None:
    """Take the room, unless it is taken or scarce."""
    with suppress(OSError):
        if _free_bytes(database) >= 4 * SPARE_BYTES:
            handle = os.open(_beside(database), os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(handle, "wb") as file:
                file.write(os.urandom(SPARE_BYTES))  # zeros might take no room


def give_if_full(database: Path) -> None:
    """Called before every change."""
    if _free_bytes(database) < SPARE_BYTES:
        _beside(database).unlink(missing_ok=True)


def free_bytes(database: Path) -> int:
    """What a change finds, with what is given back for it."""
    try:
        return _free_bytes(database) + _beside(database).stat().st_size
    except FileNotFoundError:
        return _free_bytes(database)


def _free_bytes(database: Path) -> int:
    return shutil.disk_usage(database.parent).free


def _beside(database: Path) -> Path:
    return database.with_name(f"{database.name}.spare")
