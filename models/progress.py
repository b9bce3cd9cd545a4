"""How far long work has come: called with what is done and how much there is in all."""

from collections.abc import Callable

Tell = Callable[[int, int], None]


def silently(_done: int, _total: int) -> None:
    """For nobody to see."""
