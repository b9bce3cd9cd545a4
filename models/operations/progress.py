"""How far long work has come: called with what is done and how much there is in all."""

from collections.abc import Callable

ReportProgress = Callable[[int, int], None]


def no_progress(_done: int, _total: int) -> None:
    """For nobody to see."""
