"""Deletes an account with all that belongs to it.

What is left is a line in the log of the service, which names the end of the account's own log. All
goes in one transaction, which scrubs the keys from the disk. Payloads that are objects are deleted
soon after; without their keys they cannot be read.
"""

from dataclasses import dataclass
from typing import Self

from peewee import fn

from ..accounts import ApiKey, Invitation, User
from ..core import now
from ..documents import Document
from ..events import Event, EventHead, Mail, Webhook
from ..links import DocumentToken
from ..storage import shred, transaction


@dataclass(frozen=True)
class AccountContents:
    """What goes with an account; `is_last` if there is no other one."""

    documents: int
    size_bytes: int
    live_links: int
    api_keys: int
    webhooks: int
    is_last: bool

    @classmethod
    def of(cls, user_id: str) -> Self:
        totals = Document.select(*Document.totals()).where(Document.owner_id == user_id)
        documents, size_bytes = totals.scalar(as_tuple=True)
        links = DocumentToken.condition("live", True, now())
        return cls(
            documents,
            int(size_bytes),
            DocumentToken.select().where(DocumentToken.owner_id == user_id, links).count(),
            ApiKey.select().where(ApiKey.owner_id == user_id, *ApiKey.usable(now())).count(),
            Webhook.select().where(Webhook.owner_id == user_id).count(),
            User.select(fn.COUNT(User.id)).scalar() == 1,
        )


def delete_account(user: User) -> None:
    """`WrongCredentials` if the password has changed since the user was identified."""
    with transaction():  # of the service, whose log tells of it
        user = user.require_same_password()
        for document in Document.select().where(Document.owner_id == user.id):
            document.drop_payload()
        head = EventHead.of(user.id)
        facts = {"user_id": user.id, "sequence": head.sequence, "hash": head.hash.hex()}
        Invitation.delete().where(Invitation.email_folded == user.email_folded).execute()
        for table in (Event, Mail):
            table.delete().where(table.owner_id == user.id).execute()
        EventHead.delete().where(EventHead.id == user.id).execute()
        shred("user_account", user.id)  # and with it the rows that refer to it
        Event.record_of_service("account.deleted", facts)
