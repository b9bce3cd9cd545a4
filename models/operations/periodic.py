"""Background work: a thread that repeats a function until it is stopped."""

import threading
from collections.abc import Callable

from ..runtime import log_failure


class PeriodicTask:
    """Starts at once. An exception does not end the repetition; of the same kind in each run
    only the first is logged.

    `at_start` is called once before the work, `at_end` once by `stop`.
    """

    def __init__(
        self,
        work: Callable[[], object],
        pause_seconds: float,
        at_start: Callable[[], object] = lambda: None,
        at_end: Callable[[], object] = lambda: None,
    ) -> None:
        self._work, self._pause_seconds = work, pause_seconds
        self._at_start, self._at_end = at_start, at_end
        self._stopped = threading.Event()
        self._failure: type[Exception] | None = None  # of the last run
        self._thread = threading.Thread(target=self._run, name=work.__name__, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Returns when the current run has ended, so that the database may be closed."""
        self._stopped.set()
        self._thread.join()
        self._attempt(self._at_end)

    def _run(self) -> None:
        self._attempt(self._at_start)
        while not self._stopped.is_set():
            self._attempt(self._work)
            self._stopped.wait(self._pause_seconds)

    def _attempt(self, work: Callable[[], object]) -> None:
        try:
            work()
            self._failure = None
        except Exception as error:  # a full disk now must not prevent later runs
            former, self._failure = self._failure, type(error)
            if former is not self._failure:
                log_failure(f"{self._thread.name} failed", error)
