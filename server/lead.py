"""The lead: one worker has it, and receives, serves and sends; the others are spare.

Threads that want the interpreter lock at the same moment take it from each other again and again,
and the hand-over costs more than the work in between. So one worker begins whatever there is to do.

Before it waits for a disk, a process or another server, it gives the lead away, but for the sync of
a response while no other connection is open (`workers.py`). It loses the lead when it has worked on
one thing, or has waited for such a sync, for too long. In both cases a spare worker leads, and the
former leader ends its request beside it, as threads do.
"""

import math
import threading
import time


class Lead:
    """The lead, which one thread has at a time. All but `take` return at once."""

    def __init__(self, longest_seconds: float) -> None:
        """A leader loses the lead when it has worked on one thing for `longest_seconds`."""
        self._longest_seconds = longest_seconds
        self._leader = 0  # the identifier of the thread that leads, 0 if none does
        self._began_at = math.inf  # when the leader began its work; it waits for events
        self._is_taken = False  # by the leader, or by the thread that is woken to lead
        self._waiting: list[threading.Lock] = []  # of the threads that wait, each held until then
        self._guard = threading.Lock()
        self._is_working = threading.Event()  # the leader is, or was a moment ago
        self._is_closed = False

    def start(self) -> None:
        """Begin to take the lead from leaders that work on one thing for too long."""
        threading.Thread(target=self._watch, name="lead", daemon=True).start()

    def close(self) -> None:
        """Take the lead from nobody any more."""
        self._is_closed = True
        self._is_working.set()

    def take(self) -> None:
        """Wait for the lead.

        Of those that wait the last one gets it: its stack and its connection to the database are in
        the processor's caches. An upload takes 0.9 of the processor time of the turns of all.
        """
        with self._guard:
            if not self._is_taken:
                self._is_taken = True
                self._leader = threading.get_ident()
                return
            woken = threading.Lock()
            woken.acquire()
            self._waiting.append(woken)
        woken.acquire()
        with self._guard:
            self._leader = threading.get_ident()

    def is_mine(self) -> bool:
        """Return whether this thread leads."""
        return self._leader == threading.get_ident()

    def rest(self) -> bool:
        """Keep the lead, however long this thread waits for events now.

        Returns False if this thread does not lead, and so must not wait for them.
        """
        with self._guard:
            if not self.is_mine():
                return False
            self._began_at = math.inf
            return True

    def is_at_rest(self) -> bool:
        """Return whether a thread leads, and waits for events."""
        return self._leader != 0 and self._began_at == math.inf

    def begin(self) -> None:
        """Begin to work on something, if this thread leads."""
        with self._guard:
            if not self.is_mine():
                return
            self._began_at = time.monotonic()
        if not self._is_working.is_set():
            self._is_working.set()

    def give_away(self) -> None:
        """Let another worker lead, if this thread leads."""
        if not self.is_mine():
            return
        with self._guard:
            if self.is_mine():
                self._end()

    def _end(self) -> None:
        """End the leadership of the leader; call with the guard."""
        self._leader = 0
        self._began_at = math.inf
        if self._waiting:
            self._waiting.pop().release()
        else:
            self._is_taken = False

    def _watch(self) -> None:
        """Take the lead from leaders that work on one thing for too long."""
        while True:
            self._is_working.wait()
            if self._is_closed:
                return
            self._is_working.clear()
            time.sleep(self._longest_seconds / 2)
            with self._guard:
                if self._began_at == math.inf:
                    continue
                self._is_working.set()  # look again, as the leader begins nothing else perhaps
                if time.monotonic() - self._began_at >= self._longest_seconds:
                    self._end()
