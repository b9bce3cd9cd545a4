"""SQLite files beside the open database: backups, and the file that a restore replaces."""

import logging
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from .connection import connected
from .sqlite import HARDENING, database, pragma

BUSY_SECONDS = 2  # how long another process may still hold the database
_HEADER_BYTES = 100
_HEADER_STRING = b"SQLite format 3\0"
_LARGEST_PAGE = 65_536  # which two bytes cannot hold: the header has 1 in its place


class FileInUseError(Exception):
    """A database that another process has open."""


class FileDamagedError(Exception):
    """A file that is no database, or a damaged one."""


def folder_of_restore(database: Path) -> Path:
    """Return the folder beside a database in which a restore verifies what replaces it."""
    return database.with_name(f"{database.name}.part")


def delete_folder_of_restore(database: Path) -> None:
    """Delete that folder, or the file that 1.0 had in its place; hold the lock of the instance."""
    folder = folder_of_restore(database)
    if folder.is_file():
        folder.unlink()
    elif folder.exists():
        shutil.rmtree(folder)


def delete_rest_of_restore(database: Path) -> None:
    """Delete what a restore that was killed has left; hold the lock of the instance.

    A rest that cannot be deleted, as one of another user, is logged and stops nothing.
    """
    folder = folder_of_restore(database)
    if folder.exists():
        log = logging.getLogger("docservice")
        try:
            delete_folder_of_restore(database)
        except OSError as error:
            line = "Delete %s, the rest of a restore that did not end: the service cannot (%s)."
            log.warning(line, folder, error.strerror or error)
        else:
            log.warning("Deleted %s, the rest of a restore that did not end.", folder)


def write_snapshot(part: Path) -> None:
    """Write the open database, as of now and without deleted rows, to the empty file `part`.

    In one step: an incremental copy would restart at every write of the service.
    """
    with connected():
        database.execute_sql("VACUUM INTO :file", {"file": str(part)})


def bytes_in_use() -> int:
    """Return about the size of a snapshot."""
    return (pragma("page_count") - pragma("freelist_count")) * pragma("page_size")


def is_backup(file: Path) -> bool:
    try:
        with _opened(file) as copy:
            copy.execute("SELECT name FROM schema_migration")
    except (FileInUseError, FileDamagedError):
        return False
    return True


def is_shortened(file: Path) -> bool:
    """Return whether a file begins as a database does, and is shorter than its header states."""
    with file.open("rb") as opened:
        header = opened.read(_HEADER_BYTES)
    is_database = len(header) == _HEADER_BYTES and header.startswith(_HEADER_STRING)
    return is_database and file.stat().st_size < stated_bytes(file)


def stated_bytes(file: Path) -> int:
    """Return the length in bytes that the header of a database file states.

    "Database File Format" of SQLite, 1.3: the page size in the bytes 16 and 17, the number of pages
    in the bytes 28 to 31. SQLite itself rounds a file up to whole pages, and reads zeros behind its
    end. The file has a header.
    """
    with file.open("rb") as opened:
        header = opened.read(_HEADER_BYTES)
    page_bytes = int.from_bytes(header[16:18], "big")
    pages = int.from_bytes(header[28:32], "big")
    return pages * (_LARGEST_PAGE if page_bytes == 1 else page_bytes)


def damages(file: Path, *, deep: bool) -> list[str]:
    """Return what SQLite's own check finds; `deep` also compares indexes with their tables."""
    check = "integrity_check" if deep else "quick_check"
    try:
        with _opened(file) as connection:
            found = [str(line) for (line,) in connection.execute(f"PRAGMA {check}(10)")]
    except (FileInUseError, FileDamagedError) as error:  # a page that the check itself needs
        return [str(error)]
    return [line for line in found if line != "ok"]


def required_root_keys(file: Path) -> list[str]:
    """Return the ids of the root keys that wrap the data keys in a file of any version."""
    tables = """
        SELECT tables.name FROM sqlite_master AS tables, pragma_table_info(tables.name) AS columns
        WHERE tables.type = 'table' AND columns.name = 'root'"""
    with _opened(file) as copy:
        selects = [f"SELECT root FROM {name}" for (name,) in copy.execute(tables)]  # noqa: S608
        return sorted(root for (root,) in copy.execute(" UNION ".join(selects)))


def migrations_made(file: Path) -> set[str]:
    """Return the names of the migrations that have run in a file; none in an empty one."""
    known = "SELECT name FROM sqlite_master WHERE name = 'schema_migration'"
    with _opened(file) as copy:
        if copy.execute(known).fetchone() is None:
            return set()
        return {name for (name,) in copy.execute("SELECT name FROM schema_migration")}


def event_heads(file: Path) -> list[tuple[str, int, bytes]]:
    """Return owner, number and hash of the last link of each chain; none in older versions."""
    known = "SELECT name FROM sqlite_master WHERE name = 'event_head'"
    heads = "SELECT id, sequence, hash FROM event_head WHERE sequence > 0 ORDER BY id"
    with _opened(file) as copy:
        return list(copy.execute(heads)) if copy.execute(known).fetchone() else []


def count_users(file: Path) -> int:
    """Return the number of users in a file of any version; 0 if it has no table of users."""
    known = "SELECT name FROM sqlite_master WHERE name IN ('user', 'user_account')"
    with _opened(file, BUSY_SECONDS) as connection:
        names = [name for (name,) in connection.execute(known)]
        counts = [connection.execute(f"SELECT COUNT(*) FROM {name}") for name in names]  # noqa: S608
        return sum(int(count) for rows in counts for (count,) in rows)


def leave_out_unfinished_uploads(file: Path) -> None:
    """Delete the uploads of a snapshot that are not finished, with what has arrived of them."""
    known = "SELECT name FROM sqlite_master WHERE name = 'upload'"
    unfinished = "SELECT id FROM upload WHERE document_id IS NULL"
    with _opened(file, mode="rw") as copy:
        copy.execute("PRAGMA secure_delete = on")
        if copy.execute(known).fetchone() and copy.execute(unfinished).fetchone():
            with copy:
                copy.execute(f"DELETE FROM piece WHERE document_id IN ({unfinished})")  # noqa: S608
                copy.execute("DELETE FROM upload WHERE document_id IS NULL")
            copy.execute("VACUUM")


def payloads_in_files(file: Path) -> list[tuple[str, bytes, int]]:
    """Return id, `payload_head` and size of the documents whose payloads lie in files.

    There are none in a file of a version that knew no places.
    """
    known = "SELECT name FROM pragma_table_info('document') WHERE name = 'place'"
    in_files = "SELECT id, payload_head, size FROM document WHERE place = 'files' ORDER BY id"
    with _opened(file) as copy:
        return list(copy.execute(in_files)) if copy.execute(known).fetchone() else []


@contextmanager
def consistent_reads(file: Path) -> Iterator[Callable[[str], Any]]:
    """Yield a function that executes queries; all see the file as it is at the first one."""
    with _opened(file) as connection:
        connection.execute("BEGIN")
        yield connection.execute


def require_exclusive_access(file: Path) -> None:
    """Checkpoint and remove the WAL: leaving WAL mode needs an exclusive lock."""
    with _opened(file, BUSY_SECONDS, mode="rw") as connection:
        connection.execute("PRAGMA journal_mode = DELETE")


def copy(source: Path, target: Path, report: Callable[[int, int], None]) -> None:
    """Copy a database file, reporting the pages done and all pages."""
    with _opened(source) as old, _opened(target, mode="rw") as new:
        old.backup(new, pages=256, progress=lambda _, left, all: report(all - left, all))


@contextmanager
def _opened(
    file: Path, busy_seconds: float = 5, *, mode: str = "ro"
) -> Iterator[sqlite3.Connection]:
    uri = f"{file.resolve().as_uri()}?mode={mode}"
    try:
        with closing(sqlite3.connect(uri, timeout=busy_seconds, uri=True)) as connection:
            for name, value in HARDENING.items():
                connection.execute(f"PRAGMA {name} = {value}")
            yield connection
    except sqlite3.OperationalError as error:
        raise FileInUseError(str(error)) from error
    except sqlite3.DatabaseError as error:
        raise FileDamagedError(str(error)) from error
