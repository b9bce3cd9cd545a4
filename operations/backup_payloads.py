"""The second part of a backup: the payloads that lie in files, in a folder beside its file.

    FILE            the database, whose rows are the list of these payloads
    FILE.payloads   as the folder `payloads` of the instance: sealed, a file for each

They are hard links where that can be, since such a file is never changed. A folder may serve
several backups (`--payloads`): what is missing is added, and nothing removed.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from models.core import OperatorError, counted
from models.storage import sqlite_files
from models.storage.payloads import files, payload_id_of, sealed_size

from .progress import ReportProgress, no_progress


class PayloadFile(NamedTuple):
    id: str
    length: int  # of the sealed pieces, in bytes


class PayloadFolder(NamedTuple):
    """The folder of a backup's payloads, and how many of them the backup names."""

    folder: Path
    files: int
    bytes: int


def folder_of(file: Path, folder: Path | None = None) -> Path:
    """Return the folder of a backup's payloads: the one that was named, or FILE.payloads."""
    return folder or file.with_name(f"{file.name}.payloads")


def payload_files_of(file: Path) -> list[PayloadFile]:
    """Return the payloads that the documents of a database file have in files."""
    found = []
    for document_id, head, size in sqlite_files.payloads_in_files(file):
        id = payload_id_of(document_id, head)
        found.append(PayloadFile(id, sealed_size(id, size)))
    return found


def bring_payloads(
    wanted: list[PayloadFile],
    source: Path,
    target: Path,
    report: ReportProgress = no_progress,
    *,
    for_service: bool = False,
    there: Path | None = None,
) -> None:
    """Bring payloads from one folder into another, all synced.

    A file that is in the folder is left as it is, but for one of another length. `there` is as
    `files.bring` says. Raises `OperatorError` for the first payload that is missing or has another
    length: then none was brought.
    """
    require_payloads(wanted, source)
    total = sum(one.length for one in wanted)
    done = 0
    for one in wanted:
        path = files.path_of(one.id, target)
        if not path.exists() or path.stat().st_size != one.length:
            files.bring(one.id, source, target, for_service=for_service, there=there)
        done += one.length
        report(done, total)
    if wanted:
        files.sync_folders(target)


def put_payloads(wanted: list[PayloadFile], source: Path, target: Path) -> None:
    """Move payloads from one folder into another of the same file system, over what is there."""
    for one in wanted:
        files.put(one.id, source, target)
    if wanted:
        files.sync_folders(target)


def require_payloads(wanted: list[PayloadFile], folder: Path) -> None:
    """Raise `OperatorError` with the first payload that is missing or has another length."""
    for sentence in problems_of(wanted, folder):
        raise OperatorError(sentence)


def problems_of(wanted: list[PayloadFile], folder: Path) -> Iterator[str]:
    """Yield a sentence for each payload that a folder lacks, or has in another length."""
    for one in wanted:
        path = files.path_of(one.id, folder)
        try:
            found = path.stat().st_size
        except (FileNotFoundError, NotADirectoryError):
            yield f"The payload {one.id} is missing from {folder}."
            continue
        if found != one.length:
            yield f"{path} has {counted(found, 'byte')}, and its payload {one.length:,}."
