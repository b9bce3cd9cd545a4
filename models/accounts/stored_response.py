"""A response stored for 24 hours, so that a repeated request is answered without being done again.

Stored in the transaction of the request's own changes. It may hold a one-time secret, and its
request a password: so fingerprint and response are sealed together, with a key of their own.
"""

import hashlib
from contextlib import AbstractContextManager
from typing import Any

from peewee import IntegrityError

from ..core import IdempotencyInProgress, IdempotencyMismatch, now
from ..records import KeyedRow, Sealed
from ..runtime import current_runtime
from ..storage import engine, transaction

RESPONSE_KEPT_MS = 24 * 60 * 60 * 1000


class StoredResponse(KeyedRow):
    PREFIX = "ans"

    fingerprint = Sealed[str](never_remembered="Passwords can be tried on it.")
    answer = Sealed[Any](never_remembered="It may hold the secret of a new key or link.")

    class Meta:
        table_name = "answer"

    @classmethod
    def id_of(cls, *scope: str) -> str:
        """Return an id made of the caller, method, path and key; only their digest is stored."""
        return "ans_" + hashlib.sha256("\0".join(scope).encode()).hexdigest()

    @classmethod
    def exclusive(cls, id: str, wait_seconds: float = 0) -> AbstractContextManager[None]:
        """Return a context in which no other request with this id runs.

        Raises `IdempotencyInProgress` if one still runs after the wait.
        """
        slots = current_runtime().idempotent_requests
        return slots.held(id, seconds=wait_seconds, refusal=IdempotencyInProgress)

    @classmethod
    def lock(cls, id: str, wait_seconds: float = 0) -> None:
        """Lock this id for all processes, until the end of the transaction.

        Raises `IdempotencyInProgress` if another process holds the lock after the wait.
        """
        if not engine().lock_name(id, wait_seconds):
            raise IdempotencyInProgress

    @classmethod
    def replayed(cls, id: str, fingerprint: str) -> Any:
        """Return the first response, or None. Raise `IdempotencyMismatch` for another request."""
        is_kept = cls.created_at > now() - RESPONSE_KEPT_MS
        stored = cls.first(cls.select().where(cls.id == id, is_kept))
        if stored is None:
            return None
        if stored.fingerprint != fingerprint:
            raise IdempotencyMismatch
        return stored.answer

    @classmethod
    def keep(cls, id: str, fingerprint: str, answer: Any) -> None:
        """Store a response, inside the transaction of its request's own changes.

        Raises `IdempotencyInProgress` if meanwhile another process has stored one.
        """
        stored = cls(id=id, created_at=now())
        with transaction(None):
            cls.delete().where(cls.id == id, cls.created_at <= now() - RESPONSE_KEPT_MS).execute()
            stored.generate_key()
            stored.fingerprint = fingerprint
            stored.answer = answer
            try:
                stored.store()
            except IntegrityError:
                raise IdempotencyInProgress from None
