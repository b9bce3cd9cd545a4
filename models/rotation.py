"""Rotating root keys while the service runs: a new one seals, every row's key is wrapped anew,
the old one is retired.

Whoever is cut off begins again where it ended. Changes of the keyring happen under the database's
write lock, and rows are wrapped under it, so that nothing is wrapped under a root that is gone.
"""

from dataclasses import dataclass, field
from datetime import date
from typing import Any

from crypto import KeyringError, Refused, Root, fresh_root

from .base import LOG_SECONDS, database, empty_log, sync_log, writing
from .errors import NotFound
from .house import KEYED, roots_in_use
from .progress import Tell, silently
from .session import Session
from .table import Table
from .token_key import TokenKey

ROWS = 200  # of one transaction: some milliseconds, so that no writer waits for long

__all__ = ["KnownRoot", "Rotation", "fresh_root", "retire", "roots", "rotate"]


@dataclass
class Rotation:
    """What was done. `new` is the root it began with, None if it finished an earlier one."""

    new: Root | None = None
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
    used, known = roots_in_use(), list(Table.keyring)
    return [KnownRoot(one.id, one.made_on, used[one.id], one is known[0]) for one in known]


def rotate(tell: Tell = silently, *, end_sessions: bool = False) -> Rotation:
    """Finish what an earlier rotation left; if that is nothing, seal under a new root.

    Sessions and tickets go on, unless `end_sessions`; the next ones have a key of their own.
    """
    done = _rewrap(tell)
    if not done.moved:
        with writing():
            new = Table.keyring.add()
        done = _rewrap(tell)
        done.new = new
    with writing():
        if end_sessions:
            Session.end_all()
            TokenKey.draw_alone()
        else:
            TokenKey.draw()
    done.log_is_empty = empty_log(LOG_SECONDS)  # the rows' former bytes stand in it
    return done


def retire(root_id: str) -> None:
    """Take a root away that no row uses; what only it opens, old backups too, opens no more."""
    with writing():
        if Table.keyring.primary.id == root_id:
            raise KeyringError(f"Root key {root_id} seals what is new. Rotate, then retire it.")
        if Table.keyring.find(root_id) is None:
            raise KeyringError(f"There is no root key {root_id} in the keyring. List them.")
        if rows := roots_in_use()[root_id]:
            raise KeyringError(
                f"Root key {root_id} is still used by {rows:,} rows. Rotate first; a row that "
                "does not open has to be deleted before."
            )
        sync_log()  # else a power cut could bring rows back that still used it
        Table.keyring.remove(root_id)
    empty_log(LOG_SECONDS)


def _rewrap(tell: Tell) -> Rotation:
    done, root = Rotation(), Table.keyring.primary
    total = sum(rows for id, rows in roots_in_use().items() if id != root.id)
    for table in KEYED:
        after = ""
        while rows := table.rows(_OTHERS, root=root.id, after=after, rows=ROWS):
            after = rows[-1].id
            _move(table, rows, root, done)
            tell(done.moved + len(done.damaged), total)
    return done


_OTHERS = "root <> :root AND id > :after ORDER BY id LIMIT :rows"


def _move(table: Any, rows: list[Any], root: Root, done: Rotation) -> None:
    """Wrapped before the lock is taken, stored if nothing changed meanwhile."""
    name = table._meta.table_name
    store = f"UPDATE {name} SET root = ?, sealed_key = ? WHERE id = ? AND sealed_key = ?"  # noqa: S608
    wrapped = []
    for row in rows:
        try:
            wrapped.append((root.id, row.rewrapped(root), row.id, row.sealed_key))
        except Refused:
            done.damaged.append(row.id)
        except NotFound:  # deleted meanwhile
            continue
    with writing():
        if Table.keyring.primary.id != root.id:
            raise KeyringError("The keyring was changed by somebody else meanwhile. Run it again.")
        done.moved += sum(database.execute_sql(store, values).rowcount for values in wrapped)
