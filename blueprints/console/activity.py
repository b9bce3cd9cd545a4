"""The pages that tell in sentences what happened."""

from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from functools import cache
from itertools import groupby
from typing import Any

from flask import Response, g, request
from markupsafe import Markup

from models import (
    ApiKey,
    Collection,
    Document,
    DocumentToken,
    Event,
    EventHead,
    Session,
    Webhook,
    current_runtime,
)
from models.core import ServiceError
from models.documents import with_binned
from models.links import Opening, readings_by_links, target_of
from models.records import Owned

from .forms import today
from .pages import Pages, for_whom, quoted, render

activity = Pages("activity", "/activity")
EVENTS_ON_A_PAGE = 22
_SENTENCES = {
    "document.created": "{document} was uploaded {by}.",
    "document.viewed": "{document} was opened {by}{times}.",
    "document.downloaded": "{document} was saved {by}{times}.",
    "document.binned": "{document} was put into the bin {by}.",
    "document.restored": "{document} was put back {by}.",
    "document.deleted": "{document} was deleted {by}.",
    "document.expired": "{document} reached its end and is deleted.",
    "collection.created": "The collection {collection} was made {by}.",
    "collection.updated": "The collection {collection} was changed {by}.",
    "collection.added": "{document} was put into the collection {collection} {by}.",
    "collection.removed": "{document} was taken out of the collection {collection} {by}.",
    "collection.viewed": "The collection {collection} was opened {by}{times}.",
    "collection.downloaded": "The collection {collection} was saved {by}{times}.",
    "collection.deleted": "A collection was deleted {by}. Its documents stay.",
    "token.created": "A link to {target} was made {by}{whom}.",
    "token.updated": "The link to {target}{whom} was changed {by}.",
    "token.revoked": "The link to {target}{whom} was revoked {by}.",
    "token.opened": "The link to {target}{whom} was opened for the first time.",
    "token.refused": "The link to {target}{whom} was refused: {why}{times}.",
    "token.spent": "The link to {target}{whom} has ended.",
    "agreement.accepted": "{reader} accepted what the link to {target}{whom} asks.",
    "api_key.created": "The key {key} was created {by}.",
    "api_key.revoked": "The key {key} was revoked {by}.",
    "api_key.rotated": "The key {key} was replaced by a new one {by}.",
    "webhook.test": "A test was sent to the webhook {webhook} {by}.",
    "webhook.disabled": "The webhook {webhook} was switched off.",
    "session.created": "Logged in{client}.",
    "session.ended": "{sessions} ended {by}.",
    "password.changed": "The password was changed {by}.",
    "account.exported": "All of the account was exported {by}.",
    "login.failed": "A wrong password was given for this account{times}.",
}
_RECEIVED = "“{sender}” sent {document} {by}."
_WHY = {
    "password": "the password was wrong",
    "code": "the code was wrong, or too old",
    "recipient": "it is for other people",
    "ended": "it has ended",
}


@activity.get("")
def show_activity() -> Response:
    """Tell what happened, newest first, by document and type"""
    asked = {name: request.args.get(name, "") for name in ("type", "document")}
    events, further = Event.feed(
        g.caller.owner_id,
        EVENTS_ON_A_PAGE,
        request.args.get("after"),
        oldest_first=False,
        type=asked["type"] or None,
        document_id=asked["document"] or None,
    )
    names = _Names(g.caller.owner_id)
    lines = [(event, names.sentence(event)) for event in events]
    return render(
        "activity",
        days=[(day, list(those)) for day, those in groupby(lines, lambda line: _day(line[0]))],
        further=further,
        types=_SENTENCES,
        asked=asked,
        document=names.document(asked["document"]),
        head=EventHead.find(g.caller.owner_id),
        kept_days=current_runtime().settings.event_days,
    )


def readings(owner_id: str, document_id: str) -> list[tuple[Event, Markup]]:
    """Return the last five readings of a document by links, each with a sentence."""
    names = _Names(owner_id)
    found = readings_by_links(owner_id, document_id, 50)
    return [(event, names.reading(event.type, facts)) for event, facts in found[:5]]


def _day(event: Event) -> str:
    """Return the day of an event in UTC, in words."""
    day = datetime.fromtimestamp(event.created_at / 1000, UTC).date()
    near = {today(): "Today", today() - timedelta(days=1): "Yesterday"}
    return near.get(day, f"{day:%A}, {day.day} {day:%B %Y}")


class _Names:
    """Names for ids, each looked up once."""

    def __init__(self, owner_id: str) -> None:
        self._owner_id = owner_id
        self._called = cache(self._look_up)
        self._document = cache(self._find)

    def sentence(self, event: Event) -> Markup:
        data = event.data
        whom = for_whom(self._called(DocumentToken, data.get("tokenId")))
        reader = self._called(Opening, data.get("openingId"))
        key = quoted(self._called(ApiKey, data.get("apiKeyId")) or "without a name")
        id = data.get("documentId")
        found = self.document(id)
        # the link was revoked by hand, or with its document
        is_over = id and not found and event.type == "token.revoked"
        collection = quoted(self._called(Collection, data.get("collectionId")) or "that is gone")
        document = found or "a document that is gone"
        type = "token.spent" if is_over else event.type
        sender = self._sender(id) if data["via"] == "document_token" else None
        is_received = sender and type == "document.created"
        webhook = self._called(Webhook, data.get("webhookId"))
        client = self._called(Session, data.get("sessionId"))
        pattern = _RECEIVED if is_received else _SENTENCES.get(type, type)
        sentence = Markup(pattern).format(  # noqa: S704
            document=document,
            collection=collection,
            target=document if id else collection,
            by=_by(data["via"], key, whom, reader),
            whom=whom,
            reader=quoted(reader) if reader else "Somebody",
            sender=quoted(sender or ""),
            times=f", {data['count']} times" if data.get("count", 1) > 1 else "",
            why=_WHY.get(data.get("reason", ""), "it does not open"),
            key=key,
            client=f" with {client.replace('Another', 'another')}" if client else "",
            sessions="A session was" if data.get("sessionId") else "All other sessions were",
            webhook=quoted(webhook or "that is gone"),
        )
        return sentence[:1].upper() + sentence[1:]

    def reading(self, type: str, data: dict[str, Any]) -> Markup:
        opening = self._called(Opening, data.get("openingId"))
        label = opening or self._called(DocumentToken, data["tokenId"])
        times = data.get("count", 1)
        act = "saved it" if type == "document.downloaded" else "opened it"
        often = f", {times} times" if times > 1 else ""
        who = quoted(label) if label else "Somebody"
        return Markup("{} {}{}").format(who, act, often)

    def document(self, id: str | None) -> Markup | None:
        found = self._document(id or "")
        if found is None:
            return None
        path = "bin" if found.binned_at else f"documents/{found.id}"
        return Markup('<a href="/app/{}">{}</a>').format(path, quoted(found.name))

    def _sender(self, id: str | None) -> str | None:
        """Return the name that the sender of a document by a link has typed, if any."""
        found = self._document(id or "")
        return found.metadata.get("from") if found else None

    def _find(self, document_id: str) -> Document | None:
        for found in with_binned(self._owner_id, [document_id]):
            return found.show_bare_if_damaged()
        return None

    def _look_up(self, table: type[Owned], id: str | None) -> str | None:
        with suppress(ServiceError):
            row: Any = table.one_of(self._owner_id, id or "")
            return _CALLED[table](row)
        return None


def _by(via: str, key: Markup, whom: Markup, reader: str | None) -> str | Markup:
    """Return the words for the actor: the reader of a guarded link if known, else the link."""
    by_link = Markup("by the link{}").format(whom) if whom else "by a link"
    if reader:
        by_link = Markup("by {}").format(quoted(reader))
    by = {"session": "by you", "api_key": Markup("by the key {}").format(key)}
    return (by | {"document_token": by_link}).get(via, "by the service")


def _label(token: DocumentToken) -> str | None:
    token.target = target_of(token.owner_id, token.target_id)
    return token.label


_CALLED: dict[type[Owned], Callable[[Any], str | None]] = {
    Collection: lambda collection: collection.show_bare_if_damaged().title,
    DocumentToken: _label,
    Opening: lambda opening: opening.with_target().known_as,
    ApiKey: lambda key: key.name,
    Webhook: lambda webhook: webhook.url,
    Session: lambda session: session.client(),
}
