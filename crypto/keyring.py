"""The keyring: root keys as text, one a line; the first one seals, all of them open.

A line is `docroot_` + 43 base62 characters + 6 of checksum; `#` starts a comment. A root seals
nothing itself: what seals is derived from it (HKDF-SHA-512, RFC 5869).
"""

import os
import shlex
import stat
import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from . import credentials

PREFIX, LENGTH = "docroot_", 43
ABOUT = """\
# Document Service keyring. Who has this file and the database can read every document;
# without it no document can be read again. Keep a copy, apart from the database's backups.
"""


class KeyringError(Exception):
    """The keyring cannot be used; the sentence says why and how to mend it."""


class Root:
    """One root key, and the keys derived from it. Its id is public."""

    def __init__(self, line: str) -> None:
        if not credentials.well_formed(line, PREFIX, LENGTH):
            raise KeyringError("A line of the keyring is no root key, or was damaged in copying.")
        self._secret = line.encode()
        self.id = self._derive(b"id", 8).hex()
        self.wrap_key = self._derive(b"wrap", 32)
        self.session_key = self._derive(b"session", 32)

    def _derive(self, label: bytes, length: int) -> bytes:
        return HKDF(hashes.SHA512(), length, b"document-service/1", label).derive(self._secret)

    def __repr__(self) -> str:
        return f"<Root {self.id}>"


class Keyring:
    """Root keys from a file, from text, or from a command's output.

    A file is looked at (one `stat`) at each use, so that a rotation by the command line reaches
    a running server.
    """

    def __init__(self, path: Path | None = None, text: str | None = None) -> None:
        self.path = path
        self._stamp: tuple[int, ...] | None = None
        self._roots: dict[str, Root] = {}
        if path is None:
            self._load(text or "")
        else:
            self._refresh()

    @classmethod
    def from_command(cls, command: str) -> "Keyring":
        """What a vault, a KMS or `systemd-creds` prints. No shell; 30 seconds."""
        run = subprocess.run  # the command is the operator's own setting
        try:
            done = run(shlex.split(command), check=True, capture_output=True, text=True, timeout=30)
        except (OSError, ValueError, subprocess.SubprocessError) as error:
            raise KeyringError(f"The keyring command failed: {type(error).__name__}.") from None
        return cls(text=done.stdout)

    @classmethod
    def create(cls, path: Path) -> "Keyring":
        """A new keyring file with one root, mode 0600, on disk for good before it is used."""
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w") as file:
            file.write(f"{ABOUT}{_fresh_line()}\n")
            file.flush()
            os.fsync(file.fileno())
        _sync_folder(path.parent)
        return cls(path)

    @property
    def primary(self) -> Root:
        """The root that seals."""
        return next(iter(self))

    def __getitem__(self, root_id: str) -> Root:
        if root_id not in self._roots:
            self._refresh()
        try:
            return self._roots[root_id]
        except KeyError:
            raise KeyringError(f"Root key {root_id} is not in the keyring.") from None

    def __iter__(self) -> Iterator[Root]:
        self._refresh()
        return iter(list(self._roots.values()))

    def _refresh(self) -> None:
        if self.path is None:
            return
        try:
            found = os.stat(self.path)
        except FileNotFoundError:
            raise KeyringError(f"There is no keyring at {self.path}.") from None
        stamp = (found.st_ino, found.st_mtime_ns, found.st_size)
        if stamp != self._stamp:
            _refuse_if_others_can_read(self.path, found)
            self._load(self.path.read_text())
            self._stamp = stamp

    def _load(self, text: str) -> None:
        lines = [line.split("#")[0] for line in text.splitlines()]
        roots = [Root(word) for line in lines for word in line.split()]
        if not roots:
            raise KeyringError("The keyring holds no root key.")
        self._roots = {root.id: root for root in roots}  # one assignment: threads see old or new


def _fresh_line() -> str:
    return f"{credentials.fresh(PREFIX, LENGTH)}  # {datetime.now(UTC).date()}"


def _refuse_if_others_can_read(path: Path, found: os.stat_result) -> None:
    if stat.S_IMODE(found.st_mode) & 0o077 and found.st_uid == os.getuid():
        raise KeyringError(f"Others can read {path}. Run: chmod 600 {path}")


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    os.fsync(handle)
    os.close(handle)
