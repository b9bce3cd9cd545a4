"""The key of the MAC in every row with authority columns: random, and wrapped under a root key.

It comes into being once: with the first start of a new database, or of one that an older version
made, whose rows get their MAC then. Who deletes it from the database file cannot have rows signed
that way again: the data key of each user is bound to `User.binding` from then on, and rows are
signed only for users whose key is bound to nothing, as older versions wrapped it.

It also signs the heads of the chains of events, which come into being later: once, while the key
is bound as it was before there were any.
"""

from collections.abc import Iterable
from typing import Any

from crypto import DecryptionError, sealing

from .api_key import ApiKey
from .document_token import DocumentToken
from .errors import OperatorError
from .event import Event
from .event_head import EventHead
from .invitation import Invitation
from .records.keyed import OwnsDataKey
from .runtime import current_runtime
from .session import Session
from .storage import SERVICE, connected, transaction, truncate_wal
from .user import User

AUTHENTICATED: tuple[Any, ...] = (User, Session, ApiKey, DocumentToken, Invitation)
_REMEDY = "Restore a backup."
_DELETED = f"The key that authenticates credentials was deleted. {_REMEDY}"


class AuthorityKey(OwnsDataKey):
    PREFIX = "aut"

    def binding(self) -> tuple[str, ...]:
        return ("authority_key/2",)

    def former_key(self) -> bytes:
        """DecryptionError unless the row is from before the heads of the chains were signed."""
        root = current_runtime().keyring[self.root]
        former = sealing.context("key/1", self.id, "authority_key/1")
        return sealing.unseal(root.wrap_key, former, self.sealed_key)


def load_authority_key() -> bytes:
    """The key; a new one if there is none yet. OperatorError if it was altered or deleted."""
    with connected():
        if not AuthorityKey.select().exists():
            with transaction():
                if not AuthorityKey.select().exists():
                    _draw()
            truncate_wal()  # it may hold users' keys that are bound to nothing
        try:
            (row,) = AuthorityKey.select()
            return bytes(_with_signed_heads(row).key)
        except (ValueError, DecryptionError):
            sentence = f"The key that authenticates credentials was altered. {_REMEDY}"
            raise OperatorError(sentence) from None


def _draw() -> None:
    row = AuthorityKey.fresh()
    row.generate_key()
    row.insert_row()
    current_runtime().authority_key = row.key
    owners = {user.id for user in User.each() if _sign_user(user)}
    for table in (Session, ApiKey, DocumentToken):
        for one in table.each():
            if one.owner_id in owners:
                one.sign()
    _begin_log(head for head in EventHead.each() if head.id in owners)


def _with_signed_heads(row: AuthorityKey) -> AuthorityKey:
    """The row as it is when the heads have been signed, which happens once."""
    try:
        _ = row.key
    except DecryptionError:
        with transaction():
            (row,) = AuthorityKey.select()
            row.key = current_runtime().authority_key = row.former_key()
            row.wrap_key()
            row.change(root=row.root, sealed_key=row.sealed_key)
            _begin_log(EventHead.each())
    return row


def _begin_log(heads: Iterable[EventHead]) -> None:
    """Sign the heads that a migration made, and begin the service's own chain by telling of it."""
    if EventHead.find(SERVICE):
        raise OperatorError(_DELETED)
    chains = events = 0
    for head in heads:
        head.sign()
        head.change(mac=head.mac)
        chains, events = chains + 1, events + head.sequence
    EventHead.begin(SERVICE)
    Event.record_of_service("log.began", {"chains": chains, "events": events})


def _sign_user(user: User) -> bool:
    """Whether it was stored by an older version; then its key is bound anew, and it is signed."""
    root, former = current_runtime().keyring[user.root], sealing.context("key/1", user.id)
    try:
        user.key = sealing.unseal(root.wrap_key, former, user.sealed_key)
    except DecryptionError:
        _refuse_if_signed(user)
        return False
    if user.id.startswith(f"{User.PREFIX}_"):  # else it is the key of another table's row
        user.wrap_key()
        values = {"root": user.root, "sealed_key": user.sealed_key}
        User.update(values).where(User.id == user.id).execute()
        user.sign()
        return True
    return False


def _refuse_if_signed(user: User) -> None:
    try:
        _ = user.key
    except DecryptionError:
        return
    raise OperatorError(_DELETED)
