"""The key of the MAC in every row with authority columns: random, and wrapped under a root key.

It comes into being once: with the first start of a new database, or of one that an older version
made, whose rows get their MAC then. To delete it from the database file does not have rows signed
that way again: the data key of each user is bound to `Owner.binding` from then on, and rows are
signed only for users whose key is bound to nothing, as older versions wrapped it.

A version that signs more than the one before replaces the key, once. What the former key has
signed is signed anew; what had no MAC, for the users whose rows it has signed. So a former key
that is put back proves nothing: since then no user is signed by it.
"""

from collections.abc import Iterable
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

OF_USERS: tuple[Any, ...] = (Session, ApiKey, DocumentToken)
UNSIGNED_BEFORE: tuple[Any, ...] = (Document,)  # by the former key
AUTHENTICATED: tuple[Any, ...] = (User, *OF_USERS, Invitation, *UNSIGNED_BEFORE)
_REMEDY = "Restore a backup."
_DELETED = f"The key that authenticates credentials was deleted. {_REMEDY}"


class AuthorityKey(OwnsDataKey):
    PREFIX = "aut"

    def binding(self) -> tuple[str, ...]:
        return ("authority_key/3",)

    def former_key(self) -> tuple[bytes, bool]:
        """The key of an older version, and whether it has signed the heads of chains of events.

        DecryptionError if it is none.
        """
        root = current_runtime().keyring[self.root]
        for generation in (2, 1):
            former = sealing.context("key/1", self.id, f"authority_key/{generation}")
            with suppress(DecryptionError):
                return sealing.unseal(root.wrap_key, former, self.sealed_key), generation == 2
        raise DecryptionError


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
            return bytes((row if _opens(row) else _renewed()).key)
        except (ValueError, DecryptionError):
            sentence = f"The key that authenticates credentials was altered. {_REMEDY}"
            raise OperatorError(sentence) from None


def _draw() -> None:
    row = AuthorityKey.fresh()
    row.generate_key()
    row.insert_row()
    current_runtime().authority_key = row.key
    owners = {user.id for user in User.each() if _sign_user(user)}
    _sign_rows_of(owners, *OF_USERS, *UNSIGNED_BEFORE)
    _sign_deliveries(owners)
    _begin_log(head for head in EventHead.each() if head.id in owners)


def _renewed() -> AuthorityKey:
    """The row with a new key, which signs what the former one has signed, and more."""
    with transaction():
        (row,) = AuthorityKey.select()
        if not _opens(row):  # else another process has renewed it meanwhile
            former, has_signed_heads = row.former_key()
            row.generate_key()
            row.change(root=row.root, sealed_key=row.sealed_key)
            current_runtime().authority_key = row.key
            _sign_anew(former)
            if has_signed_heads:
                _sign_heads(head for head in EventHead.each() if head.was_genuine(former))
            else:
                _begin_log(EventHead.each())
    engine().truncate_wal()  # it may hold the former key
    return row


def _sign_anew(former: bytes) -> None:
    """DecryptionError if there are users, and the former key has signed none."""
    owners = _sign_genuine(User, former)
    if not owners and User.select().exists():
        raise DecryptionError
    for table in (*OF_USERS, Invitation):
        _sign_genuine(table, former)
    _sign_rows_of(owners, *UNSIGNED_BEFORE)
    _sign_deliveries(owners)


def _sign_genuine(table: Any, former: bytes) -> set[str]:
    """Sign the rows that the former key has signed; returns their ids."""
    genuine = set()
    for row in table.each():
        if row.was_genuine(former):
            row.sign()
            genuine.add(row.id)
    return genuine


def _sign_rows_of(owners: set[str], *tables: Any) -> None:
    for table in tables:
        for row in table.each():
            if row.owner_id in owners:
                row.sign()


def _sign_deliveries(owners: set[str]) -> None:
    for delivery, event in Event.of_deliveries():
        if delivery.owner_id in owners:
            delivery.sign(event)


def _begin_log(heads: Iterable[EventHead]) -> None:
    """Sign the heads that a migration made, and begin the service's own chain by telling of it."""
    if EventHead.find(SERVICE):
        raise OperatorError(_DELETED)
    lengths = _sign_heads(heads)
    EventHead.begin(SERVICE)
    Event.record_of_service("log.began", {"chains": len(lengths), "events": sum(lengths)})


def _sign_heads(heads: Iterable[EventHead]) -> list[int]:
    """Returns the number of the last link of each."""
    lengths = []
    for head in heads:
        head.sign()
        head.change(mac=head.mac)
        lengths.append(head.sequence)
    return lengths


def _sign_user(user: User) -> bool:
    """Whether it was stored by an older version; then its key is bound anew, and it is signed."""
    root, former = current_runtime().keyring[user.root], sealing.context("key/1", user.id)
    try:
        user.key = sealing.unseal(root.wrap_key, former, user.sealed_key)
    except DecryptionError:
        if _opens(user):
            raise OperatorError(_DELETED) from None
        return False
    if user.id.startswith(f"{User.PREFIX}_"):  # else it is the key of another table's row
        user.wrap_key()
        values = {"root": user.root, "sealed_key": user.sealed_key}
        User.update(values).where(User.id == user.id).execute()
        user.sign()
        return True
    return False


def _opens(row: OwnsDataKey) -> bool:
    """Whether this version has wrapped the row's key."""
    with suppress(DecryptionError):
        return bool(row.key)
    return False
