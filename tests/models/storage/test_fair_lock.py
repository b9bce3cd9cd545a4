"""Threads get the lock in the order in which they have asked for it, or not at all."""

import threading

from models.storage.fair_lock import FairLock
from tests.waiting import until


def test_threads_get_the_lock_in_the_order_in_which_they_asked():
    lock, order = FairLock(), []

    def work(number):
        assert lock.acquire(60)
        order.append(number)
        lock.release()

    assert lock.acquire(0)
    threads = [threading.Thread(target=work, args=[number]) for number in range(5)]
    for number, thread in enumerate(threads, 1):
        thread.start()
        until(lambda waiting=number: len(lock._waiting) == waiting)
    lock.release()
    for thread in threads:
        thread.join(60)
    assert order == [0, 1, 2, 3, 4]
    assert lock.acquire(0)


def test_who_has_waited_for_too_long_does_not_get_the_lock():
    lock = FairLock()
    assert lock.acquire(0)
    assert not lock.acquire(0.01)
    lock.release()
    assert lock.acquire(0)


def test_what_is_handed_over_at_the_last_moment_is_taken(monkeypatch):
    lock = FairLock()

    class Late:
        """A turn whose wait ends at the moment at which it is handed over."""

        acquired = 0

        def acquire(self, **_timeout):
            self.acquired += 1
            if self.acquired > 1:
                lock.release()
            return self.acquired == 1

        def release(self):
            pass

    assert lock.acquire(0)
    monkeypatch.setattr(threading, "Lock", Late)
    assert lock.acquire(0)
    assert not lock._waiting
    assert lock._is_held
