"""Rows that own a key, and seal with it what their user wrote.

The key is random; it is stored wrapped under a root key, bound to the row. Rotating roots
therefore rewrites 104 bytes a row and nothing else.
"""

import json
from functools import cached_property
from typing import Any

from peewee import BlobField, TextField

from crypto import sealing

from .base import Table


class Keyed(Table):
    root = TextField()
    sealed_key = BlobField()

    def binding(self) -> tuple[str, ...]:
        """What the wrapped key is bound to, besides the row's id."""
        return ()

    def draw_key(self) -> None:
        self.key = sealing.new_key()
        self.wrap_key()

    def wrap_key(self) -> None:
        """Inside the transaction that stores the row: else retiring a root races it."""
        root = self.keyring.primary
        self.root = root.id
        self.sealed_key = sealing.seal(root.wrap_key, self._key_context(), self.key)

    @cached_property
    def key(self) -> bytes:
        wrap_key = self.keyring[self.root].wrap_key
        return sealing.unseal(wrap_key, self._key_context(), self.sealed_key)

    def seal(self, kind: str, of: str, value: Any) -> bytes:
        """JSON of `value`, sealed as the `kind` of the row with the id `of`."""
        return sealing.seal(self.key, sealing.context(kind, of), json.dumps(value).encode())

    def unseal(self, kind: str, of: str, sealed: bytes) -> Any:
        return json.loads(sealing.unseal(self.key, sealing.context(kind, of), sealed))

    def _key_context(self) -> bytes:
        return sealing.context("key/1", self.id, *self.binding())
