"""Limits and timeouts of a connection."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """A body or a response must make `pace_bytes` of progress in any `pace_seconds`."""

    body_bytes: int  # more is counted and discarded: an earlier refusal would reset the connection
    small_body_bytes: int = 64 << 10  # the same, of requests without credentials
    unverified_body_bytes: int = 128 << 10  # more is received only with a valid credential
    concurrent_bodies: int = 16  # bodies of that size in memory at once; beyond it: 503
    head_bytes: int = 32 << 10
    head_lines: int = 100
    send_buffer_bytes: int = 512 << 10  # beyond it the response is suspended
    connections: int = 500
    head_seconds: float = 10
    idle_seconds: float = 60
    pace_seconds: float = 15
    pace_bytes: int = 64 << 10
    linger_seconds: float = 5  # to end a refused body, by pace_bytes, or to read the response
    evictable_after_seconds: float = 1  # of waiting for the client, once all connections are taken


class ProgressTimer:
    """How long the client has owed the same action without making `pace_bytes` of progress."""

    def __init__(self, pace_bytes: int, now: float) -> None:
        self._pace_bytes, self.started_at = pace_bytes, now
        self._action: object = None
        self._progress_bytes = 0

    def elapsed(self, action: object, progress_bytes: int, now: float) -> float:
        """Seconds; restarts the timer when the action changes or progresses."""
        if action != self._action or progress_bytes - self._progress_bytes >= self._pace_bytes:
            self._action, self._progress_bytes, self.started_at = action, progress_bytes, now
        return now - self.started_at
