"""The verification of chains of events, and the files by which others verify them.

A finding is named by owner and number. A receipt is an entry's owner, number and hash that somebody
else has kept: `sequence` and `hash` of an event or a delivery, or a line of `checkpoint`.
"""

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Self

from crypto import FIRST_PREVIOUS
from models.accounts import User
from models.core import OperatorError
from models.events import ChainEntry, Event, EventHead, entries_of, kept_since, last_entry
from models.storage import SERVICE, SqliteError, connected, database, engine

from .progress import ReportProgress, no_progress

_HASH = re.compile(r"\b[0-9a-fA-F]{64}\b")
_RECEIPT = re.compile(r"(?:(\w+) (\d+)|(evt_\w+)) ([0-9a-fA-F]{64})")
MOST_BREAKS = 10  # reported of one chain
_EVENTS = 500  # read at once
_ABSENT = "There is no such event: it was removed, or is no longer kept."


class Receipt(NamedTuple):
    owner_id: str | None  # None if the event is not there that is named by its id
    sequence: int
    hash: str  # in hex
    event_id: str | None = None

    def __str__(self) -> str:
        return f"{self.owner_id} {self.sequence} {self.hash}"


class Break(NamedTuple):
    """A place where a chain does not hold."""

    owner_id: str
    sequence: int
    sentence: str

    def __str__(self) -> str:
        return f"{self.owner_id} {self.sequence}: {self.sentence}"


@dataclass
class AuditResult:
    """The result of a verification; moments in milliseconds, None if there is none."""

    chains: int = 0
    events: int = 0
    oldest_at: int | None = None
    receipts: int = 0  # that hold
    forgotten: int = 0  # receipts of events that are no longer kept
    youngest_at: int | None = None  # the event of the youngest receipt
    breaks: list[Break] = field(default_factory=list)


@dataclass
class _Accounts:
    """The ids of the accounts that were created and deleted, as the service's chain says."""

    created: set[str] = field(default_factory=set)
    deleted: set[str] = field(default_factory=set)


def read_receipts(text: str) -> list[Receipt]:
    """Read receipts, one a line: owner, number and hash; or an event's id and hash.

    The sender of a file by a link gets the second form, in a file that also says the SHA-256 of
    what was sent. These lines, and those without a hash, are not looked at.
    Raises OperatorError for a line with a hash that is no receipt.
    """
    receipts = []
    of_log = [line for line in text.splitlines() if not line.startswith("SHA-256 ")]
    for line in filter(_HASH.search, of_log):
        match = _RECEIPT.fullmatch(line.strip())
        if match is None:
            raise OperatorError(f"This is no receipt (owner, number, hash): {line.strip()[:200]}")
        receipts.append(Receipt(match[1], int(match[2] or 0), match[4].lower(), match[3]))
    places = _places_of([one.event_id for one in receipts if one.event_id])
    return [one._replace(**places.get(one.event_id or "", {})) for one in receipts]


def _places_of(event_ids: list[str]) -> dict[str, dict[str, Any]]:
    """Return owner and number of each of these events that is there, by its id.

    No index finds an event by its id alone: all events are read, once for `_EVENTS` ids.
    """
    places: dict[str, dict[str, Any]] = {}
    for first in range(0, len(event_ids), _EVENTS):
        is_named = Event.id.in_(event_ids[first : first + _EVENTS])
        for event in Event.rows(Event.select().where(is_named)):
            places[event.id] = {"owner_id": event.owner_id, "sequence": event.sequence}
    return places


def checkpoint() -> list[Receipt]:
    """Return the last entry of each chain that has any."""
    heads = (head for head in EventHead.each() if head.sequence)
    return [Receipt(head.id, head.sequence, head.hash.hex()) for head in heads]


@dataclass(frozen=True)
class ExportedLog:
    """A chain up to now, as lines of JSON that `deploy/verify_log.py` verifies. It is read page
    by page, so that a slow reader holds no snapshot.

    `owner` is hashed as well; `previous` stands in the first line if that is not number 1.
    """

    owner_id: str
    last_id: str
    before: dict[str, str]

    @classmethod
    def of(cls, owner_id: str) -> Self:
        Event.record_readings_of(owner_id)
        head = EventHead.as_stored(owner_id)
        last = last_entry(owner_id)
        before = {"previous": head.hash_before.hex()} if head and head.oldest > 1 else {}
        return cls(owner_id, last.id if last else "", before)

    def pieces(self) -> Iterator[bytes]:
        after = ""
        before = self.before
        while after < self.last_id:
            with connected():
                page, _ = Event.page(self.owner_id, _EVENTS, after, oldest_first=True)
            if not page:  # forgotten meanwhile
                return
            lines = []
            for event in page:
                if event.id <= self.last_id:
                    line = {"owner": self.owner_id, "sequence": event.sequence, "body": event.body}
                    line |= {"hash": event.hash.hex()} | before
                    lines.append(json.dumps(line, ensure_ascii=False) + "\n")
                    before = {}
            yield "".join(lines).encode()
            after = page[-1].id


def verify_log(
    receipts: Iterable[Receipt] = (), report: ReportProgress = no_progress
) -> AuditResult:
    """Verify every chain: numbers, entries, columns, head, receipts."""
    result = AuditResult()
    accounts = _Accounts()
    wanted: defaultdict[str, list[Receipt]] = defaultdict(list)
    for receipt in receipts:
        if receipt.owner_id:
            wanted[receipt.owner_id].append(receipt)
        elif receipt.event_id and receipt.event_id < kept_since():
            result.forgotten += 1
        else:
            result.breaks.append(Break(str(receipt.event_id), 0, _ABSENT))
    owners = _owners(Event.select(Event.owner_id))
    for number, owner_id in enumerate(sorted({*owners, *wanted}, key=str), 1):
        if owner_id in accounts.deleted:  # with its account; the chain of the service comes first
            result.forgotten += len(wanted[owner_id])
        else:
            _Chain(owner_id, wanted[owner_id], result, accounts).verify()
        report(number, len(owners))
    for owner_id in sorted(accounts.created - accounts.deleted - owners):
        if EventHead.as_stored(owner_id) is None:  # else it has begun meanwhile
            result.breaks.append(Break(owner_id, 1, "The log of the service names this chain."))
    return result


def check_heads() -> list[Break]:
    """Verify that every head opens, and that each names the last entry that there is."""
    result = AuditResult()
    for owner_id in sorted(_owners(), key=str):
        _Chain(owner_id, [], result, _Accounts()).verify_head()
    return result.breaks


def _owners(*others: Any) -> set[Any]:
    """Return the owners whose chains there have to be, or that the other queries return.

    An altered row may hold an owner of any type.
    """
    queries = (EventHead.select(EventHead.id), User.select(User.id), *others)
    rows = (row for query in queries for row in database.execute(query.distinct()).fetchall())
    return {SERVICE, *(owner_id for (owner_id,) in rows)}


class _Chain:
    """The chain of one owner, while it is read in order."""

    def __init__(
        self,
        owner_id: str,
        receipts: list[Receipt],
        result: AuditResult,
        accounts: _Accounts,
    ) -> None:
        self._owner_id = owner_id
        self._result = result
        self._accounts = accounts
        self._receipts: defaultdict[int, list[str]] = defaultdict(list)
        for receipt in receipts:
            self._receipts[receipt.sequence].append(receipt.hash)
        self._expected = 1
        self._previous = FIRST_PREVIOUS
        self._broken = 0

    def verify(self) -> None:
        head = None
        with engine().snapshot(), self._reporting_what_is_unreadable():
            if head := self._head():
                self._expected = head.oldest
                self._previous = head.hash_before
            for entry in entries_of(self._owner_id):
                self._read(entry)
            if head:
                self._compare_end(head)
        with self._reporting_what_is_unreadable():
            self._compare_receipts(head)
        self._result.chains += 1

    def verify_head(self) -> None:
        """Compare the head with the last entry only."""
        with engine().snapshot(), self._reporting_what_is_unreadable():
            if head := self._head():
                self._expected = head.oldest
                self._previous = head.hash_before
                if entry := last_entry(self._owner_id):
                    self._expected = entry.sequence + 1
                    self._previous = entry.hash
                self._compare_end(head)

    @contextmanager
    def _reporting_what_is_unreadable(self) -> Iterator[None]:
        """Report an entry that cannot be read, as a column of another type."""
        try:
            yield
        except (SqliteError, AttributeError, TypeError, ValueError):
            self._break(self._expected, "It cannot be read.")

    def _head(self) -> EventHead | None:
        head = EventHead.as_stored(self._owner_id)
        if head is None:
            self._break(1, "The chain has no head.")
        elif not head.opens():
            last = head.sequence
            self._break(last + 1, f"The head was altered: whether this followed {last} is unknown.")
        return head

    def _read(self, entry: ChainEntry) -> None:
        number = entry.sequence
        if number < self._expected:
            self._break(number, "There is one too many with this number.")
            return
        if number > self._expected:
            self._break(self._expected, f"Missing: the next one is {number}.")
        elif entry.follows(self._owner_id, self._previous):
            self._count(entry)
        else:
            self._break(number, "It was altered, or does not follow the one before it.")
        self._expected = number + 1
        self._previous = entry.hash
        for hash in self._receipts.pop(number, ()):
            self._compare_receipt(number, hash, entry)

    def _count(self, entry: ChainEntry) -> None:
        self._result.events += 1
        self._result.oldest_at = min(self._result.oldest_at or entry.created_at, entry.created_at)
        if self._owner_id == SERVICE:
            self._note_account(entry)

    def _note_account(self, entry: ChainEntry) -> None:
        """Note which accounts there are: one that was deleted may have been imported again."""
        if entry.type in ("account.created", "account.imported"):
            user_id = json.loads(entry.body)["data"]["userId"]
            self._accounts.created.add(user_id)
            self._accounts.deleted.discard(user_id)
        elif entry.type == "account.deleted":
            self._accounts.deleted.add(json.loads(entry.body)["data"]["userId"])

    def _compare_end(self, head: EventHead) -> None:
        last = self._expected - 1
        if last < head.sequence:
            self._break(last + 1, f"Missing, up to {head.sequence}, which the head names.")
        elif last > head.sequence:
            self._break(head.sequence + 1, f"It follows {head.sequence}, the last by the head.")
        elif self._previous != head.hash:
            self._break(last, "It is not the one that the head names.")

    def _compare_receipt(self, number: int, hash: str, entry: ChainEntry) -> None:
        if bytes(entry.hash).hex() != hash:
            self._break(number, "A receipt names another hash.")
            return
        self._result.receipts += 1
        self._result.youngest_at = max(self._result.youngest_at or 0, entry.created_at)

    def _compare_receipts(self, head: EventHead | None) -> None:
        """Compare the receipts of entries that were not read."""
        for number, hashes in sorted(self._receipts.items()):
            if head is None or number >= self._expected:
                self._break(self._expected, f"Missing: a receipt names {number}.")
            elif number == head.oldest - 1 and {*hashes} != {head.hash_before.hex()}:
                self._break(number, "A receipt names another hash.")
            elif number < head.oldest:
                self._result.forgotten += len(hashes)

    def _break(self, number: int, sentence: str) -> None:
        self._broken += 1
        if self._broken <= MOST_BREAKS:
            self._result.breaks.append(Break(self._owner_id, number, sentence))
