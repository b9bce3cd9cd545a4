"""The target of a link: a document, or a collection."""

from collections.abc import Iterable
from typing import Any, Self

from peewee import SQL, TextField

from crypto import DecryptionError, RootKeyMissing
from crypto.row_texts import RowCipher

from ..documents import Collection, Document
from ..events import facts_about
from ..records import Owned, SealedRow, cached_property, has_passed
from ..storage import finds_a_row

Target = Document | Collection


class OfTarget:
    """A row with a target, whose id it also names `document_id` or `collection_id`."""

    target_id: "TextField[str]"

    @property
    def document_id(self) -> str | None:
        """None if the target is a collection."""
        return facts_about(self.target_id).get("document_id")

    @property
    def collection_id(self) -> str | None:
        """None if the target is a document."""
        return facts_about(self.target_id).get("collection_id")


class SealedByTarget(SealedRow, Owned, OfTarget):
    """A row that is sealed under the key of the target of a link, and ends with it."""

    target_id = TextField(column_name="document_id")

    target: Target | None  # set where the key of the target is needed

    @classmethod
    def find_keys(cls, rows: list[Self]) -> None:
        ciphers = _ciphers_of({row.target_id for row in rows})
        for row in rows:
            if cipher := ciphers.get(row.target_id):
                row.target_cipher = cipher

    @cached_property
    def target_cipher(self) -> RowCipher:
        target = vars(self).get("target") or table_of(self.target_id).as_stored(self.target_id)
        if target is None:
            raise DecryptionError
        return RowCipher(target.key)

    def cipher(self) -> RowCipher:
        return self.target_cipher


def _ciphers_of(ids: Iterable[str]) -> dict[str, RowCipher]:
    """Return the ciphers of the targets with these ids; those that do not open are left out."""
    ciphers = {}
    for id in ids:
        target = table_of(id).as_stored(id)
        if target is not None:
            try:
                ciphers[id] = RowCipher(target.key)
            except (DecryptionError, RootKeyMissing):
                continue
    return ciphers


def table_of(id: str) -> type[Document] | type[Collection]:
    """Return the table of the target with this id."""
    return Collection if str(id).startswith(Collection.PREFIX) else Document


def target_of(owner_id: str, id: str) -> Target:
    """Raise `NotFound` unless the target is the owner's, and there."""
    return table_of(id).one_of(owner_id, id)


def is_there(target: Target | None) -> bool:
    """Return whether a target can be opened now; None is one that was deleted."""
    if isinstance(target, Document):
        return target.binned_at is None and not has_passed(target.expires_at)
    return target is not None


def sql_is_there(id: Any, moment: Any) -> Any:
    """Return the condition that a column holds the id of a target that can be opened then."""
    one = SQL("1")
    document = Document.select(one).where(Document.id == id, *Document.live(moment))
    collection = Collection.select(one).where(Collection.id == id)
    return finds_a_row(document) | finds_a_row(collection)
