"""Waits for a disk, a lock, another process or a socket, during which others may run.

The server has one worker at a time execute Python. Whatever makes a worker wait says so, and so
does long work that needs no interpreter. Elsewhere, as in commands and tests, this does nothing.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

_step_aside: Callable[[], AbstractContextManager[None]] = nullcontext


def while_waiting() -> AbstractContextManager[None]:
    """Return the context of a wait. A lock that is held at its end is held some time longer."""
    return _step_aside()


def use_for_waits(step_aside: Callable[[], AbstractContextManager[None]]) -> None:
    """Have each wait of this process happen in a context that `step_aside` returns."""
    global _step_aside  # noqa: PLW0603
    _step_aside = step_aside
