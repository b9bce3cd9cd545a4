"""models/runtime/password_slots.py"""

import threading

import pytest

from models.core import Busy, Payer
from models.runtime.password_slots import PasswordSlots
from models.runtime.state import Runtime
from settings import Settings
from tests.waiting import join_threads, start_threads, until


@pytest.fixture
def slots():
    return PasswordSlots(3, of_caller=2)


@pytest.fixture
def hold():
    """A function that takes places for a caller, until the test has ended."""
    released = threading.Event()
    waiting = []

    def hold(slots, caller, places):
        held = len(slots.admitted._held)
        for _ in range(places):
            waiting.extend(start_threads(lambda: slots.run(released.wait, Payer(caller))))
        until(lambda: len(slots.admitted._held) == held + places)

    yield hold
    released.set()
    join_threads(waiting)


def test_one_caller_gets_only_a_share_and_leaves_places_to_others(slots, hold):
    hold(slots, "one", 2)
    with pytest.raises(Busy):
        slots.run(bool, Payer("one"))
    hold(slots, "two", 1)
    with pytest.raises(Busy):
        slots.run(bool, Payer("three"))


def test_two_run_at_once_and_the_others_wait(hold):
    slots = PasswordSlots(8, of_caller=6)
    hold(slots, "one", 4)
    until(lambda: len(slots.running._held) == 2)
    until(lambda: len(slots.running._line) == 2)


def test_a_place_is_free_again_after_the_work_and_after_its_error(slots):
    for _ in range(5):
        assert slots.run(lambda: "result", Payer("one")) == "result"
        with pytest.raises(ZeroDivisionError):
            slots.run(lambda: 1 / 0, Payer("one"))
    assert not slots.admitted._held
    assert not slots.running._held


def test_work_for_links_takes_no_place_from_logins(hold):
    runtime = Runtime(Settings())
    hold(runtime.link_passwords, "a link", 4)
    hold(runtime.link_passwords, "another link", 2)

    assert runtime.account_passwords.run(lambda: "result", Payer("someone")) == "result"
