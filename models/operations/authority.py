"""The key of the MAC in every row with authority columns: random, and wrapped under a root key.

It comes into being once: with the first start of a new database, or of one that an older version
made, whose rows get their MAC then. To delete it from the database file does not have rows signed
that way again: the data key of each user is bound to `Owner.binding` from then on, and rows are
signed only for users whose key is bound to nothing, as older versions wrapped it.
"""

from contextlib import suppress
from typing import Any

from crypto import DecryptionError, sealing

from ..accounts import ApiKey, Invitation, Session, User
from ..core import OperatorError
from ..documents import Document
from ..events import Event, EventHead
from ..links import DocumentToken
from ..records import OwnsDataKey
from ..runtime import current_runtime
from ..storage import SERVICE, connected, engine, transaction

OF_USERS: tuple[Any, ...] = (Session, ApiKey, DocumentToken, Document)
AUTHENTICATED: tuple[Any, ...] = (User, *OF_USERS, Invitation)
_REMEDY = "Restore a backup."
_DELETED = f"The key that authenticates credentials was deleted. {_REMEDY}"


class AuthorityKey(OwnsDataKey):
    PREFIX = "aut"

    def binding(self) -> tuple[str, ...]:
        return ("authority_key/3",)


def load_authority_key() -> bytes:
    """The key; a new one if there is none yet. OperatorError if it was altered or deleted."""
    with connected():
        if not AuthorityKey.select().exists():
            with transaction():
                if not AuthorityKey.select().exists():
                    _draw()
            engine().truncate_wal()  # it may hold users' keys that are bound to nothing
        try:
            (row,) = AuthorityKey.select()
            return bytes(row.key)
        except (ValueError, DecryptionError):
            sentence = f"The key that authenticates credentials was altered. {_REMEDY}"
            raise OperatorError(sentence) from None


def _draw() -> None:
    row = AuthorityKey.fresh()
    row.generate_key()
    row.insert_row()
    current_runtime().authority_key = row.key
    owners = {user.id for user in User.each() if _sign_user(user)}
    for table in OF_USERS:
        for one in table.each():
            if one.owner_id in owners:
                one.sign()
    for delivery, event in Event.of_deliveries():
        if delivery.owner_id in owners:
            delivery.sign(event)
    _begin_log([head for head in EventHead.each() if head.id in owners])


def _begin_log(heads: list[EventHead]) -> None:
    """Sign the heads that a migration made, and begin the service's own chain by telling of it."""
    if EventHead.find(SERVICE):
        raise OperatorError(_DELETED)
    for head in heads:
        head.sign()
        head.change(mac=head.mac)
    EventHead.begin(SERVICE)
    facts = {"chains": len(heads), "events": sum(head.sequence for head in heads)}
    Event.record_of_service("log.began", facts)


def _sign_user(user: User) -> bool:
    """Whether it was stored by an older version; then its key is bound anew, and it is signed."""
    root, former = current_runtime().keyring[user.root], sealing.context("key/1", user.id)
    try:
        user.key = sealing.unseal(root.wrap_key, former, user.sealed_key)
    except DecryptionError:
        with suppress(DecryptionError):
            if user.key:  # this version has wrapped it
                raise OperatorError(_DELETED) from None
        return False
    if not user.id.startswith(f"{User.PREFIX}_"):  # it is the key of another table's row
        return False
    user.wrap_key()
    values = {"root": user.root, "sealed_key": user.sealed_key}
    User.update(values).where(User.id == user.id).execute()
    user.sign()
    return True
