"""The folder of an export: sealed files, each of them whole or not there.

    export.json       in clear: the format, the export's id, and its key under a passphrase
    documents/doc_…   the original bytes of a document
    accounts/usr_…    the rows of an account, one JSON text a line
    contents          a JSON text: the format, the run that wrote it, and the accounts; written last

All but the first are sealed under the key of the export, each as one stream (`crypto/sealing.py`,
`crypto/passphrases.py`), bound to the export, to its name, and but for documents, which never
change, to the run. So a file that was altered, truncated, renamed, or taken from another export or
an earlier run does not open. A file is written beside its place, synced and renamed. The folder has
`contents` only while it is complete.
"""

import fcntl
import json
import os
import re
import secrets
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, Self

from crypto import DecryptionError, passphrases, sealing
from models.core import OperatorError
from models.storage.instance_lock import leave_to_service
from models.storage.payloads import PIECE_BYTES
from models.storage.payloads.files import sync_folder

FORMAT = "document-service-export/2"
FORMER_FORMAT = "document-service-export/1"  # of 1.0 and 1.0.1: facts had other names
DOCUMENTS = "documents"
ACCOUNTS = "accounts"
_CONTENTS = "contents"
_PURPOSE = "export/1"
_ID = re.compile(r"[a-z]{3}_[0-9a-hjkmnp-tv-z]{26}")
_READ_BYTES = PIECE_BYTES


def require_id(id: object) -> str:
    """Return an id, which may become the name of a file. Raise OperatorError for other text."""
    if not (isinstance(id, str) and _ID.fullmatch(id)):
        raise OperatorError("The export names something by what is no id of this service.")
    return id


class Contents(NamedTuple):
    """The contents of an export that is complete."""

    format: str
    run: str
    accounts: list[dict[str, Any]]


class ExportFolder:
    """The folder of an export, while a command has it for itself."""

    def __init__(self, path: Path, head: dict[str, Any], key: bytes) -> None:
        self.path = path
        self._head = head
        self._export_id = str(head["id"])
        self._key = key

    @classmethod
    @contextmanager
    def to_write(cls, path: Path, passphrase: str) -> Iterator[Self]:
        """Open the folder of an export, or make a new one.

        Raises OperatorError for a folder with anything else in it, and for another passphrase.
        """
        new = not (path / "export.json").exists()
        if new:
            _require_long(passphrase)
            _make(path)
        with _locked(path):
            if new:
                yield cls._begun(path, passphrase)
            else:
                yield cls._opened(path, passphrase)

    @classmethod
    @contextmanager
    def to_read(cls, path: Path, passphrase: str) -> Iterator[Self]:
        """Open the folder of an export. Raises OperatorError."""
        if not (path / "export.json").exists():
            raise OperatorError(f"{path} holds no export: there is no {path / 'export.json'}.")
        with _locked(path):
            yield cls._opened(path, passphrase)

    @classmethod
    def _begun(cls, path: Path, passphrase: str) -> Self:
        export_id = secrets.token_hex(16)
        key = sealing.generate_key()
        head = {
            "format": FORMAT,
            "id": export_id,
            "key": passphrases.wrap(key, passphrase, _PURPOSE + export_id),
        }
        for name in (DOCUMENTS, ACCOUNTS):
            (path / name).mkdir(mode=0o700, exist_ok=True)
            leave_to_service(path / name)
        begun = cls(path, head, key)
        begun._write_head()
        return begun

    def _write_head(self) -> None:
        _write(self.path / "export.json", [json.dumps(self._head, indent=2).encode() + b"\n"])
        sync_folder(self.path)

    @classmethod
    def _opened(cls, path: Path, passphrase: str) -> Self:
        try:
            head = json.loads((path / "export.json").read_text())
            form, export_id, wrapped = head["format"], str(head["id"]), head["key"]
        except (ValueError, KeyError, TypeError):
            raise OperatorError(f"{path / 'export.json'} is damaged. Copy it again.") from None
        if form not in (FORMAT, FORMER_FORMAT):
            raise OperatorError(f"{path} has the format {form}; this version knows {FORMAT}.")
        try:
            key = passphrases.unwrap(wrapped, passphrase, _PURPOSE + export_id)
        except DecryptionError:
            raise OperatorError(
                f"The passphrase does not open {path}: it is not the one that it was exported "
                "with, or export.json was altered."
            ) from None
        return cls(path, head, key)

    def has_document(self, id: str) -> bool:
        return (self.path / DOCUMENTS / id).exists()

    def write_document(self, id: str, pieces: Iterable[bytes]) -> None:
        """Write the original of a document, piece by piece."""
        self._write(f"{DOCUMENTS}/{id}", "", pieces)

    def write_account(self, id: str, run: str, lines: Iterable[bytes]) -> None:
        """Write the rows of an account."""
        self._write(f"{ACCOUNTS}/{id}", run, _joined(lines))

    def begin_run(self) -> str:
        """Return the id of a new run; the folder is incomplete until it is ended."""
        (self.path / _CONTENTS).unlink(missing_ok=True)
        sync_folder(self.path)
        if self._head["format"] != FORMAT:
            self._head["format"] = FORMAT
            self._write_head()
        return secrets.token_hex(16)

    def end_run(self, run: str, accounts: list[dict[str, Any]]) -> None:
        """Have the folder complete, with these accounts."""
        for name in (DOCUMENTS, ACCOUNTS):
            sync_folder(self.path / name)
        contents = {"format": FORMAT, "run": run, "accounts": accounts}
        self._write(_CONTENTS, "", [json.dumps(contents).encode()])
        sync_folder(self.path)

    def keep_only(self, name: str, ids: set[str]) -> None:
        """Delete the files of a part of the folder that the present run has not named."""
        for path in (self.path / name).iterdir():
            if path.name not in ids:
                path.unlink()

    def contents(self) -> "Contents":
        """Return what is sealed of the export itself. Raises OperatorError if it is incomplete."""
        if not (self.path / _CONTENTS).exists():
            raise OperatorError(
                f"The export in {self.path} is not complete: run its command again."
            )
        text = b"".join(self._read(_CONTENTS, ""))
        contents = json.loads(text)
        form = contents.get("format", FORMER_FORMAT)  # in which 1.0 had it in clear alone
        return Contents(form, str(contents["run"]), contents["accounts"])

    def document(self, id: str) -> Iterator[bytes]:
        """Yield the original of a document in pieces of 192 KiB, the last one shorter."""
        return _in_pieces(self._read(f"{DOCUMENTS}/{require_id(id)}", ""))

    def account_lines(self, id: str, run: str) -> Iterator[bytes]:
        """Yield the rows of an account."""
        rest = b""
        for piece in self._read(f"{ACCOUNTS}/{require_id(id)}", run):
            *lines, rest = (rest + piece).split(b"\n")
            yield from lines

    def _write(self, name: str, run: str, pieces: Iterable[bytes]) -> None:
        _write(self.path / name, self._sealed(name, run, pieces))

    def _sealed(self, name: str, run: str, pieces: Iterable[bytes]) -> Iterator[bytes]:
        sealer = sealing.Sealer(self._key, self._context(name, run))
        yield sealer.header
        for piece in pieces:
            yield sealer.update(piece)
        yield sealer.finish()

    def _read(self, name: str, run: str) -> Iterator[bytes]:
        unsealer = sealing.Unsealer(self._key, self._context(name, run))
        path = self.path / name
        try:
            with path.open("rb") as file:
                while sealed := file.read(_READ_BYTES):
                    yield unsealer.update(sealed)
            yield unsealer.finish()
        except FileNotFoundError:
            raise OperatorError(f"The export is damaged: {path} is missing.") from None
        except DecryptionError:
            raise OperatorError(
                f"The export is damaged: {path} was altered or cut off. Copy it again."
            ) from None

    def _context(self, name: str, run: str) -> bytes:
        return sealing.context(_PURPOSE, self._export_id, name, run)


def _require_long(passphrase: str) -> None:
    if len(passphrase) < passphrases.SHORTEST:
        raise OperatorError(
            f"Use a passphrase of at least {passphrases.SHORTEST} characters: whoever has the "
            "export may try as many as they like."
        )


def _make(path: Path) -> None:
    """Make the folder. Raise OperatorError if something else is in it."""
    if path.exists() and not path.is_dir():
        raise OperatorError(f"{path} is a file. Name a folder, a new one or an empty one.")
    made = {"export.json.part", DOCUMENTS, ACCOUNTS}  # by a command that was killed at once
    if path.exists() and {one.name for one in path.iterdir()} - made:
        raise OperatorError(f"{path} is not empty, and holds no export. Name another folder.")
    if not path.exists():
        path.mkdir(mode=0o700)
        leave_to_service(path)


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Hold the folder, so that no other command works on it."""
    handle = os.open(path, os.O_RDONLY)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise OperatorError(f"Another command works on {path}. Wait for its end.") from None
        yield
    finally:
        os.close(handle)


def _write(path: Path, pieces: Iterable[bytes]) -> None:
    """Write a file beside its place, sync it and rename it; leave nothing if that fails."""
    part = path.with_name(f"{path.name}.part")
    try:
        part.unlink(missing_ok=True)
        with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            for piece in pieces:
                file.write(piece)
            file.flush()
            os.fsync(file.fileno())
        leave_to_service(part)
        part.rename(path)
    except OSError as error:
        error.filename = error.filename or str(path)
        raise
    finally:
        part.unlink(missing_ok=True)


def _joined(lines: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the lines, some of them at once."""
    waiting: list[bytes] = []
    size = 0
    for line in lines:
        waiting.append(line + b"\n")
        size += len(line)
        if size >= PIECE_BYTES:
            yield b"".join(waiting)
            waiting = []
            size = 0
    yield b"".join(waiting)


def _in_pieces(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the same bytes in pieces as an upload has them."""
    rest = bytearray()
    for block in blocks:
        rest += block
        while len(rest) >= PIECE_BYTES:
            yield bytes(rest[:PIECE_BYTES])
            del rest[:PIECE_BYTES]
    if rest:
        yield bytes(rest)
