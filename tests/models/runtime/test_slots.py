"""models/runtime/slots.py"""

import math
import threading

import pytest

from models.core import Busy, IdempotencyInProgress, Payer, waiting
from models.runtime.slots import Slot, Slots
from tests.waiting import join_threads, start_threads, until


class Line:
    """Callers that wait for slots in threads of their own, and the order in which they get them."""

    def __init__(self, slots):
        self.slots = slots
        self.served = []
        self._released = {}
        self._threads = []

    def join(self, caller, part=""):
        """Have a caller wait, and return when it is in the line."""
        length = len(self.slots._line)
        self._released[caller] = threading.Event()
        self._threads += start_threads(lambda: self._hold(caller, part))
        until(lambda: len(self.slots._line) == length + 1)

    def end(self, caller):
        """Have a caller that holds a slot release it."""
        until(lambda: caller in self.served)
        self._released[caller].set()

    def close(self):
        for released in self._released.values():
            released.set()
        join_threads(self._threads)

    def _hold(self, caller, part):
        with self.slots.held(Payer(caller, part)):
            self.served.append(caller)
            self._released[caller].wait()


class Taken:
    """Slots that callers hold without a thread, at most until the test has ended."""

    def __init__(self):
        self._taken = []

    def __call__(self, slots, *callers):
        held = [Slot(*caller) for caller in callers]
        assert all(slots.take(slot) for slot in held)
        self._taken.extend((slots, slot) for slot in held)
        return held

    def release(self):
        for slots, slot in self._taken:
            if slot in slots._held:
                slots.release(slot)


@pytest.fixture
def taken():
    return Taken()


@pytest.fixture
def line_of(taken):
    """A function that returns the line of these slots; everybody in it is served at the end."""
    lines = []

    def line_of(slots):
        lines.append(Line(slots))
        return lines[-1]

    yield line_of
    taken.release()
    for line in lines:
        line.close()


def is_refused(slots, *caller):
    """Whether there is no slot for the caller without a wait."""
    try:
        with slots.held(Payer(*caller), seconds=0):
            return False
    except Busy:
        return True


def test_as_many_hold_a_slot_as_there_are_and_no_more(taken):
    slots = Slots(2)
    first, _ = taken(slots, ["a"], ["b"])
    assert is_refused(slots, "c")
    slots.release(first)
    assert not is_refused(slots, "c")


def test_a_caller_holds_a_share_and_its_part_a_smaller_one(taken):
    slots = Slots(4, of_caller=3, of_part=2)
    taken(slots, ["a", "part 1"], ["a", "part 1"])
    assert is_refused(slots, "a", "part 1")
    taken(slots, ["a", "part 2"])
    assert is_refused(slots, "a", "part 2")
    assert is_refused(slots, "a")
    taken(slots, ["b"])
    assert is_refused(slots, "c")


def test_a_caller_without_a_part_has_the_whole_share(taken):
    slots = Slots(4, of_caller=3, of_part=1)
    taken(slots, ["a"], ["a"], ["a"])
    assert is_refused(slots, "a")


def test_a_slot_is_free_again_after_an_error():
    slots = Slots(1)
    with pytest.raises(ZeroDivisionError), slots.held(Payer("a")):
        _ = 1 / 0
    assert not is_refused(slots, "a")


def test_those_who_wait_are_served_in_their_order(line_of, taken):
    slots = Slots(1)
    (held,) = taken(slots, ["a"])
    line = line_of(slots)
    for caller in ("b", "c", "d"):
        line.join(caller)
    slots.release(held)
    for caller in ("b", "c", "d"):
        line.end(caller)
    line.close()
    assert line.served == ["b", "c", "d"]


def test_a_slot_goes_to_whoever_waits_before_anybody_who_comes_later(line_of, taken):
    slots = Slots(1)
    (held,) = taken(slots, ["a"])
    line = line_of(slots)
    line.join("b")
    slots.release(held)
    assert is_refused(slots, "c")  # although "b" may not have run since


def test_whoever_has_used_its_share_holds_nobody_behind_it_up(line_of, taken):
    slots = Slots(3, of_caller=2)
    first, _, of_other = taken(slots, ["a"], ["a"], ["b"])
    line = line_of(slots)
    line.join("a")
    line.join("c")
    slots.release(of_other)
    line.end("c")
    assert line.served == ["c"]
    slots.release(first)
    line.end("a")


def test_the_line_is_as_long_as_there_are_places_to_wait_with_shares_of_their_own(line_of, taken):
    slots = Slots(1, waiting=Slots(3, of_caller=2, of_part=1))
    taken(slots, ["z"])
    line = line_of(slots)
    line.join("a", "part 1")
    for caller in (["a", "part 1"], ["a"], ["b"]):
        assert slots._waiting.has_room(Slot(*caller)) == (caller != ["a", "part 1"])
    with pytest.raises(Busy), slots.held(Payer("a", "part 1")):
        pass
    line.join("b")
    line.join("c")
    with (
        pytest.raises(Busy),
        slots.held(Payer("d")),
    ):  # at once, though it would wait without an end
        pass
    slots.release(slots._held[0])
    until(lambda: slots._waiting.has_room(Slot("d")))


def test_two_lines_share_places_to_wait(line_of, taken):
    places = Slots(1)
    views, files = Slots(1, waiting=places), Slots(1, waiting=places)
    taken(views, ["a"])
    (of_file,) = taken(files, ["a"])
    line_of(views).join("b")
    with pytest.raises(Busy), files.held(Payer("c")):
        pass
    files.release(of_file)
    with files.held(Payer("c")):  # whoever does not wait needs no place
        pass


def test_nobody_waits_longer_than_the_seconds_and_leaves_the_line_then(taken):
    slots = Slots(1, waiting=Slots(1))
    (held,) = taken(slots, ["a"])
    briefly = slots.held(Payer("b"), seconds=0.001, refusal=IdempotencyInProgress)
    with pytest.raises(IdempotencyInProgress), briefly:
        pass
    assert not slots._line
    assert slots._waiting.has_room(Slot("b"))
    slots.release(held)
    assert slots.has_room(Slot("c"))


@pytest.fixture
def told(monkeypatch):
    """The waits that were told in advance."""
    told = []
    monkeypatch.setattr(waiting, "_before_wait", lambda: told.append(True))
    return told


def test_whoever_waits_for_a_slot_says_so(told, line_of, taken):
    slots = Slots(1)
    (held,) = taken(slots, ["a"])
    line = line_of(slots)
    line.join("b")
    until(lambda: told == [True])
    slots.release(held)
    line.end("b")
    line.close()


def test_whoever_finds_a_slot_or_is_refused_at_once_says_nothing(told):
    slots = Slots(1, waiting=Slots(0))
    with slots.held(Payer("a")):
        assert is_refused(slots, "b")
        with pytest.raises(Busy), slots.held(Payer("b")):
            pass
    assert told == []


def test_one_of_each_runs_at_a_time_where_there_are_slots_without_an_end(line_of, taken):
    slots = Slots(math.inf, of_caller=1, waiting=Slots(math.inf, of_caller=1))
    taken(slots, *([str(number)] for number in range(100)))
    line = line_of(slots)
    line.join("7")
    with pytest.raises(Busy), slots.held(Payer("7")):
        pass
    line.join("8")


def test_a_slot_may_be_released_while_the_guard_is_held(taken):
    """As by the garbage collector, which runs in whichever thread allocates memory."""
    slots = Slots(1)
    (held,) = taken(slots, ["a"])
    with slots._guard:
        slots.release(held)
    assert slots.has_room(Slot("a"))
