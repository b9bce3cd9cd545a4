"""The order in which connections that wait are served."""

from dataclasses import dataclass

from server.requested import Requested


@dataclass
class Connection:
    name: str

    def was_served(self):
        return self.name.startswith("long")


def served(*names):
    """Return the order in which connections that have come in this one are served."""
    requested = Requested()
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
    requested = Requested()
    requested.append(Connection("long"))
    order = []
    for _ in range(4):
        requested.append(Connection("new"))
        requested.append(Connection("new"))
        order.append(requested.popleft().name)
    assert "long" in order[:2]


def test_each_line_keeps_its_order():
    assert served("new 1", "new 2", "new 3") == ["new 1", "new 2", "new 3"]
    assert served("long 1", "long 2", "new 1", "new 2") == ["new 1", "long 1", "new 2", "long 2"]
