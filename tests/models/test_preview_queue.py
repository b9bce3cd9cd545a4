"""models/preview_queue.py"""

from contextlib import ExitStack
from threading import Event

import pytest

from models.errors import Busy
from models.preview_queue import PreviewQueue
from tests.waiting import join_threads, start_threads, until


def held(queue, *callers):
    """Turns for other previews by these (owner, caller), held until the stack is closed."""
    stack = ExitStack()
    for number, (owner, caller) in enumerate(callers):
        stack.enter_context(queue.turn(f"held {number}", owner, caller))
    return stack


def is_admitted(queue, owner, caller):
    try:
        with queue.turn("another", owner, caller):
            return True
    except Busy:
        return False


@pytest.mark.parametrize(("threads", "places"), [(1, 1), (4, 1), (16, 4), (64, 16)])
def test_a_quarter_of_the_threads_may_make_previews_at_least_one(threads, places):
    assert PreviewQueue(threads).places == places


def test_one_link_gets_half_of_the_places_and_others_of_its_owner_one_more():
    queue = PreviewQueue(16)

    with held(queue, ("usr_a", "tok_1"), ("usr_a", "tok_1")):
        assert not is_admitted(queue, "usr_a", "tok_1")
        assert is_admitted(queue, "usr_a", "usr_a")
    with held(queue, ("usr_a", "tok_1"), ("usr_a", "tok_1"), ("usr_a", "usr_a")):
        assert not is_admitted(queue, "usr_a", "usr_a")
        assert not is_admitted(queue, "usr_a", "tok_2")
        assert is_admitted(queue, "usr_b", "usr_b")


def test_when_all_places_are_held_everyone_is_refused():
    queue = PreviewQueue(16)

    with held(queue, *((f"usr_{name}", f"usr_{name}") for name in "abcd")):
        assert not is_admitted(queue, "usr_e", "usr_e")
    assert is_admitted(queue, "usr_e", "usr_e")


def test_a_place_is_free_again_after_an_error():
    queue = PreviewQueue(1)

    with pytest.raises(ValueError, match="broken"), queue.turn("a", "usr_a", "usr_a"):
        raise ValueError("broken")
    assert is_admitted(queue, "usr_a", "usr_a")


def test_the_same_preview_is_made_by_one_at_a_time():
    queue, running, released, entered = PreviewQueue(16), Event(), Event(), []

    def first():
        with queue.turn("same", "usr_a", "usr_a"):
            entered.append("first")
            running.set()
            released.wait()

    def second():
        running.wait()
        with queue.turn("same", "usr_b", "usr_b"):
            entered.append("second")

    threads = start_threads(first, second)
    until(lambda: queue._held["usr_b"])
    assert entered == ["first"]
    released.set()
    join_threads(threads)
    assert entered == ["first", "second"]
    assert not queue._alone
