"""The keyring: a text with one root key (KEK) a line. The first, the primary, wraps new data keys;
all of them unwrap.

A line is `docroot_` + 43 base62 characters + 6 of checksum; `#` starts a comment. A root key is
not used itself: the key that wraps is derived from it (HKDF-SHA-512, RFC 5869).

The file is changed as a whole: a new one is written, synced, and renamed over the old one, whose
content is then overwritten. Callers hold the database's writer lock, so there is one change at a
time.
"""

import os
import re
import shlex
import stat
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, date, datetime
from pathlib import Path

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from . import credentials

PREFIX = "docroot_"
LENGTH = 43
COMMAND_PAUSE_SECONDS = 10  # before a command is run again for an unknown root key
ABOUT = """\
# Document Service keyring. Whoever has this file and the database can read every document;
# without it no document can be read again. Keep a copy, apart from the database's backups.
"""

_ABSENT = "There is no keyring at {}. Put its copy back there; no new one is made."
_DATE = re.compile(r"\d{4}-\d\d-\d\d")


class KeyringError(Exception):
    """The keyring cannot be used; the sentence says why and how to mend it."""


class RootKeyMissing(KeyringError):
    """The keyring can be read, but lacks this root key."""


class RootKey:
    """A root key's public id, and the key derived from it that wraps data keys."""

    def __init__(self, line: str, comment: str = "") -> None:
        if not credentials.well_formed(line, PREFIX, LENGTH):
            raise KeyringError("A line of the keyring is no root key, or was damaged in copying.")
        self._secret = line.encode()
        self.id = self._derive(b"id", 8).hex()
        self.wrap_key = self._derive(b"wrap", 32)
        self.made_on = _first_date(comment)

    def _derive(self, label: bytes, length: int) -> bytes:
        return HKDF(hashes.SHA512(), length, b"document-service/1", label).derive(self._secret)

    def __repr__(self) -> str:
        return f"<RootKey {self.id}>"


class _Request(threading.local):
    """Whether a request is open in this thread, and has looked at the file of the keyring."""

    is_open = False
    has_looked = False


class Keyring:
    """Root keys from a file, a text or the output of a command, such as the client of a vault.

    Each use calls `stat` on the file, so that a running server notices a rotation by the CLI; in a
    request, all that is read needs one call, or a further one for a root key that is unknown. A
    command is run again when a root key is needed that it did not print.
    """

    def __init__(self, path: Path | None = None, *, text: str = "", command: str = "") -> None:
        self.path = path
        self._command = command
        self._command_run_at = time.monotonic()
        self._loaded: tuple[tuple[int, ...], dict[str, RootKey]] = (), {}
        self._request = _Request()
        if path is None:
            self._loaded = (), _parse(_run(command) if command else text)
        else:
            self._refresh()

    @classmethod
    def create(cls, path: Path) -> "Keyring":
        """Create a keyring file with one root key, mode 0600, and sync it before it is used."""
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        _write(handle, f"{ABOUT}{generate_root_key()}\n")
        _sync_folder(path.parent)
        return cls(path)

    @property
    def primary(self) -> RootKey:
        """The root key that wraps new data keys."""
        return next(iter(self))

    def __getitem__(self, root_id: str) -> RootKey:
        root = self.find(root_id)
        if root is None:
            raise RootKeyMissing(f"Root key {root_id} is not in the keyring.")
        return root

    def find(self, root_id: str) -> RootKey | None:
        """Return the root key that unwraps what was read; one that wraps is the `primary`."""
        if not self._request.has_looked:
            self._refresh()
            self._request.has_looked = self._request.is_open
        if root_id not in self._loaded[1]:
            self._refresh()
            self._run_command_again()
        return self._loaded[1].get(root_id)

    def begin_request(self) -> None:
        """Look at the file once for all that this thread finds until `end_request`."""
        self._request.is_open = True
        self._request.has_looked = False

    def end_request(self) -> None:
        self._request.is_open = self._request.has_looked = False

    def __iter__(self) -> Iterator[RootKey]:
        self._refresh()
        return iter(list(self._loaded[1].values()))

    def add(self) -> RootKey:
        """Add a new primary, after the comments above the former one. The caller must hold the
        database's writer lock.
        """
        path, lines = self._file()
        at = next(number for number, line in enumerate(lines) if line.partition("#")[0].strip())
        _replace(path, [*lines[:at], generate_root_key(), *lines[at:]])
        return self.primary

    def remove(self, root_id: str) -> None:
        """Remove a root key for good; a line that is then empty goes with its comment. The caller
        must hold the database's writer lock.
        """
        path, lines = self._file()
        _replace(path, list(_without(lines, root_id)))
        self._refresh()

    def _file(self) -> tuple[Path, list[str]]:
        """Return the path, and the lines that are there now."""
        if self.path is None:
            raise KeyringError(
                "The keyring is not in a file, so it can't be changed here. Change it where it is "
                "kept: `keys make` prints a root key to put first; then restart the service and "
                "run `keys rotate`. A root key that no row uses may be taken out there."
            )
        return self.path, _read(self.path)[0].splitlines()

    def _run_command_again(self) -> None:
        if self._command and time.monotonic() - self._command_run_at > COMMAND_PAUSE_SECONDS:
            self._command_run_at = time.monotonic()
            self._loaded = (), _parse(_run(self._command))

    def _refresh(self) -> None:
        if self.path is not None and _stamp(self.path) != self._loaded[0]:
            text, stamp = _read(self.path)
            try:
                roots = _parse(text)
            except KeyringError as error:
                raise KeyringError(f"{self.path}: {error}") from None
            self._loaded = stamp, roots  # one assignment: threads see old or new


def generate_root_key() -> str:
    """Return a line for a keyring, with today's date as its comment."""
    return f"{credentials.generate(PREFIX, LENGTH)}  # {datetime.now(UTC).date()}"


def _first_date(comment: str) -> date | None:
    """Return the first valid date in a comment, which may be written by hand."""
    for text in _DATE.findall(comment):
        with suppress(ValueError):
            return date.fromisoformat(text)
    return None


def _parse(text: str) -> dict[str, RootKey]:
    parted = [line.partition("#") for line in text.splitlines()]
    roots = [RootKey(word, comment) for words, _, comment in parted for word in words.split()]
    if not roots:
        raise KeyringError("The keyring holds no root key. Put its copy back.")
    return {root.id: root for root in roots}


def _run(command: str) -> str:
    """Return the output of a command: no shell, at most 30 seconds."""
    run = subprocess.run  # the command is the operator's own setting
    try:
        process = run(shlex.split(command), check=True, capture_output=True, text=True, timeout=30)
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        raise KeyringError(f"The keyring command failed: {_why(error)}.") from None
    return process.stdout


def _why(error: Exception) -> str:
    """Return the cause without the command's arguments and output, which may hold a secret."""
    if isinstance(error, subprocess.CalledProcessError):
        return f"it ended with {error.returncode}"
    if isinstance(error, subprocess.TimeoutExpired):
        return f"it took longer than {error.timeout:g} s"
    if isinstance(error, OSError):
        is_path = str(error.filename).startswith("/")  # and no keyring in place of the command
        return f"{error.strerror}: {error.filename}" if is_path else str(error.strerror)
    if isinstance(error, UnicodeDecodeError):
        return "it printed something else than text"
    return str(error)  # a quotation that does not end


def _stamp(path: Path) -> tuple[int, ...]:
    """Return a stamp that changes whenever the file is replaced or written.

    Raises KeyringError if there is no file.
    """
    try:
        return _stamp_of(os.stat(path))
    except FileNotFoundError:
        raise KeyringError(_ABSENT.format(path)) from None


def _stamp_of(status: os.stat_result) -> tuple[int, ...]:
    return (status.st_ino, status.st_mtime_ns, status.st_size)


def _read(path: Path) -> tuple[str, tuple[int, ...]]:
    """Return the text and the stamp of the same file, even if it is replaced meanwhile."""
    try:
        with path.open() as file:
            status = os.fstat(file.fileno())
            _require_private(path, status)
            text = file.read()
    except FileNotFoundError:
        raise KeyringError(_ABSENT.format(path)) from None
    except UnicodeDecodeError:
        raise KeyringError(f"{path} is no keyring, or was damaged in copying.") from None
    stamp = _stamp_of(status)
    return (text, stamp) if stamp == _stamp(path) else _read(path)


def _require_private(path: Path, status: os.stat_result) -> None:
    if stat.S_IMODE(status.st_mode) & 0o077 and status.st_uid == os.getuid():
        raise KeyringError(f"Others can read {path}. Run: chmod 600 {path}")


def _without(lines: list[str], root_id: str) -> Iterator[str]:
    for line in lines:
        words, mark, comment = line.partition("#")
        kept = [word for word in words.split() if RootKey(word).id != root_id]
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


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    os.fsync(handle)
    os.close(handle)
