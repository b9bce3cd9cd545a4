"""The owners of whom something was recorded since the last sweep.

Only they can have more events, deliveries and ended links than they had, since an event goes with
each of these. So the sweeper looks at them alone, and at all owners once a day: commands and
other processes record events, too.
"""

import time
from collections.abc import Iterator, Set
from contextlib import contextmanager
from threading import Lock

ALL_SECONDS = 24 * 60 * 60


class GrownOwners:
    def __init__(self) -> None:
        self._lock = Lock()
        self._ids: set[str] = set()
        self._all_looked_at: float | None = None  # by `time.monotonic`

    def add(self, owner_id: str) -> None:
        with self._lock:
            self._ids.add(owner_id)

    @contextmanager
    def taken(self) -> Iterator[Set[str] | None]:
        """Take the ids; None are all owners. What the block fails with is left for the next one."""
        moment = time.monotonic()
        with self._lock:
            ids, self._ids = self._ids, set()
            is_recent = (
                self._all_looked_at is not None and moment - self._all_looked_at < ALL_SECONDS
            )
        try:
            yield ids if is_recent else None
        except BaseException:
            with self._lock:
                self._ids |= ids
            raise
        if not is_recent:
            self._all_looked_at = moment
