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
from .document_token import DocumentToken, FormerTarget
from .guards import NOTHING, Gate, asked
from .target import Target, target_of

_EVENTS = 500
T = TypeVar("T")


@dataclass(frozen=True)
class ListedLink(RowWith[DocumentToken]):
    """A token with its label and its target's name.

    Both are None if the target is gone or in the bin; the label is None if it does not open.
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
    """Return a page of `ListedLink`s; `state` is `live` or `ended`, None for both.

    `target` may be a `document_id` or a `collection_id`.
    """
    filters: dict[str, Any] = dict(target)
    if state:
        filters[state] = True
    tokens, next_after = DocumentToken.page_of(owner_id, limit, after, **filters)
    targets = {id: _target(owner_id, id) for id in {token.target_id for token in tokens}}
    return [_listed(token, targets[token.target_id]) for token in tokens], next_after


@dataclass(frozen=True)
class LinksOfTarget:
    """The number of live links; when a link was last used, and the label of this link."""

    live: int
    used_at: int | None
    used_by: str | None


def links_by_target(targets: Sequence[Target]) -> dict[str, LinksOfTarget]:
    """Return facts by the id of each target that has links; all targets are of one owner."""
    if not targets:
        return {}
    by_id = {target.id: target for target in targets}
    token = DocumentToken
    is_theirs = (token.owner_id == targets[0].owner_id) & token.target_id.in_(list(by_id))
    live = Case(None, ((token.condition("live", True, now()), 1),), 0)
    counts: Any = token.select(token.target_id, fn.SUM(live), fn.MAX(token.last_used_at))
    rows = list(counts.where(is_theirs).group_by(token.target_id).tuples())
    last_uses = [used_at for _, _, used_at in rows if used_at]
    last_used: Any = ()
    if last_uses:
        last_used = token.select().where(is_theirs, token.last_used_at.in_(last_uses))
    by_use = {(used.target_id, used.last_used_at): used for used in last_used}
    return {
        id: LinksOfTarget(int(live), used_at, _label(by_use.get((id, used_at)), by_id[id]))
        for id, live, used_at in rows
    }


def count_live_links(target: Target) -> int:
    token = DocumentToken
    live = token.select().where(
        token.owner_id == target.owner_id,
        token.target_id == target.id,
        token.condition("live", True, now()),
    )
    return int(live.count())


def listed_link(owner_id: str, id: str) -> ListedLink:
    """Return the link, also if its target is gone."""
    token = DocumentToken.one_of(owner_id, id)
    return _listed(token, _target(owner_id, token.target_id))


def link_of_owner(owner_id: str, id: str) -> DocumentToken:
    """Return the link with its target. `NotFound` also if the target is gone, or in the bin."""
    token = DocumentToken.one_of(owner_id, id)
    token.target = target_of(owner_id, token.target_id).show_bare_if_damaged()
    return token


def openings(token: DocumentToken) -> list[tuple[Event, dict[str, Any]]]:
    """Return the events of uses of a token, newest first, with their facts.

    They are among the last events of all targets that it has opened; the more targets, the fewer
    events are read of each.
    """
    targets = {token.target_id, *(former.target_id for former in FormerTarget.all_of(token.id))}
    events = _EVENTS // len(targets)
    used = [
        (event, data)
        for target_id in targets
        for event, data in readings_by_links(token.owner_id, target_id, events)
        if data["tokenId"] == token.id
    ]
    return sorted(used, key=lambda pair: pair[0].id, reverse=True)


def readings_by_links(
    owner_id: str, target_id: str, events: int
) -> list[tuple[Event, dict[str, Any]]]:
    """Return the readings by links among the last `events` of a target, newest first."""
    newest, _ = Event.feed(owner_id, events, None, oldest_first=False, **facts_about(target_id))
    facts = [(event, event.data) for event in newest if event.type in READINGS]
    return [(event, data) for event, data in facts if data.get("tokenId")]


def replacer_of(owner_id: str, former_id: str) -> Callable[[Document], None]:
    """Return a function by which a new document takes the place of a former one, which stays.

    It is called in the transaction that stores the new row. The new document gets all links to the
    former one that are not revoked, and its place in each collection. Raises `NotFound`; the
    function raises `NotFound`, too, or `Invalid`.
    """
    Document.one_of(owner_id, former_id)

    def replace_former(newer: Document) -> None:
        former = Document.one_of(owner_id, former_id)
        links = DocumentToken.select().where(
            DocumentToken.target_id == former_id, DocumentToken.revoked_at.is_null()
        )
        for link in DocumentToken.genuine(links):
            link.target = former
            link.change_target(newer)
        for collection in Collection.holding(former):
            order = [newer.id if id == former_id else id for id in collection.document_ids]
            Collection.edit(
                owner_id, collection.id, add=[newer.id], remove=[former_id], order=order
            )

    return replace_former


def _target(owner_id: str, id: str) -> Target | None:
    with suppress(NotFound):
        return target_of(owner_id, id)
    return None


def _listed(token: DocumentToken, target: Target | None) -> ListedLink:
    if target is None:
        return ListedLink(token, None, None)
    name = target.show_bare_if_damaged().name
    label = _label(token, target)
    gate = _opened(token, "gate", lambda: token.gate) or NOTHING
    return ListedLink(token, label, name, gate)


def secret_of(token: Any) -> str | None:
    """Return the secret of a token for its owner.

    None if the token was issued before secrets were kept, or its secret does not open.
    """
    if token.sealed_secret is None:
        return None
    return _opened(
        token,
        "secret",
        lambda: token.target.unseal("secret/1", token.id, token.sealed_secret),
    )


def _label(token: DocumentToken | None, target: Target) -> str | None:
    if token is None:
        return None
    token.target = target
    return _opened(token, "label", lambda: token.label)


def _opened(token: Any, what: str, read: Callable[[], T]) -> T | None:
    """Return a sealed part of a token; None, and a line in the log, if it does not open."""
    try:
        return read()
    except (DecryptionError, RootKeyMissing) as error:
        log_damage(f"The {what} of {token.id}", error)
        return None
