"""The keyring: a text with one root key (KEK) a line. The first, the primary, wraps new data keys;
all of them unwrap.

A line is `docroot_` + 43 base62 characters + 6 of checksum; `#` starts a comment. A root key is
not used itself: the key that wraps is derived from it (HKDF-SHA-512, RFC 5869).
"""

import re
import shlex
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, date, datetime
from functools import partial
from pathlib import Path

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from . import credentials, keyring_file
from .keyring_file import KeyringError

PREFIX, LENGTH = "docroot_", 43
COMMAND_PAUSE_SECONDS = 10  # before a command is run again for an unknown root key

_DATE = re.compile(r"\d{4}-\d\d-\d\d")


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


class Keyring:
    """Root keys from a file, a text or the output of a command.

    Each use calls `stat` on the file, so that a running server notices a rotation by the CLI. A
    command is run again when a root key is needed that it did not print.
    """

    def __init__(self, path: Path | None = None, text: str | None = None) -> None:
        self.path = path
        self._command: Callable[[], str] | None = None
        self._command_run_at = time.monotonic()
        self._loaded: tuple[tuple[int, ...] | None, dict[str, RootKey]] = None, {}
        if path is None:
            self._loaded = None, _parse(text or "")
        else:
            self._refresh()

    @classmethod
    def from_command(cls, command: str) -> "Keyring":
        """Runs a command, such as the client of a vault: no shell, at most 30 seconds."""
        run = partial(_run, command)
        keyring = cls(text=run())
        keyring._command = run
        return keyring

    @classmethod
    def create(cls, path: Path) -> "Keyring":
        """Create a keyring file with one root key, mode 0600, and sync it before it is used."""
        keyring_file.create(path, generate_root_key())
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
        self._refresh()
        if root_id not in self._loaded[1]:
            self._run_command_again()
        return self._loaded[1].get(root_id)

    def __iter__(self) -> Iterator[RootKey]:
        self._refresh()
        return iter(list(self._loaded[1].values()))

    def add(self) -> RootKey:
        """Add a new primary. The caller must hold the database's writer lock."""
        keyring_file.prepend(self._file(), generate_root_key())
        return self.primary

    def remove(self, root_id: str) -> None:
        """Remove a root key for good. The caller must hold the database's writer lock."""
        keyring_file.remove(self._file(), lambda word: RootKey(word).id == root_id)
        self._refresh()

    def _file(self) -> Path:
        if self.path is None:
            raise KeyringError(
                "The keyring is not in a file, so it can't be changed here. Change it where it is "
                "kept: `keys make` prints a root to put first; then restart the service and run "
                "`keys rotate`. A root that no row uses may be taken out there."
            )
        return self.path

    def _run_command_again(self) -> None:
        if self._command and time.monotonic() - self._command_run_at > COMMAND_PAUSE_SECONDS:
            self._command_run_at = time.monotonic()
            self._loaded = None, _parse(self._command())

    def _refresh(self) -> None:
        if self.path is None:
            return
        if keyring_file.stamp(self.path) != self._loaded[0]:
            text, stamp = keyring_file.read(self.path)
            self._loaded = stamp, _parse(text)  # one assignment: threads see old or new


def generate_root_key() -> str:
    """A line for a keyring, with today's date as its comment."""
    return f"{credentials.generate(PREFIX, LENGTH)}  # {datetime.now(UTC).date()}"


def _first_date(comment: str) -> date | None:
    """The first valid date in a comment, which may be written by hand."""
    for found in _DATE.findall(comment):
        with suppress(ValueError):
            return date.fromisoformat(found)
    return None


def _parse(text: str) -> dict[str, RootKey]:
    parted = [line.partition("#") for line in text.splitlines()]
    roots = [RootKey(word, comment) for words, _, comment in parted for word in words.split()]
    if not roots:
        raise KeyringError("The keyring holds no root key.")
    return {root.id: root for root in roots}


def _run(command: str) -> str:
    run = subprocess.run  # the command is the operator's own setting
    try:
        process = run(shlex.split(command), check=True, capture_output=True, text=True, timeout=30)
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        raise KeyringError(f"The keyring command failed: {type(error).__name__}.") from None
    return process.stdout
