"""The rotation of root keys while the service runs: it adds a new primary, re-wraps the data key of
every row under it, then retires the old root key.

An interrupted rotation resumes where it stopped. The keyring is changed, and re-wrapped keys are
stored, under the writer lock, so that no key is wrapped under a root key that was removed.
"""

from dataclasses import dataclass, field
from datetime import date
from typing import Any

from crypto import DecryptionError, KeyringError, RootKey
from models.accounts import Session, TokenKey
from models.core import NotFound, counted
from models.events import Event
from models.runtime import check_nodes, current_runtime, nodes_that_use, other_nodes
from models.setup import root_keys_in_use
from models.storage import READER_SECONDS, SERVICE, engine, transaction

from .progress import ReportProgress, no_progress
from .verification import TABLES_WITH_KEYS

BATCH_ROWS = 200  # a few milliseconds, so that no other writer waits for long


@dataclass
class RotationResult:
    """The result of a rotation. `new_root_key` is None if an earlier rotation was completed;
    `damaged` holds row ids.
    """

    new_root_key: RootKey | None = None
    rewrapped: int = 0
    damaged: list[str] = field(default_factory=list)
    wal_is_empty: bool = True


@dataclass(frozen=True)
class RootKeyUsage:
    """A root key of the keyring, and the number of rows whose data key it wraps."""

    id: str
    made_on: date | None
    rows: int
    is_primary: bool


def list_root_keys() -> list[RootKeyUsage]:
    """List the root keys in the keyring's order: the first one is the primary."""
    rows = root_keys_in_use()
    keys = list(current_runtime().keyring)
    return [RootKeyUsage(key.id, key.made_on, rows[key.id], key is keys[0]) for key in keys]


def rotate_root_keys(
    report: ReportProgress = no_progress, *, end_sessions: bool = False
) -> RotationResult:
    """Complete an interrupted rotation; if there is none, add a primary and re-wrap all keys.

    Sessions and tickets stay valid unless `end_sessions`; new ones get a new token key.
    """
    check_nodes()
    result = _rewrap_all(report)
    if not result.rewrapped:
        new_root_key = _add_root_key()
        result = _rewrap_all(report)
        result.new_root_key = new_root_key
    with transaction():
        if end_sessions:
            Session.delete().execute()
            TokenKey.draw_alone()
        else:
            TokenKey.draw()
        primary = current_runtime().keyring.primary
        Event.record_of_service("root.rotated", {"root_key_id": primary.id})
    result.wal_is_empty = engine().truncate_wal(READER_SECONDS)  # it holds the old wrappings
    return result


def _add_root_key() -> RootKey:
    """Add a primary, and return it. Raise KeyringError while other machines would lack it."""
    if other_nodes():
        raise KeyringError(
            "All rows are under the first root key. To rotate: print a new one (keys make), append "
            "the line to the keyring of every machine, then move it to the top of each, then "
            "rotate again."
        )
    with transaction():
        return current_runtime().keyring.add()


def record_kept_root_key(by: str) -> RootKey:
    """Record that somebody, `by`, has put a copy of the keyring away; return its primary."""
    primary = current_runtime().keyring.primary
    with transaction():
        Event.record_of_service("root.kept", {"root_key_id": primary.id, "by": by})
    return primary


def is_primary_kept() -> bool:
    """Return whether somebody has said that a copy of the keyring was put away since it has its
    primary.
    """
    primary = current_runtime().keyring.primary
    kept = Event.select().where(Event.owner_id == SERVICE, Event.type == "root.kept")
    return any(event.data.get("rootKeyId") == primary.id for event in kept)


def retire_root_key(root_id: str) -> None:
    """Remove a root key that no row uses; older backups can't be opened without a copy of it.

    Raises KeyringError if it is the primary, unknown or in use.
    """
    with transaction():
        if current_runtime().keyring.primary.id == root_id:
            raise KeyringError(f"Root key {root_id} is the primary. Rotate, then retire it.")
        if current_runtime().keyring.find(root_id) is None:
            raise KeyringError(f"There is no root key {root_id} in the keyring. List them.")
        if nodes := nodes_that_use(root_id):
            raise KeyringError(
                f"Root key {root_id} is still the first of {', '.join(nodes)}. Move the new one to "
                "the top of that keyring, and rotate again."
            )
        if rows := root_keys_in_use()[root_id]:
            raise KeyringError(
                f"Root key {root_id} is still used by {counted(rows, 'row')}. Rotate first; a row "
                "that does not open has to be deleted before."
            )
        Event.record_of_service("root.retired", {"root_key_id": root_id})
        engine().sync()  # else a power cut could bring back rows that still use it
        current_runtime().keyring.remove(root_id)
    engine().truncate_wal(READER_SECONDS)


def _rewrap_all(report: ReportProgress) -> RotationResult:
    result = RotationResult()
    root = current_runtime().keyring.primary
    total = sum(rows for id, rows in root_keys_in_use().items() if id != root.id)
    for table in TABLES_WITH_KEYS:
        after = ""
        query = table.select().where(table.root != root.id).order_by(table.id).limit(BATCH_ROWS)
        while rows := table.rows_as_stored(query.where(table.id > after)):
            after = rows[-1].id
            _rewrap_rows(table, rows, root, result)
            report(result.rewrapped + len(result.damaged), total)
    return result


def _rewrap_rows(table: Any, rows: list[Any], root: RootKey, result: RotationResult) -> None:
    """Re-wrap keys outside of the writer lock; a row that has changed since is left as it is."""
    wrapped = []
    for row in rows:
        try:
            wrapped.append((row, row.rewrapped(root)))
        except DecryptionError:
            result.damaged.append(row.id)
        except NotFound:  # deleted since it was read
            continue
    with transaction():
        if current_runtime().keyring.primary.id != root.id:
            raise KeyringError("Another process has changed the keyring. Run this again.")
        for row, key in wrapped:
            unchanged = table.id == row.id, table.sealed_key == row.sealed_key
            update = table.update(root=root.id, sealed_key=key).where(*unchanged)
            result.rewrapped += update.execute()
