"""models/runtime/body_slots.py"""

import pytest

from models.runtime.body_slots import HURRIED_BYTES, HURRIED_SECONDS, BodySlots


@pytest.fixture
def clock():
    return [0.0]


@pytest.fixture
def slots(clock):
    return BodySlots(lambda: clock[0])


def taken(slots, *bodies):
    """The slots that these (owner, link) get."""
    return [slots.take(owner, link) for owner, link in bodies]


def are_hurried(held):
    return [slot.pace_bytes() == HURRIED_BYTES for slot in held]


def test_a_link_gets_two_slots_an_owner_four_and_all_eight(slots):
    of_alice = [("alice", f"link {number}") for number in (1, 1, 2, 2)]
    of_bob = [("bob", f"link {number}") for number in (3, 4, 5, 6)]
    first = taken(slots, *of_alice[:2])
    assert slots.take("alice", "link 1") is None
    held = first + taken(slots, *of_alice[2:])
    assert slots.take("alice", "link 7") is None
    held += taken(slots, *of_bob)
    assert None not in held
    assert slots.take("carol", "link 8") is None
    held[0].end()
    assert slots.take("carol", "link 8")
    assert slots.take("carol", "link 8") is None


def test_who_is_refused_by_all_has_those_hurry_whose_owners_hold_more(slots, clock):
    of_alice = taken(slots, *[("alice", f"link {number}") for number in range(4)])
    of_bob = taken(slots, *[("bob", f"link {number}") for number in range(4, 7)])
    of_carol = taken(slots, ("carol", "link 7"))
    assert slots.take("carol", "link 8") is None
    assert are_hurried(of_alice + of_bob) == [True] * 7
    assert are_hurried(of_carol) == [False]
    clock[0] += HURRIED_SECONDS
    assert are_hurried(of_alice + of_bob) == [False] * 7
    assert slots.take("dan", "link 9") is None
    assert are_hurried(of_alice + of_bob + of_carol) == [True] * 8


def test_who_is_refused_beside_links_of_the_same_owner_has_those_hurry_that_hold_more(slots):
    greedy = taken(slots, ("alice", "link 1"), ("alice", "link 1"))
    others = taken(slots, ("alice", "link 2"), ("alice", "link 3"))
    of_bob = taken(slots, ("bob", "link 4"))
    assert slots.take("alice", "link 2") is None
    assert are_hurried(greedy + others + of_bob) == [True, True, False, False, False]


def test_who_holds_as_much_as_there_is_for_one_has_nobody_hurry(slots):
    of_bob = taken(slots, *[("bob", f"link {number}") for number in range(4)])
    of_alice = taken(slots, *[("alice", f"link {number}") for number in (5, 5, 6, 6)])
    assert slots.take("alice", "link 5") is None
    assert are_hurried(of_alice + of_bob) == [False] * 8
    assert slots.take("alice", "link 7") is None
    assert are_hurried(of_bob) == [False] * 4
