"""Checks that the stored data opens. Each check returns one sentence for each problem."""

from collections.abc import Callable
from operator import attrgetter
from typing import Any

from peewee import fn

from crypto import DecryptionError, KeyringError
from models.accounts import (
    ApiKey,
    Identity,
    Invitation,
    Member,
    Session,
)
from models.core import NotFound, counted
from models.documents import Document
from models.events import Event, EventHead, Webhook, WebhookDelivery
from models.links import DocumentToken, FormerTarget, KeptText, Opening, Recipient
from models.records import loggable_id
from models.setup import TABLES_WITH_KEYS
from models.storage import engine
from models.storage.payloads import FILES, files, sealed_size

from .progress import ReportProgress, no_progress

SEALED_TABLES: tuple[Any, ...] = (
    *TABLES_WITH_KEYS,
    Session,
    ApiKey,
    Identity,
    Member,
    Invitation,
    DocumentToken,
    FormerTarget,
    Recipient,
    Opening,
    KeptText,
    Webhook,
    WebhookDelivery,
    EventHead,
)

_ALTERED = "{} was altered outside of the service, and is refused."
_UNREADABLE = "{} cannot be decrypted."
_INCOMPLETE = "{} lacks a part of its payload."


def check_keys(report: ReportProgress = no_progress) -> list[str]:
    """Unwrap the data key of every row. Progress counts rows."""
    return _problems_of(TABLES_WITH_KEYS, attrgetter("key"), _UNREADABLE, report)


def check_rows(report: ReportProgress = no_progress) -> list[str]:
    """Open every sealed row, but heads of chains, which the verification of the log opens.

    Progress counts rows.
    """
    tables = [table for table in SEALED_TABLES if table is not EventHead]
    return _problems_of(tables, attrgetter("values"), _ALTERED, report) + _altered_events()


def check_contents(report: ReportProgress = no_progress) -> list[str]:
    """Open every sealed row, and decrypt all payloads. Progress counts payload bytes."""
    return list(dict.fromkeys(check_rows() + check_payloads(report)))


def check_payloads(report: ReportProgress = no_progress) -> list[str]:
    """Decrypt the payloads of all documents that open. Progress counts their bytes."""
    done = 0
    problems = []
    _, total = Document.stored()
    for document in Document.each():
        if _opens(document):
            problems += _problems(_decrypt_document, document, _UNREADABLE)
        done += document.size
        report(done, max(done, total))  # others may store meanwhile
    return problems


def check_pieces() -> list[str]:
    """Compare the pieces in the database with each document's size, and look for holes in them.

    Nothing is decrypted.
    """
    return [
        _INCOMPLETE.format(loggable_id(document.id))
        for document in Document.each()
        if not document.has_all_pieces()
    ]


def check_payload_files() -> list[str]:
    """Compare the length of each payload's file with its document. Nothing is decrypted."""
    problems = []
    for document in Document.in_files():
        problem = _problem_of_file(document)
        if problem and _lies_in_file(document.id):
            problems.append(f"{loggable_id(document.id)} {problem}.")
    return problems


def _problem_of_file(document: Document) -> str | None:
    payload_id = document.payload_id
    found, expected = files.length(payload_id), sealed_size(payload_id, document.size)
    if found is None:
        return "lacks the file of its payload"
    if found == expected:
        return None
    return f"has {counted(expected, 'byte')} in {files.path_of(payload_id)}, which has {found:,}"


def _lies_in_file(document_id: str) -> bool:
    """Return whether a document is still there, and was not moved."""
    found = Document.as_stored(document_id)
    return found is not None and found.place == FILES


def check_database_file(deep: bool) -> list[str]:
    """Run the engine's own check of its file; `deep` also compares indexes with their tables."""
    errors = engine().damage(deep)
    return [f"The database file is damaged ({error}). Restore a backup." for error in errors]


def check_sample(count: int) -> list[str]:
    """Decrypt the last byte of `count` documents chosen at random, if they open."""
    sample = Document.select().order_by(fn.RANDOM()).limit(count)
    rows = Document.rows_as_stored(sample)
    return [
        problem
        for one in rows
        if _opens(one)
        for problem in _problems(_decrypt_end, one, _UNREADABLE)
    ]


def _opens(document: Document) -> bool:
    try:
        return document.opens()
    except (KeyringError, NotFound):
        return False


def _problems_of(
    tables: Any, open_row: Callable[[Any], Any], sentence: str, report: ReportProgress
) -> list[str]:
    done = 0
    problems = []
    total = sum(table.select().count() for table in tables)
    for table in tables:
        for row in table.each():
            problems += _problems(open_row, row, sentence)
            done += 1
            report(done, max(done, total))
    return problems


def _problems(open_row: Callable[[Any], Any], row: Any, sentence: str) -> list[str]:
    """Return `sentence`, or no problem if the row opens, or was deleted or changed since."""
    name = loggable_id(row.id)
    try:
        open_row(row)
    except KeyringError as error:
        return [f"{name} does not open. {error}"]
    except DecryptionError as error:
        stored = row.as_it_is_stored()
        if stored is None or stored.sealed != row.sealed:
            return []
        return [f"{sentence.format(name)} {error}".rstrip()]
    except NotFound:
        return []
    return []


def _altered_events() -> list[str]:
    """Return a sentence for each delivery that opens, and whose event was altered."""
    return [
        _ALTERED.format(loggable_id(one.id))
        for one, event in Event.of_deliveries()
        if one.opens() and not one.is_of(event)
    ]


def _decrypt_document(document: Document, start: int = 0) -> None:
    _ = document.values
    for _ in document.read(start):
        pass


def _decrypt_end(document: Document) -> None:
    _decrypt_document(document, max(document.size - 1, 0))
