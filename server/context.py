"""What all connections of a server share."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from waitress.adjustments import Adjustments

from .body_buffer import MemoryBudget
from .limits import Limits


@dataclass
class Context:
    """`connections` are those that are open, each a `Connection`, by their descriptors."""

    application: Any
    limits: Limits
    clock: Callable[[], float]
    on_rejected: Callable[[str, int, int], None]
    may_send_long_body: Callable[[str, Mapping[str, str]], bool]
    believes_forwarded_host: bool
    connections: dict[int, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        limits = self.limits
        self.memory_budget = MemoryBudget(limits.concurrent_bodies * limits.body_bytes)
        self.parser_options = Adjustments(
            max_request_body_size=max(16 * limits.body_bytes, 4 << 30),
            max_request_header_size=limits.head_bytes,
        )
