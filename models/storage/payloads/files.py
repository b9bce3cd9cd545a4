"""The payload store in files beside the database, for large payloads: a file for each.

    payloads/<last two characters of the payload's id>/<payload id>

The sealed pieces lie end to end: piece n begins at n * 196,872 bytes, if they are separate ones.
Folders and files are for this user only. What a row refers to is never changed, so that backups
may be hard links.
"""

import errno
import fcntl
import filecmp
import os
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from crypto import DecryptionError

from ...core import will_wait
from ..connection import database
from ..instance_lock import leave_to_service
from .layouts import Layout, layout_of
from .pieces import ReadAhead

FOLDER: Final = "payloads"
PIECES_AT_ONCE: Final = 4  # of one opening of the file, by a reader that holds a window
COPIED_BYTES: Final = 16 << 20  # of a file that is copied, at once
SYNC_BYTES: Final = 64 << 20  # that are written without a sync
_MISSING = "The file of its payload is missing."
_ID = re.compile(r"[a-z]{3}_[0-9a-z]{26}")
_fdatasync: Callable[[int], None] = getattr(os, "fdatasync", os.fsync)  # macOS has only fsync
_read_ahead = ReadAhead()


def folder() -> Path:
    """Return the folder of all payloads, which is made for the first one."""
    return Path(str(database.database)).parent / FOLDER


def path_of(payload_id: str, within: Path | None = None) -> Path:
    """Return the file of a payload, in the folder of the service or one of the same form.

    Raises ValueError for what is no id, as somebody may have put into a row.
    """
    if not _ID.fullmatch(payload_id):
        raise ValueError(payload_id)
    return (within or folder()) / payload_id[-2:] / payload_id


def write(payload_id: str, first: int, messages: Iterable[bytes]) -> None:
    """Write consecutive sealed pieces, the first being number `first`, and sync them.

    What an earlier attempt has left there is overwritten. Whoever calls this has stored a row or a
    record that names the payload, by which its file is deleted.
    """
    whole_bytes = layout_of(payload_id).whole_bytes
    with _open_to_write(path_of(payload_id)) as handle:
        unsynced = 0
        for number, message in enumerate(messages, first):
            _write_at(handle, message, number * whole_bytes)
            unsynced += len(message)
            if unsynced >= SYNC_BYTES:
                will_wait()
                _fdatasync(handle)
                unsynced = 0
        will_wait()
        _fdatasync(handle)


def store(payload_id: str, pieces: Iterable[bytes], size: int) -> None:  # noqa: ARG001  of objects
    """Store all pieces of a payload."""
    write(payload_id, 0, pieces)


def pieces(
    payload_id: str, size: int, first: int, last: int, within: Path | None = None
) -> Iterator[bytes]:
    """Yield the sealed pieces `first` to `last` of a payload of `size` bytes.

    `within` is a folder of payloads in place of that of the database. The file is opened for each
    window, so that a slow reader does not keep the space of a file that was deleted. Raises
    `DecryptionError` if it is missing, or too short.
    """
    try:
        path = str(path_of(payload_id, within))
    except ValueError:
        raise DecryptionError(_MISSING) from None
    layout = layout_of(payload_id)
    for start, stop in _read_ahead.windows(first, last, PIECES_AT_ONCE):
        window = deque(_window(path, layout, size, start, stop))
        while window:  # a slow reader holds no piece that it has taken
            yield window.popleft()


def length(payload_id: str) -> int | None:
    """Return the length of the file of a payload in bytes, None if it is missing."""
    try:
        return path_of(payload_id).stat().st_size
    except FileNotFoundError:
        return None


def drop(*payload_ids: str) -> None:
    """Delete files; one that is missing is no error, nor is what can be no file's name."""
    for id in filter(_ID.fullmatch, payload_ids):
        path_of(id).unlink(missing_ok=True)


@contextmanager
def deleting() -> Iterator[bool]:
    """Yield whether files may be deleted now: not while a backup takes them along."""
    with _locked_folder(fcntl.LOCK_EX | fcntl.LOCK_NB) as is_locked:
        yield is_locked


@contextmanager
def keeping() -> Iterator[None]:
    """Have no file deleted in the block, also when its process is killed in it."""
    with _locked_folder(fcntl.LOCK_SH):
        yield


@contextmanager
def _locked_folder(operation: int) -> Iterator[bool]:
    """Yield whether the lock of the folder is held; without a folder there is nothing to lock."""
    try:
        handle = os.open(folder(), os.O_RDONLY)
    except FileNotFoundError:
        yield True
        return
    try:
        try:
            fcntl.flock(handle, operation)
        except BlockingIOError:
            yield False
        else:
            yield True
    finally:
        os.close(handle)


def bring(
    payload_id: str, source: Path, target: Path, *, for_service: bool, there: Path | None = None
) -> None:
    """Bring a file from one folder of payloads into another, in place of one that is there.

    It is a hard link on the same file system, since the file is never changed, else a synced copy,
    or a link to the file in a third folder, `there`, if that has the same bytes. A file
    `for_service` gets the owner of its folder, which a link would give to both. The entry of the
    file is not synced: `sync_folders` does so for all.
    """
    file, brought = path_of(payload_id, source), path_of(payload_id, target)
    if brought.exists() and brought.samefile(file):
        return
    make_folder(target)
    make_folder(brought.parent)
    part = brought.with_name(f"{payload_id}.part")
    part.unlink(missing_ok=True)  # of a process that was killed
    kept = path_of(payload_id, there) if there else None
    if not any(_linked(one, part, for_service) for one in _with_bytes_of(file, kept)):
        _copy(file, part)
        if for_service:
            leave_to_service(part)
    part.rename(brought)


def put(payload_id: str, source: Path, target: Path) -> None:
    """Move a file between folders, in place of one that is there.

    `target` may be another file system, mounted or behind a symbolic link. The entry of the file is
    not synced: `sync_folders` does so for all.
    """
    file = path_of(payload_id, source)
    path = path_of(payload_id, target)
    make_folder(target)
    make_folder(path.parent)
    try:
        file.replace(path)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        bring(payload_id, source, target, for_service=True)
        file.unlink()


def _with_bytes_of(file: Path, kept: Path | None) -> Iterator[Path]:
    """Yield the file, then another one that is `kept`, if it is there and has the same bytes."""
    yield file
    with suppress(FileNotFoundError):
        if kept and filecmp.cmp(file, kept, shallow=False):
            yield kept


def _linked(file: Path, part: Path, for_service: bool) -> bool:
    """Make a hard link, unless the file would have a wrong owner; return whether it is there."""
    if for_service and file.stat().st_uid != part.parent.stat().st_uid:
        return False
    try:
        os.link(file, part)
    except OSError:  # another file system, or one without hard links
        return False
    return True


def sync_folders(target: Path) -> None:
    """Sync the entries of a folder of payloads, and those of its own folders."""
    for one in (*filter(Path.is_dir, target.iterdir()), target):
        sync_folder(one)


def _copy(file: Path, part: Path) -> None:
    """Copy a file and sync the copy, in steps so that little waits for the disk in memory."""
    handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with file.open("rb") as read, os.fdopen(handle, "wb") as written:
        while some := read.read(COPIED_BYTES):
            written.write(some)
            written.flush()
            _fdatasync(written.fileno())


def stored(within: Path | None = None) -> Iterator[tuple[str, int]]:
    """Yield id and length in bytes of each payload that has a file, in no order."""
    root = within or folder()
    with suppress(FileNotFoundError):
        for part in os.scandir(root):
            if part.is_dir(follow_symlinks=False):
                yield from _stored_in(part.path)


def sync_folder(path: Path) -> None:
    """Sync the entries of a folder."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def make_folder(path: Path) -> None:
    """Make a folder for the service's user only, unless there is one, and sync its entry."""
    with suppress(FileExistsError):
        path.mkdir(mode=0o700)
        leave_to_service(path)
        sync_folder(path.parent)


@contextmanager
def _open_to_write(path: Path) -> Iterator[int]:
    """Open a file, which is made with its folders if it is missing; their entries are synced."""
    try:
        handle = os.open(path, os.O_WRONLY)
    except FileNotFoundError:
        make_folder(path.parent.parent)
        make_folder(path.parent)
        handle = os.open(path, os.O_WRONLY | os.O_CREAT, 0o600)
        leave_to_service(path)
        sync_folder(path.parent)
    try:
        yield handle
    finally:
        os.close(handle)


def _write_at(handle: int, data: bytes, position: int) -> None:
    written = os.pwrite(handle, data, position)
    while written < len(data):  # a full disk takes a part, then raises
        written += os.pwrite(handle, data[written:], position + written)


def _window(path: str, layout: Layout, size: int, start: int, stop: int) -> list[bytes]:
    """Return the pieces `start` to before `stop`, and have those behind them read from the disk."""
    try:
        handle = os.open(path, os.O_RDONLY)
    except FileNotFoundError:
        raise DecryptionError(_MISSING) from None
    try:
        window = [
            os.pread(handle, layout.sealed_length(size, number), number * layout.whole_bytes)
            for number in range(start, stop)
        ]
        if hasattr(os, "posix_fadvise"):  # macOS lacks it
            ahead = (stop - start) * layout.whole_bytes
            os.posix_fadvise(handle, stop * layout.whole_bytes, ahead, os.POSIX_FADV_WILLNEED)
    finally:
        os.close(handle)
    for number, sealed in enumerate(window, start):
        if len(sealed) != layout.sealed_length(size, number):
            raise DecryptionError("The file of its payload was cut off.")
    return window


def _stored_in(path: str) -> Iterator[tuple[str, int]]:
    with suppress(FileNotFoundError):
        for entry in os.scandir(path):
            if _ID.fullmatch(entry.name) and entry.is_file(follow_symlinks=False):
                yield entry.name, entry.stat(follow_symlinks=False).st_size
