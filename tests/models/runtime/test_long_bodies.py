"""models/runtime/long_bodies.py"""

import pytest

from models.core import Payer
from models.runtime.long_bodies import HURRIED_BYTES, HURRIED_SECONDS, LongBodies


@pytest.fixture
def clock():
    return [0.0]


@pytest.fixture
def bodies(clock):
    return LongBodies(lambda: clock[0])


def admitted(bodies, *by_link):
    """The slots that these (caller, link) get."""
    return [bodies.admit(Payer(*one)) for one in by_link]


def are_hurried(held):
    return [slot.pace_bytes() == HURRIED_BYTES for slot in held]


def test_a_link_gets_two_slots_an_owner_four_and_all_eight(bodies):
    of_alice = [("alice", f"link {number}") for number in (1, 1, 2, 2)]
    of_bob = [("bob", f"link {number}") for number in (3, 4, 5, 6)]
    first = admitted(bodies, *of_alice[:2])
    assert bodies.admit(Payer("alice", "link 1")) is None
    held = first + admitted(bodies, *of_alice[2:])
    assert bodies.admit(Payer("alice", "link 7")) is None
    held += admitted(bodies, *of_bob)
    assert None not in held
    assert bodies.admit(Payer("carol", "link 8")) is None
    held[0].end()
    assert bodies.admit(Payer("carol", "link 8"))
    assert bodies.admit(Payer("carol", "link 8")) is None


def test_who_is_refused_by_all_has_those_hurry_whose_owners_hold_more(bodies, clock):
    of_alice = admitted(bodies, *[("alice", f"link {number}") for number in range(4)])
    of_bob = admitted(bodies, *[("bob", f"link {number}") for number in range(4, 7)])
    of_carol = admitted(bodies, ("carol", "link 7"))
    assert bodies.admit(Payer("carol", "link 8")) is None
    assert are_hurried(of_alice + of_bob) == [True] * 7
    assert are_hurried(of_carol) == [False]
    clock[0] += HURRIED_SECONDS
    assert are_hurried(of_alice + of_bob) == [False] * 7
    assert bodies.admit(Payer("dan", "link 9")) is None
    assert are_hurried(of_alice + of_bob + of_carol) == [True] * 8


def test_who_is_refused_beside_links_of_the_same_owner_has_those_hurry_that_hold_more(bodies):
    greedy = admitted(bodies, ("alice", "link 1"), ("alice", "link 1"))
    others = admitted(bodies, ("alice", "link 2"), ("alice", "link 3"))
    of_bob = admitted(bodies, ("bob", "link 4"))
    assert bodies.admit(Payer("alice", "link 2")) is None
    assert are_hurried(greedy + others + of_bob) == [True, True, False, False, False]


def test_who_holds_as_much_as_there_is_for_one_has_nobody_hurry(bodies):
    of_bob = admitted(bodies, *[("bob", f"link {number}") for number in range(4)])
    of_alice = admitted(bodies, *[("alice", f"link {number}") for number in (5, 5, 6, 6)])
    assert bodies.admit(Payer("alice", "link 5")) is None
    assert are_hurried(of_alice + of_bob) == [False] * 8
    assert bodies.admit(Payer("alice", "link 7")) is None
    assert are_hurried(of_bob) == [False] * 4
