"""Tells the threads that wait which descriptor is ready: each event wakes one of them.

After its event a descriptor is left alone until it is expected again, so what it belongs to is used
by one thread at a time.
"""

import select
import selectors
import threading
from collections import deque


class Epoll:
    """The kernel wakes the thread that waited last, whose caches are warm."""

    def __init__(self) -> None:
        self._epoll = select.epoll()

    def expect(self, descriptor: int, *, sending: bool = False) -> None:
        """Until something can be received, or sent; not again before that event."""
        event = select.EPOLLONESHOT | (select.EPOLLOUT if sending else select.EPOLLIN)
        try:
            self._epoll.modify(descriptor, event)
        except FileNotFoundError:  # for the first time
            self._epoll.register(descriptor, event)

    def wait(self) -> int:
        """A descriptor that is ready."""
        return int(self._epoll.poll(maxevents=1)[0][0])

    def close(self) -> None:
        self._epoll.close()


class Turns:
    """The same without epoll: one thread waits, the others wait for their turn to wait."""

    def __init__(self) -> None:
        self._selector, self._turn = selectors.DefaultSelector(), threading.Lock()
        self._ready: deque[int] = deque()

    def expect(self, descriptor: int, *, sending: bool = False) -> None:
        event = selectors.EVENT_WRITE if sending else selectors.EVENT_READ
        self._selector.register(descriptor, event)

    def wait(self) -> int:
        with self._turn:
            while not self._ready:
                for key, _ in self._selector.select():
                    self._selector.unregister(key.fd)
                    self._ready.append(key.fd)
            return self._ready.popleft()

    def close(self) -> None:
        self._selector.close()


Readiness = Epoll if hasattr(select, "epoll") else Turns  # only Linux has it
