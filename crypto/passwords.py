"""Password hashing: Argon2id with OWASP's minimum parameters (19 MiB, two passes, one lane).

Hashing runs on two threads with a short queue, so that a flood of logins uses at most two cores
and 38 MiB, and does not slow down other requests. Links have a queue of their own.
"""

import unicodedata
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from threading import Lock
from typing import TypeVar

from passlib.hash import argon2

MAX_LENGTH = 1024  # characters; below passlib's own limit

T = TypeVar("T")
_argon2id = argon2.using(type="ID", memory_cost=19_456, rounds=2, parallelism=1)


class PasswordQueueFull(Exception):
    """Too many passwords are being hashed; the caller may retry after a moment."""


class PasswordQueue:
    """Runs work on `threads` threads: at most `slots` run or wait, and `share` of one caller."""

    def __init__(self, name: str, *, threads: int, slots: int, share: int) -> None:
        self._pool = ThreadPoolExecutor(threads, name)
        self._slots, self._share = slots, share
        self._held, self._lock = Counter[str](), Lock()

    def run(self, caller: str, work: Callable[[], T]) -> T:
        """The result of `work`. Raises `PasswordQueueFull`."""
        with self._lock:
            if self._held.total() >= self._slots or self._held[caller] >= self._share:
                raise PasswordQueueFull
            self._held[caller] += 1
        try:
            return self._pool.submit(work).result()
        finally:
            with self._lock:
                self._held -= Counter({caller: 1})  # also forgets a caller without slots


ACCOUNTS = PasswordQueue("accounts", threads=2, slots=8, share=6)
LINKS = PasswordQueue("links", threads=2, slots=6, share=4)  # both leave two of 16 workers


def hash_password(password: str, caller: str = "", queue: PasswordQueue = ACCOUNTS) -> str:
    """A PHC string, `$argon2id$v=19$m=19456,t=2,p=1$salt$hash`. Raises `PasswordQueueFull`."""
    return queue.run(caller, lambda: str(_argon2id.hash(_normalize(password))))


def verify_password(
    password: str, hash: str | None, caller: str = "", queue: PasswordQueue = ACCOUNTS
) -> bool:
    """False for no hash, after the time of a wrong password. Raises `PasswordQueueFull`."""
    is_right = queue.run(caller, lambda: _verify(password, hash or _decoy_hash()))
    return is_right and hash is not None


def needs_rehash(hash: str) -> bool:
    """Whether it was made with other parameters than the current ones."""
    return bool(_argon2id.needs_update(hash))


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
