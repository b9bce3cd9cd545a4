"""Password hashing: Argon2id with OWASP's minimum parameters (19 MiB, two passes, one lane).

Hashing runs on two threads with a short queue, so that a flood of logins uses at most two cores
and 38 MiB, and does not slow down other requests.
"""

import unicodedata
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from threading import BoundedSemaphore
from typing import TypeVar

from passlib.hash import argon2

T = TypeVar("T")

MAX_LENGTH = 1024  # characters; below passlib's own limit
THREADS, QUEUE_LENGTH = 2, 10

_argon2id = argon2.using(type="ID", memory_cost=19_456, rounds=2, parallelism=1)
_pool = ThreadPoolExecutor(THREADS, thread_name_prefix="argon2")
_slots = BoundedSemaphore(THREADS + QUEUE_LENGTH)


class PasswordQueueFull(Exception):
    """Too many passwords are being hashed; the caller may retry after a moment."""


def hash_password(password: str) -> str:
    """A PHC string, `$argon2id$v=19$m=19456,t=2,p=1$salt$hash`."""
    return run_queued(lambda: str(_argon2id.hash(_normalize(password))))


def verify_password(password: str, hash: str | None) -> bool:
    """False for no hash, after the same time as for a wrong password."""
    return run_queued(lambda: _verify(password, hash or _decoy_hash())) and hash is not None


def needs_rehash(hash: str) -> bool:
    """Whether it was made with other parameters than the current ones."""
    return bool(_argon2id.needs_update(hash))


def run_queued(work: Callable[[], T]) -> T:
    """Run an expensive function on the hashing threads. Raises PasswordQueueFull."""
    if not _slots.acquire(blocking=False):
        raise PasswordQueueFull
    try:
        return _pool.submit(work).result()
    finally:
        _slots.release()


def _verify(password: str, hash: str) -> bool:
    guess = _normalize(password)
    try:
        return bool(_argon2id.verify(guess[:MAX_LENGTH], hash)) and len(guess) <= MAX_LENGTH
    except ValueError:  # a lone surrogate
        return False


def _normalize(password: str) -> str:
    """NFC: some systems type accents composed, others decomposed. Nothing is trimmed."""
    return unicodedata.normalize("NFC", password)


@cache
def _decoy_hash() -> str:
    return str(_argon2id.hash("no account has this password"))
