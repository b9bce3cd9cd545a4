"""Rows with a data key of their own, which seals them, and what belongs to them.

The key is random; it is stored wrapped under a root key, bound to the row. Rotating root
keys therefore rewrites 104 bytes a row and nothing else.
"""

import time
from functools import lru_cache
from typing import Any, ClassVar, Self

from peewee import BigIntegerField, BlobField, IntegerField, TextField
from peewee import Table as TableReference

from crypto import DecryptionError, RootKey, sealing
from crypto.row_texts import RowCipher, remembered_cipher

from ..core import NotFound, WrongCredentials
from ..runtime import current_runtime
from ..storage import param, prepared, shred
from .sealed import Sealed, SealedRow
from .table import cached_property

SPACE_PREFIX = "spc"  # begins the ids of spaces, which are accounts without a way in
REMEMBERED = 1024  # keys of owners; and makers of spaces,
REMEMBERED_SECONDS = 60  # so long, since another process may delete the account of one


class KeyedRow(SealedRow):
    UNBOUND: ClassVar[tuple[str, ...]] = ("root", "sealed_key")
    SEAL: ClassVar[tuple[str, ...]] = (*SealedRow.SEAL, "root", "sealed_key")

    root = TextField()
    sealed_key = BlobField()

    root_key: RootKey | None = None  # that wraps the key, if it was looked up before

    @classmethod
    def find_keys(cls, rows: list[Self]) -> None:
        keyring = current_runtime().keyring
        root_ids = [row.root for row in rows]
        roots = {id: keyring.find(id) for id in set(root_ids)}
        for row, id in zip(rows, root_ids, strict=True):
            row.root_key = roots[id]

    def wrapped_key(self) -> tuple[Any, ...] | None:
        read = self.__data__.get  # for each row of a list: an attribute is a call of peewee
        self.root_key = self.root_key or current_runtime().keyring.find(read("root"))
        return (read("id"), read("root"), read("sealed_key")) if self.root_key else None

    @classmethod
    def shred(cls, id: str) -> bool:
        """Delete a row with its key, and all that is remembered of rows that the key opens.

        Return whether it was there. Call it in a transaction.
        """
        current_runtime().opened_rows.forget(id)
        return shred(cls._meta.table_name, id)

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
        try:
            return self.unwrapped(root.wrap_key, self._key_context(), self.sealed_key)
        except (TypeError, ValueError):  # a column of another type
            raise DecryptionError from None

    unwrapped = staticmethod(sealing.unseal)

    def cipher(self) -> RowCipher:
        return RowCipher(self.key)

    def rewrapped(self, root: RootKey) -> bytes:
        """Return the key as it is stored under another root."""
        return sealing.seal(root.wrap_key, self._key_context(), self.key)

    def _root_now(self) -> RootKey:
        """Return the root key that wraps this row's key now, after its former one was retired."""
        row = self.as_stored(self.id)
        if row is None:
            raise NotFound
        self.root = row.root
        self.sealed_key = row.sealed_key
        return current_runtime().keyring[self.root]

    def _key_context(self) -> bytes:
        return sealing.context("key/1", self.id, *self.binding())


class Owner(KeyedRow):
    """A user as the rows of the user need it: with the key that seals them."""

    email = TextField()
    email_folded = TextField()
    disabled_at = BigIntegerField(null=True)
    login_generation = IntegerField(default=0)  # counts how often all sessions were ended
    received_seen_at = BigIntegerField(null=True)  # when the list of what strangers sent was seen
    made_by = TextField(null=True)  # of a space: the id of the person whose quota it counts in

    let_in_by = Sealed[str | None]()
    """The id of the person who has let another have the account by an invitation, or `service`
    for the operator, the proxy and a provider; None of an account that anybody could make."""

    class Meta:
        table_name = "user_account"  # `user` is a reserved word of SQL

    unwrapped = staticmethod(lru_cache(REMEMBERED)(sealing.unseal))

    @classmethod
    def with_key(cls, id: str) -> Self:
        """Return a user with nothing but the key. Raise `DoesNotExist` if the user was deleted."""
        stored = _wrapped_key().first(id=id)
        if stored is None:
            raise cls.DoesNotExist  # type: ignore[attr-defined]
        root, sealed_key = stored
        return cls(id=id, root=root, sealed_key=sealed_key)

    def require_same_password(self) -> Self:
        """Return the row as it is now; call it in a transaction.

        Raises `WrongCredentials` if since it was read the password was changed, or the user
        disabled.
        """
        user = self.find(self.id)
        if user is None or user.login_generation != self.login_generation:
            raise WrongCredentials
        return user

    @classmethod
    def forget_keys(cls) -> None:
        """Forget the keys in memory: as one of them is shredded, and every five minutes."""
        cls.unwrapped.cache_clear()  # type: ignore[attr-defined]
        remembered_cipher.cache_clear()

    @classmethod
    def answering_for(cls, id: str) -> str:
        """Return the id of the account whose share an account or a space uses.

        That is the person who made the space, while there is an account of this person.
        """
        if not id.startswith(f"{SPACE_PREFIX}_"):
            return id
        return _maker_of(id, int(time.monotonic() // REMEMBERED_SECONDS)) or id

    @classmethod
    def sharing_with(cls, id: str) -> list[str]:
        """Return the ids of the account that answers for this one, and of all its spaces."""
        person_id = cls.answering_for(id)
        spaces = cls.select(cls.id).where(cls.made_by == person_id)
        return [person_id, *(space.id for space in spaces)]

    @classmethod
    def forget_makers(cls) -> None:
        """Forget who has made which spaces, as an account is deleted."""
        _maker_of.cache_clear()

    def cipher(self) -> RowCipher:
        return remembered_cipher(self.key)

    def binding(self) -> tuple[str, ...]:
        return ("authority/1",)  # the name that the keys of all users have been wrapped with


@prepared
def _wrapped_key() -> Any:
    return Owner.select(Owner.root, Owner.sealed_key).where(Owner.id == param("id"))


@lru_cache(REMEMBERED)
def _maker_of(space_id: str, _minute: int) -> str | None:
    """Return the id of the person who made a space; None if this account is gone."""
    found = _maker().first(id=space_id)
    return found[0] if found else None


@prepared
def _maker() -> Any:
    space = TableReference(Owner._meta.table_name).alias("space")
    return (
        Owner.select(Owner.id)
        .join(space, on=(space.c.made_by == Owner.id))
        .where(space.c.id == param("id"))
    )
