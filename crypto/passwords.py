"""Password hashing: Argon2id with OWASP's minimum parameters (19 MiB, two passes, one lane).

Hashing runs on two threads with a short queue, so that a flood of logins uses at most two cores
and 38 MiB, and does not slow down other requests. Links have a queue of their own.
"""

import unicodedata
from functools import cache

from passlib.hash import argon2

from .password_queue import ACCOUNTS, PasswordQueue

MAX_LENGTH = 1024  # characters; below passlib's own limit

_argon2id = argon2.using(type="ID", memory_cost=19_456, rounds=2, parallelism=1)


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
