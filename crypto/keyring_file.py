"""The keyring's file: made and changed so that whoever is cut off leaves a whole one.

A change is written beside it, forced to the disk, then renamed over it; what the old file held
is overwritten. Who changes it holds the database's write lock: there is one at a time.
"""

import os
import stat
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TextIO

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
    """The text with the stamp of the very file it came from: the file may be replaced meanwhile."""
    while True:
        with _opened(path) as file:
            found = os.fstat(file.fileno())
            _refuse_if_others_can_read(path, found)
            text = _text(file, path)
        if stamp(path) == _stamp_of(found):
            return text, _stamp_of(found)


def stamp(path: Path) -> tuple[int, ...]:
    """Differs whenever the file was replaced or written."""
    try:
        return _stamp_of(os.stat(path))
    except FileNotFoundError:
        raise KeyringError(f"There is no keyring at {path}.") from None


def put_first(path: Path, line: str) -> None:
    """Before all other roots, behind the comments above them."""
    lines = read(path)[0].splitlines()
    at = next(number for number, one in enumerate(lines) if one.partition("#")[0].strip())
    _replace(path, [*lines[:at], line, *lines[at:]])


def leave_out(path: Path, unwanted: Callable[[str], bool]) -> None:
    """All but the unwanted roots; a line that held nothing else goes with its comment."""
    _replace(path, list(_without(read(path)[0].splitlines(), unwanted)))


def today() -> str:
    return str(datetime.now(UTC).date())


def _without(lines: list[str], unwanted: Callable[[str], bool]) -> Iterator[str]:
    for line in lines:
        words, mark, comment = line.partition("#")
        kept = [word for word in words.split() if not unwanted(word)]
        if len(kept) == len(words.split()):
            yield line
        elif kept:
            yield f"{' '.join(kept)}  {mark}{comment}".rstrip()


def _replace(path: Path, lines: list[str]) -> None:
    path = path.resolve()  # a link stays a link
    beside = path.with_name(path.name + ".new")
    with path.open("r+b") as old:
        handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
        _give_to_owner_of(old.fileno(), handle)
        _write(handle, "\n".join(lines) + "\n")
        beside.replace(path)
        _sync_folder(path.parent)
        if not os.fstat(old.fileno()).st_nlink:  # else it is somebody's copy, made by a hard link
            old.write(bytes(os.fstat(old.fileno()).st_size))
            old.flush()
            os.fsync(old.fileno())


def _give_to_owner_of(old: int, new: int) -> None:
    """Also when root changes it for the service's own user."""
    found = os.fstat(old)
    os.fchmod(new, stat.S_IMODE(found.st_mode))
    if (found.st_uid, found.st_gid) != (os.geteuid(), os.fstat(new).st_gid):
        os.fchown(new, found.st_uid, found.st_gid)


def _write(handle: int, text: str) -> None:
    with os.fdopen(handle, "w") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


def _opened(path: Path) -> TextIO:
    try:
        return path.open()
    except FileNotFoundError:
        raise KeyringError(f"There is no keyring at {path}.") from None


def _text(file: TextIO, path: Path) -> str:
    try:
        return file.read()
    except UnicodeDecodeError:
        raise KeyringError(f"{path} is no keyring, or was damaged in copying.") from None


def _stamp_of(found: os.stat_result) -> tuple[int, ...]:
    return (found.st_ino, found.st_mtime_ns, found.st_size)


def _refuse_if_others_can_read(path: Path, found: os.stat_result) -> None:
    if stat.S_IMODE(found.st_mode) & 0o077 and found.st_uid == os.getuid():
        raise KeyringError(f"Others can read {path}. Run: chmod 600 {path}")


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    os.fsync(handle)
    os.close(handle)
