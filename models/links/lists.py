"""The links of a user over all documents and collections."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, Self

from peewee import SQL, Case, fn

from ..core import NotFound, is_moment, now
from ..documents import Collection, Document, Found, Search, collections_with
from ..events import Event, EventHead, facts_about
from ..records import MOST_READ, ResultPage, RowWith
from ..storage import finds_a_row, param, prepared
from .document_token import MOST_LIVE_LINKS, UPLOAD, DocumentToken, FormerTarget
from .gate import Gate, asked
from .opening import Opening
from .state import LinkState, state_of
from .target import Target, target_of

_EVENTS = 500


@dataclass(frozen=True)
class ListedLink(RowWith[DocumentToken]):
    """A token with its state and its target's name.

    If the target is gone or in the bin, the name is None, and the token is `without_words`.
    """

    state: LinkState
    target_name: str | None
    label: str | None
    gate: Gate

    recipients = asked("recipients")
    agreement_sha256 = asked("agreement_sha256")
    watermark = asked("watermark")

    @property
    def id(self) -> str:
        return str(self.row.id)

    @property
    def name(self) -> str:
        """All by which a link is found: its label, its recipients, and the name of its target."""
        return " ".join(filter(None, [self.label, self.target_name, *self.recipients]))

    @classmethod
    def of(cls, token: DocumentToken, state: LinkState, target_name: str | None) -> Self:
        """Return the link with its label and its gate, which lists ask for several times."""
        return cls(token, state, target_name, token.label, token.gate)


def links_of_owner(
    owner_id: str, limit: int, after: str | None, state: str | None = None, **target: str
) -> ResultPage[ListedLink]:
    """Return a page of `ListedLink`s; `state` is `live` or `ended`, None for both.

    `target` may be a `document_id` or a `collection_id`. No index has the states: by one alone,
    `MOST_READ` links are read at most, and a page with fewer than `limit`, or none, may not be the
    last.
    """
    Event.record_readings_of(owner_id)  # and the views of recent moments
    filters: dict[str, Any] = dict(target)
    if state:
        filters[state] = True
    most_read = MOST_READ if state and not target else None
    return listed_links(owner_id, limit, after, most_read, **filters)


def find_links(owner_id: str, text: str, after: str | None, most: int) -> Found[ListedLink]:
    """Find links of an owner by words of their names (`ListedLink.name`), the newest first.

    Raises `Busy` as `Search.of`.
    """
    Event.record_readings_of(owner_id)
    with Search.of(owner_id, text) as search:
        return search.look_through(partial(listed_links, owner_id), after, most)


def listed_links(
    owner_id: str,
    limit: int,
    after: str | None,
    most_read: int | None = None,
    **filters: Any,
) -> ResultPage[ListedLink]:
    """Return a page of `ListedLink`s by the filters of `DocumentToken.condition`.

    `most_read` is as for `page`.
    """
    tokens, next_after = DocumentToken.page(owner_id, limit, after, most_read=most_read, **filters)
    FormerTarget.set_target_since(tokens)
    targets = _targets(owner_id, {token.target_id for token in tokens})
    return [_listed(token, targets.get(token.target_id)) for token in tokens], next_after


def _targets(owner_id: str, ids: Iterable[str]) -> dict[str, Target]:
    """Return the targets with these ids that are the owner's, and there, by their ids."""
    named = list(ids)
    if not named:
        return {}
    documents = Document.live_of(owner_id).where(Document.id.in_(named))
    is_named = Collection.id.in_(named)
    collections = Collection.select().where(Collection.owner_id == owner_id, is_named)
    found: list[Target] = [*Document.rows(documents), *Collection.rows(collections)]
    return {one.id: one for one in found}


@dataclass(frozen=True)
class LinksOfTarget:
    """The number of live links, the id of the newest one, and the last use of a link, by whom.

    `ends_at` is when the only live link ends. `used_by` is what is known of the reader, else the
    label of the link. What links opened before they were led to this target is told by
    `used_before` alone. Moments are in milliseconds.
    """

    live: int
    newest_id: str | None
    ends_at: int | None
    used_at: int | None
    used_by: str | None
    used_before: bool = False


def links_by_target(targets: Sequence[Target]) -> dict[str, LinksOfTarget]:
    """Return facts by the id of each target that has links; all targets are of one owner."""
    if not targets:
        return {}
    by_id = {target.id: target for target in targets}
    Event.record_readings_of(targets[0].owner_id)
    values = _numbered("target", by_id)
    rows = _counts(len(by_id)).all(now=now(), **values)
    used_at = {id: at for id, *_, at, _before in rows if is_moment(at)}  # rows may be altered
    readers = _last_readers(used_at, by_id)
    return {
        id: LinksOfTarget(
            int(live),
            newest_id,
            ends_at if live == 1 and is_moment(ends_at) else None,
            used_at.get(id),
            readers.get(id),
            bool(used_before),
        )
        for id, live, newest_id, ends_at, _used_at, used_before in rows
    }


def _numbered(name: str, values: Iterable[Any]) -> dict[str, Any]:
    return {f"{name}{number}": value for number, value in enumerate(values)}


def _parameters(name: str, count: int) -> list[Any]:
    return [param(f"{name}{number}") for number in range(count)]


@prepared
def _counts(count: int) -> Any:
    """Count the live links to so many targets.

    With it come the id of the newest live link, the last end of one, the last use of any, and
    whether one was used before it was led to this target.
    """
    token = DocumentToken
    led_here_at = FormerTarget.select(fn.MAX(FormerTarget.created_at)).where(
        FormerTarget.token_id == token.id
    )
    since = fn.COALESCE(led_here_at, SQL("0"))
    is_used_since = token.last_used_at > since
    is_live = token.is_live(param("now"))
    return (
        token.select(
            token.target_id,
            fn.COUNT(Case(None, ((is_live, SQL("1")),))),
            fn.MAX(Case(None, ((is_live, token.id),))),
            fn.MAX(Case(None, ((is_live, token.expires_at),))),
            fn.MAX(Case(None, ((is_used_since, token.last_used_at),))),
            fn.MAX(Case(None, ((token.last_used_at <= since, SQL("1")),))),
        )
        .where(token.target_id.in_(_parameters("target", count)))
        .group_by(token.target_id)
    )


def _last_readers(used_at: dict[str, int], targets: dict[str, Target]) -> dict[str, str | None]:
    """Return who used a link last, by the id of its target, for those whose last use is given."""
    if not used_at:
        return {}
    values = _numbered("target", used_at) | _numbered("use", used_at.values())
    links = DocumentToken.rows(_last_used(len(used_at)), **values)
    last_used = {
        link.target_id: link for link in links if link.last_used_at == used_at[link.target_id]
    }
    known = _known_readers(
        [one for one in last_used.values() if one.questions is not None], targets
    )
    return {id: known.get(link.id) or link.label for id, link in last_used.items()}


@prepared
def _last_used(count: int) -> Any:
    """Return the links to so many targets that were used last at so many moments."""
    token = DocumentToken
    return token.select().where(
        token.target_id.in_(_parameters("target", count)),
        token.last_used_at.in_(_parameters("use", count)),
    )


def _known_readers(
    tokens: list[DocumentToken], targets: dict[str, Target]
) -> dict[str, str | None]:
    """Return what is known of the last reader of each guarded link that was opened."""
    if not tokens:
        return {}
    last: Any = Opening.select(fn.MAX(Opening.id)).where(
        Opening.token_id.in_([token.id for token in tokens])
    )
    openings = Opening.rows(Opening.select().where(Opening.id.in_(last.group_by(Opening.token_id))))
    known: dict[str, str | None] = {}
    for opening in openings:
        target = targets.get(opening.target_id)
        if target is not None:
            known[opening.token_id] = opening.known_as
    return known


def is_shared() -> Any:
    """Return the condition that live links open a document, or a collection that has it."""
    moment = now()
    is_opened = finds_a_row(_live_links_that_open(Document.id, moment))
    return is_opened | _is_in_opened_collection(moment)


def shared_in_collections(documents: Sequence[Document]) -> set[str]:
    """Return the ids of those documents of one owner that live links to collections open."""
    if not documents:
        return set()
    values = _numbered("document", (one.id for one in documents))
    return {id for (id,) in _in_collections(len(documents)).all(now=now(), **values)}


def shared_collections(document: Document, most: int) -> list[Collection]:
    """Return the newest collections with this document that live links open."""
    found = Collection.select().where(
        Collection.owner_id == document.owner_id,
        Collection.condition("document_id", document.id, 0),
        finds_a_row(_live_links_that_open(Collection.id, now())),
    )
    return Collection.rows(found.order_by(Collection.id.desc()).limit(most))


@prepared
def _in_collections(count: int) -> Any:
    """Select those of so many documents that live links to collections open."""
    return Document.select(Document.id).where(
        Document.id.in_(_parameters("document", count)), _is_in_opened_collection(param("now"))
    )


def _is_in_opened_collection(moment: Any) -> Any:
    """Return the condition that live links open a collection that has a document.

    It goes from each document to its collections, and to the links to these.
    """
    holding = collections_with(Document.id)
    opened = Collection.select(SQL("1")).where(
        Collection.id.in_(holding), finds_a_row(_live_links_that_open(Collection.id, moment))
    )
    return finds_a_row(opened)


def _live_links_that_open(target_id: Any, moment: Any) -> Any:
    token = DocumentToken
    return token.select(SQL("1")).where(
        token.target_id == target_id,
        token.permissions != SQL(f"'{UPLOAD}'"),
        token.is_live(moment),
    )


def count_live_links(target: Target) -> int:
    return int(DocumentToken.live_to(target).count())


def listed_link(owner_id: str, id: str) -> ListedLink:
    """Return the link, also if its target is gone."""
    Event.record_readings_of(owner_id)
    token = DocumentToken.one_of(owner_id, id)
    return _listed(token, _target(owner_id, token.target_id))


def link_of_owner(owner_id: str, id: str) -> DocumentToken:
    """Return the link with its target. `NotFound` also if the target is gone, or in the bin."""
    Event.record_readings_of(owner_id)
    token = DocumentToken.one_of(owner_id, id)
    token.target = target_of(owner_id, token.target_id)
    FormerTarget.set_target_since([token])
    return token


def readings_by_link(token: DocumentToken) -> list[tuple[Event, dict[str, Any]]]:
    """Return the readings by a link, newest first, with their facts.

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
    facts = [(event, event.data) for event in newest if event.event_type.is_reading]
    return [(event, data) for event, data in facts if data.get("tokenId")]


def replace_document(former_id: str, newer: Document) -> None:
    """Have a new document take the place of a former one, which stays.

    Call it in the transaction that stores the row of the new one. This gets all live links to the
    former one, the newest of those that are off or have ended, `MOST_LIVE_LINKS` together, and its
    place in each collection. Raises `NotFound`, `Invalid`.
    """
    former = Document.one_of(newer.owner_id, former_id)
    with EventHead.moved_once(newer.owner_id):
        for link in _links_to_move(former):
            link.target = former
            link.change_target(newer)
        for collection in Collection.holding(former):
            collection.replace_document(former_id, newer.id)


def _links_to_move(former: Document) -> list[DocumentToken]:
    """Return all live links to a document, and the newest of those that may become live again."""
    live = DocumentToken.rows(DocumentToken.live_to(former))
    others = DocumentToken.select().where(
        DocumentToken.target_id == former.id,
        DocumentToken.revoked_at.is_null(),
        ~DocumentToken.is_live(now()),
    )
    room = max(0, MOST_LIVE_LINKS - len(live))
    return live + DocumentToken.rows(others.order_by(DocumentToken.id.desc()).limit(room))


def _target(owner_id: str, id: str) -> Target | None:
    with suppress(NotFound):
        return target_of(owner_id, id)
    return None


def _listed(token: DocumentToken, target: Target | None) -> ListedLink:
    state = state_of(token, target)
    if target is None:
        return ListedLink.of(token.without_words(), state, None)
    token.target = target
    return ListedLink.of(token, state, target.name)
