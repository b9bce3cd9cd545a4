"""Rows with a data key of their own, which seals what their user wrote.

The key is random; it is stored wrapped under a root key, bound to the row. Rotating root
keys therefore rewrites 104 bytes a row and nothing else.
"""

import json
from typing import Any, Self

from peewee import BlobField, TextField

from crypto import RootKey, sealing

from ..core import NotFound
from ..runtime import current_runtime
from .table import Table, cached_property

OWNER_TABLE = "user_account"


class OwnsDataKey(Table):
    root = TextField()
    sealed_key = BlobField()

    root_key: RootKey | None = None  # that wraps the key, if it was looked up before

    @classmethod
    def with_root_keys(cls, rows: list[Self]) -> list[Self]:
        """Return the rows with their root keys, which are looked up in the keyring at once."""
        roots = {root.id: root for root in current_runtime().keyring}
        for row in rows:
            row.root_key = roots.get(row.root)
        return rows

    def binding(self) -> tuple[str, ...]:
        """Return the words that the wrapped key is bound to, besides the row's id."""
        return ()

    def generate_key(self) -> None:
        self.key = sealing.generate_key()
        self.wrap_key()

    def wrap_key(self) -> None:
        """Call it in the transaction that stores the row, or retiring a root key could race it."""
        root = current_runtime().keyring.primary
        self.sealed_key = self.rewrapped(root)  # while `self.root` says which root wraps the key
        self.root = root.id

    @cached_property
    def key(self) -> bytes:
        root = self.root_key or current_runtime().keyring.find(self.root) or self._root_now()
        return sealing.unseal(root.wrap_key, self._key_context(), self.sealed_key)

    def rewrapped(self, root: RootKey) -> bytes:
        """Return the key as it is stored under another root."""
        return sealing.seal(root.wrap_key, self._key_context(), self.key)

    def seal(self, purpose: str, of: str, value: Any) -> bytes:
        """Return the JSON of `value`, sealed as the `purpose` of the row with the id `of`."""
        text = json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass")
        return sealing.seal(self.key, sealing.context(purpose, of), text)

    def unseal(self, purpose: str, of: str, sealed: bytes) -> Any:
        text = sealing.unseal(self.key, sealing.context(purpose, of), sealed)
        return json.loads(text.decode("utf-8", "surrogatepass"))

    def _root_now(self) -> RootKey:
        """Return the root key that wraps this row's key now, after its former one was retired."""
        row = self.find(self.id)
        if row is None:
            raise NotFound
        self.root = row.root
        self.sealed_key = row.sealed_key
        return current_runtime().keyring[self.root]

    def _key_context(self) -> bytes:
        return sealing.context("key/1", self.id, *self.binding())


class Owner(OwnsDataKey):
    """A user as the rows of the user need it: with the key that seals them."""

    class Meta:
        table_name = OWNER_TABLE  # `user` is a reserved word of SQL

    def binding(self) -> tuple[str, ...]:
        return ("authority/1",)
