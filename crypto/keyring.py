"""The keyring: root keys as text, one a line; the first one seals, all of them open.

A line is `docroot_` + 43 base62 characters + 6 of checksum; `#` starts a comment. A root seals
nothing itself: what seals is derived from it (HKDF-SHA-512, RFC 5869).
"""

import re
import shlex
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import date
from functools import partial
from pathlib import Path

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from . import credentials, keyring_file
from .keyring_file import KeyringError

PREFIX, LENGTH = "docroot_", 43
ASKED_AGAIN_SECONDS = 10  # a command is not run for every request that asks for a root in vain

_DATE = re.compile(r"\d{4}-\d\d-\d\d")


class RootKey:
    """One root key, and the key derived from it that wraps others. Its id is public."""

    def __init__(self, line: str, comment: str = "") -> None:
        if not credentials.well_formed(line, PREFIX, LENGTH):
            raise KeyringError("A line of the keyring is no root key, or was damaged in copying.")
        self._secret = line.encode()
        self.id = self._derive(b"id", 8).hex()
        self.wrap_key = self._derive(b"wrap", 32)
        self.made_on = _dated(comment)

    def _derive(self, label: bytes, length: int) -> bytes:
        return HKDF(hashes.SHA512(), length, b"document-service/1", label).derive(self._secret)

    def __repr__(self) -> str:
        return f"<Root {self.id}>"


Stamp = tuple[int, ...]


class Keyring:
    """Root keys from a file, from text, or from a command's output.

    A file is looked at (one `stat`) at each use, so that a rotation by the command line reaches
    a running server. A command is run again when a root is asked for that it did not print.
    """

    def __init__(self, path: Path | None = None, text: str | None = None) -> None:
        self.path = path
        self._command: Callable[[], str] | None = None
        self._asked_at = time.monotonic()
        self._loaded: tuple[Stamp | None, dict[str, RootKey]] = None, {}
        if path is None:
            self._loaded = None, _roots(text or "")
        else:
            self._refresh()

    @classmethod
    def from_command(cls, command: str) -> "Keyring":
        """What a vault, a KMS or `systemd-creds` prints. No shell; 30 seconds."""
        printed = partial(_printed, command)
        keyring = cls(text=printed())
        keyring._command = printed
        return keyring

    @classmethod
    def create(cls, path: Path) -> "Keyring":
        """A new keyring file with one root, mode 0600, on disk for good before it is used."""
        keyring_file.create(path, generate_root_key())
        return cls(path)

    @property
    def primary(self) -> RootKey:
        """The root that seals."""
        return next(iter(self))

    def __getitem__(self, root_id: str) -> RootKey:
        root = self.find(root_id)
        if root is None:
            raise KeyringError(f"Root key {root_id} is not in the keyring.")
        return root

    def find(self, root_id: str) -> RootKey | None:
        self._refresh()
        if root_id not in self._loaded[1]:
            self._ask_again()
        return self._loaded[1].get(root_id)

    def __iter__(self) -> Iterator[RootKey]:
        self._refresh()
        return iter(list(self._loaded[1].values()))

    def add(self) -> RootKey:
        """A new root, which seals from now on. Hold the database's write lock meanwhile."""
        keyring_file.put_first(self._file(), generate_root_key())
        return self.primary

    def remove(self, root_id: str) -> None:
        """Take a root away for good. Hold the database's write lock meanwhile."""
        keyring_file.leave_out(self._file(), lambda word: RootKey(word).id == root_id)
        self._refresh()

    def _file(self) -> Path:
        if self.path is None:
            raise KeyringError(
                "The keyring is not in a file, so it can't be changed here. Change it where it is "
                "kept: `keys make` prints a root to put first; then restart the service and run "
                "`keys rotate`. A root that no row uses may be taken out there."
            )
        return self.path

    def _ask_again(self) -> None:
        if self._command and time.monotonic() - self._asked_at > ASKED_AGAIN_SECONDS:
            self._asked_at = time.monotonic()
            self._loaded = None, _roots(self._command())

    def _refresh(self) -> None:
        if self.path is None:
            return
        if keyring_file.stamp(self.path) != self._loaded[0]:
            text, found = keyring_file.read(self.path)
            self._loaded = found, _roots(text)  # one assignment: threads see old or new


def generate_root_key() -> str:
    """A line for a keyring."""
    return f"{credentials.fresh(PREFIX, LENGTH)}  # {keyring_file.today()}"


def _dated(comment: str) -> date | None:
    """The first date in it; a keyring is also written by hand."""
    for found in _DATE.findall(comment):
        with suppress(ValueError):
            return date.fromisoformat(found)
    return None


def _roots(text: str) -> dict[str, RootKey]:
    parted = [line.partition("#") for line in text.splitlines()]
    roots = [RootKey(word, comment) for words, _, comment in parted for word in words.split()]
    if not roots:
        raise KeyringError("The keyring holds no root key.")
    return {root.id: root for root in roots}


def _printed(command: str) -> str:
    run = subprocess.run  # the command is the operator's own setting
    try:
        done = run(shlex.split(command), check=True, capture_output=True, text=True, timeout=30)
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        raise KeyringError(f"The keyring command failed: {type(error).__name__}.") from None
    return done.stdout
