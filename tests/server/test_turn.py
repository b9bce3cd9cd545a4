"""The turn to execute Python: who has it, who is next, and that nobody keeps it."""

import threading

import pytest

from server.turn import LEASE_SECONDS, PATIENCE_SECONDS, SteppingAside, Turn
from tests.waiting import until


@pytest.fixture
def turn():
    """A turn whose clock stands still, so that no lease ends by itself."""
    turn = Turn(clock=lambda: 0.0)
    turn.start(when_free=lambda: None)
    yield turn
    turn.close()


def in_thread(work):
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    return thread


class Worker:
    """A thread that takes the turn, says so, and keeps it until it is told to go on."""

    def __init__(self, turn, order, name, *, steps_aside=False):
        self.may_end = threading.Event()
        self.has_begun = threading.Event()
        self.waits = threading.Event()
        self.may_return = threading.Event()
        self._turn = turn
        self._order = order
        self._name = name
        self._steps_aside = steps_aside
        self._thread = in_thread(self._run)

    def _run(self):
        with self._turn:
            self._order.append(self._name)
            self.has_begun.set()
            if self._steps_aside:
                with SteppingAside():
                    self.waits.set()
                    self.may_return.wait(30)
                self._order.append(f"{self._name} returns")
            self.may_end.wait(30)

    def end(self):
        self.may_end.set()
        self._thread.join(30)
        assert not self._thread.is_alive()


def test_one_thread_at_a_time_has_the_turn(turn):
    order = []
    first = Worker(turn, order, "first")
    first.has_begun.wait(30)
    second = Worker(turn, order, "second")
    until(turn.is_wanted)
    assert order == ["first"]
    first.end()
    second.has_begun.wait(30)
    second.end()
    assert order == ["first", "second"]


def test_another_thread_has_the_turn_while_one_waits(turn):
    order = []
    waiting = Worker(turn, order, "waiting", steps_aside=True)
    waiting.waits.wait(30)
    other = Worker(turn, order, "other")
    other.has_begun.wait(30)
    waiting.may_return.set()
    until(turn.is_wanted)
    other.end()
    waiting.end()
    assert order == ["waiting", "other", "waiting returns"]


def test_a_thread_that_returns_comes_before_those_that_enter(turn):
    order = []
    waiting = Worker(turn, order, "waiting", steps_aside=True)
    waiting.waits.wait(30)
    holder = Worker(turn, order, "holder")
    holder.has_begun.wait(30)
    entering = Worker(turn, order, "entering")
    until(lambda: len(turn._entering) == 1)
    waiting.may_return.set()
    until(lambda: len(turn._returning) == 1)
    holder.end()
    waiting.end()
    entering.end()
    assert order == ["waiting", "holder", "waiting returns", "entering"]


def test_whoever_has_the_turn_lets_those_in_that_return(turn):
    order = []
    waiting = Worker(turn, order, "waiting", steps_aside=True)
    waiting.waits.wait(30)
    with turn:
        waiting.may_return.set()
        waiting.may_end.set()
        until(lambda: len(turn._returning) == 1)
        turn.offer()
        assert order == ["waiting", "waiting returns"]


def test_whoever_enters_is_let_in_before_those_that_return_once_it_has_waited_long_enough():
    now = [0.0]
    turn = Turn(clock=lambda: now[0])
    order = []
    waiting = Worker(turn, order, "waiting", steps_aside=True)
    waiting.waits.wait(30)
    holder = Worker(turn, order, "holder")
    holder.has_begun.wait(30)
    entering = Worker(turn, order, "entering")
    until(lambda: len(turn._entering) == 1)
    waiting.may_return.set()
    until(lambda: len(turn._returning) == 1)
    now[0] = PATIENCE_SECONDS
    holder.end()
    entering.end()
    waiting.end()
    assert order == ["waiting", "holder", "entering", "waiting returns"]


def test_those_that_return_and_those_that_have_waited_long_take_turns():
    now = [0.0]
    turn = Turn(clock=lambda: now[0])
    order = []
    waiting = [Worker(turn, order, name, steps_aside=True) for name in "ab"]
    for worker in waiting:
        worker.waits.wait(30)
    with turn:
        entering = []
        for name in "cd":
            entering.append(Worker(turn, order, name))
            until(lambda: len(turn._entering) == len(entering))
        for number, worker in enumerate(waiting, 1):
            worker.may_return.set()
            until(lambda number=number: len(turn._returning) == number)
        now[0] = PATIENCE_SECONDS
        for worker in (*waiting, *entering):
            worker.may_end.set()
    for worker in (*waiting, *entering):
        worker.end()
    assert order[2:] == ["c", "a returns", "d", "b returns"]


def test_whoever_has_much_to_do_lets_one_in_that_enters_only_once_that_has_waited():
    now = [0.0]
    turn = Turn(clock=lambda: now[0])
    order = []
    with turn:
        entering = Worker(turn, order, "entering")
        entering.may_end.set()
        until(lambda: len(turn._entering) == 1)
        turn.offer()
        assert order == []
        now[0] = PATIENCE_SECONDS
        turn.offer()
        assert order == ["entering"]


def test_a_long_response_lets_everybody_in_and_waits_behind_them(turn):
    order = []
    with turn:
        others = [Worker(turn, order, name) for name in ("one", "two")]
        for other in others:
            other.may_end.set()
        until(lambda: len(turn._entering) == 2)
        turn.offer(to_all=True)
        assert sorted(order) == ["one", "two"]


def test_a_thread_that_keeps_the_turn_loses_it_to_one_that_waits():
    """So no wait for the turn is without an end, whatever its holder waits for."""
    turn = Turn()
    turn.start(when_free=lambda: None)
    order = []
    holder = Worker(turn, order, "holder")
    holder.has_begun.wait(30)
    other = Worker(turn, order, "other")
    assert other.has_begun.wait(30)
    holder.end()
    other.end()
    assert order == ["holder", "other"]
    turn.close()


def test_a_lock_may_be_held_by_who_waits_for_the_turn_and_wanted_by_who_has_it():
    turn = Turn()
    turn.start(when_free=lambda: None)
    lock = threading.Lock()
    holds_lock = threading.Event()
    may_return = threading.Event()

    def hold_the_lock_while_waiting_for_the_turn():
        with turn, lock, SteppingAside():
            holds_lock.set()
            may_return.wait(30)

    thread = in_thread(hold_the_lock_while_waiting_for_the_turn)
    holds_lock.wait(30)
    with turn:
        may_return.set()
        assert lock.acquire(timeout=30)
    thread.join(30)
    turn.close()


def test_a_spare_thread_goes_on_where_the_only_other_one_keeps_the_turn():
    turn = Turn()
    turn.start(when_free=lambda: None)
    turn_of_spare = threading.Event()
    events = [threading.Event() for _ in range(2)]

    def watch(event):
        turn.take()
        turn.watch(lambda: event.wait(30))
        turn.leave()

    def be_spare():
        turn.take()
        turn.watch(lambda: pytest.fail("two threads watch already"))
        turn_of_spare.set()
        turn.leave()

    watching = [in_thread(lambda event=event: watch(event)) for event in events]
    until(lambda: turn._watching == 2)
    in_thread(be_spare)
    until(lambda: len(turn._spare) == 1)
    with turn:
        for event in events:
            event.set()
        assert turn_of_spare.wait(30)
    for thread in watching:
        thread.join(30)
    turn.close()


def test_a_thread_without_the_turn_steps_aside_for_nobody():
    with SteppingAside(), SteppingAside():
        pass


def test_the_turn_goes_round_while_many_threads_enter_and_offer_it():
    turn = Turn()
    turn.start(when_free=lambda: None)
    done = []

    def work():
        for _ in range(300):
            with turn:
                turn.offer()
                turn.offer(to_all=True)
                with SteppingAside():
                    pass
        done.append(True)

    threads = [in_thread(work) for _ in range(8)]
    for thread in threads:
        thread.join(60)
    assert done == [True] * 8
    turn.close()


def test_a_lease_is_20_milliseconds():
    assert LEASE_SECONDS == 0.02
