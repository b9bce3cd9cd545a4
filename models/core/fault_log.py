"""The log of faults that a start or a command, which has no log yet, prints by itself."""

import logging


def log_unless_printed(sentence: str) -> bool:
    """Log an error, and return whether there is a log: if not, whoever began prints the error."""
    log = logging.getLogger("docservice")
    if not log.hasHandlers():
        return False
    log.error("%s", sentence)
    return True
