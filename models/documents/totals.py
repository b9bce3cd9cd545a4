"""The totals of each owner's and of each collection's documents, compared with the rows.

Triggers keep them, which the migrations `0006_document_total` and `0013_collection_total` make:
whatever lists, adds, bins, puts back or deletes documents changes them in the same transaction.
They are not sealed, as little as it is sealed which documents there are.
"""

from collections.abc import Iterable
from typing import Any, NamedTuple

from peewee import SQL, fn

from ..storage import database, engine, separate_transaction
from .collection import TOTAL_OF_COLLECTION, Collection, listed_totals
from .document import TOTAL_OF_OWNER, Document, Stored

_NOTHING = Stored(0, 0, 0)


class WrongTotal(NamedTuple):
    """A total that is not as the rows are: of an owner, or of a collection, by its id.

    Documents in the bin are not counted for a collection.
    """

    id: str
    recorded: Stored
    counted: Stored


def wrong_totals() -> list[WrongTotal]:
    """Return the totals that are not as the rows, which are counted."""
    with engine().snapshot():
        found = [
            (_by_id(TOTAL_OF_OWNER.select(*_columns())), _by_id(_counts())),
            (_by_id(_recorded_of_collections()), _by_id(_counts_of_collections())),
        ]
    compared = [
        WrongTotal(id, recorded.get(id, _NOTHING), counted.get(id, _NOTHING))
        for recorded, counted in found
        for id in sorted(recorded.keys() | counted.keys())
    ]
    return [one for one in compared if one.recorded != one.counted]


def correct_total(id: str) -> None:
    """Record what the rows say of the documents of an owner, or of a collection, with this id."""
    collection = Collection.as_stored(id)
    if collection:
        _correct_total_of_collection(collection)
        return
    with separate_transaction(id):
        database.execute(TOTAL_OF_OWNER.delete().where(TOTAL_OF_OWNER.owner_id == id))
        of_owner = _counts().where(Document.owner_id == id)
        database.execute(TOTAL_OF_OWNER.insert(of_owner, columns=_columns()))


def _correct_total_of_collection(collection: Collection) -> None:
    total = TOTAL_OF_COLLECTION
    with separate_transaction(collection.owner_id):
        counts = _by_id(_counts_of_collections([collection.id])).get(collection.id, _NOTHING)
        database.execute(total.delete().where(total.collection_id == collection.id))
        row = {"documents": counts.documents, "size_bytes": counts.size_bytes}
        database.execute(total.insert({"collection_id": collection.id} | row))


def _columns() -> list[Any]:
    return [
        TOTAL_OF_OWNER.owner_id,
        TOTAL_OF_OWNER.documents,
        TOTAL_OF_OWNER.size_bytes,
        TOTAL_OF_OWNER.binned,
    ]


def _counts() -> Any:
    """Select the total of each owner, as the rows of documents are."""
    counts = (*Document.totals(), fn.COUNT(Document.binned_at))
    return Document.select(Document.owner_id, *counts).group_by(Document.owner_id)


def _recorded_of_collections() -> Any:
    total = TOTAL_OF_COLLECTION
    return total.select(total.collection_id, total.documents, total.size_bytes, SQL("0"))


def _counts_of_collections(ids: Iterable[str] | None = None) -> Any:
    return listed_totals(ids).select_extend(SQL("0"))


def _by_id(query: Any) -> dict[str, Stored]:
    rows = database.execute(query).fetchall()
    return {id: Stored(*map(int, total)) for id, *total in rows}
