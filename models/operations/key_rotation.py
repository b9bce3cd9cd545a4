"""Rotating root keys while the service runs: a new one seals, every row's key is wrapped anew,
the old one is retired.

Whoever is cut off begins again where it ended. Changes of the keyring happen under the database's
write lock, and rows are wrapped under it, so that nothing is wrapped under a root that is gone.
"""

from dataclasses import dataclass, field
from datetime import date
from typing import Any

from crypto import DecryptionError, KeyringError, RootKey, generate_root_key

from ..errors import NotFound
from ..records.table import Table
from ..session import Session
from ..setup import TABLES_WITH_KEYS, root_keys_in_use
from ..storage.database import LOG_SECONDS, database, sync_wal, transaction, truncate_wal
from ..token_key import TokenKey
from .progress import ReportProgress, no_progress

ROWS = 200  # of one transaction: some milliseconds, so that no writer waits for long

__all__ = ["KnownRoot", "Rotation", "generate_root_key", "retire", "roots", "rotate"]


@dataclass
class Rotation:
    """What was done. `new` is the root it began with, None if it finished an earlier one."""

    new: RootKey | None = None
    moved: int = 0
    damaged: list[str] = field(default_factory=list)
    log_is_empty: bool = True


@dataclass(frozen=True)
class KnownRoot:
    """One root of the keyring, and how many rows' keys it opens."""

    id: str
    made_on: date | None
    rows: int
    is_primary: bool


def roots() -> list[KnownRoot]:
    """In the keyring's order: the first one seals."""
    used, known = root_keys_in_use(), list(Table.keyring)
    return [KnownRoot(one.id, one.made_on, used[one.id], one is known[0]) for one in known]


def rotate(tell: ReportProgress = no_progress, *, end_sessions: bool = False) -> Rotation:
    """Finish what an earlier rotation left; if that is nothing, seal under a new root.

    Sessions and tickets go on, unless `end_sessions`; the next ones have a key of their own.
    """
    done = _rewrap(tell)
    if not done.moved:
        with transaction():
            new = Table.keyring.add()
        done = _rewrap(tell)
        done.new = new
    with transaction():
        if end_sessions:
            Session.end_all()
            TokenKey.draw_alone()
        else:
            TokenKey.draw()
    done.log_is_empty = truncate_wal(LOG_SECONDS)  # the rows' former bytes stand in it
    return done


def retire(root_id: str) -> None:
    """Take a root away that no row uses; what only it opens, old backups too, opens no more."""
    with transaction():
        if Table.keyring.primary.id == root_id:
            raise KeyringError(f"Root key {root_id} seals what is new. Rotate, then retire it.")
        if Table.keyring.find(root_id) is None:
            raise KeyringError(f"There is no root key {root_id} in the keyring. List them.")
        if rows := root_keys_in_use()[root_id]:
            raise KeyringError(
                f"Root key {root_id} is still used by {rows:,} rows. Rotate first; a row that "
                "does not open has to be deleted before."
            )
        sync_wal()  # else a power cut could bring rows back that still used it
        Table.keyring.remove(root_id)
    truncate_wal(LOG_SECONDS)


def _rewrap(tell: ReportProgress) -> Rotation:
    done, root = Rotation(), Table.keyring.primary
    total = sum(rows for id, rows in root_keys_in_use().items() if id != root.id)
    for table in TABLES_WITH_KEYS:
        after = ""
        while rows := table.rows(_OTHERS, root=root.id, after=after, rows=ROWS):
            after = rows[-1].id
            _move(table, rows, root, done)
            tell(done.moved + len(done.damaged), total)
    return done


_OTHERS = "root <> :root AND id > :after ORDER BY id LIMIT :rows"


def _move(table: Any, rows: list[Any], root: RootKey, done: Rotation) -> None:
    """Wrapped before the lock is taken, stored if nothing changed meanwhile."""
    name = table._meta.table_name
    store = f"UPDATE {name} SET root = ?, sealed_key = ? WHERE id = ? AND sealed_key = ?"  # noqa: S608
    wrapped = []
    for row in rows:
        try:
            wrapped.append((root.id, row.rewrapped(root), row.id, row.sealed_key))
        except DecryptionError:
            done.damaged.append(row.id)
        except NotFound:  # deleted meanwhile
            continue
    with transaction():
        if Table.keyring.primary.id != root.id:
            raise KeyringError("The keyring was changed by somebody else meanwhile. Run it again.")
        done.moved += sum(database.execute_sql(store, values).rowcount for values in wrapped)
