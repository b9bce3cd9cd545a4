"""An answer kept for 24 hours, so that a repeated request does not do the work twice.

Stored in the same transaction as what it tells of. It may hold a one-time secret, and its request
a password: so the fingerprint and the answer are sealed together under a key of their own.
"""

import hashlib
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, ClassVar

from peewee import BlobField

from .errors import IdempotencyInProgress, IdempotencyMismatch
from .records.ids import now
from .records.keyed import OwnsDataKey
from .storage.database import transaction

KEPT_MS = 24 * 60 * 60 * 1000


class StoredResponse(OwnsDataKey):
    PREFIX = "ans"
    _running: ClassVar[set[str]] = set()
    _lock: ClassVar[threading.Lock] = threading.Lock()

    sealed_answer = BlobField()

    class Meta:
        table_name = "answer"

    @classmethod
    def id_of(cls, *scope: str) -> str:
        """Whose key it is, for which call: kept as a digest."""
        return "ans_" + hashlib.sha256("\0".join(scope).encode()).hexdigest()

    @classmethod
    @contextmanager
    def alone(cls, id: str) -> Iterator[None]:
        """Only one request with this id runs at a time."""
        with cls._lock:
            if id in cls._running:
                raise IdempotencyInProgress
            cls._running.add(id)
        try:
            yield
        finally:
            with cls._lock:
                cls._running.discard(id)

    @classmethod
    def given(cls, id: str, fingerprint: str) -> Any:
        """What was answered first, or None; another fingerprint is a mismatch."""
        kept = cls.get_or_none(cls.id == id, cls.created_at > now() - KEPT_MS)
        if kept is None:
            return None
        said = kept.unseal("answer/1", kept.id, kept.sealed_answer)
        if said["fingerprint"] != fingerprint:
            raise IdempotencyMismatch
        return said["answer"]

    @classmethod
    def keep(cls, id: str, fingerprint: str, answer: Any) -> None:
        """Inside the transaction of what the answer tells of."""
        kept = cls(id=id, created_at=now())
        with transaction():
            cls.delete().where(cls.id == id).execute()
            kept.generate_key()
            said = {"fingerprint": fingerprint, "answer": answer}
            kept.sealed_answer = kept.seal("answer/1", id, said)
            kept.insert_row()
