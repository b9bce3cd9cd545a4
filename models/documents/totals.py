"""The total of each owner's documents, compared with their rows.

Triggers keep it, which the migration `0006_document_total` makes: whatever adds, bins, puts back or
deletes documents changes it in the same transaction. It is not sealed, as little as it is sealed
which documents there are.
"""

from typing import Any, NamedTuple

from peewee import fn

from ..storage import database, engine, separate_transaction
from .document import TOTAL, Document, Stored

_NOTHING = Stored(0, 0, 0)


class WrongTotal(NamedTuple):
    """A total that is not as the rows are."""

    owner_id: str
    recorded: Stored
    counted: Stored


def wrong_totals() -> list[WrongTotal]:
    """Return the totals that are not as the rows, which are counted, from an index alone."""
    with engine().snapshot():
        recorded = _by_owner(TOTAL.select(*_columns()))
        counted = _by_owner(_counts())
    compared = [
        WrongTotal(owner_id, recorded.get(owner_id, _NOTHING), counted.get(owner_id, _NOTHING))
        for owner_id in sorted(recorded.keys() | counted.keys())
    ]
    return [one for one in compared if one.recorded != one.counted]


def correct_total(owner_id: str) -> None:
    """Record what the rows of the owner's documents say."""
    with separate_transaction(owner_id):
        database.execute(TOTAL.delete().where(TOTAL.owner_id == owner_id))
        of_owner = _counts().where(Document.owner_id == owner_id)
        database.execute(TOTAL.insert(of_owner, columns=_columns()))


def _columns() -> list[Any]:
    return [TOTAL.owner_id, TOTAL.documents, TOTAL.size_bytes, TOTAL.binned]


def _counts() -> Any:
    """Select the total of each owner, as the rows of documents are."""
    counts = (*Document.totals(), fn.COUNT(Document.binned_at))
    return Document.select(Document.owner_id, *counts).group_by(Document.owner_id)


def _by_owner(query: Any) -> dict[str, Stored]:
    rows = database.execute(query).fetchall()
    return {owner_id: Stored(*map(int, total)) for owner_id, *total in rows}
