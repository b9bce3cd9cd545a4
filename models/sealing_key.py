"""The key of the service, which seals rows that belong to no user: random, and wrapped as others.

It comes into being once, with the first start of a new database. No row is ever sealed because of
how it lies in the database: whoever deletes the key has a database that does not start.
"""

from crypto import DecryptionError

from .accounts import User
from .core import OperatorError
from .events import Event, EventHead
from .records import KeyedRow
from .runtime import current_runtime
from .storage import SERVICE, connected, transaction

_DELETED = "The key that seals rows of the service was deleted. Restore a backup."
_ALTERED = "The key that seals rows of the service was altered. Restore a backup."


class ServiceKey(KeyedRow):
    PREFIX = "svk"

    def binding(self) -> tuple[str, ...]:
        return ("service_key/1",)


def load_service_key() -> bytes:
    """The key; a new one in a new database. OperatorError if it was altered or deleted."""
    with connected():
        if not ServiceKey.select().exists():
            with transaction():
                if not ServiceKey.select().exists():  # else another process has begun meanwhile
                    _begin()
        try:
            (row,) = ServiceKey.each()
            _ = row.values
            return row.key
        except (ValueError, DecryptionError):
            raise OperatorError(_ALTERED) from None


def _begin() -> None:
    """Generate the key, and begin the log of the service by recording so."""
    if User.select().exists() or EventHead.select().exists():
        raise OperatorError(_DELETED)
    row = ServiceKey.fresh()
    row.generate_key()
    row.store()
    current_runtime().service_key = row.key
    EventHead.begin(SERVICE)
    Event.record_of_service("log.began", {"chains": 0, "events": 0})
