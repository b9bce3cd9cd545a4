"""Steps: the parts of a long body that the application gets while the rest is on its way."""

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Step:
    """A step of a body, `server.step` in the environment of the request that has its bytes.

    The application is called for each step as for a request of its own, with the same head, whose
    body is the bytes of the step. A response with a status below 300 to a step that is not the last
    one is not sent, and the body goes on. Any other response ends the body.
    """

    start: int
    """The bytes of the body before this step."""
    length: int
    """The bytes of this step. 0 only of the end of a body whose other steps had all its bytes."""
    body_length: int | None
    """The bytes of the whole body by its head; None of a chunked body."""
    is_last: bool = False
    """The body ends with this step: the response is sent."""
    is_cut: bool = False
    """The client is gone, or too slow: nothing follows, and nobody reads the response."""
    gives_way: bool = False
    """Others wait for the place of the body, which has to end after this step."""
    shared: dict[str, Any] = field(default_factory=dict)
    """What the application keeps from step to step of one body."""

    @property
    def goes_on(self) -> bool:
        """Whether further steps follow, unless the response ends the body."""
        return not (self.is_last or self.is_cut)
