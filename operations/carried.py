"""The rows of an account that an export carries, as facts in JSON, and how each is stored again.

A space is an account: its rows are carried as those of a person, and beside them its members.

No secret is among them, and nothing that acts for anybody: no password, session, API key, secret
of a link or of a webhook, and no code of a recipient. A link is carried with its terms, its history
and the SHA-256 of its random secret, by which its address is known to have ended. What waits to be
sent, and what is made anew by itself, is not carried: deliveries, mails, previews, stored
responses.

Facts have the names of columns and of sealed values. These are carried in clear, since the whole
export is sealed, and are sealed under new keys where they are stored.
"""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from crypto import DecryptionError, KeyringError
from models.accounts import Member, User
from models.documents import Collection, Document
from models.events import Webhook
from models.links import (
    DocumentToken,
    FormerTarget,
    Gate,
    Opening,
    Recipient,
    Target,
    keep_text,
    kept_text,
    table_of,
    texts_of,
)
from models.records import loggable_id

RowFacts = dict[str, Any]
_DOCUMENT_COLUMNS = ("id", "created_at", "content_type", "size", "expires_at", "binned_at")
_LINK_COLUMNS = (
    "target_id",
    "masked_token",
    "permissions",
    "allowed_origins",
    "expires_at",
    "max_views",
    "views",
    "last_used_at",
    "revoked_at",
    "spent_at",
    "with_upload",
    "name_hidden",
    "notifies_owner",
)


class Kind(NamedTuple):
    """A kind of rows: the facts of one row, and how it is stored as a row of `owner_id`."""

    name: str
    table: Any
    facts: Callable[[Any], RowFacts | None]
    store: Callable[[str, RowFacts], None]

    def of_owner(self, owner_id: str, problems: list[str]) -> Iterator[RowFacts]:
        """Yield the facts of each row; what does not open, or was altered, is a problem."""
        table = self.table
        rows = table.select().where(table.owner_id == owner_id).order_by(table.id)
        for row in table.rows_as_stored(rows):
            try:
                _ = row.values
                facts = self.facts(row)
            except (DecryptionError, KeyringError):
                problems.append(f"{loggable_id(row.id)} does not open, and is left out.")
                continue
            if facts is not None:
                yield {"id": row.id, "created_at": row.created_at, **facts}


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


def facts_of_document(document: Document) -> RowFacts:
    facts = {name: getattr(document, name) for name in _DOCUMENT_COLUMNS}
    facts["meta"] = {
        "name": document.given_name,
        "metadata": document.metadata,
        "sha256": document.sha256,
    }
    return {**facts, "came_by": document.came_by, "uploader_id": document.uploader_id}


def new_document(owner_id: str, facts: RowFacts) -> Document:
    """Return the row of a document, to be stored with its payload."""
    document = Document(owner_id=owner_id, **{name: facts[name] for name in _DOCUMENT_COLUMNS})
    document.came_by = facts.get("came_by")
    document.uploader_id = facts.get("uploader_id")
    document.given_name = facts["meta"]["name"]
    document.given_metadata = facts["meta"]["metadata"]
    document.sha256 = facts["meta"]["sha256"]
    return document


def facts_of_text(target_id: str, sha256: str, text: str) -> RowFacts:
    return {"target_id": target_id, "sha256": sha256, "text": text}


def texts_of_owner(owner_id: str) -> Iterator[RowFacts]:
    """Yield the texts that links have asked to accept."""
    for table in (Document, Collection):
        for target in table.rows(table.select().where(table.owner_id == owner_id)):
            for sha256 in sorted(texts_of(target)):
                yield facts_of_text(target.id, sha256, kept_text(target, sha256))


def store_text(facts: RowFacts) -> None:
    """Store a text, unless it is there, or its target was not stored."""
    if target := target_here(facts):
        keep_text(target, facts["text"])


def has_text(facts: RowFacts) -> bool:
    target = target_here(facts)
    return target is None or facts["sha256"] in texts_of(target)


def _facts_of_collection(collection: Collection) -> RowFacts:
    return {"meta": collection.meta}


def _store_collection(owner_id: str, facts: RowFacts) -> None:
    collection = Collection(id=facts["id"], created_at=facts["created_at"], owner_id=owner_id)
    collection.store_as_exported(facts["meta"])


def _facts_of_link(link: DocumentToken) -> RowFacts:
    facts = {name: getattr(link, name) for name in _LINK_COLUMNS}
    facts["digest"] = link.digest.hex()
    facts["has_password"] = link.has_password
    return {**facts, "label": link.label, "gate": vars(link.gate), "sent_at": link.sent_at}


def _store_link(owner_id: str, facts: RowFacts) -> None:
    link = DocumentToken(id=facts["id"], created_at=facts["created_at"], owner_id=owner_id)
    link.digest = bytes.fromhex(facts["digest"])
    for name in _LINK_COLUMNS:
        setattr(link, name, facts[name])
    link.label = facts["label"]
    link.sent_at = facts.get("sent_at", {})
    link.password_digest = "" if facts["has_password"] else None  # which no password meets
    link.gate = Gate.of(facts["gate"])
    link.store()


def _facts_of_former_target(former: FormerTarget) -> RowFacts:
    return {"token_id": former.token_id, "target_id": former.target_id}


def _store_former_target(owner_id: str, facts: RowFacts) -> None:
    FormerTarget(owner_id=owner_id, **facts).store()


def _facts_of_recipient(recipient: Recipient) -> RowFacts | None:
    """Return None for the row that stands for all addresses without a code: it is made anew."""
    if not recipient.address:
        return None
    return {
        "target_id": recipient.target_id,
        "token_id": recipient.token_id,
        "address": recipient.address,
        "opened_at": recipient.opened_at,
    }


def _store_recipient(owner_id: str, facts: RowFacts) -> None:
    if target := target_here(facts):
        recipient = Recipient(id=facts["id"], created_at=facts["created_at"], owner_id=owner_id)
        recipient.token_id = facts["token_id"]
        recipient.opened_at = facts["opened_at"]
        recipient.store_without_code(target, facts["address"])


def _facts_of_opening(opening: Opening) -> RowFacts:
    return {
        "target_id": opening.target_id,
        "token_id": opening.token_id,
        "recipient_id": opening.recipient_id,
        "sequence": opening.sequence,
        "facts": opening.facts,
    }


def _store_opening(owner_id: str, facts: RowFacts) -> None:
    if target := target_here(facts):
        values = {name: value for name, value in facts.items() if name != "facts"}
        opening = Opening(owner_id=owner_id, **values)
        opening.facts = facts["facts"]
        opening.target = target
        opening.store()


def _facts_of_webhook(webhook: Webhook) -> RowFacts:
    return {
        "types": webhook.types,
        "url": webhook.url,
        "description": webhook.description,
        "disabled_at": webhook.disabled_at,
        "disabled_reason": webhook.disabled_reason,
    }


def _store_webhook(owner_id: str, facts: RowFacts) -> None:
    names = ("id", "created_at", "types", "disabled_at", "disabled_reason")
    webhook = Webhook(owner_id=owner_id, **{name: facts[name] for name in names})
    webhook.store_as_exported(facts["url"], facts["description"])


def _facts_of_member(member: Member) -> RowFacts | None:
    """Return None for a person whose account is being deleted."""
    user = User.find(member.user_id)
    if user is None or not user.is_whole:
        return None
    return {
        "user_id": user.id,
        "role": member.role,
        "email": user.email,
        "inviter_id": member.inviter_id,
        "accepted_at": member.accepted_at,
    }


def _store_member(space_id: str, facts: RowFacts) -> None:
    names = ("id", "created_at", "user_id", "role")
    member = Member(owner_id=space_id, **{name: facts[name] for name in names})
    member.inviter_id = facts.get("inviter_id")  # which exports had not before members were asked
    member.accepted_at = facts.get("accepted_at")
    member.store()


MEMBERS = Kind("member", Member, _facts_of_member, _store_member)  # among the facts of their space
KINDS = {  # each behind those that its rows refer to
    kind.name: kind
    for kind in (
        Kind("collection", Collection, _facts_of_collection, _store_collection),
        Kind("link", DocumentToken, _facts_of_link, _store_link),
        Kind("former_target", FormerTarget, _facts_of_former_target, _store_former_target),
        Kind("recipient", Recipient, _facts_of_recipient, _store_recipient),
        Kind("opening", Opening, _facts_of_opening, _store_opening),
        Kind("webhook", Webhook, _facts_of_webhook, _store_webhook),
    )
}
