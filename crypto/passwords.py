"""Passwords: Argon2id with OWASP's minimum parameters (19 MiB, two passes, one lane).

Hashing runs on two threads of its own with a short line before them: a flood of logins then
costs two cores and 38 MiB, never more, and all other calls stay quick.
"""

import unicodedata
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from threading import BoundedSemaphore
from typing import TypeVar

from passlib.hash import argon2

T = TypeVar("T")

LONGEST = 1024  # characters; bounds the work, and stays below passlib's own limit

THREADS, LINE = 2, 10

_argon2id = argon2.using(type="ID", memory_cost=19_456, rounds=2, parallelism=1)
_pool = ThreadPoolExecutor(THREADS, thread_name_prefix="argon2")
_places = BoundedSemaphore(THREADS + LINE)


class Busy(Exception):
    """Too many passwords are being checked; the caller may try again in a moment."""


def digest(password: str) -> str:
    """A PHC string: `$argon2id$v=19$m=19456,t=2,p=1$salt$hash`."""
    return run_queued(lambda: str(_argon2id.hash(_normal(password))))


def matches(password: str, digest: str | None) -> bool:
    """A missing digest takes as long as a wrong password, and never matches."""
    return run_queued(lambda: _verify(password, digest or _decoy())) and digest is not None


def is_outdated(digest: str) -> bool:
    """Whether it was made with other parameters than today's."""
    return bool(_argon2id.needs_update(digest))


def run_queued(work: Callable[[], T]) -> T:
    if not _places.acquire(blocking=False):
        raise Busy
    try:
        return _pool.submit(work).result()
    finally:
        _places.release()


def _verify(password: str, digest: str) -> bool:
    guess = _normal(password)
    try:
        return bool(_argon2id.verify(guess[:LONGEST], digest)) and len(guess) <= LONGEST
    except ValueError:  # a lone surrogate
        return False


def _normal(password: str) -> str:
    """NFC: the same keys pressed on two systems give the same bytes. Nothing is trimmed."""
    return unicodedata.normalize("NFC", password)


@cache
def _decoy() -> str:
    return str(_argon2id.hash("no account has this password"))
