"""The order in which connections that wait are served."""

from dataclasses import dataclass

from server.lines import By, Lines
from server.requested import Requested


@dataclass
class Connection:
    """A connection; the first letter behind `new` is its network."""

    name: str
    is_refused: bool = False

    def was_served(self):
        return self.name.startswith("long")

    def network(self):
        return self.name.removeprefix("new ")[0]


def served(*names):
    """Return the order in which connections that have come in this one are served."""
    requested = Requested(Lines(100))
    for name in names:
        requested.append(Connection(name))
    order = []
    while requested:
        order.append(requested.popleft().name)
    return order


def test_a_new_request_waits_for_one_moment_of_one_long_response_only():
    longs = [f"long {n}" for n in range(6)]
    assert served(*longs, "new").index("new") <= 1


def test_long_responses_go_on_however_many_requests_are_new():
    requested = Requested(Lines(100))
    requested.append(Connection("long"))
    order = []
    for _ in range(4):
        requested.append(Connection("new"))
        requested.append(Connection("new"))
        order.append(requested.popleft().name)
    assert "long" in order[:2]


def test_each_line_keeps_its_order():
    assert served("new a1", "new a2", "new a3") == ["new a1", "new a2", "new a3"]
    assert served("long 1", "long 2", "new a1", "new a2") == [
        "new a1",
        "long 1",
        "new a2",
        "long 2",
    ]


def test_a_request_of_the_network_that_has_the_fewest_is_next():
    many = [f"new a{number}" for number in range(100)]
    assert served(*many, "new b0")[0] == "new b0"
    assert served(*many[:50], "new b0", "new c0", *many[50:])[:3:2] == ["new b0", "new c0"]


def test_networks_with_one_request_each_hold_up_one_with_several_by_half_at_most():
    requested, order = Requested(Lines(100)), []
    for name in ("new a0", "new a1", "new a2"):
        requested.append(Connection(name))
    for number in range(6):
        requested.append(Connection(f"new {'bcdefg'[number]}0"))
        order.append(requested.popleft().name[4])
    assert order.count("a") == 3


def test_a_request_beyond_all_lines_takes_the_place_of_the_newest_of_the_longest():
    requested = Requested(Lines(3))
    connections = [Connection(f"new {name}") for name in ("a0", "a1", "a2", "b0", "b1")]
    for one in connections:
        requested.append(one)
    requested.refuse_displaced()
    assert [one.is_refused for one in connections] == [False, False, True, False, True]
    assert [requested.pop_refused() for _ in range(3)] == [connections[2], connections[4], None]
    assert [requested.popleft().name for _ in range(3)] == ["new b0", "new a0", "new a1"]


def test_whoever_is_alone_in_a_line_keeps_the_place_and_one_that_comes_has_to_leave():
    lines = Lines(2)
    for name in "ab":
        lines.join((By.NETWORK, name), name)
    assert lines.take_displaced() is None
    lines.join((By.CALLER, "a"), "another line")
    assert lines.take_displaced() == "another line"
    lines.join((By.NETWORK, "b"), "the second of b")
    assert lines.take_displaced() == "the second of b"
    assert [lines.take_oldest(), lines.take_oldest()] == ["a", "b"]
    assert len(lines) == 0
