"""The exceptions of other libraries as domain errors, and the log of failures."""

import errno
import logging
import traceback

from peewee import DatabaseError

import crypto

from ..core import (
    Busy,
    DatabaseDamaged,
    DatabaseUnavailable,
    DocumentDamaged,
    KeyUnavailable,
    OperatorError,
    PayloadStoreAway,
    ServiceError,
    StorageFailing,
    StorageFull,
    StoredUnsynced,
    causes_of,
)
from ..storage import NotSynced, SqliteError, engine

_OF_CRYPTO = {
    crypto.KeyringError: KeyUnavailable,
    crypto.DecryptionError: DocumentDamaged,
}
# Sentences for the operator, in place of those that send people to the operator.
_FOR_OPERATORS: dict[type[ServiceError], str] = {
    StorageFull: "There is no room left on the disk. Free some, then run this again.",
    StorageFailing: "The disk takes nothing: it fails, or is read-only. dmesg says more.",
}
_FULL = {errno.ENOSPC, errno.EDQUOT}
_FAILING = {errno.EIO, errno.EFBIG, errno.EROFS}


def service_error_of(error: BaseException) -> ServiceError | None:
    """Return the first domain error along the chain of causes; None for an unexpected exception."""
    for cause in causes_of(error):
        if known := _known(cause):
            return known
    return None


def operator_message(error: BaseException) -> str | None:
    """Return the sentence for the operator; None for an unexpected exception."""
    if isinstance(error, (crypto.KeyringError, OperatorError)):
        return str(error)
    if isinstance(error, OSError):
        where = f": {error.filename}" if error.filename else ""
        return f"{error.strerror or error}{where}."
    known = service_error_of(error)
    if isinstance(known, (DatabaseUnavailable, PayloadStoreAway)) and known.reason:
        return known.reason
    if isinstance(error, (DatabaseError, SqliteError)) and (
        known is None or isinstance(known, DatabaseDamaged)
    ):
        line, *_ = str(error).splitlines() or [""]  # later lines quote the statement
        more = " `document-service doctor` says more. Restore a backup." if known else ""
        return f"The database can't be used: {line}.{more}"
    return _FOR_OPERATORS.get(type(known), known.sentence) if known else None


def log_failure(what: str, error: BaseException, *, quotes: bool = True) -> None:
    """Log a failure in one line where the storage is full, busy or damaged, else with a traceback.

    Unless it `quotes`, the error's own text, which may hold an address, is left out.
    """
    log = logging.getLogger("docservice")
    known = service_error_of(error)
    if isinstance(known, (Busy, StorageFull, DatabaseDamaged)):
        log.error("%s: %s", what, known.sentence)
    elif quotes:
        log.error("%s", what, exc_info=error)
    else:
        frames = "".join(traceback.format_tb(error.__traceback__))
        heading = "Traceback (most recent call last):"
        log.error("%s\n%s\n%s%s", what, heading, frames, type(error).__name__)


def log_damage(what: str, error: Exception) -> None:
    """Log the damage of one row among many, which are shown all the same."""
    why = str(error) or "It was altered."
    logging.getLogger("docservice").error("%s does not open. %s", what, why)


def _known(error: BaseException) -> ServiceError | None:
    if isinstance(error, ServiceError):
        return error
    if isinstance(error, NotSynced):
        return StoredUnsynced()
    if isinstance(error, OSError) and error.errno in _FULL | _FAILING:
        return StorageFull() if error.errno in _FULL else StorageFailing()
    if known := engine().service_error(error):
        return known
    return next((ours() for kind, ours in _OF_CRYPTO.items() if isinstance(error, kind)), None)
