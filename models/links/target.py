"""The target of a link: a document, or a collection. Either seals the link's label and password."""

from typing import Any

from peewee import SQL, fn

from ..documents import Collection, Document
from ..events import facts_about

Target = Document | Collection


class OfTarget:
    """A row with a target, whose id it also names `document_id` or `collection_id`."""

    target_id: Any

    @property
    def document_id(self) -> str | None:
        """None if the target is a collection."""
        return facts_about(self.target_id).get("document_id")

    @property
    def collection_id(self) -> str | None:
        """None if the target is a document."""
        return facts_about(self.target_id).get("collection_id")


def table_of(id: str) -> type[Document] | type[Collection]:
    """Return the table of the target with this id."""
    return Collection if id.startswith(Collection.PREFIX) else Document


def target_of(owner_id: str, id: str) -> Target:
    """Raise `NotFound` unless the target is the owner's, and there."""
    return table_of(id).one_of(owner_id, id)


def is_there(id: Any, moment: Any) -> Any:
    """Return the condition that a column holds the id of a target that can be opened then."""
    one = SQL("1")
    document = Document.select(one).where(Document.id == id, *Document.live(moment))
    collection = Collection.select(one).where(Collection.id == id)
    return fn.EXISTS(document) | fn.EXISTS(collection)


def ends_of(id: str) -> tuple[int | None, int | None]:
    """Return when the target itself was put into the bin, and when it expires, or has expired."""
    document = None if table_of(id) is Collection else Document.find(id)
    return (document.binned_at, document.expires_at) if document else (None, None)
