"""Backups: one consistent snapshot of the database in a file, taken while the service runs.

Beside it lie the payloads that the instance has in files (`backup_payloads.py`). Deleted rows are
not in it. Nor is the keyring: without it a backup cannot be decrypted. To be restored it is copied
beside the database, migrated to the current schema and decrypted with the configured keyring; only
then it replaces the database, atomically.
"""

import fcntl
import os
import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from crypto import KeyringError
from models.accounts import Invitation, User
from models.core import OperatorError, counted
from models.documents import Document, UnreferencedPayload
from models.events import Event, EventHead, Facts
from models.runtime import current_runtime
from models.setup import open_runtime
from models.storage import (
    SERVICE,
    connected,
    engine,
    is_server,
    open_database,
    sqlite_files,
)
from models.storage.instance_lock import (
    acquire_instance_lock,
    leave_to_service,
    release_instance_lock,
)
from models.storage.payloads import OBJECTS, files
from models.storage.sqlite_files import FileDamagedError, FileInUseError
from models.uploads import end_all_unfinished

from .audit import Receipt
from .backup_payloads import (
    PayloadFile,
    PayloadFolder,
    bring_payloads,
    folder_of,
    payload_files_of,
    put_payloads,
    require_payloads,
)
from .progress import ReportProgress, no_progress
from .verification import check_contents, check_keys, check_pieces

POLL_SECONDS = 0.1
_SIDE_FILES = ("-wal", "-shm", "-journal")
_BEGINNINGS = (b"SQLite format 3\0", bytes(16))  # of an unfinished snapshot, if it has begun


def require_file(address: str) -> Path:
    """Return the database's file. Raise OperatorError if it is a server with its own tools."""
    if is_server(address):
        raise OperatorError(
            "The database is on a PostgreSQL server. Back it up with: pg_dump -Fc; restore it into "
            "an empty database with: pg_restore; then check it: keys check --deep."
        )
    return Path(address)


def open_to_back_up() -> None:
    """Open the database of the settings as it is, without its keyring, unless it is open.

    Nothing is migrated. Raises OperatorError if there is none.
    """
    address = current_runtime().settings.database
    if not require_file(address).exists():
        raise OperatorError(f"There is no database at {address}.")
    if not current_runtime().is_open:
        open_database(address)


class Backup(NamedTuple):
    root_key_ids: list[str]  # that a restore needs
    payloads: PayloadFolder | None  # None: no payload lies in a file


def create_backup(
    file: Path, report: ReportProgress = no_progress, payloads: Path | None = None
) -> Backup:
    """Write the backup: its payloads first, then `file`, atomically.

    `payloads` is a folder for those of several backups, in place of one beside `file`. Raises
    OperatorError if `file` exists, or its folder does not.
    """
    require_file(current_runtime().settings.database)
    if not file.parent.is_dir():
        raise OperatorError(
            f"There is no folder {file.parent}. Make it: mkdir -m 0700 {file.parent}"
        )
    part = file.with_name(file.name + ".part")
    if file.exists():
        raise _exists(file)
    handle = _claim(part)
    folder = folder_of(file, payloads)
    is_new = not folder.exists()
    try:
        with files.keeping():
            _write(part, report)
            sqlite_files.leave_out_unfinished_uploads(part)
            brought = _bring_payloads(part, folder, report)
        _fsync(part)
        part.rename(file)
    except BaseException:
        if is_new:
            shutil.rmtree(folder, ignore_errors=True)
        raise
    finally:
        _unlink(part, "", *_SIDE_FILES)
        os.close(handle)
    _fsync(file.parent)
    return Backup(sqlite_files.required_root_keys(file), brought)


def _bring_payloads(part: Path, folder: Path, report: ReportProgress) -> PayloadFolder | None:
    """Bring the payloads that a snapshot names into a folder; None if there are none."""
    named = payload_files_of(part)
    if not named:
        return None
    bring_payloads(named, files.folder(), folder, report)
    return PayloadFolder(folder, len(named), sum(one.length for one in named))


def check_backup(file: Path, payloads: Path | None = None) -> PayloadFolder | None:
    """Compare the two parts of a backup, without a keyring; None if it has but one.

    Raises OperatorError with the first fault.
    """
    _require_backup(file)
    _require_sound(file, deep=False)
    folder = folder_of(file, payloads)
    named = payload_files_of(file)
    require_payloads(named, folder)
    total = sum(one.length for one in named)
    return PayloadFolder(folder, len(named), total) if named else None


def record_backup(file: Path) -> None:
    """Keep the moment of a backup beside the database, for `/metrics` and the doctor, and which
    payloads it names.
    """
    record = _record_of_backup()
    record.touch(mode=0o600)
    record.write_text("".join(f"{one.id}\n" for one in payload_files_of(file)))
    leave_to_service(record)


def payloads_without_backup() -> list[PayloadFile]:
    """Return the payloads in files that the last backup does not name.

    None are known while the database cannot be read.
    """
    try:
        named = set(_record_of_backup().read_text().split())
    except (FileNotFoundError, NotADirectoryError):
        named = set()
    database = require_file(current_runtime().settings.database)
    with suppress(FileDamagedError, FileInUseError):
        return [one for one in payload_files_of(database) if one.id not in named]
    return []


def last_backup_at() -> float | None:
    """Return when the command `backup` last wrote one, in seconds since 1970; None if never."""
    try:
        return _record_of_backup().stat().st_mtime
    except (FileNotFoundError, NotADirectoryError):
        return None


def _record_of_backup() -> Path:
    database = require_file(current_runtime().settings.database)
    return database.with_name(f"{database.name}.backed-up")


def _exists(path: Path) -> OperatorError:
    return OperatorError(f"{path} exists, and is never overwritten. Name another file.")


def _claim(part: Path) -> int:
    """Create the empty file, and return its descriptor, whose lock says that it is written.

    A file that a killed process has left is deleted first. Raises OperatorError for any other one.
    """
    if part.exists():
        left = os.open(part, os.O_RDONLY)
        try:
            if not _lock(left):
                raise OperatorError(f"Another process writes {part}. Wait for its end.")
            if os.read(left, len(_BEGINNINGS[0])) not in (b"", *_BEGINNINGS):
                raise _exists(part)
            _unlink(part, "", *_SIDE_FILES)
        finally:
            os.close(left)
    handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    _lock(handle)
    return handle


def _lock(handle: int) -> bool:
    """Lock a file until its descriptor is closed; return False if another process holds it."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def receipts_of(file: Path) -> list[Receipt]:
    """Return the last link of each chain in a database file."""
    heads = sqlite_files.event_heads(file)
    return [Receipt(owner_id, sequence, hash.hex()) for owner_id, sequence, hash in heads]


def _write(part: Path, report: ReportProgress) -> None:
    total = sqlite_files.bytes_in_use()
    with ThreadPoolExecutor(1) as executor:
        copying = executor.submit(sqlite_files.write_snapshot, part)
        while wait([copying], POLL_SECONDS).not_done:
            report(part.stat().st_size, total)
        copying.result()


def restore_backup(
    file: Path,
    target: Path,
    *,
    force: bool = False,
    deep: bool = False,
    report: ReportProgress = no_progress,
    payloads: Path | None = None,
) -> tuple[int, int]:
    """Replace the database `target`; returns the number of its users and documents.

    `payloads` is the folder of its payloads, if it is not beside `file`. Raises OperatorError or
    KeyringError, and then nothing has changed.
    """
    _require_backup(file)
    acquire_instance_lock(str(target), 0)
    try:
        _require_exclusive_access(target, force)
        with _folder_beside(target) as beside:
            part = beside / target.name
            _copy(file, part, report)
            _require_sound(part, deep)
            named = _bring_to_verify(part, folder_of(file, payloads), target, report)
            counts = _verify(part, deep, report, _head_of_log(target))
            _require_exclusive_access(target, force)
            put_payloads(named, beside / files.FOLDER, target.with_name(files.FOLDER))
            _unlink(target, *_SIDE_FILES)  # left by a process that was killed
            part.rename(target)
            _fsync(target.parent)
    finally:
        release_instance_lock()
    return counts


@contextmanager
def _folder_beside(target: Path) -> Iterator[Path]:
    """Have a folder on the file system of `target` in the block, for a backup that is verified.

    What is damaged in it has replaced nothing.
    """
    sqlite_files.delete_folder_of_restore(target)  # of a process that was killed
    folder = sqlite_files.folder_of_restore(target)
    files.make_folder(folder)
    try:
        yield folder
    finally:
        sqlite_files.delete_folder_of_restore(target)


def _bring_to_verify(
    part: Path, folder: Path, target: Path, report: ReportProgress
) -> list[PayloadFile]:
    """Bring the payloads that a copied database names beside it; return them."""
    try:
        named = payload_files_of(part)
        beside, there = part.with_name(files.FOLDER), target.with_name(files.FOLDER)
        bring_payloads(named, folder, beside, report, for_service=True, there=there)
    except OperatorError as error:
        raise OperatorError(f"{error} Nothing changed.") from None
    return named


def _require_backup(file: Path) -> None:
    """Raise OperatorError for a file that is no backup, or is not whole."""
    if not file.is_file():
        raise OperatorError(f"There is no file {file}.")
    if not sqlite_files.is_backup(file):
        if sqlite_files.is_shortened(file):
            _require_whole(file)
        raise OperatorError(f"{file} is no backup of this service, or is damaged.")
    _require_whole(file)


def _require_whole(file: Path) -> None:
    """Raise OperatorError unless the file is as long as its header states.

    A database that was copied with its write-ahead log may have grown in the log alone.
    """
    log = file.with_name(f"{file.name}-wal")
    if log.exists() and log.stat().st_size:
        return
    stated = sqlite_files.stated_bytes(file)
    actual = file.stat().st_size
    if actual != stated:
        change = "was cut off" if actual < stated else "has something added to its end"
        raise OperatorError(
            f"{file} {change}: it has {counted(actual, 'byte')}, and says that it has {stated:,}. "
            "Nothing changed. Take another copy of the backup."
        )


def _require_sound(part: Path, deep: bool) -> None:
    """Raise OperatorError if pages are missing or damaged, before anything reads them."""
    if damages := sqlite_files.damages(part, deep=deep):
        raise OperatorError(f"The backup is damaged ({damages[0]}). Nothing changed.")


def _unlink(database: Path, *endings: str) -> None:
    for ending in endings:
        database.with_name(database.name + ending).unlink(missing_ok=True)


def _require_exclusive_access(target: Path, force: bool) -> None:
    """Raise OperatorError if a process has the database open, or unless `force` it has users."""
    if not target.exists():
        return
    try:
        users = sqlite_files.count_users(target)
        if users and not force:
            raise OperatorError(
                f"{target} has {counted(users, 'user')}. --force replaces all of it."
            )
        sqlite_files.require_exclusive_access(target)
    except FileInUseError as error:
        raise OperatorError(f"{target} is in use ({error}). Stop the service first.") from None
    except FileDamagedError as error:
        if not force:
            sentence = f"{target} does not open ({error}). --force replaces it."
            raise OperatorError(sentence) from None


def _copy(file: Path, part: Path, report: ReportProgress) -> None:
    part.unlink(missing_ok=True)
    os.close(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    leave_to_service(part)
    sqlite_files.copy(file, part, report)


def _head_of_log(target: Path) -> Facts:
    """Return the head of the service's chain in the database that is replaced, if that opens."""
    if target.exists():
        with suppress(FileDamagedError, FileInUseError):
            for one in receipts_of(target):
                if one.owner_id == SERVICE:
                    return {"replaced_sequence": one.sequence, "replaced_hash": one.hash}
    return {"replaced_sequence": None, "replaced_hash": None}


def _verify(part: Path, deep: bool, report: ReportProgress, replaced: Facts) -> tuple[int, int]:
    """Open the copy as the service would, and decrypt its contents."""
    try:
        open_runtime(str(part))
        counts = _check(deep, report, replaced)
    except KeyringError as error:
        ids = ", ".join(sqlite_files.required_root_keys(part))
        raise KeyringError(f"{error} The backup needs root key {ids}.") from None
    finally:
        current_runtime().close_database()
    _fsync(part)
    return counts


def _check(deep: bool, report: ReportProgress, replaced: Facts) -> tuple[int, int]:
    with connected():
        check = check_contents if deep else check_keys
        if problems := check_pieces() + check(report):
            sentence = f"The backup is damaged: {' '.join(problems[:10])} Nothing changed."
            raise OperatorError(sentence)
        UnreferencedPayload.delete().execute()  # else an upload that ended since could be undone
        end_all_unfinished()  # of a copy of the database: a backup has none
        UnreferencedPayload.delete().where(UnreferencedPayload.place == OBJECTS).execute()
        Invitation.delete().execute()  # else one used since the backup could be used again
        head = EventHead.get_by_id(SERVICE)  # a restore is a rollback: the chain goes on here
        restored = {"restored_sequence": head.sequence, "restored_hash": head.hash.hex()}
        Event.record_of_service("service.restored", {**restored, **replaced})
        users = User.select().where(User.made_by.is_null()).count()  # and no spaces
        documents, _ = Document.stored()
        engine().truncate_wal()
    return users, documents


def _fsync(path: Path) -> None:
    """Force a file's content, or a folder's entries, to the disk."""
    handle = os.open(path, os.O_RDONLY)
    os.fsync(handle)
    os.close(handle)
