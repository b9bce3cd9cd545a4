"""Verifies that the stored data decrypts. Each check returns one sentence for each problem."""

from collections.abc import Callable, Iterator
from operator import attrgetter
from typing import Any

from peewee import fn

from crypto import DecryptionError, KeyringError

from ..document import Document
from ..errors import NotFound
from ..setup import TABLES_WITH_KEYS
from ..storage import sqlite_files
from ..user import User
from .progress import ReportProgress, no_progress

PAGE_ROWS = 200


def check_keys(report: ReportProgress = no_progress) -> list[str]:
    """Unwraps the data key of every row. Progress counts rows."""
    done, problems, total = 0, [], sum(table.select().count() for table in TABLES_WITH_KEYS)
    for table in TABLES_WITH_KEYS:
        for row in _all_rows(table):
            problems += _problems(attrgetter("key"), row)
            done += 1
            report(done, total)
    return problems


def check_contents(report: ReportProgress = no_progress) -> list[str]:
    """Decrypts all keys, names, passwords and whole payloads. Progress counts payload bytes."""
    problems = check_keys()
    for user in _all_rows(User):
        problems += _problems(attrgetter("name", "password_digest"), user)
    done, (_, total) = 0, Document.stored()
    for document in _all_rows(Document):
        problems += _problems(_decrypt_document, document)
        done += document.size
        report(done, total)
    return list(dict.fromkeys(problems))


def check_database_file(deep: bool) -> list[str]:
    """The engine's own check of its file; `deep` also compares indexes with their tables."""
    errors = sqlite_files.damage(deep)
    return [f"The database file is damaged ({error}). Restore a backup." for error in errors]


def check_sample(count: int) -> list[str]:
    """Decrypts the metadata and the last byte of `count` documents chosen at random."""
    sample = Document.select().order_by(fn.RANDOM()).limit(count)
    return [problem for document in sample for problem in _problems(_decrypt_end, document)]


def _all_rows(table: Any) -> Iterator[Any]:
    after = ""
    query = table.select().order_by(table.id).limit(PAGE_ROWS)
    while rows := list(query.where(table.id > after)):
        yield from rows
        after = rows[-1].id


def _problems(decrypt: Callable[[Any], Any], row: Any) -> list[str]:
    """Nothing if the row decrypts, or was deleted after it was read."""
    try:
        decrypt(row)
    except (DecryptionError, KeyringError):
        return [f"{row.id} cannot be decrypted."] if row.find(row.id) else []
    except NotFound:
        return []
    return []


def _decrypt_document(document: Document, start: int = 0) -> None:
    _ = document.meta
    for _ in document.read(start):
        pass


def _decrypt_end(document: Document) -> None:
    _decrypt_document(document, max(document.size - 1, 0))
