"""A restore: the backup is copied beside the database, brought to today's schema and opened with
the present keyring; only then it takes the database's place, in one step.
"""

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from crypto import KeyringError

from ..document import Document
from ..errors import OperatorError
from ..setup import close_all
from ..storage.database import connected, truncate_wal
from ..storage.instance_lock import acquire_instance_lock, leave_to_service, release_instance_lock
from ..user import User
from . import verification as checkup
from .backup import opened, roots_needed, sync
from .progress import ReportProgress, no_progress

OPEN_SECONDS = 2  # how long somebody else may still hold the database
_BESIDE = ("-wal", "-shm", "-journal")


def restore(
    file: Path,
    place: Path,
    open_house: Callable[[str], None],
    *,
    force: bool = False,
    deep: bool = False,
    tell: ReportProgress = no_progress,
) -> tuple[int, int]:
    """Put the backup in the database's place; how many users and documents it has."""
    _refuse_if_foreign(file)
    acquire_instance_lock(str(place), 0)
    part = place.with_name(place.name + ".part")
    try:
        _shut_out_others(place, force)
        _copy(file, part, tell)
        counts = _try(part, open_house, deep, tell)
        _shut_out_others(place, force)
        for ending in _BESIDE:  # of a database that was not closed well; else there are none
            place.with_name(place.name + ending).unlink(missing_ok=True)
        part.rename(place)
        sync(place.parent)
    finally:
        for ending in ("", *_BESIDE):
            part.with_name(part.name + ending).unlink(missing_ok=True)
        release_instance_lock()
    return counts


def _refuse_if_foreign(file: Path) -> None:
    if not file.is_file():
        raise OperatorError(f"There is no file {file}.")
    try:
        with closing(opened(file)) as copy:
            copy.execute("SELECT name FROM schema_migration")
    except sqlite3.Error:
        raise OperatorError(f"{file} is no backup of this service, or is damaged.") from None


def _shut_out_others(place: Path, force: bool) -> None:
    """Nobody else has the database open, and nothing in it is wanted any more.

    Leaving WAL mode needs the database alone; it also empties and removes the log.
    """
    if not place.exists():
        return
    try:
        with closing(sqlite3.connect(place, timeout=OPEN_SECONDS)) as plain:
            users = _users(plain)
            if users and not force:
                raise OperatorError(f"{place} has {users:,} users. --force replaces all of it.")
            plain.execute("PRAGMA journal_mode = DELETE")
    except sqlite3.OperationalError as error:
        raise OperatorError(f"{place} is in use ({error}). Stop the service first.") from None
    except sqlite3.DatabaseError as error:
        if not force:
            said = f"{place} does not open ({error}). --force replaces it."
            raise OperatorError(said) from None


def _users(plain: sqlite3.Connection) -> int:
    there = plain.execute("SELECT 1 FROM sqlite_master WHERE name = 'user'").fetchone()
    return int(plain.execute("SELECT COUNT(*) FROM user").fetchone()[0]) if there else 0


def _copy(file: Path, part: Path, tell: ReportProgress) -> None:
    part.unlink(missing_ok=True)
    os.close(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    leave_to_service(part)
    with closing(opened(file)) as source, closing(sqlite3.connect(part)) as copy:
        source.backup(copy, pages=256, progress=lambda _, left, all: tell(all - left, all))


def _try(
    part: Path, open_house: Callable[[str], None], deep: bool, tell: ReportProgress
) -> tuple[int, int]:
    """Open it as the service would, and everything in it."""
    try:
        open_house(str(part))
    except KeyringError as error:
        ids = ", ".join(roots_needed(part))
        raise KeyringError(f"{error} The backup needs root key {ids}.") from None
    with connected():
        wrong = checkup.database_file(deep) + (checkup.payloads if deep else checkup.keys)(tell)
        if wrong:
            raise OperatorError(f"The backup is damaged: {' '.join(wrong[:10])} Nothing changed.")
        users, (documents, _) = User.select().count(), Document.stored()
        truncate_wal()
    close_all()
    sync(part)
    return users, documents
