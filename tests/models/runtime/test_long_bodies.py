"""models/runtime/long_bodies.py"""

import pytest

from models.core import Payer
from models.runtime.long_bodies import (
    ASKED_SECONDS,
    HURRIED_BYTES,
    HURRIED_SECONDS,
    KEPT_BYTES,
    KEPT_SECONDS,
    LongBodies,
)


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


def give_way(held, received_bytes=KEPT_BYTES):
    return [body.gives_way(received_bytes) for body in held]


def test_a_long_body_gives_way_to_somebody_who_was_refused_once(bodies):
    held = admitted(bodies, ("alice", "link 1"), ("alice", "link 1"))
    assert give_way(held) == [False, False]  # nobody was refused
    assert bodies.admit(Payer("alice", "link 1")) is None
    assert give_way(held, KEPT_BYTES - 1) == [False, False]
    assert give_way(held) == [True, False]


def test_a_body_that_has_held_its_slot_for_long_gives_way_whatever_it_has_brought(bodies, clock):
    held = admitted(bodies, ("alice", "link 1"), ("alice", "link 1"))
    clock[0] += KEPT_SECONDS - 1
    assert bodies.admit(Payer("alice", "link 1")) is None
    assert give_way(held, 1) == [False, False]
    clock[0] += 1
    assert give_way(held, 1) == [True, False]


def test_a_body_gives_way_only_to_those_who_find_a_slot_without_it(bodies):
    of_alice = admitted(bodies, *[("alice", f"link {number}") for number in (1, 1, 2)])
    of_bob = admitted(bodies, ("bob", "link 3"))
    assert bodies.admit(Payer("alice", "link 1")) is None
    assert give_way(of_bob + of_alice[2:]) == [False, False]
    assert give_way(of_alice) == [True, False, False]


def test_who_found_a_slot_meanwhile_has_nobody_give_way(bodies):
    held = admitted(bodies, ("alice", "link 1"), ("alice", "link 1"))
    assert bodies.admit(Payer("alice", "link 1")) is None
    held[0].end()
    assert give_way(held[1:]) == [False]  # there is a free one
    again = bodies.admit(Payer("alice", "link 1"))
    assert give_way([held[1], again]) == [False, False]


def test_when_all_slots_are_held_any_long_body_gives_way(bodies):
    held = admitted(bodies, *[(f"caller {number}", "") for number in range(8)])
    assert bodies.admit(Payer("alice", "link 1")) is None
    assert bodies.admit(Payer("bob", "link 2")) is None
    assert give_way(held).count(True) == 2
    assert give_way(held).count(True) == 0


def test_who_was_refused_long_ago_is_forgotten(bodies, clock):
    held = admitted(bodies, ("alice", "link 1"), ("alice", "link 1"))
    assert bodies.admit(Payer("alice", "link 1")) is None
    clock[0] += ASKED_SECONDS
    assert give_way(held) == [False, False]
    assert bodies._refused == {}
