"""The deletion of an account with all its rows.

A space is deleted in the same way. The first transaction locks the account out: no credential of
it works from then on, and its id stands in place of its address. Beside the requests its rows are
deleted in batches, so that no other writer waits for long; if the service ends before they are, it
goes on at its next start. The last transaction deletes the remaining rows, with the account's key,
and scrubs the keys from the disk. A line stays in the log of the service, which names the end of
the account's own log.

Payloads that are objects are deleted soon after; without their keys they cannot be read.
"""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, Self

from peewee import SQL, OperationalError

from .accounts import ApiKey, Member, User, drop_member
from .core import Busy, LastManager, NotFound, SpaceNotEmpty, StorageFull, now
from .documents import Collection, Document
from .events import Event, EventHead, Mail, Webhook, WebhookDelivery, forget_all_events
from .links import DocumentToken, FormerTarget, Opening, Recipient, drop_texts_of
from .records import LAST, Owner
from .runtime import current_runtime, independent_steps, log_failure
from .storage import engine, separate_transaction, transaction
from .uploads import delete_rest_of, delete_uploads_of

BATCH_DOCUMENTS = 100  # some milliseconds, so that no other writer waits for long
MOST_COUNTED = 100  # links, of which the live ones are counted before an account is deleted
BATCH_BYTES = 16 << 20  # of the documents of a batch, unless it is one document
# Their rows are deleted before the documents and collections that they are about.
_TABLES: tuple[Any, ...] = (Opening, Recipient, FormerTarget, DocumentToken)


@dataclass(frozen=True)
class AccountContents:
    """The rows that are deleted with an account; `is_last` if there is no other account.

    `live_links` is None if there are more than `MOST_COUNTED` links, of which some may have ended:
    then no state is looked at.
    """

    documents: int
    size_bytes: int
    live_links: int | None
    api_keys: int
    webhooks: int
    is_last: bool

    @classmethod
    def of(cls, user_id: str) -> Self:
        stored = Document.stored_by(user_id)
        accounts = User.select(SQL("1")).where(User.made_by.is_null(), ~User.is_locked_out())
        return cls(
            stored.documents,
            stored.size_bytes,
            _live_links(user_id),
            ApiKey.select().where(ApiKey.owner_id == user_id, *ApiKey.usable(now())).count(),
            Webhook.select().where(Webhook.owner_id == user_id).count(),
            accounts.limit(2).count() == 1,
        )


def _live_links(user_id: str) -> int | None:
    """Return how many links of an account are live, or None if it has many links."""
    if DocumentToken.last_read(user_id, MOST_COUNTED, LAST) is not None:
        return None
    is_live = DocumentToken.is_live(now())
    return int(DocumentToken.select().where(DocumentToken.owner_id == user_id, is_live).count())


def delete_account(user: User) -> None:
    """Delete an account, with the memberships and the spaces that would be nobody's and are empty.

    It is locked out now; `finish_deletions` deletes its rows, and tries again what fails.

    Raises `WrongCredentials` if its password has changed meanwhile, and `LastManager` if a space
    with documents or other members would have no manager.
    """
    with transaction():  # of the service, which excludes each change of members as well
        locked_out = user.require_same_password()
        _leave_spaces(user.id)
        locked_out.lock_out()


def _leave_spaces(user_id: str) -> None:
    """End the memberships of an account that is deleted, in a transaction of the service.

    Spaces that are left without a member are locked out.
    """
    for member in Member.all_of_user(user_id):
        space = User.find(member.owner_id)
        if space is None:
            continue
        if not Member.is_last_manager(space.id, user_id):
            drop_member(member, user_id)
        elif _has_others(space.id, user_id) or Document.stored_by(space.id).documents:
            raise LastManager(
                f"You are the last manager of the space “{space.name}”. Let another member "
                "manage it, or delete it, before you delete your account."
            )
        else:
            space.lock_out()


def _has_others(space_id: str, user_id: str) -> bool:
    """Return whether somebody else has entered the space."""
    members = Member.of_space(space_id)
    return any(one.user_id != user_id and not one.is_waiting for one in members)


def delete_space(space_id: str, by_id: str) -> None:
    """Delete a space, as the manager `by_id` wants it. Raise `SpaceNotEmpty` if it holds documents.

    Links, keys and webhooks end with it, and nobody is a member any more.
    """
    with transaction():  # of the service, so that no upload is under way behind the test
        Member.manager(space_id, by_id)
        space = User.find(space_id)
        if space is None:
            raise NotFound
        if Document.stored_by(space_id).documents:
            raise SpaceNotEmpty
        space.lock_out()
    try:
        _finish(space_id)
    except (OperationalError, OSError, Busy, StorageFull) as error:
        log_failure("A space is locked out, and is deleted later", error)


def abandon_import(user: User) -> None:
    """Delete an account whose import has begun, with all its rows."""
    with transaction():
        found = User.find(user.id)
        if found:
            found.lock_out()
    _finish(user.id)


def finish_deletions() -> None:
    """Delete what is left of each account and space that is locked out, until the service ends.

    What fails keeps no other account from being deleted. Raises the errors.
    """
    with independent_steps() as do:
        for user in User.locked_out():
            do(partial(_finish_or_leave, user.id))


def _finish_or_leave(user_id: str) -> None:
    """Delete all that is left of an account, or leave the rest to the next start."""
    with suppress(_ServiceEnds):
        _finish(user_id)


class _ServiceEnds(Exception):
    pass


def _stop_if_service_ends() -> None:
    if current_runtime().is_ending:
        raise _ServiceEnds


def _finish(user_id: str) -> None:
    """Delete all that is left of an account; several processes may do so at once."""
    _delete_deliveries(user_id)
    forget_all_events(user_id)
    for table in _TABLES:
        _stop_if_service_ends()
        table.delete_in_batches(table.owner_id == user_id, user_id)
    delete_uploads_of(user_id)
    _delete_documents(user_id)
    _delete_collections(user_id)
    engine().checkpoint_wal()  # else the last transaction, which truncates it, would do all of it
    _delete_rest(user_id)


def _delete_deliveries(user_id: str) -> None:
    """Delete the deliveries of each webhook in turn, since the index begins with the webhook."""
    for webhook in Webhook.select(Webhook.id).where(Webhook.owner_id == user_id):
        of_webhook = WebhookDelivery.webhook_id == webhook.id
        WebhookDelivery.delete_in_batches(of_webhook, user_id)


def _delete_documents(user_id: str) -> None:
    owned = Document.select().where(Document.owner_id == user_id).order_by(Document.id)
    while documents := Document.rows_as_stored(owned.limit(BATCH_DOCUMENTS)):
        _stop_if_service_ends()
        with separate_transaction(user_id, synced=False):
            for document in _first_of(documents):
                document.drop_payload()
                drop_texts_of(document)
                Document.delete().where(Document.id == document.id).execute()


def _first_of(documents: list[Document]) -> Iterator[Document]:
    """Yield so many of the first documents that they have `BATCH_BYTES`, and at least one."""
    size_bytes = 0
    for document in documents:
        size_bytes += document.size
        yield document
        if size_bytes >= BATCH_BYTES:
            return


def _delete_collections(user_id: str) -> None:
    """Delete each collection with the index of its documents."""
    of_user = Collection.select().where(Collection.owner_id == user_id)
    for collection in Collection.rows_as_stored(of_user):
        with separate_transaction(user_id, synced=False):
            drop_texts_of(collection)
            Collection.delete().where(Collection.id == collection.id).execute()


def _delete_rest(user_id: str) -> None:
    """Delete the rows that came meanwhile, and the account."""
    with transaction():  # of the service, whose log tells of it
        if User.find(user_id) is None:  # another process was faster
            return
        delete_rest_of(user_id)
        of_user = Document.select().where(Document.owner_id == user_id)
        for document in Document.rows_as_stored(of_user):
            document.drop_payload()
        head = EventHead.of(user_id)
        facts = {"user_id": user_id, "sequence": head.sequence, "hash": head.hash.hex()}
        for table in (Event, Mail):
            table.delete().where(table.owner_id == user_id).execute()
        EventHead.delete().where(EventHead.id == user_id).execute()
        User.shred(user_id)  # and with it the rows that refer to it
        Event.record_of_service("account.deleted", facts)
    Owner.forget_keys()
    Owner.forget_makers()
