"""Waits for a disk, another process or another server, which our server is told in advance.

One of its workers leads, and begins whatever there is to do. Another one leads while it waits.
Elsewhere, as in commands and tests, nobody is told.

The storage waits as well, which knows no `Runtime`. So the function to call is one of the process,
which `main` gives once, when there is a server.
"""

from collections.abc import Callable

_before_wait: Callable[[], None] | None = None


def will_wait() -> None:
    """Call this before a wait of some milliseconds.

    A wait that is not told in advance keeps others out for 20 to 30 ms, once in a request.
    """
    if _before_wait is not None:
        _before_wait()


def use_for_waits(before_wait: Callable[[], None]) -> None:
    """Have each wait of this process call `before_wait` first."""
    global _before_wait  # noqa: PLW0603
    _before_wait = before_wait
