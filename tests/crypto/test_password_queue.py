"""The queue of expensive work: its places, and how many of them one caller gets."""

import threading

import pytest

from crypto import PasswordQueueFull
from crypto.password_queue import ACCOUNTS, LINKS, PasswordQueue
from tests.waiting import join_threads, start_threads, until


@pytest.fixture
def queue():
    return PasswordQueue("test", threads=1, places=3, share=2)


@pytest.fixture
def hold(queue):
    """A function that takes places in a queue for a caller, until the test has ended."""
    released, waiting = threading.Event(), []

    def hold(caller, places, queue=queue):
        held = queue._held[caller]
        for _ in range(places):
            waiting.extend(start_threads(lambda: queue.run(caller, released.wait)))
        until(lambda: queue._held[caller] == held + places)

    yield hold
    released.set()
    join_threads(waiting)


def test_a_full_queue_raises_password_queue_full(queue, hold):
    hold("one", 2)
    hold("two", 1)
    with pytest.raises(PasswordQueueFull):
        queue.run("three", bool)


def test_one_caller_gets_only_a_share_and_leaves_places_to_others(queue, hold):
    hold("one", 2)
    with pytest.raises(PasswordQueueFull):
        queue.run("one", bool)
    hold("two", 1)


def test_a_place_is_free_again_after_the_work_and_after_its_error(queue):
    for _ in range(5):
        assert queue.run("one", lambda: "result") == "result"
        with pytest.raises(ZeroDivisionError):
            queue.run("one", lambda: 1 / 0)
    assert not queue._held


def test_work_for_links_takes_no_place_from_logins(hold):
    hold("a link", 4, LINKS)
    hold("another link", 2, LINKS)

    assert ACCOUNTS.run("someone", lambda: "result") == "result"
