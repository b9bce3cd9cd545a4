"""Password hashing: Argon2id with OWASP's minimum parameters (19 MiB, two passes, one lane).

Each takes 19 MiB and a core for a while: whoever calls these functions bounds how many run at once.
"""

import unicodedata
from functools import cache
from typing import Any

from .typed import as_meant

MAX_LENGTH = 1024  # characters; below passlib's own limit


def hash_password(password: str) -> str:
    """Return a PHC string, `$argon2id$v=19$m=19456,t=2,p=1$salt$hash`."""
    return str(_argon2id().hash(_normalize(password)))


def verify_password(password: str, hash: str | None) -> bool:
    """Return False for no hash, after the time of a wrong password.

    A password that does not open as typed is tried once more without blanks at its ends.
    """
    known = hash or _decoy_hash()
    is_right = any(_verify(guess, known) for guess in as_meant(password))
    return is_right and hash is not None


def needs_rehash(hash: str) -> bool:
    """Return whether it was made with other parameters than the current ones."""
    return bool(_argon2id().needs_update(hash))


@cache
def _argon2id() -> Any:  # noqa: ANN401  passlib has no types
    from passlib.hash import argon2  # noqa: PLC0415  the first password imports it, not the start

    return argon2.using(type="ID", memory_cost=19_456, rounds=2, parallelism=1)


def _verify(password: str, hash: str) -> bool:
    guess = _normalize(password)
    try:
        return bool(_argon2id().verify(guess[:MAX_LENGTH], hash)) and len(guess) <= MAX_LENGTH
    except ValueError:  # a lone surrogate
        return False


def _normalize(password: str) -> str:
    """Return NFC: some systems type accents composed, others decomposed."""
    return unicodedata.normalize("NFC", password)


@cache
def _decoy_hash() -> str:
    return str(_argon2id().hash("no account has this password"))
