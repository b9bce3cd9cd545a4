"""models/runtime/previews.py"""

from contextlib import ExitStack
from threading import Event

import pytest

from models.core import Busy, Payer
from models.runtime.previews import BesideRequests, PreviewQueue
from models.runtime.slots import Slot
from tests.waiting import join_threads, start_threads, until


def queue_of(threads):
    """A queue in which nobody waits for a slot longer than an instant."""
    return PreviewQueue(threads, slot_seconds=0)


def held(queue, *callers, saves=False):
    """Turns for other previews by these (caller, link), held until the stack is closed."""
    stack = ExitStack()
    for number, caller in enumerate(callers):
        stack.enter_context(queue.turn(f"held {saves} {number}", Payer(*caller), saves=saves))
    return stack


def is_admitted(queue, *caller, saves=False):
    try:
        with queue.turn("another", Payer(*caller), saves=saves):
            return True
    except Busy:
        return False


@pytest.mark.parametrize(("threads", "slots"), [(1, 1), (4, 1), (16, 4), (64, 16)])
def test_a_quarter_of_the_threads_may_make_previews_at_least_one(threads, slots):
    assert PreviewQueue(threads).viewing.most == slots


def test_one_link_gets_half_of_the_places_and_others_of_its_owner_one_more():
    queue = queue_of(16)
    with held(queue, ("usr_a", "tok_1"), ("usr_a", "tok_1")):
        assert not is_admitted(queue, "usr_a", "tok_1")
        assert is_admitted(queue, "usr_a")
    with held(queue, ("usr_a", "tok_1"), ("usr_a", "tok_1"), ("usr_a",)):
        assert not is_admitted(queue, "usr_a")
        assert not is_admitted(queue, "usr_a", "tok_2")
        assert is_admitted(queue, "usr_b")


def test_when_all_places_are_held_everyone_is_refused():
    queue = queue_of(16)
    with held(queue, *((f"usr_{name}",) for name in "abcd")):
        assert not is_admitted(queue, "usr_e")
    assert is_admitted(queue, "usr_e")


def test_a_place_is_free_again_after_an_error():
    queue = queue_of(1)
    with pytest.raises(ValueError, match="broken"), queue.turn("a", Payer("usr_a")):
        raise ValueError("broken")
    assert is_admitted(queue, "usr_a")


def test_files_take_two_places_of_their_own_and_none_of_the_views():
    queue = queue_of(16)
    savers = [("usr_a", "tok_1"), ("usr_b", "tok_2")]

    with held(queue, *savers, saves=True):
        assert not is_admitted(queue, "usr_c", saves=True)
        with held(queue, ("usr_c",)):
            assert is_admitted(queue, "usr_d")
    with held(queue, savers[0], saves=True):
        assert not is_admitted(queue, *savers[0], saves=True)
        assert is_admitted(queue, *savers[1], saves=True)


def test_a_view_waits_for_a_place_and_gets_the_next_one():
    queue, admitted = PreviewQueue(4), []
    with ExitStack() as stack:
        stack.enter_context(held(queue, ("usr_a",)))
        (waiting,) = start_threads(lambda: admitted.append(is_admitted(queue, "usr_b")))
        until(lambda: not queue.waiting.has_room(Slot("usr_c")))
        assert not is_admitted(queue, "usr_c")  # at once: those who wait are as many
        assert admitted == []
    join_threads([waiting])

    assert admitted == [True]
    assert queue.waiting.has_room(Slot("usr_c"))


def test_the_same_preview_is_made_by_one_at_a_time():
    queue, running, released, entered = PreviewQueue(16), Event(), Event(), []

    def first():
        with queue.turn("same", Payer("usr_a")):
            entered.append("first")
            running.set()
            released.wait()

    def second():
        running.wait()
        with queue.turn("same", Payer("usr_b")):
            entered.append("second")

    threads = start_threads(first, second)
    until(lambda: len(queue._same._slots._line) == 1)
    assert entered == ["first"]
    released.set()
    join_threads(threads)
    assert entered == ["first", "second"]
    assert not queue._same._slots._held


def test_what_is_made_beside_requests_has_an_order_and_a_share_for_each_caller(caplog):
    beside, released = BesideRequests(), Event()

    def fail():
        released.wait()
        raise RuntimeError("a fault")

    begun = [beside.begin(id, Payer(f"usr_{id}", f"tok_{id}"), fail) for id in "abca"]
    assert [progress.before for progress in begun] == [0, 1, 2, 0]
    for id in "1234":
        assert beside.begin(id, Payer("usr_d", "tok_d"), fail)
    with pytest.raises(Busy):
        beside.begin("5", Payer("usr_d", "tok_d"), fail)
    released.set()
    until(lambda: not beside._begun)

    assert "a fault" in caplog.text
    assert beside.begin("a", Payer("usr_a", "tok_a"), fail) is None
    assert beside._slots.has_room(Slot("usr_d", "tok_d"))
