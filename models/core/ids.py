"""Ids, a prefix and a ULID; and moments, milliseconds since 1970 in UTC."""

import os
import threading
import time
from datetime import datetime, timedelta
from functools import lru_cache

DAY_MS = 24 * 60 * 60 * 1000
_EPOCH = datetime(1970, 1, 1)
_LAST_MOMENT_MS = 253_402_300_799_999  # the end of the year 9999
_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"  # Crockford's base32: no i, l, o, u
_PAIRS = [first + second for first in _ALPHABET for second in _ALPHABET]
_AS_DIGITS = str.maketrans(_ALPHABET, "0123456789abcdefghijklmnopqrstuv")
_id_lock = threading.Lock()
_last_id = 0
_ahead_ms = 0


def generate_id(prefix: str, behind: str | None = None) -> str:
    """Return `doc_` + a ULID: 48 bits of time, 80 random ones, as 26 characters of base32.

    It sorts after every id of this process, and after `behind`, though the clock be set back. The
    last id is the process's own state, not the `Runtime`'s: ids stay unique beyond its end.
    """
    global _last_id  # noqa: PLW0603
    with _id_lock:
        if behind:
            _last_id = max(_last_id, _number(behind))
        moment = now()
        if moment > _last_id >> 80:
            _last_id = moment << 80 | int.from_bytes(os.urandom(10))
        else:
            _last_id += 1 + int.from_bytes(os.urandom(8))
        number = _last_id
    return _encoded(prefix, number)


def ids_like(prefix: str, id: str, count: int) -> list[str]:
    """Return `prefix` + the ULID of `id` and those right behind it: they sort as `id` among others.

    ULIDs that were generated one behind another are 2**63 apart on average.
    """
    first = _number(id)
    return [_encoded(prefix, number) for number in range(first, first + count)]


def first_id(prefix: str, moment: int) -> str:
    """Return an id behind all ids that were generated before this moment."""
    return _encoded(prefix, max(0, moment) << 80)


def moment_of(id: str) -> int:
    """Return the moment at which an id was generated."""
    return _number(id) >> 80


def _number(id: str) -> int:
    return int(id[-26:].translate(_AS_DIGITS), 32)


def _encoded(prefix: str, number: int) -> str:
    rest = "".join([_PAIRS[number >> shift & 1023] for shift in range(70, -1, -10)])
    return f"{prefix}_{_encoded_moment(number >> 80)}{rest}"


@lru_cache(64)  # several ids are generated in a millisecond
def _encoded_moment(moment: int) -> str:
    return "".join([_PAIRS[moment >> shift & 1023] for shift in range(40, -1, -10)])


def now() -> int:
    """Return the milliseconds since 1970, UTC."""
    return time.time_ns() // 1_000_000 + _ahead_ms


def set_clock_ahead(milliseconds: int) -> None:
    """Have `now` be so far ahead of the machine's clock from now on, for tests; 0 ends this.

    Where that sets the clock back, later ids do not sort after those of the future. So the
    database that holds these is used no longer.
    """
    global _ahead_ms  # noqa: PLW0603
    if milliseconds < _ahead_ms:
        forget_last_id()
    _ahead_ms = milliseconds


def forget_last_id() -> None:
    """Generate ids from now on as a process that has just started, for tests."""
    global _last_id  # noqa: PLW0603
    with _id_lock:
        _last_id = 0


def is_moment(value: object) -> bool:
    """Return whether a value of the database is a moment that `rfc3339` takes.

    SQLite stores anything in a column of whole numbers.
    """
    return type(value) is int and 0 <= value <= _LAST_MOMENT_MS


def rfc3339(milliseconds: int) -> str:
    second, rest = divmod(milliseconds, 1000)
    return f"{_second(second)}.{rest:03}Z"


@lru_cache(512)  # a list of 50 takes 0.95 of the time
def _second(second: int) -> str:
    return (_EPOCH + timedelta(seconds=second)).isoformat()
