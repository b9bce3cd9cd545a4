"""Steps of background work that do not depend on each other."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from ..core import DatabaseUnavailable, counted
from .error_mapping import service_error_of

Step = Callable[[], object]


@contextmanager
def independent_steps() -> Iterator[Callable[[Step], None]]:
    """Return a function that does a step. A step that fails does not prevent the following ones.

    At the end their errors are raised, with that of the block if it fails between two steps: the
    only one as it is, several as an ExceptionGroup. While the database is unavailable no further
    step is tried.
    """
    errors: list[Exception] = []

    def do(step: Step) -> None:
        try:
            step()
        except Exception as error:
            if isinstance(service_error_of(error), DatabaseUnavailable):
                raise
            errors.extend(errors_of(error))

    try:
        yield do
    except Exception as error:
        if isinstance(service_error_of(error), DatabaseUnavailable):
            raise
        errors.extend(errors_of(error))
    if len(errors) == 1:
        raise errors[0]
    if errors:
        raise ExceptionGroup(f"{counted(len(errors), 'step')} failed", errors)


def errors_of(error: Exception) -> list[Exception]:
    """Return the errors that `independent_steps` has raised, one by one."""
    if isinstance(error, ExceptionGroup):
        return [each for inner in error.exceptions for each in errors_of(inner)]
    return [error]
