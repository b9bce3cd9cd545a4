"""The callback by which long operations report progress: `(done, total)`."""

from collections.abc import Callable

ReportProgress = Callable[[int, int], None]


def no_progress(_done: int, _total: int) -> None:
    """Discard the report."""
