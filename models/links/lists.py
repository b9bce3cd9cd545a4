"""The links of a user over all documents and collections."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeVar

from peewee import Case, fn

from crypto import DecryptionError, RootKeyMissing

from ..core import NotFound, now
from ..documents import Collection, Document
from ..events import READINGS, Event, facts_about
from ..records import ResultPage, RowWith
from ..runtime import log_damage
from .document_token import DocumentToken
from .former_target import FormerTarget
from .gate import NOTHING, Gate, asked
from .target import Target, target_of

_EVENTS = 500
T = TypeVar("T")


@dataclass(frozen=True)
class ListedLink(RowWith[DocumentToken]):
    """A token with its label and its target's name; both are None if the target is gone or in the
    bin, and the label if it does not open.
    """

    label: str | None
    target_name: str | None
    gate: Gate = NOTHING

    recipients = asked("recipients")
    agreement_sha256 = asked("agreement_sha256")
    watermark = asked("watermark")


def links_of_owner(
    owner_id: str, limit: int, after: str | None, state: str | None = None, **target: str
) -> ResultPage:
    """A page of `ListedLink`s; `state` is `live` or `ended`, None for both. `target` may be a
    `document_id` or a `collection_id`.
    """
    filters: dict[str, Any] = ({state: True} if state else {}) | target
    tokens, further = DocumentToken.page_of(owner_id, limit, after, **filters)
    targets = {id: _target(owner_id, id) for id in {token.target_id for token in tokens}}
    return [_listed(token, targets[token.target_id]) for token in tokens], further


@dataclass(frozen=True)
class LinksOfTarget:
    """How many are live; when one was last used, and whom that one is for."""

    live: int
    used_at: int | None
    used_by: str | None


def links_by_target(targets: Sequence[Target]) -> dict[str, LinksOfTarget]:
    """Of those that have links; the targets are a page of one owner's."""
    if not targets:
        return {}
    by_id = {target.id: target for target in targets}
    token = DocumentToken
    of_these = token.owner_id == targets[0].owner_id, token.target_id.in_(list(by_id))
    live = Case(None, ((token.condition("live", True, now()), 1),), 0)
    counts: Any = token.select(token.target_id, fn.SUM(live), fn.MAX(token.last_used_at))
    rows = list(counts.where(*of_these).group_by(token.target_id).tuples())
    moments = [used_at for _, _, used_at in rows if used_at]
    last = token.select().where(*of_these, token.last_used_at.in_(moments)) if moments else ()
    whom = {(used.target_id, used.last_used_at): used for used in last}
    return {
        id: LinksOfTarget(int(live), used_at, _label(whom.get((id, used_at)), by_id[id]))
        for id, live, used_at in rows
    }


def count_live_links(target: Target) -> int:
    token = DocumentToken
    its = token.owner_id == target.owner_id, token.target_id == target.id
    return int(token.select().where(*its, token.condition("live", True, now())).count())


def listed_link(owner_id: str, id: str) -> ListedLink:
    """Also if the target is gone."""
    token = DocumentToken.one_of(owner_id, id)
    return _listed(token, _target(owner_id, token.target_id))


def link_of_owner(owner_id: str, id: str) -> DocumentToken:
    """`NotFound` also if the target is gone, or in the bin."""
    token = DocumentToken.one_of(owner_id, id)
    token.target = target_of(owner_id, token.target_id).show_bare_if_damaged()
    return token


def openings(token: DocumentToken) -> list[tuple[Event, dict[str, Any]]]:
    """When the token was used, as far as the last events of all that it has opened say; with their
    facts. Of several targets fewer events are read of each.
    """
    targets = {token.target_id, *(former.target_id for former in FormerTarget.all_of(token.id))}
    events = _EVENTS // len(targets)
    found = [one for id in targets for one in readings_by_links(token.owner_id, id, events)]
    used = [(event, data) for event, data in found if data["tokenId"] == token.id]
    return sorted(used, key=lambda pair: pair[0].id, reverse=True)


def readings_by_links(
    owner_id: str, target_id: str, events: int
) -> list[tuple[Event, dict[str, Any]]]:
    """Those among the last `events` of a target, newest first, with their facts."""
    newest, _ = Event.feed(owner_id, events, None, oldest_first=False, **facts_about(target_id))
    facts = [(event, event.data) for event in newest if event.type in READINGS]
    return [(event, data) for event, data in facts if data.get("tokenId")]


def replacing(owner_id: str, former_id: str) -> Callable[[Document], None]:
    """What lets a new document take over, in the transaction that stores its row: all links to the
    former one that are not revoked, and its place in each collection. That one stays.

    Raises `NotFound`; what it returns raises that, too, or `Invalid`.
    """
    Document.one_of(owner_id, former_id)

    def replace(newer: Document) -> None:
        former, token = Document.one_of(owner_id, former_id), DocumentToken
        links = token.select().where(token.target_id == former_id, token.revoked_at.is_null())
        for link in token.genuine(links):
            link.target = former
            link.lead_to(newer)
        for collection in Collection.holding(former):
            order = [newer.id if id == former_id else id for id in collection.document_ids]
            changes = {"add": [newer.id], "remove": [former_id], "order": order}
            Collection.edit(owner_id, collection.id, **changes)

    return replace


def _target(owner_id: str, id: str) -> Target | None:
    with suppress(NotFound):
        return target_of(owner_id, id)
    return None


def _listed(token: DocumentToken, target: Target | None) -> ListedLink:
    if target is None:
        return ListedLink(token, None, None)
    name = target.show_bare_if_damaged().name
    label = _label(token, target)
    return ListedLink(token, label, name, _opened(token, "gate", lambda: token.gate) or NOTHING)


def secret_of(token: Any) -> str | None:
    """For its owner. None if it was issued before secrets were kept, or does not open."""
    if token.sealed_secret is None:
        return None
    sealed = "secret/1", token.id, token.sealed_secret
    return _opened(token, "secret", lambda: token.target.unseal(*sealed))


def _label(token: DocumentToken | None, target: Target) -> str | None:
    if token is None:
        return None
    token.target = target
    return _opened(token, "label", lambda: token.label)


def _opened(token: Any, what: str, read: Callable[[], T]) -> T | None:
    """What is sealed with a token; None, and a line in the log, if it does not open."""
    try:
        return read()
    except (DecryptionError, RootKeyMissing) as error:
        log_damage(f"The {what} of {token.id}", error)
        return None
