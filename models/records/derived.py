"""The kinds of credentials, each with its origins: what is derived ends with its origin.

A credential, or an invitation that nobody has accepted yet, lets somebody in because of something
else: an account, a membership, another credential. However that ends, what was derived from it ends
as well, in one of three ways. `end_derived` deletes the rows that name the origin. Or their table
refers to the row of the origin, and they are deleted with it. Or the origin is looked up whenever
the credential is presented, as of a ticket, which is not stored.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from peewee import Table as TableReference

from ..storage import database


class Origin(StrEnum):
    """What a credential is derived from, and how this ends."""

    ACCOUNT = "account"  # disabled, or deleted
    PASSWORD = "password"  # noqa: S105  changed, reset; ends with the account
    LOGINS = "logins"  # of a person: all ended at once; end with the password
    IDENTITY = "identity"  # removed
    SESSION = "session"  # ended; ends with the logins
    API_KEY = "api_key"  # revoked; ends with the account
    SPACE = "space"  # disabled, or deleted
    MEMBERSHIP = "membership"  # removed; ends with space and account
    MANAGER = "manager"  # a membership that is given another role; ends as one
    TARGET = "target"  # a document or collection: deleted, or in the bin
    WEBHOOK = "webhook"  # removed; goes with the account
    LINK = "link"  # revoked, off, expired, led elsewhere, asks otherwise; ends with its target


@dataclass(frozen=True)
class Derived:
    """A kind of credential, or of an invitation.

    `made_by` is the function that makes one. `origins` have the columns of `table` that name each
    origin, by which `end_derived` finds the rows; none where a row ends in another way. A row is of
    this kind as long as its column `until` is empty.
    """

    name: str
    made_by: str
    origins: Mapping[Origin, tuple[str, ...]]
    table: str = ""
    until: str = ""


_OF_MANAGER = ("space_id", "inviter_id")
DERIVED = (
    Derived(
        "session",
        "models.accounts.session.Session._started",
        {Origin.LOGINS: ("owner_id",), Origin.IDENTITY: ("identity_id",)},
        "session",
    ),
    Derived(
        "session of a space",
        "models.accounts.session.Session._started",
        {
            Origin.SESSION: (),
            Origin.LOGINS: ("acting_user_id",),
            Origin.IDENTITY: ("identity_id",),
            Origin.MEMBERSHIP: ("owner_id", "acting_user_id"),
            Origin.SPACE: ("owner_id",),
        },
        "session",
    ),
    Derived(
        "API key",
        "models.accounts.api_key.ApiKey._store_with_secret",
        {Origin.ACCOUNT: ()},
        "api_key",
    ),
    Derived(
        "login elsewhere",
        "models.accounts.identity.Identity.link",
        {Origin.ACCOUNT: ("owner_id",)},
        "identity",
    ),
    Derived(
        "login that waits for a provider",
        "models.accounts.pending_sign_in.PendingSignIn.begin",
        {Origin.SESSION: ()},
    ),
    Derived(
        "invitation",
        "models.accounts.invitation.Invitation._add",
        {Origin.PASSWORD: ("email_folded",)},
        "invitation",
    ),
    Derived(
        "link for a new password",
        "models.accounts.invitation.Invitation._add",
        {Origin.PASSWORD: ("email_folded",)},
        "invitation",
    ),
    Derived(
        "invitation to a space",
        "models.accounts.invitation.Invitation._add",
        {Origin.MANAGER: _OF_MANAGER, Origin.SPACE: ("space_id",)},
        "invitation",
    ),
    Derived(
        "membership",
        "models.accounts.space._insert",
        {Origin.ACCOUNT: (), Origin.SPACE: ("owner_id",)},
        "member",
    ),
    Derived(
        "membership that waits",
        "models.accounts.space._insert",
        {Origin.MANAGER: ("owner_id", "inviter_id"), Origin.SPACE: ("owner_id",)},
        "member",
        until="accepted_at",
    ),
    Derived(
        "link",
        "models.links.document_token.DocumentToken.issue",
        {Origin.TARGET: (), Origin.ACCOUNT: ()},
        "document_token",
    ),
    Derived(
        "ticket of a session",
        "models.links.grant.TokenGrant.ticket",
        {Origin.SESSION: (), Origin.TARGET: ()},
    ),
    Derived(
        "ticket of a session of a space",
        "models.links.grant.TokenGrant.ticket",
        {Origin.SESSION: (), Origin.MEMBERSHIP: (), Origin.TARGET: ()},
    ),
    Derived(
        "ticket of an API key",
        "models.links.grant.TokenGrant.ticket",
        {Origin.API_KEY: (), Origin.TARGET: ()},
    ),
    Derived("ticket of a link", "models.links.grant.TokenGrant.ticket", {Origin.LINK: ()}),
    Derived("ticket of a guarded link", "models.links.grant.TokenGrant.ticket", {Origin.LINK: ()}),
    Derived("ticket to send files", "models.links.grant.TokenGrant.ticket", {Origin.LINK: ()}),
    Derived(
        "ticket of an upload", "models.links.grant.TokenGrant.upload_ticket", {Origin.LINK: ()}
    ),
    Derived("tag of a view", "models.links.grant.TokenGrant.new_view_tag", {Origin.LINK: ()}),
    Derived(
        "code of a recipient",
        "models.links.recipient.Recipient.draw_code",
        {Origin.LINK: ()},
        "recipient",
    ),
    Derived("code of notices", "models.events.notices._page", {Origin.WEBHOOK: ()}),
    Derived(
        "stored response",
        "models.accounts.stored_response.StoredResponse.keep",
        {Origin.SESSION: (), Origin.TARGET: ()},
        "answer",
    ),
)


def end_derived(origin: Origin, *names: str, but: str = "") -> int:
    """Delete the rows that are derived from an origin, and return how many; in a transaction.

    `names` are the values of the columns that name the origin; `but` is the id of a row that stays.
    """
    found = [(kind, columns) for kind in DERIVED if (columns := kind.origins.get(origin))]
    return sum(
        _delete(kind, dict(zip(columns, names, strict=True)), but) for kind, columns in found
    )


def _delete(kind: Derived, values: Mapping[str, str], but: str) -> int:
    names = ("id", *values, *([kind.until] if kind.until else []))
    table: Any = TableReference(kind.table, names)
    conditions = [getattr(table, name) == value for name, value in values.items()]
    if kind.until:
        conditions.append(getattr(table, kind.until).is_null())
    return int(table.delete().where(*conditions, table.id != but).execute(database))
