"""Checks that the stored data decrypts. Each check returns one sentence for each problem."""

from collections.abc import Callable
from operator import attrgetter
from typing import Any

from peewee import fn

from crypto import DecryptionError, KeyringError

from ..accounts import User
from ..core import NotFound
from ..documents import Collection, Document
from ..events import Event, Webhook
from ..links import Opening, Recipient, open_all_of
from ..records import loggable_id
from ..storage import engine
from .authority import AUTHENTICATED
from .progress import ReportProgress, no_progress
from .setup import TABLES_WITH_KEYS


def check_keys(report: ReportProgress = no_progress) -> list[str]:
    """Unwrap the data key of every row. Progress counts rows."""
    done = 0
    problems = []
    total = sum(table.select().count() for table in TABLES_WITH_KEYS)
    for table in TABLES_WITH_KEYS:
        for row in table.each():
            problems += _problems(attrgetter("key"), row)
            done += 1
            report(done, total)
    return problems


def check_contents(report: ReportProgress = no_progress) -> list[str]:
    """Decrypt all keys, names, passwords, lists, payloads, and the rows of guarded links.

    Progress counts payload bytes.
    """
    problems = check_keys()
    for collection in Collection.each():
        problems += _problems(attrgetter("meta"), collection)
        problems += _problems(open_all_of, collection)
    for user in User.each():
        problems += _problems(attrgetter("name", "password_digest"), user)
    done = 0
    _, total = Document.stored()
    for document in Document.each():
        problems += _problems(_decrypt_document, document)
        problems += _problems(open_all_of, document)
        done += document.size
        report(done, total)
    return list(dict.fromkeys(problems))


def check_authority() -> list[str]:
    """Verify the MAC of every row with authority columns and of deliveries; open each webhook."""
    tables = (*AUTHENTICATED, Webhook, Recipient, Opening)
    altered = [row.id for table in tables for row in table.each() if not row.is_genuine()]
    altered += [one.id for one, event in Event.of_deliveries() if not one.is_of(event)]
    return [
        f"{loggable_id(id)} was altered outside of the service, and is refused." for id in altered
    ]


def check_database_file(deep: bool) -> list[str]:
    """Run the engine's own check of its file; `deep` also compares indexes with their tables."""
    errors = engine().damage(deep)
    return [f"The database file is damaged ({error}). Restore a backup." for error in errors]


def check_sample(count: int) -> list[str]:
    """Decrypt the metadata and the last byte of `count` documents chosen at random."""
    sample = Document.select().order_by(fn.RANDOM()).limit(count)
    return [problem for one in sample for problem in _problems(_decrypt_end, one)]


def _problems(decrypt: Callable[[Any], Any], row: Any) -> list[str]:
    """Return no problem if the row decrypts, or was deleted after it was read."""
    try:
        decrypt(row)
    except (DecryptionError, KeyringError) as error:
        why = f" {error}" if isinstance(error, DecryptionError) and str(error) else ""
        return [f"{row.id} cannot be decrypted.{why}"] if row.find(row.id) else []
    except NotFound:
        return []
    return []


def _decrypt_document(document: Document, start: int = 0) -> None:
    _ = document.meta
    for _ in document.read(start):
        pass


def _decrypt_end(document: Document) -> None:
    _decrypt_document(document, max(document.size - 1, 0))
