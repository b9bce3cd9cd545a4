"""Numbers for `/metrics`: failures of work beside the requests, and rows that were given up."""

import logging
from collections import Counter
from threading import Lock

SENT = ("deliveries", "notices", "mail")  # kinds of work whose rows are given up some time


class FailureCounts:
    """Numbers since the start of the process, by the kind of work."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._failed = Counter(dict.fromkeys(SENT, 0))
        self._given_up = Counter(dict.fromkeys(SENT, 0))

    def count_failed(self, work: str) -> None:
        """Count an attempt that raised an error; another one follows, unless it is given up."""
        with self._lock:
            self._failed[work] += 1

    def give_up(self, work: str, id: str) -> None:
        """Log and count that no further attempt follows for the row with this id."""
        logging.getLogger("docservice").error("%s (%s) is given up.", id, work)
        with self._lock:
            self._given_up[work] += 1

    def failed(self) -> dict[str, int]:
        with self._lock:
            return dict(self._failed)

    def given_up(self) -> dict[str, int]:
        with self._lock:
            return dict(self._given_up)
