"""Reads and atomically replaces the keyring file.

A change is written to a new file, synced, and renamed over the old one, whose content is then
overwritten. Callers hold the database's writer lock, so there is one change at a time.
"""

import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

ABOUT = """\
# Document Service keyring. Who has this file and the database can read every document;
# without it no document can be read again. Keep a copy, apart from the database's backups.
"""


class KeyringError(Exception):
    """The keyring cannot be used; the sentence says why and how to mend it."""


def create(path: Path, line: str) -> None:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    _write(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), f"{ABOUT}{line}\n")
    _sync_folder(path.parent)


def read(path: Path) -> tuple[str, tuple[int, ...]]:
    """The text and the stamp of the same file, even if it is replaced meanwhile."""
    while True:
        text, status = _read_once(path)
        if stamp(path) == _stamp_of(status):
            return text, _stamp_of(status)


def _read_once(path: Path) -> tuple[str, os.stat_result]:
    try:
        with path.open() as file:
            status = os.fstat(file.fileno())
            _require_private(path, status)
            return file.read(), status
    except FileNotFoundError:
        raise _absent(path) from None
    except UnicodeDecodeError:
        raise KeyringError(f"{path} is no keyring, or was damaged in copying.") from None


def stamp(path: Path) -> tuple[int, ...]:
    """Changes whenever the file is replaced or written. Raises KeyringError if there is none."""
    try:
        return _stamp_of(os.stat(path))
    except FileNotFoundError:
        raise _absent(path) from None


def prepend(path: Path, line: str) -> None:
    """Insert a line before the first root key, after the comments above it."""
    lines = read(path)[0].splitlines()
    at = next(number for number, one in enumerate(lines) if one.partition("#")[0].strip())
    _replace(path, [*lines[:at], line, *lines[at:]])


def remove(path: Path, unwanted: Callable[[str], bool]) -> None:
    """Remove the unwanted root keys; a line that is then empty goes with its comment."""
    _replace(path, list(_without(read(path)[0].splitlines(), unwanted)))


def _without(lines: list[str], unwanted: Callable[[str], bool]) -> Iterator[str]:
    for line in lines:
        words, mark, comment = line.partition("#")
        kept = [word for word in words.split() if not unwanted(word)]
        if len(kept) == len(words.split()):
            yield line
        elif kept:
            yield f"{' '.join(kept)}  {mark}{comment}".rstrip()


def _replace(path: Path, lines: list[str]) -> None:
    path = path.resolve()  # a symbolic link stays one
    new = path.with_name(path.name + ".new")
    with path.open("r+b") as old:
        handle = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
        _copy_owner(old.fileno(), handle)
        _write(handle, "\n".join(lines) + "\n")
        new.replace(path)
        _sync_folder(path.parent)
        if not os.fstat(old.fileno()).st_nlink:  # otherwise a hard link still uses it
            old.write(bytes(os.fstat(old.fileno()).st_size))
            old.flush()
            os.fsync(old.fileno())


def _copy_owner(old: int, new: int) -> None:
    """Keep mode and owner, as when the superuser changes the keyring of the service's user."""
    status = os.fstat(old)
    os.fchmod(new, stat.S_IMODE(status.st_mode))
    if (status.st_uid, status.st_gid) != (os.geteuid(), os.fstat(new).st_gid):
        os.fchown(new, status.st_uid, status.st_gid)


def _write(handle: int, text: str) -> None:
    with os.fdopen(handle, "w") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


def _stamp_of(status: os.stat_result) -> tuple[int, ...]:
    return (status.st_ino, status.st_mtime_ns, status.st_size)


def _require_private(path: Path, status: os.stat_result) -> None:
    if stat.S_IMODE(status.st_mode) & 0o077 and status.st_uid == os.getuid():
        raise KeyringError(f"Others can read {path}. Run: chmod 600 {path}")


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    os.fsync(handle)
    os.close(handle)


def _absent(path: Path) -> KeyringError:
    return KeyringError(
        f"There is no keyring at {path}. Put its copy back there; no new one is made."
    )
