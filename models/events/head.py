"""The head of a chain of events: its last link, and the oldest one that is kept.

There is a chain for each user, and one of the service itself. A MAC under the key of
`authority.py` lies in the head, so that a chain that was cut off or linked anew outside of the
service is recognized. A chain whose head was altered goes on, but is never signed again: it stays
recognizable until a backup is restored.
"""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, ClassVar, Self

from peewee import BigIntegerField, BlobField, TextField

from crypto import FIRST_PREVIOUS, authority_mac, is_authentic

from ..core import now
from ..records import Table
from ..runtime import current_runtime
from ..storage import database

_ALTERED = "The head of the log of %s was altered outside of the service. Run: flask audit verify"
_LAST = """
    SELECT sequence, hash, id FROM event WHERE owner_id = :owner_id
    ORDER BY id DESC LIMIT 1"""
_held: ContextVar[Any] = ContextVar("held", default=None)


class EventHead(Table):
    """`id` is the owner's. A chain without links has the last number 0."""

    AUTHENTICATED: ClassVar[tuple[str, ...]] = (
        "id",
        "sequence",
        "hash",
        "last_id",
        "oldest",
        "hash_before",
    )

    sequence = BigIntegerField()
    hash = BlobField()
    last_id = TextField()
    oldest = BigIntegerField()  # the number of the oldest link that is kept, or of the next one
    hash_before = BlobField()  # the previous hash of that link
    mac = BlobField(null=True)

    @classmethod
    def begin(cls, owner_id: str) -> Self:
        """The head of a new chain."""
        head = cls._empty(owner_id)
        head.sign()
        head.insert_row()
        return head

    @classmethod
    def of(cls, owner_id: str) -> Self:
        """The head, to be moved in the present transaction. It may not be genuine."""
        held: Self | None = _held.get()
        if held and held.id == owner_id:
            return held
        head = cls.find(owner_id)
        if head is not None and head.is_genuine():
            return head
        logging.getLogger("docservice").error(_ALTERED, owner_id)
        if head is None:
            cls._empty(owner_id).insert_row()
        return cls._resumed(owner_id)

    @classmethod
    @contextmanager
    def moved_once(cls, owner_id: str) -> Iterator[None]:
        """Inside a transaction: all events of this owner in the block move their head once, at
        its end.
        """
        head = cls.of(owner_id)
        before = _held.set(head)
        try:
            yield
        finally:
            _held.reset(before)
        head.move()

    def move(self, **fields: Any) -> None:
        """Store new values of some columns, with the MAC; without one if the head had none."""
        self.__data__.update(fields)
        if _held.get() is self:
            return
        if self.mac is not None:
            self.sign()
        self.change(**{name: getattr(self, name) for name in (*self.AUTHENTICATED[1:], "mac")})

    def sign(self) -> None:
        self.mac = authority_mac(current_runtime().authority_key, *self._authenticated())

    def is_genuine(self) -> bool:
        """Whether it is as the service has written it."""
        return self.was_genuine(current_runtime().authority_key)

    def was_genuine(self, former_key: bytes) -> bool:
        """Whether it is as an older version has written it, which had this key."""
        return is_authentic(former_key, *self._authenticated(), self.mac)

    @classmethod
    def _empty(cls, owner_id: str) -> Self:
        last = {"sequence": 0, "hash": FIRST_PREVIOUS, "last_id": ""}
        before = {"oldest": 1, "hash_before": FIRST_PREVIOUS}
        return cls(id=owner_id, created_at=now(), **last, **before)

    @classmethod
    def _resumed(cls, owner_id: str) -> Self:
        """Without a MAC, behind the last link that there is."""
        head = cls._empty(owner_id)
        if last := database.execute_sql(_LAST, {"owner_id": owner_id}).fetchone():
            head.sequence, head.hash, head.last_id = last
        return head

    def _authenticated(self) -> tuple[str, tuple[Any, ...]]:
        return self._meta.table_name, tuple(map(self.__data__.get, self.AUTHENTICATED))
