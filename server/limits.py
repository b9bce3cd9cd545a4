"""How much, and how long, the service bears with one client."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """A body or an answer must move on by `pace_bytes` in any `pace_seconds`."""

    body_bytes: int  # more is counted, not kept: to refuse earlier would cut the client off
    small_body_bytes: int = 64 << 10  # the same, of a caller who shows no credential
    bodies: int = 16  # of that length have room at once; who finds none is told to come back
    head_bytes: int = 32 << 10
    head_lines: int = 100
    waiting_bytes: int = 512 << 10  # of an answer that is made and not taken
    connections: int = 500
    head_seconds: float = 10
    idle_seconds: float = 60
    pace_seconds: float = 15
    pace_bytes: int = 64 << 10
    linger_seconds: float = 5  # for a client that is hung up on to read its answer
    newcomer_seconds: float = 1  # before a connection may be given up for another


class Stopwatch:
    """How long it has been somebody's turn; a new turn, or moving on, begins it anew."""

    def __init__(self, now: float) -> None:
        self.begin(None, now, 0)

    def begin(self, turn: object, now: float, moved_bytes: int) -> None:
        self.turn, self.since, self.moved_bytes = turn, now, moved_bytes
