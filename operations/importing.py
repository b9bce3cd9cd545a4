"""The import of an export into this instance, which may be empty or not, while the service runs.

First all of the export is read and verified: every original by its hash, every log by its links,
the number of rows of each kind; and nothing of it may collide with what is here. Then the accounts
are stored, one after the other, people before spaces. Until the last transaction of an account its
import has a name in place of its address, a space has no members, and nothing of it works. So an
import that was killed goes on where it ended, and one that fails deletes what it has stored. At the
end each document is read back and compared.
"""

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from crypto import DecryptionError
from models.account_deletion import abandon_import
from models.accounts import (
    IMPORTING,
    MANAGE,
    MOST_MEMBERS,
    MOST_MEMBERSHIPS,
    OF_SPACE,
    SPACE_PREFIX,
    Member,
    User,
    leave_out_member,
    members_of,
)
from models.core import EmailTaken, OperatorError, counted, now
from models.documents import BIN_MS, Document, store_as_exported
from models.events import ChainEntry, Event, EventHead
from models.links import DocumentToken
from models.runtime import current_runtime, operator_message
from models.storage import engine, separate_transaction, transaction

from .carried import ACCOUNT, CARRIED_TABLES, DOCUMENT, MEMBER, RowFacts, owner_of, references_of
from .export_folder import FORMER_FORMAT, Contents, ExportFolder, require_id
from .former_exports import rows_as_carried_now
from .progress import ReportProgress, no_progress

Counts = dict[str, int]
Row = tuple[str, RowFacts]
BATCH_ROWS = 200
_DAMAGED = "The export is damaged: {}. Nothing was imported."


class ImportedAccount(NamedTuple):
    id: str
    email: str  # of a person; `space ` and the id
    rows: Counts  # of each kind
    was_here: bool  # since an earlier import, so that nothing was stored
    ended: int  # documents whose end has come since the export
    missing: int  # documents that were deleted here since an earlier import
    absent_members: list[str]  # addresses of members of a space who have no account here
    needs_manager: bool  # a space that nobody can manage

    @property
    def is_space(self) -> bool:
        return self.id.startswith(SPACE_PREFIX)


def import_accounts(
    path: Path, passphrase: str, report: ReportProgress = no_progress
) -> list[ImportedAccount]:
    """Import all accounts of an export.

    `report` counts the bytes of the documents twice: when they are stored, and when they are
    compared. Before that all of them are verified, which is not counted.

    Raises OperatorError; then the account that it names has left nothing here.
    """
    with ExportFolder.to_read(path, passphrase) as folder:
        contents = folder.contents()
        exported = [_ExportedAccount(folder, contents, one["id"]) for one in contents.accounts]
        counts_of_all = [account.verify() for account in exported]
        total = 2 * sum(account.size_bytes for account in exported)
        progress = _Progress(report, total)
        for account in exported:
            account.require_room()
        _require_room_for_spaces([account for account in exported if account.is_space])
        return [
            _Import(account, counts, progress).run()
            for account, counts in zip(exported, counts_of_all, strict=True)
        ]


def give_up_imports() -> int:
    """Delete what imports have left that were killed; return the number of accounts."""
    users = User.importing()
    for user in users:
        abandon_import(user)
    return len(users)


class _Progress:
    def __init__(self, report: ReportProgress, total: int) -> None:
        self._report = report
        self._total = total
        self._done = 0

    def add(self, size: int) -> None:
        self._done += size
        self._report(self._done, self._total)


class _ExportedAccount:
    """The file of an account in an export."""

    def __init__(self, folder: ExportFolder, contents: Contents, id: str) -> None:
        self.folder = folder
        self.run = contents.run
        self._is_former = contents.format == FORMER_FORMAT
        self.id = require_id(id)
        self.size_bytes = 0
        self.facts: RowFacts = {}
        self.log: RowFacts = {}
        self.last_sequence = 0
        self.counts: Counter[str] = Counter()
        self._referred: set[tuple[Any, str]] = set()  # tables and ids of rows that nobody else has

    def rows(self) -> Iterator[Row]:
        rows = self._rows_as_written()
        return rows_as_carried_now(rows) if self._is_former else rows

    def _rows_as_written(self) -> Iterator[Row]:
        for line in self.folder.account_lines(self.id, self.run):
            ((kind, facts),) = json.loads(line).items()
            yield kind, facts

    @property
    def email(self) -> str:
        return str(self.facts["email"])

    @property
    def is_space(self) -> bool:
        return self.id.startswith(SPACE_PREFIX)

    @property
    def made_by(self) -> str | None:
        """The id of the person in whose quota a space counts."""
        id: str | None = self.facts.get("made_by")  # which exports had not before those of spaces
        return id

    @property
    def members(self) -> list[RowFacts]:
        members: list[RowFacts] = self.facts.get("members", [])
        return members

    @property
    def import_name(self) -> str:
        return f"{IMPORTING}{self.run} {self.id}"

    def verify(self) -> Counts:
        """Read all of it, and refuse what is damaged or collides with rows that are here."""
        end: RowFacts | None = None
        previous = b""
        for kind, facts in self.rows():
            self.counts[kind] += 1
            if kind == "account":
                self.facts = facts
                self._refuse_mixture()
                self._refuse_other_account()
            elif kind == "log":
                self.log = facts
                self.last_sequence = facts["oldest"] - 1
                previous = bytes.fromhex(facts["hash_before"])
            elif kind == "event":
                previous = self._verify_entry(entry_of(facts), previous)
            elif kind == "document":
                self._verify_document(facts)
            elif kind in CARRIED_TABLES:
                self._refuse_row_of_others(CARRIED_TABLES[kind].table, facts["id"])
                self._refuse_references_to_others(facts)
            elif kind == "end":
                end = facts
        self.counts.pop("end", None)
        if end is None or dict(self.counts) != end or self.facts.get("id") != self.id:
            raise OperatorError(_DAMAGED.format(f"rows of {self.id} are missing"))
        return dict(self.counts)

    def _refuse_mixture(self) -> None:
        """Refuse a space with the address of a person, or a person as whom others could act."""
        has_no_address = self.email == OF_SPACE + self.id
        was_made = self.made_by is not None
        if self.is_space:
            is_mixture = not (has_no_address and was_made)
        else:
            is_mixture = has_no_address or was_made or bool(self.members)
        if is_mixture:
            raise OperatorError(_DAMAGED.format(f"{self.id} is neither a person nor a space"))
        for member in self.members:
            self._refuse_row_of_others(Member, member["id"])

    def _refuse_other_account(self) -> None:
        user = User.find_by_email(self.email)
        if user and user.id != self.id:
            raise OperatorError(
                f"{self.email} has another account here, {user.id}, and the export has "
                f"{self.id}. Two logs cannot become one: delete that account, or import into "
                "another instance. Nothing was imported."
            )
        stored = User.find(self.id)
        if stored and stored.email_folded == stored.id:
            raise OperatorError(
                f"{self.email} is being deleted here. Wait a minute. Nothing was imported."
            )
        if stored and not stored.is_whole and stored.email != self.import_name:
            raise OperatorError(
                f"An import of another export of {self.email} was interrupted. Go on with that "
                "one, or delete what it has left: document-service import --give-up. Nothing was "
                "imported."
            )

    def _verify_entry(self, entry: ChainEntry, previous: bytes) -> bytes:
        is_next = entry.sequence == self.last_sequence + 1
        if not (is_next and entry.follows(self.id, previous)):
            raise OperatorError(_DAMAGED.format(f"the log of {self.email} does not hold"))
        self.last_sequence = entry.sequence
        return entry.hash

    def _verify_document(self, facts: RowFacts) -> None:
        self._refuse_row_of_others(Document, facts["id"])
        most = current_runtime().settings.max_upload_bytes
        if facts["size"] > most:
            raise OperatorError(
                f"{facts['id']} has {counted(facts['size'], 'byte')}, and "
                f"DOCSERVICE_MAX_UPLOAD_BYTES is {most:,} here. Raise it. Nothing was imported."
            )
        digest = hashlib.sha256()
        size = 0
        for piece in self.folder.document(facts["id"]):
            digest.update(piece)
            size += len(piece)
        if size != facts["size"] or digest.hexdigest() != facts["sha256"]:
            raise OperatorError(_DAMAGED.format(f"{facts['id']} is not as it was"))
        self.size_bytes += size

    def _refuse_references_to_others(self, facts: RowFacts) -> None:
        """Refuse a row that is about a link, a target or a reader of somebody else."""
        for table, id in references_of(facts):
            if (table, id) not in self._referred:
                self._refuse_row_of_others(table, id)
                self._referred.add((table, id))

    def _refuse_row_of_others(self, table: Any, id: str) -> None:
        owner_id = owner_of(table, require_id(id))
        if owner_id not in (None, self.id):
            raise OperatorError(
                f"{id} is here already, and belongs to another account, {owner_id}. "
                "Nothing was imported."
            )

    def require_room(self) -> None:
        """Raise OperatorError if the account would have more than the quotas of this instance."""
        runtime = current_runtime()
        settings = runtime.settings
        limits = [
            ("QUOTA_DOCUMENTS", self.counts["document"], runtime.quota.most_documents),
            ("QUOTA_BYTES", self.size_bytes, runtime.quota.bytes),
            ("QUOTA_COLLECTIONS", self.counts["collection"], settings.quota_collections),
            ("QUOTA_WEBHOOKS", self.counts["webhook"], settings.quota_webhooks),
        ]
        for name, count, most in limits:
            if most is not None and count > most:
                raise OperatorError(
                    f"{self.email} has {count:,} in the export, and DOCSERVICE_{name} allows "
                    f"{most:,} here. Raise it. Nothing was imported."
                )


def _require_room_for_spaces(spaces: list[_ExportedAccount]) -> None:
    """Raise OperatorError if people would have made, or be in, more spaces than are permitted."""
    made = defaultdict[str, set[str]](set)
    joined = defaultdict[str, set[str]](set)
    for space in spaces:
        made[space.made_by or ""].add(space.id)
        for member in space.members:
            if member.get("accepted_at") or not member.get("inviter_id"):  # else it waits
                joined[member["user_id"]].add(space.id)
        if len(space.members) > MOST_MEMBERS:
            raise OperatorError(
                f"{space.email} has {counted(len(space.members), 'member')} in the export, and "
                f"{MOST_MEMBERS} are the most. Nothing was imported."
            )
    most_made = current_runtime().settings.quota_spaces
    for user_id, ids in made.items():
        ids.update(space.id for space in User.select(User.id).where(User.made_by == user_id))
        if len(ids) > most_made:
            raise OperatorError(
                f"{user_id} has made {counted(len(ids), 'space')} with those of the export, and "
                f"DOCSERVICE_QUOTA_SPACES allows {most_made:,} here. Raise it. "
                "Nothing was imported."
            )
    for user_id, ids in joined.items():
        ids.update(member.owner_id for member in Member.of_user(user_id))
        if len(ids) > MOST_MEMBERSHIPS:
            raise OperatorError(
                f"{user_id} is a member of {counted(len(ids), 'space')} with those of the export, "
                f"and {MOST_MEMBERSHIPS} are the most. Nothing was imported."
            )


class _Import:
    """The import of one account."""

    def __init__(self, account: _ExportedAccount, counts: Counts, progress: _Progress) -> None:
        self._account = account
        self._counts = {kind: counts[kind] for kind in counts.keys() - {"account", "log"}}
        self._progress = progress
        self._since = engine().sync_failures()
        self._left_out = 0  # documents that are over

    def run(self) -> ImportedAccount:
        stored = User.find(self._account.id)
        if stored and stored.is_whole:
            return self._as_it_is_here()
        try:
            if stored is None:
                self._begin()
            self._store()
            self._compare()
            self._finish()
        except Exception as error:
            sentence = operator_message(error)
            self._undo()
            if sentence is None:
                raise
            raise OperatorError(
                f"{sentence} Nothing of {self._account.email} is left here."
            ) from error
        return self._result(was_here=False, missing=0)

    def _result(self, *, was_here: bool, missing: int) -> ImportedAccount:
        account = self._account
        absent = [one["email"] for one in account.members if not _is_here(one["user_id"])]
        return ImportedAccount(
            account.id,
            account.email,
            self._counts,
            was_here,
            self._left_out,
            missing,
            absent,
            needs_manager=account.is_space and not _has_manager(account.id),
        )

    def _as_it_is_here(self) -> ImportedAccount:
        """Compare the documents of an account that was imported before with the export."""
        missing = 0
        for facts in self._documents():
            document = Document.find(facts["id"])
            if document is None:
                missing += 1
            else:
                _require_same(document, facts)
            self._progress.add(2 * facts["size"])
        return self._result(was_here=True, missing=missing)

    def _begin(self) -> None:
        facts = self._account.facts
        log = self._account.log
        with transaction():
            ACCOUNT.row(facts).store_importing(self._account.import_name)
            hash_before = bytes.fromhex(log["hash_before"])
            EventHead.begin_behind(facts["id"], log["oldest"], hash_before)

    def _undo(self) -> None:
        if user := User.find(self._account.id):
            abandon_import(user)

    def _store(self) -> None:
        """Store the rows that are not here yet, in the order of the export."""
        rows_in_order = self._account.rows()
        while batch := list(islice(rows_in_order, BATCH_ROWS)):
            rows = [(kind, facts) for kind, facts in batch if kind != "document"]
            events = [entry_of(facts) for kind, facts in rows if kind == "event"]
            with separate_transaction(self._account.id, synced=False):
                self._store_events(events)
            for kind, facts in batch:
                if kind == "document":
                    self._store_document(facts)
            with separate_transaction(self._account.id, synced=False):
                for kind, facts in rows:
                    self._store_row(kind, facts)

    def _store_events(self, entries: Iterable[ChainEntry]) -> None:
        owner_id = self._account.id
        head = EventHead.of(owner_id)
        following = [entry for entry in entries if entry.sequence > head.sequence]
        for entry in following:
            Event(owner_id=owner_id, **entry._asdict()).store()
        if following:
            last = following[-1]
            head.move(last_id=last.id, sequence=last.sequence, hash=last.hash)

    def _store_document(self, facts: RowFacts) -> None:
        if _is_over(facts):
            self._left_out += 1
        elif owner_of(Document, facts["id"]) is None:
            document: Document = DOCUMENT.row(facts, owner_id=self._account.id)
            pieces = self._account.folder.document(document.id)
            store_as_exported(document, pieces)
        self._progress.add(facts["size"])

    def _store_row(self, kind: str, facts: RowFacts) -> None:
        if kind in CARRIED_TABLES and owner_of(CARRIED_TABLES[kind].table, facts["id"]) is None:
            row = CARRIED_TABLES[kind].row(facts, owner_id=self._account.id)
            CARRIED_TABLES[kind].store(row, facts)

    def _compare(self) -> None:
        """Read back what was stored. Raise OperatorError if something is not as it was."""
        for kind, facts in self._account.rows():
            if kind == "document":
                document = Document.find(facts["id"])
                if document:
                    _require_same(document, facts)
                elif not _is_over(facts):
                    raise _not_stored(facts)
                self._progress.add(facts["size"])
            elif kind in CARRIED_TABLES and CARRIED_TABLES[kind].is_missing(facts):
                raise _not_stored(facts)

    def _finish(self) -> None:
        """Give the account its address or members, end its links, and record where it came from."""
        facts = self._account.facts
        with transaction(since=self._since):
            user = User.find(self._account.id)
            if user is None:
                raise OperatorError("The account was deleted while it was imported.")
            head = EventHead.of(user.id)
            brought = {"sequence": head.sequence, "hash": bytes(head.hash).hex()}
            links = DocumentToken.select().where(
                DocumentToken.owner_id == user.id, DocumentToken.revoked_at.is_null()
            )
            with EventHead.moved_once(user.id):
                for link in DocumentToken.rows(links):
                    link.revoke()
                for member in self._account.members:
                    if _is_here(member["user_id"]):
                        MEMBER.row(member, owner_id=user.id).store()
                    else:
                        leave_out_member(user.id, member["user_id"])
            try:
                user.end_import(facts["email"], facts["disabled_at"])
            except EmailTaken:
                raise OperatorError(
                    f"{facts['email']} has got another account meanwhile."
                ) from None
            Event.record_of_service("account.imported", {"user_id": user.id, **brought})

    def _documents(self) -> Iterator[RowFacts]:
        return (facts for kind, facts in self._account.rows() if kind == "document")


def entry_of(facts: RowFacts) -> ChainEntry:
    """Return an entry of a chain from its facts in an export."""
    return ChainEntry(**{**facts, "hash": bytes.fromhex(facts["hash"])})


def _is_here(user_id: str) -> bool:
    """Return whether somebody has an account here."""
    user = User.find(user_id)
    return user is not None and user.is_whole


def _has_manager(space_id: str) -> bool:
    """Return whether somebody whose account is enabled manages the space."""
    return any(
        one.row.role == MANAGE and not one.row.is_waiting and one.user.disabled_at is None
        for one in members_of(space_id)
    )


def _not_stored(facts: RowFacts) -> OperatorError:
    return OperatorError(f"{facts['id']} is not here after it was stored.")


def _is_over(facts: RowFacts) -> bool:
    """Return whether the end of a document has come, or it has been in the bin for a day."""
    moment = now()
    has_expired = facts["expires_at"] is not None and facts["expires_at"] <= moment
    is_long_binned = facts["binned_at"] is not None and facts["binned_at"] + BIN_MS <= moment
    return has_expired or is_long_binned


def _require_same(document: Document, facts: RowFacts) -> None:
    """Raise OperatorError unless the document that is stored here is that of the export."""
    try:
        digest = hashlib.sha256()
        for piece in document.read():
            digest.update(piece)
        is_same = digest.hexdigest() == facts["sha256"] == document.sha256
    except DecryptionError:
        is_same = False
    if not is_same:
        raise OperatorError(f"{document.id} is here, but not as it was exported.")
