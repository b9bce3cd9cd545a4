"""The state that all connections of a server share, and the limits and timeouts of each."""

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from waitress.adjustments import Adjustments

from .lines import Lines
from .memory_budget import MemoryBudget
from .requested import Requested
from .shares import Shares

MOST_BODY_BYTES = 1 << 50  # of a body in steps: what the application refuses is far below


class Admission(Protocol):
    """A long body that is received."""

    def end(self) -> None:
        """Release all that is held, once, when the body is gone."""

    def pace_bytes(self) -> int:
        """Return how many bytes have to come in any `pace_seconds`, if more than `Limits` ask."""

    def gives_way(self, received_bytes: int) -> bool:
        """Return whether a body in steps that has brought so much ends now, in favour of others.

        The server asks whenever bytes have come, and makes them the last step if so.
        """


class Unhurried:
    """The admission of a body of which no more is asked than of every one."""

    def end(self) -> None:
        """Do nothing: nothing was held."""

    def pace_bytes(self) -> int:
        return 0

    def gives_way(self, _received_bytes: int) -> bool:
        return False


UNHURRIED = Unhurried()
AdmitLongBody = Callable[[str, str, Mapping[str, str]], Admission | None]
"""Decides from path, query and header fields (names as `X_API_KEY`) if a long body is received:
None if it is not.
"""

IsStepped = Callable[[str, str], bool]
"""Decides from method and path if the body of a request is served in steps."""

NeedsNoWorker = Callable[[str, str, Mapping[str, str]], bool]
"""Decides from path, query and header fields if a request waits for nothing, so that the thread
that receives it serves it, while all workers wait.
"""


FieldsOfRefusal = Callable[[str], list[tuple[str, str]]]
"""Returns by the path which header fields an error of the server's own has beside its own ones."""


def log_exception(path: str, error: Exception) -> None:
    """Log an exception of the application, with its traceback."""
    log = logging.getLogger("docservice")
    log.error("an exception while serving %s", path, exc_info=error)


@dataclass(frozen=True)
class Limits:
    """A body or a response must make `pace_bytes` of progress in any `pace_seconds`."""

    body_bytes: int  # more is counted and discarded: an earlier refusal would reset the connection
    small_body_bytes: int = 64 << 10  # the same, of requests without credentials
    unverified_body_bytes: int = 128 << 10  # more is received only if it is admitted
    step_bytes: int = 8 << 20  # of a body that is served in steps; its length has no limit here
    concurrent_bodies: int = 16  # bodies of that size in memory at once; beyond it: 503
    response_bytes: int = 64 << 20  # that responses hold while they are sent; beyond it: 503
    head_bytes: int = 32 << 10
    head_lines: int = 100
    send_buffer_bytes: int = 256 << 10  # beyond it the response is suspended
    uninterrupted_seconds: float = 0.005  # of CPU for a response; then others that wait come first
    working_seconds: float = 0.02  # of the worker that leads, on one thing; then another one leads
    connections: int = 500
    waiting: int = 250  # requests, at most half of the connections; beyond it: 503
    head_seconds: float = 10
    idle_seconds: float = 60
    pace_seconds: float = 15
    pace_bytes: int = 64 << 10
    held: int = 100  # responses that wait for the next sync; for further ones their workers wait
    held_seconds: float = 0.005  # of responses for a sync, while other requests are served
    linger_seconds: float = 5  # to end a refused body, by pace_bytes, or to read the response
    evictable_after_seconds: float = 1  # of waiting for the client, once all connections are taken


@dataclass
class Context:
    """The shared state. `connections` are the open ones, each a `Connection`, by descriptor.

    `requested` are those whose next request, or the rest of a response, is to be served.
    `network_of` says by the address of a connection and the headers of a request whose it is.
    `sync` returns when whatever held responses tell of is on disk, or has failed to get there;
    without it no response can be held.
    """

    application: Any
    limits: Limits
    clock: Callable[[], float]
    on_rejected: Callable[[str, int, int], None]
    admit_long_body: AdmitLongBody
    workers: int
    is_stepped: IsStepped = lambda *_: False
    needs_no_worker: NeedsNoWorker = lambda *_: False
    on_failure: Callable[[str, Exception], None] = log_exception
    on_early_end: Callable[[str, int, int], None] = lambda *_: None
    fields_of_refusal: FieldsOfRefusal = lambda _: []
    connections: dict[int, Any] = field(default_factory=dict)
    network_of: Callable[[str, Mapping[str, str]], str] = lambda address, _: address
    sync: Callable[[], None] | None = None

    def __post_init__(self) -> None:
        limits = self.limits
        lines = Lines(limits.waiting)
        self.requested = Requested(lines)
        self.shares = Shares(self.workers, lines, self.requested.append)
        self.body_memory = MemoryBudget(limits.concurrent_bodies * limits.body_bytes)
        self.response_memory = MemoryBudget(limits.response_bytes)
        self.parser_options = self._parser_options(max(16 * limits.body_bytes, 4 << 30))
        self.parser_options_of_steps = self._parser_options(MOST_BODY_BYTES)

    def _parser_options(self, most_body_bytes: int) -> Adjustments:
        return Adjustments(
            max_request_body_size=most_body_bytes,
            max_request_header_size=self.limits.head_bytes,
        )
