"""Moments: milliseconds since 1970, UTC."""

import time
from datetime import datetime, timedelta

_EPOCH = datetime(1970, 1, 1)


def now() -> int:
    """Milliseconds since 1970, UTC."""
    return time.time_ns() // 1_000_000


def rfc3339(milliseconds: int) -> str:
    moment = _EPOCH + timedelta(milliseconds=milliseconds)
    return moment.isoformat(timespec="milliseconds") + "Z"
