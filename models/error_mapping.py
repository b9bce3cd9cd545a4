"""What other libraries raise, in the house's own words."""

import errno
import sqlite3
from collections.abc import Iterator

from peewee import DatabaseError, OperationalError

import crypto

from .errors import Busy, DocumentDamaged, KeyUnavailable, OperatorError, ServiceError, StorageFull


class StorageFailing(StorageFull):
    sentence = "The disk takes nothing: it fails, or is read-only. Tell the person who runs this."


_SAID_BY_SQLITE = {
    "database is locked": Busy,
    "disk is full": StorageFull,
    "disk I/O error": StorageFailing,
    "readonly database": StorageFailing,
}


_SAID_BELOW = {
    crypto.PasswordQueueFull: Busy,
    crypto.KeyringError: KeyUnavailable,
    crypto.DecryptionError: DocumentDamaged,
}
_NO_ROOM = {errno.ENOSPC, errno.EDQUOT}
_FAILING = {errno.EIO, errno.EFBIG, errno.EROFS}


def service_error_of(error: BaseException) -> ServiceError | None:
    """The refusal an error stands for, found along its whole chain; None for a fault of ours."""
    for cause in _chain(error):
        if refusal := _named(cause):
            return refusal
    return None


def operator_message(error: BaseException) -> str | None:
    """What to tell the person who runs this; None for a fault of ours."""
    if isinstance(error, (crypto.KeyringError, OperatorError)):
        return str(error)
    if isinstance(error, OSError):
        where = f": {error.filename}" if error.filename else ""
        return f"{error.strerror or error}{where}."
    if refusal := service_error_of(error):
        return refusal.sentence
    if isinstance(error, (DatabaseError, sqlite3.Error)):
        return f"The database can't be used: {error}."
    return None


def _named(error: BaseException) -> ServiceError | None:
    if isinstance(error, ServiceError):
        return error
    if isinstance(error, OSError) and error.errno in _NO_ROOM | _FAILING:
        return StorageFull() if error.errno in _NO_ROOM else StorageFailing()
    if isinstance(error, OperationalError):
        return next((kind() for said, kind in _SAID_BY_SQLITE.items() if said in str(error)), None)
    return next((ours() for kind, ours in _SAID_BELOW.items() if isinstance(error, kind)), None)


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    """SQLite rolls back a full disk by itself; the second error then hides the first."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__
