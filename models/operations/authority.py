"""The key of the MAC in every row with authority columns: random, and wrapped under a root key.

It comes into being once, with the first start of a new database. No row is ever signed because of
how it lies in the database: whoever deletes the key, or strikes out a MAC, has a database that does
not start, or a row that is refused.
"""

from typing import Any

from crypto import DecryptionError

from ..accounts import ApiKey, Identity, Invitation, Member, Session, User
from ..core import OperatorError
from ..documents import Document
from ..events import Event, EventHead
from ..links import DocumentToken
from ..records import OwnsDataKey
from ..runtime import current_runtime
from ..storage import SERVICE, connected, transaction

AUTHENTICATED: tuple[Any, ...] = (
    User,
    Session,
    ApiKey,
    DocumentToken,
    Invitation,
    Identity,
    Member,
    Document,
)
_DELETED = "The key that authenticates credentials was deleted. Restore a backup."
_ALTERED = "The key that authenticates credentials was altered. Restore a backup."


class AuthorityKey(OwnsDataKey):
    PREFIX = "aut"

    def binding(self) -> tuple[str, ...]:
        return ("authority_key/3",)  # 1 and 2 were the keys of versions before 0.2.0


def load_authority_key() -> bytes:
    """The key; a new one in a new database. OperatorError if it was altered or deleted."""
    with connected():
        if not AuthorityKey.select().exists():
            with transaction():
                if not AuthorityKey.select().exists():  # else another process has begun meanwhile
                    _begin()
        try:
            (row,) = AuthorityKey.select()
            return bytes(row.key)
        except (ValueError, DecryptionError):
            raise OperatorError(_ALTERED) from None


def _begin() -> None:
    """Generate the key, and begin the log of the service by recording so."""
    if User.select().exists() or EventHead.select().exists():
        raise OperatorError(_DELETED)
    row = AuthorityKey.fresh()
    row.generate_key()
    row.insert_row()
    current_runtime().authority_key = row.key
    EventHead.begin(SERVICE)
    Event.record_of_service("log.began", {"chains": 0, "events": 0})
