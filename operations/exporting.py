"""The export of accounts into a sealed folder, while the service runs.

Originals are written first, each once: they never change, so an export that was interrupted, or is
made again into the same folder, goes on with those that are missing. Then the rows of each account
are read in one snapshot, with the originals that have come since. What was deleted since goes from
the folder at the end.
"""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from crypto import DecryptionError, KeyringError
from models.accounts import User
from models.core import NotFound, OperatorError
from models.documents import Document
from models.events import ChainEntry, EventHead, entries_of
from models.records import loggable_id
from models.storage import connected, engine

from .carried import ACCOUNT, CARRIED_TABLES, DOCUMENT, MEMBER, RowFacts
from .export_folder import ACCOUNTS, DOCUMENTS, ExportFolder
from .progress import ReportProgress, no_progress

Counts = dict[str, int]  # of the rows of each kind


class ExportResult(NamedTuple):
    accounts: dict[str, Counts]  # by e-mail address, or `space ` and the id
    size_bytes: int  # of the originals
    problems: list[str]  # a sentence for each row that does not open


def export_accounts(
    path: Path, passphrase: str, owner: str | None = None, report: ReportProgress = no_progress
) -> ExportResult:
    """Export all people and spaces, or `owner`: a person's address, or the id of a space.

    `report` counts bytes.

    Raises OperatorError.
    """
    with ExportFolder.to_write(path, passphrase) as folder:
        users = _users(owner)
        export = _Export(folder, users, report)
        return export.run()


def _users(owner: str | None) -> list[User]:
    """Return people before the spaces whose members they are: so they are imported."""
    if owner is not None:
        return [User.named(owner)]
    users = User.rows(User.select().order_by(User.id))
    whole = [user for user in users if user.is_whole]
    return sorted(whole, key=lambda user: user.is_space)


class _Export:
    """One run of the command."""

    def __init__(self, folder: ExportFolder, users: list[User], report: ReportProgress) -> None:
        self._folder = folder
        self._users = users
        self._report = report
        self._ids = set[str]()  # of the documents that are in the export
        self._problems: list[str] = []
        self._size_bytes = 0

    def run(self) -> ExportResult:
        run = self._folder.begin_run()
        self._write_originals()
        accounts: list[dict[str, Any]] = []
        counts: dict[str, Counts] = {}
        for user in self._users:
            user.record_export(Document.stored_by(user.id).documents)
            counted: Counter[str] = Counter()
            with engine().snapshot():
                self._folder.write_account(user.id, run, self._lines(user, counted))
            accounts.append({"id": user.id, "email": user.email})
            counts[user.email] = dict(counted)
        self._folder.keep_only(DOCUMENTS, self._ids)
        self._folder.keep_only(ACCOUNTS, {user.id for user in self._users})
        self._folder.end_run(run, accounts)
        problems = list(dict.fromkeys(self._problems))
        return ExportResult(counts, self._size_bytes, problems)

    def _write_originals(self) -> None:
        ids = [user.id for user in self._users]
        total = sum(_bytes_of(id) for id in ids)
        done = 0
        for id in ids:
            for document in _documents_of(id):
                if document.opens():
                    self._write_original(document)
                done += document.size
                self._report(done, total)

    def _write_original(self, document: Document) -> bool:
        """Write an original, unless it is there; return whether it is."""
        try:
            _ = document.values
            if not self._folder.has_document(document.id):
                self._folder.write_document(document.id, document.read())
            return True
        except (DecryptionError, KeyringError):
            sentence = f"{document.id} does not open, and is left out."
            self._problems.append(sentence)
        except NotFound:  # deleted meanwhile
            pass
        return False

    def _lines(self, user: User, counted: Counter[str]) -> Iterator[bytes]:
        """Yield the lines of an account, the last of which says how many there are of each kind."""
        for kind, facts in self._rows(user):
            counted[kind] += 1
            yield _line(kind, facts)
        yield _line("end", dict(counted))

    def _rows(self, user: User) -> Iterator[tuple[str, RowFacts]]:
        yield "account", self._facts_of_account(user)
        yield from _log_of(user.id)
        for document in _documents_of(user.id):
            if facts := self._facts_of_document(document):
                self._ids.add(document.id)
                self._size_bytes += document.size
                yield "document", facts
        for name, kind in CARRIED_TABLES.items():
            for facts in kind.of_owner(user.id, self._problems):
                yield name, facts

    def _facts_of_account(self, user: User) -> RowFacts:
        members = list(MEMBER.of_owner(user.id, self._problems))
        return ACCOUNT.facts(user) | {"members": members}

    def _facts_of_document(self, document: Document) -> RowFacts | None:
        if not document.opens():
            sentence = f"{loggable_id(document.id)} was altered, and is left out."
            self._problems.append(sentence)
            return None
        if not self._write_original(document):
            return None
        return DOCUMENT.facts(document)


def _bytes_of(owner_id: str) -> int:
    """Return the number of bytes of all of an owner's documents, which an index alone tells."""
    _documents, size_bytes = Document.totals()
    return int(Document.select(size_bytes).where(Document.owner_id == owner_id).scalar())


def _documents_of(owner_id: str) -> Iterator[Document]:
    """Yield an owner's documents in the order of their ids, a page at a time."""
    after = ""
    while True:
        with connected():
            following = Document.select().where(Document.owner_id == owner_id, Document.id > after)
            page = Document.rows_as_stored(following.order_by(Document.id).limit(200))
        if not page:
            return
        yield from page
        after = page[-1].id


def _log_of(owner_id: str) -> Iterator[tuple[str, RowFacts]]:
    """Yield the head of a chain, and its entries. Raise OperatorError if it does not hold."""
    head = EventHead.as_stored(owner_id)
    if head is None or not head.opens():
        raise OperatorError(_broken(owner_id))
    yield "log", {"oldest": head.oldest, "hash_before": bytes(head.hash_before).hex()}
    previous = bytes(head.hash_before)
    expected = head.oldest
    for entry in entries_of(owner_id):
        if entry.sequence != expected or not entry.follows(owner_id, previous):
            raise OperatorError(_broken(owner_id))
        yield "event", facts_of_entry(entry)
        previous = entry.hash
        expected += 1
    if expected - 1 != head.sequence or previous != bytes(head.hash):
        raise OperatorError(_broken(owner_id))


def facts_of_entry(entry: ChainEntry) -> RowFacts:
    return {**entry._asdict(), "hash": bytes(entry.hash).hex()}


def _broken(owner_id: str) -> str:
    return (
        f"The log of {owner_id} does not hold, so it cannot be exported as it is: "
        "`document-service audit verify` says where. Restore a backup."
    )


def _line(kind: str, facts: RowFacts) -> bytes:
    return json.dumps({kind: facts}).encode()
