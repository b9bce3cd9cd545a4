"""Ids that sort by creation, and moments: milliseconds since 1970, UTC."""

import secrets
import threading
import time
from datetime import UTC, datetime

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"  # Crockford's base32: no i, l, o, u
_AS_DIGITS = str.maketrans(_ALPHABET, "0123456789abcdefghijklmnopqrstuv")
_id_lock = threading.Lock()
_last_id = 0


def now() -> int:
    """Milliseconds since 1970, UTC."""
    return time.time_ns() // 1_000_000


def rfc3339(milliseconds: int) -> str:
    moment = datetime.fromtimestamp(milliseconds // 1000, UTC)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{milliseconds % 1000:03d}Z"


def generate_id(prefix: str, behind: str | None = None) -> str:
    """`doc_` + 26 characters: 48 bits of time, 80 random ones. Later ids sort later.

    Also behind an id that another process drew, or this one before the clock was set back.
    """
    global _last_id  # noqa: PLW0603
    with _id_lock:
        if behind:
            _last_id = max(_last_id, int(behind[-26:].translate(_AS_DIGITS), 32))
        drawn = now() << 80 | secrets.randbits(80)
        _last_id = drawn if drawn >> 80 > _last_id >> 80 else _last_id + 1 + secrets.randbits(64)
        number = _last_id
    return _spelled(prefix, number)


def first_id(prefix: str, moment: int) -> str:
    """Ids drawn before this moment sort before it."""
    return _spelled(prefix, moment << 80)


def _spelled(prefix: str, number: int) -> str:
    return f"{prefix}_" + "".join(_ALPHABET[number >> shift & 31] for shift in range(125, -1, -5))
