"""The turn to execute Python: one worker has it at a time, and steps aside while it waits.

Threads that want the interpreter lock at the same moment take it from each other again and again,
and on several cores the hand-over costs more than the work in between. So the worker that has the
turn does whatever there is to do: it receives, serves, sends and looks for further events.

A worker that waits for a disk, a lock, another process or a socket steps aside, and another one
goes on. When the wait is over, it comes before those that enter; if these have waited for
PATIENCE_SECONDS, they take turns. A long response lets others in after each piece, and enters
again. Where nothing is left to do, WATCHING workers wait for events; the others are spare, and
sleep until one steps aside and nobody else could go on.

The turn is lent, not owned. A thread that keeps it for LEASE_SECONDS while others may want it loses
it: the next one begins, and the former one goes on beside it, as threads do without a turn. So
nobody keeps others out, whatever is called meanwhile, and a wait for the turn always ends: a worker
may hold any lock while it waits for the turn.
"""

import threading
import time
from collections import deque
from collections.abc import Callable
from types import TracebackType

LEASE_SECONDS = 0.02  # the longest time that others are kept out
PATIENCE_SECONDS = 0.005  # after which whoever enters is let in
WATCHING = 2  # workers that wait for events, so that one is left when the other steps aside


class _Thread(threading.local):
    """This thread's turn, if it has one, and its gate."""

    def __init__(self) -> None:
        self.turn: Turn | None = None
        self.gate = threading.Lock()
        self.gate.acquire()  # whoever hands the turn to this thread releases it


_this = _Thread()


class Turn:
    """The turn, which one thread has at a time; others wait in three lines, by their gates."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._when_free: Callable[[], None] = lambda: None
        self._guard = threading.Lock()
        self._holder: threading.Lock | None = None  # the gate of the thread that has the turn
        self._since = 0.0
        self._returning = deque[threading.Lock]()
        self._entering = deque[tuple[threading.Lock, float]]()  # and since when each waits
        self._has_let_in = False  # the last one that had to wait was one that entered
        self._spare = deque[threading.Lock]()
        self._watching = 0  # threads that wait for events
        self._needs_leases = threading.Event()
        self._closed = threading.Event()

    def start(self, when_free: Callable[[], None]) -> None:
        """Begin to end leases. `when_free` is called when a worker steps aside and none goes on."""
        self._when_free = when_free
        threading.Thread(target=self._end_leases, name="turn", daemon=True).start()

    def close(self) -> None:
        """End the leases' thread, and let spare threads run."""
        self._closed.set()
        self._needs_leases.set()
        with self._guard:
            while self._spare:
                self._spare.popleft().release()

    def take(self, *, returns: bool = False) -> None:
        """Wait for the turn; whoever `returns` comes before those that enter."""
        with self._guard:
            is_free = self._holder is None
            if is_free:
                self._begin(_this.gate)
            elif returns:
                self._returning.append(_this.gate)
            else:
                self._entering.append((_this.gate, self._clock()))
        if self._may_be_wanted():
            self._needs_leases.set()
        if not is_free:
            _this.gate.acquire()
        _this.turn = self

    def watch(self, wait: Callable[[], None]) -> None:
        """Give the turn away as nothing is left to do, and return when this thread has it again.

        The thread calls `wait` for an event, or is spare where enough others do.
        """
        _this.turn = None
        with self._guard:
            watches = self._watching < WATCHING
            is_spare = not watches and not self._closed.is_set()
            if watches:
                self._watching += 1
            if is_spare:
                self._spare.append(_this.gate)
            if self._holder is _this.gate:
                self._hand_over()
        if watches:
            try:
                wait()
            finally:
                with self._guard:
                    self._watching -= 1
            self.take()
        if is_spare:
            _this.gate.acquire()
            _this.turn = self

    def leave(self) -> None:
        """Hand the turn to the next one; nothing if it was lost."""
        _this.turn = None
        with self._guard:
            if self._holder is _this.gate:
                self._hand_over()

    def is_wanted(self) -> bool:
        return bool(self._returning or self._entering)

    def offer(self, *, to_all: bool = False) -> None:
        """Let others in: those that return, and those that have waited long enough or, `to_all`,
        whoever waits. Wait for the turn also if it was lost.
        """
        is_wanted = to_all and self.is_wanted()
        if is_wanted or self._returning or self._is_overdue() or self._holder is not _this.gate:
            self.leave()
            self.take()

    def step_aside(self) -> None:
        """Leave, and have another thread do the work that is left."""
        self.leave()
        if self._holder is None:
            self._when_free()

    def _may_be_wanted(self) -> bool:
        """Return whether a thread waits, or events could come that none is there to notice."""
        return self.is_wanted() or not self._watching

    def _is_overdue(self) -> bool:
        """Whether somebody enters who has waited long enough."""
        try:
            _, since = self._entering[0]  # others may change the line meanwhile
        except IndexError:
            return False
        return self._clock() - since >= PATIENCE_SECONDS

    def _hand_over(self) -> None:
        following = self._following()
        self._holder = None
        if following is not None:
            self._begin(following)
            following.release()

    def _following(self) -> "threading.Lock | None":
        enters = self._is_overdue() and not self._has_let_in
        if self._returning and not (self._entering and enters):
            self._has_let_in = False
            return self._returning.popleft()
        if self._entering:
            self._has_let_in = True
            return self._entering.popleft()[0]
        if self._spare and not self._watching:
            return self._spare.popleft()
        return None

    def _begin(self, gate: threading.Lock) -> None:
        self._holder = gate
        self._since = self._clock()

    def _end_leases(self) -> None:
        """Take the turn from whoever keeps it too long, if a thread is there that may want it."""
        while not self._closed.is_set():
            self._needs_leases.wait()
            self._closed.wait(LEASE_SECONDS / 2)
            with self._guard:
                if self._holder is None or not self._may_be_wanted():
                    self._needs_leases.clear()
                elif self._clock() - self._since >= LEASE_SECONDS / 2:
                    self._hand_over()

    def __enter__(self) -> None:
        self.take()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.leave()


class SteppingAside:
    """The context of a wait: others execute Python meanwhile. Without a turn it does nothing."""

    def __enter__(self) -> None:
        self._turn = _this.turn
        if self._turn is not None:
            self._turn.step_aside()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._turn is not None:
            self._turn.take(returns=True)
