"""The rows of an account that an export carries, as facts in JSON, and how each is stored again.

A space is an account: its rows are carried as those of a person, and beside them its members.

A row is carried with all its values but those that its kind leaves out, each for a reason. So no
secret is among them, and nothing that acts for anybody. A link is carried with its terms, its
history and the SHA-256 of its random secret, by which its address is known to have ended.

Facts have the names of columns and of sealed values; bytes are in hex. They are carried in clear,
since the whole export is sealed, and are sealed under new keys where they are stored.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from crypto import DecryptionError, KeyringError
from models.accounts import Member, User
from models.documents import Collection, Document
from models.events import Webhook
from models.links import (
    DocumentToken,
    FormerTarget,
    KeptText,
    Opening,
    Recipient,
    SealedByTarget,
    Target,
    table_of,
)
from models.records import loggable_id

RowFacts = dict[str, Any]
_OF_ACCOUNT = {"owner_id": "the account in whose file the row is"}
_OF_FILE = "made of the file, where it is stored"
_SECRET = "whoever opens an export cannot act for anybody"  # noqa: S105
_OF_SERVICE = "of the service, and of no account"
_CODE = "recipients ask for a new code"


def _nothing_more(row: Any) -> RowFacts:  # noqa: ARG001
    return {}


def _store(row: Any, facts: RowFacts) -> None:  # noqa: ARG001
    row.store()


@dataclass(frozen=True)
class CarriedTable:
    """A table of which rows are carried: what of a row, and how it is stored in another account.

    `left_out` are the values that are not carried, each with the reason. `more` returns facts
    beside the values, None for a row that is not carried. `store` stores a row with the values that
    were carried, which may lack what an earlier version had not.
    """

    name: str
    table: Any
    left_out: Mapping[str, str] = field(default_factory=lambda: _OF_ACCOUNT)
    more: Callable[[Any], RowFacts | None] = _nothing_more
    store: Callable[[Any, RowFacts], None] = _store

    def facts(self, row: Any) -> RowFacts:
        """Return what of a row is carried. Raises `DecryptionError`, `RootKeyMissing`."""
        _ = row.values  # opens it
        values = row.values_but(self.left_out)
        return {
            name: value.hex() if isinstance(value, bytes | memoryview) else value
            for name, value in values.items()
        }

    def row(self, facts: RowFacts, **columns: Any) -> Any:
        """Return a row with these columns, and those of the facts that are values and carried."""
        row = self.table(**columns)
        for name in set(self.table.value_names()).difference(self.left_out) & facts.keys():
            column = self.table._meta.fields.get(name)
            is_bytes = column is not None and column.field_type == "BLOB"
            value = facts[name]
            row.set_values({name: bytes.fromhex(value) if is_bytes else value})
        return row

    def of_owner(self, owner_id: str, problems: list[str]) -> Iterator[RowFacts]:
        """Yield the facts of each row; what does not open, or was altered, is a problem."""
        table = self.table
        rows = table.select().where(table.owner_id == owner_id).order_by(table.id)
        for row in table.rows_as_stored(rows):
            try:
                facts = self.facts(row)
                more = self.more(row)
            except (DecryptionError, KeyringError):
                problems.append(f"{loggable_id(row.id)} does not open, and is left out.")
                continue
            if more is not None:
                yield facts | more

    def is_missing(self, facts: RowFacts) -> bool:
        """Return whether a row that was stored is not here. Rows of a target end with it."""
        if owner_of(self.table, facts["id"]) is not None:
            return False
        return not issubclass(self.table, SealedByTarget) or target_here(facts) is not None


def owner_of(table: Any, id: str) -> str | None:
    """Return the owner of the row that has this id here, whether it opens or not."""
    owner_id: str | None = table.select(table.owner_id).where(table.id == id).scalar()
    return owner_id


def references_of(facts: RowFacts) -> Iterator[tuple[Any, str]]:
    """Yield each row that a row of an account is about, by its table and id."""
    if id := facts.get("token_id"):
        yield DocumentToken, id
    if id := facts.get("recipient_id"):
        yield Recipient, id
    if id := facts.get("target_id"):
        yield table_of(id), id


def target_here(facts: RowFacts) -> Target | None:
    """Return the target of a link, or of what belongs to a link, if it was stored."""
    id = facts["target_id"]
    found: Target | None = table_of(id).find(id)
    return found


def _store_collection(collection: Collection, _: RowFacts) -> None:
    collection.store_as_exported()


def _has_password(link: DocumentToken) -> RowFacts:
    return {"has_password": link.has_password}


def _store_link(link: DocumentToken, facts: RowFacts) -> None:
    link.password_digest = "" if facts["has_password"] else None  # which no password meets
    link.store()


def _unless_for_all(recipient: Recipient) -> RowFacts | None:
    """Return None for the row that stands for all addresses without a code: it is made anew."""
    return {} if recipient.address else None


def _store_recipient(recipient: Recipient, facts: RowFacts) -> None:
    if target := target_here(facts):
        recipient.store_without_code(target, recipient.address)


def _store_with_target(row: Opening | KeptText, facts: RowFacts) -> None:
    if target := target_here(facts):
        row.target = target
        row.store()


def _store_webhook(webhook: Webhook, _: RowFacts) -> None:
    webhook.store_as_exported()


def _address_of_member(member: Member) -> RowFacts | None:
    """Return None for a person whose account is being deleted."""
    user = User.find(member.user_id)
    return {"email": user.email} if user is not None and user.is_whole else None


ACCOUNT = CarriedTable(
    "account",
    User,
    {
        "email_folded": "made of the address",
        "login_generation": "no session is carried",
        "let_in_by": "the operator lets the account in, where it is imported",
        "password_digest": _SECRET,
    },
)
DOCUMENT = CarriedTable(
    "document",
    Document,
    {
        **_OF_ACCOUNT,
        "media_type": "made of the content type",
        "payload_head": _OF_FILE,
        "place": _OF_FILE,
    },
)
MEMBER = CarriedTable("member", Member, more=_address_of_member)  # among the facts of their space
CARRIED_TABLES = {  # each behind those that its rows refer to
    kind.name: kind
    for kind in (
        CarriedTable("collection", Collection, store=_store_collection),
        CarriedTable(
            "link",
            DocumentToken,
            {
                **_OF_ACCOUNT,
                "kept_secret": _SECRET,
                "password_digest": _SECRET,
                "answers_id": "no ticket is carried",
            },
            _has_password,
            _store_link,
        ),
        CarriedTable("former_target", FormerTarget),
        CarriedTable(
            "recipient",
            Recipient,
            {
                **_OF_ACCOUNT,
                "digest": "made of the address, by the key of the target",
                "code_digest": _CODE,
                "code_until": _CODE,
                "code_failures": _CODE,
            },
            _unless_for_all,
            _store_recipient,
        ),
        CarriedTable("opening", Opening, store=_store_with_target),
        CarriedTable("text", KeptText, store=_store_with_target),
        CarriedTable(
            "webhook",
            Webhook,
            {**_OF_ACCOUNT, "secrets": _SECRET, "failing_since": "it arrives disabled"},
            store=_store_webhook,
        ),
    )
}
NOT_CARRIED: Mapping[str, str] = {  # the tables of which no row is carried
    "session": _SECRET,
    "api_key": _SECRET,
    "identity": "it lets somebody in",
    "invitation": "it lets somebody in",
    "answer": "of a request that may be sent again, for a day",
    "mail": "it waits to be sent from here",
    "delivery": "it waits to be sent from here, or was sent",
    "preview": "made anew",
    "piece": "the originals are files of the export",
    "event": "carried as the log, whose entries are kept as they are",
    "event_head": "carried as the log",
    "collection_document": "made anew of the lists of collections",
    "document_total": "made anew with each document",
    "collection_total": "made anew with each document of the lists",
    "deleted_target": "a deletion that goes on here",
    "mail_limit": _OF_SERVICE,
    "schema_migration": _OF_SERVICE,
    "service_key": _OF_SERVICE,
    "token_key": _OF_SERVICE,
    "unfinished_payload": _OF_SERVICE,
    "unreferenced_object": _OF_SERVICE,
    "upload": "what is unfinished is sent again",
    "used_sign_in": _OF_SERVICE,
}
