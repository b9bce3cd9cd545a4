"""The sentences of a start or a command, which has no log yet."""

import logging
import sys
from collections.abc import Callable

_form: Callable[[str], str] = str


def tell(sentence: str) -> None:
    """Print a sentence on stderr, in the form of the log."""
    print(_form(sentence), file=sys.stderr, flush=True)  # noqa: T201


def tell_as(form: Callable[[str], str]) -> None:
    """Have `tell` print each sentence as `form` returns it."""
    global _form  # noqa: PLW0603
    _form = form


def log_unless_printed(sentence: str) -> bool:
    """Log an error, and return whether there is a log: if not, whoever began prints the error."""
    log = logging.getLogger("docservice")
    if not log.hasHandlers():
        return False
    log.error("%s", sentence)
    return True
