"""The pages that tell in sentences what happened."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from itertools import groupby
from typing import Any
from urllib.parse import urlsplit

from flask import Response, request
from markupsafe import Markup

from models import (
    ApiKey,
    Collection,
    DocumentToken,
    Event,
    EventHead,
    Session,
    Webhook,
    current_runtime,
)
from models.accounts import Invitation
from models.core import ServiceError, counted
from models.documents import with_binned
from models.events import READINGS, facts_about
from models.links import Opening, target_of
from models.records import Owned

from ..http import EVENTS, g
from .forms import today
from .routes import Pages, render
from .words import for_whom, names_of, quoted

activity = Pages("activity", "/activity", reads=EVENTS)
EVENTS_ON_A_PAGE = 50
MOST_ON_A_TIMELINE = 100
MOST_FEEDS = 6  # that one page reads, where most events are one's own looks
_SENTENCES = {  # acts, which stand behind the name of the actor
    "document.created": "uploaded {document}",
    "document.viewed": "opened {document}",
    "document.downloaded": "saved {document}",
    "document.binned": "moved {document} to the bin",
    "document.restored": "restored {document}",
    "document.deleted": "deleted {document}",
    "document.expired": "deleted {document} at its end",
    "collection.created": "made the collection {collection}",
    "collection.updated": "changed the collection {collection}",
    "collection.added": "put {document} into the collection {collection}",
    "collection.removed": "took {document} out of the collection {collection}",
    "collection.viewed": "opened the collection {collection}",
    "collection.downloaded": "saved the collection {collection}",
    "collection.deleted": "deleted a collection, whose documents stay",
    "token.created": "made a link to {target}{whom}",
    "token.updated": "changed the link to {target}{whom}",
    "token.revoked": "deleted the link to {target}{whom}",
    "token.sent": "sent the link to {target}{whom} by mail",
    "token.opened": "opened the link to {target}{whom} for the first time",
    "token.visited": "used the link to {target}{whom}: you get a mail",
    "token.refused": "was refused by the link to {target}{whom}: {why}",
    "token.spent": "ended the link to {target}{whom}",
    "agreement.accepted": "accepted the agreement of the link to {target}{whom}",
    "api_key.created": "created the key {key}",
    "api_key.revoked": "revoked the key {key}",
    "api_key.rotated": "replaced the key {key} by a new one",
    "webhook.test": "sent a test to the webhook {webhook}",
    "webhook.disabled": "switched off the webhook {webhook}",
    "session.created": "logged in{client}",
    "session.ended": "ended {sessions}",
    "member.added": "added {member}, who {role}",
    "member.accepted": "entered the space for the first time, and {role}",
    "member.changed": "changed the role of {member}, who {role} now",
    "member.removed": "removed {member} from the space",
    "invitation.created": "invited {invited}, who {role} once they join",
    "invitation.withdrawn": "withdrew the invitation of {invited}",
    "identity.linked": "added another login, by {issuer}",
    "identity.unlinked": "removed another login, by {issuer}",
    "password.changed": "changed the password",
    "account.exported": "exported all of the account",
    "login.failed": "gave a wrong password for this account",
}
_OWN = {"session", "proxy", "oidc"}  # ways by which somebody acts in their own account
_IN_SPACE = {"session.created": "came into the space{client}", "session.ended": "ended a session"}
_OF_ONESELF = {
    "member.added": "made the space",
    "member.accepted": "entered the space for the first time, and {role}",
    "member.changed": "took another role: {role} now",
    "member.removed": "left the space",
}
_ROLES = {"read": "can read", "write": "can write", "manage": "can manage"}
_RECEIVED = "sent {document}"
_ACTORS = {  # of events whose credential does not say who acted
    "session.created": "You",
    "token.spent": "The service",
    "document.expired": "The service",
}
_ICONS = {  # by the last word of a type, else by the first
    "viewed": "M2 12s4-7 10-7 10 7 10 7-4 7-10 7-10-7-10-7zm10-3a3 3 0 100 6 3 3 0 000-6z",
    "opened": "M2 12s4-7 10-7 10 7 10 7-4 7-10 7-10-7-10-7zm10-3a3 3 0 100 6 3 3 0 000-6z",
    "downloaded": "M12 4v11m-5-4l5 5 5-5M5 20h14",
    "deleted": "M5 7h14M9 7V4h6v3m-8 0l1 13h8l1-13",
    "binned": "M5 7h14M9 7V4h6v3m-8 0l1 13h8l1-13",
    "refused": "M12 3a9 9 0 100 18 9 9 0 000-18zM6 6l12 12",
    "failed": "M12 3a9 9 0 100 18 9 9 0 000-18zM6 6l12 12",
    "accepted": "M4 12l5 5L20 6",
    "document": "M12 16V5m-5 5l5-5 5 5M5 20h14",
    "collection": "M4 6h6l2 2h8v11H4z",
    "token": "M10 14l4-4m-6 2l-2 2a3.5 3.5 0 005 5l2-2m3-5l2-2a3.5 3.5 0 00-5-5l-2 2",
    "webhook": "M4 12h16m-6-6l6 6-6 6",
}
_LOCK = "M7 11V8a5 5 0 0110 0v3M5 11h14v9H5z"  # of keys, sessions and the account
_READER_ACTS = {
    "document.viewed": "opened it",
    "document.downloaded": "saved it",
    "collection.viewed": "opened it",
    "collection.downloaded": "saved it",
    "agreement.accepted": "accepted the agreement",
}
_TURNED = {
    True: "turned on the link to {target}{whom}",
    False: "turned off the link to {target}{whom}",
}
_WHY = {
    "password": "the password was wrong",
    "code": "the code was wrong, or too old",
    "recipient": "it is for other people",
    "ended": "it has ended",
}


@dataclass
class Act:
    """Something that one actor did, perhaps several times on a day; `event` is the last time."""

    event: Event
    sentence: Markup
    count: int

    @property
    def icon(self) -> str:
        noun, _, verb = self.event.type.partition(".")
        return _ICONS.get(verb) or _ICONS.get(noun, _LOCK)


@activity.get("")
def show_activity() -> Response:
    """Tell who did what, newest first, by document and type"""
    asked = {name: request.args.get(name, "") for name in ("type", "document", "own")}
    events, further = _events(asked)
    names = _Names(g.caller.owner_id, events, asked["document"])
    return render(
        "activity",
        days=[(day, names.people(list(those))) for day, those in groupby(events, _day)],
        further=further,
        types=_SENTENCES,
        asked=asked,
        document=names.document(asked["document"]),
        head=EventHead.as_stored(g.caller.owner_id),
        kept_days=current_runtime().settings.event_days,
    )


def _events(asked: dict[str, str]) -> tuple[list[Event], str | None]:
    """Return the events of a page, and the id behind which the next page begins.

    The owner's own looks are left out, unless they or a type of events are asked for.
    """
    shows_own = asked["own"] or asked["type"]
    after = request.args.get("after")
    found: list[Event] = []
    for _ in range(MOST_FEEDS):
        events, after = Event.feed(
            g.caller.owner_id,
            EVENTS_ON_A_PAGE - len(found),
            after,
            oldest_first=False,
            type=asked["type"] or None,
            document_id=asked["document"] or None,
        )
        found += [one for one in events if shows_own or not _is_own_look(one)]
        if after is None or len(found) >= EVENTS_ON_A_PAGE:
            break
    return found, after


def _is_own_look(event: Event) -> bool:
    """Return whether it is a look of the person at the pages; others look in a space, too."""
    data = event.data
    is_own = data["via"] == "session" and data.get("userId") in {None, g.caller.person_id}
    return event.type in READINGS and is_own


def timelines(owner_id: str, target_id: str) -> dict[str, list[tuple[Event, Markup, str | None]]]:
    """Return what readers did with a document or collection by each link, newest first.

    The keys are the ids of the links. An event has a sentence, and the id of the opening at which
    something was accepted. Events that are older than the last 100 of the target are left out.
    """
    events, _ = Event.feed(
        owner_id, MOST_ON_A_TIMELINE, None, oldest_first=False, **facts_about(target_id)
    )
    names = _Names(owner_id, events)
    found: dict[str, list[tuple[Event, Markup, str | None]]] = {}
    for event in events:
        data = event.data
        if event.type in _READER_ACTS and data.get("tokenId"):
            accepted_at = data["openingId"] if event.type == "agreement.accepted" else None
            line = event, names.reading(event.type, data), accepted_at
            found.setdefault(data["tokenId"], []).append(line)
    return found


def _day(event: Event) -> str:
    """Return the day of an event in UTC, in words."""
    day = datetime.fromtimestamp(event.created_at / 1000, UTC).date()
    near = {today(): "Today", today() - timedelta(days=1): "Yesterday"}
    return near.get(day, f"{day:%A}, {day.day} {day:%B %Y}")


class _Names:
    """Names for the ids in events, each looked up once, and documents all at once."""

    def __init__(self, owner_id: str, events: list[Event], document_id: str = "") -> None:
        self._owner_id = owner_id
        self._called = cache(self._look_up)
        self._person = cache(_name_of)
        ids = {document_id, *(event.data.get("documentId", "") for event in events)} - {""}
        self._documents = {one.id: one for one in with_binned(owner_id, ids)}

    def people(self, events: list[Event]) -> list[tuple[str, list[Act]]]:
        """Return the actors of a day's events with their acts; what is the same is one act."""
        people: dict[str, dict[Markup, Act]] = {}
        for event in events:
            data = event.data
            acts = people.setdefault(self.actor(event.type, data), {})
            sentence = self.act(event.type, data)
            known = acts.setdefault(sentence, Act(event, sentence, 0))
            known.count += data.get("count", 1)
        return [(actor, list(acts.values())) for actor, acts in people.items()]

    def actor(self, type: str, data: dict[str, Any]) -> str:
        """Return the name of who acted: of a reader, what is known, else the label of the link.

        In a space it is the name of the member.
        """
        if data.get("userId"):
            return self._person(data["userId"])
        if type in _ACTORS:
            return _ACTORS[type]
        if type == "token.revoked" and self._is_over(data):
            return "The service"
        if data["via"] in {"document_token", "anyone"}:
            return (
                self._called(Opening, data.get("openingId"))
                or self._sender(type, data.get("documentId"))
                or self._called(DocumentToken, data.get("tokenId"))
                or "Someone"
            )
        if data["via"] == "api_key":
            return f"The key {self._called(ApiKey, data.get('apiKeyId')) or 'without a name'}"
        return "You" if data["via"] in _OWN else "The service"

    def act(self, type: str, data: dict[str, Any]) -> Markup:
        id = data.get("documentId")
        document = self.document(id) or "a document that is gone"
        collection = quoted(self._called(Collection, data.get("collectionId")) or "that is gone")
        client = self._called(Session, data.get("sessionId"))
        is_received = type == "document.created" and data["via"] == "document_token"
        shown = "token.spent" if type == "token.revoked" and self._is_over(data) else type
        pattern = _RECEIVED if is_received else _SENTENCES.get(shown, shown)
        if data.get("userId") and shown in _IN_SPACE:
            pattern = _IN_SPACE[shown]
        if shown.startswith("member.") and data["memberUserId"] == data.get("userId"):
            pattern = _OF_ONESELF[shown]
        if data.get("changed") == ["enabled"]:
            pattern = _TURNED[data["enabled"]]
        return Markup(pattern).format(  # noqa: S704
            document=document,
            collection=collection,
            target=document if id else collection,
            member=quoted(self._person(data.get("memberUserId", ""))),
            invited=_invited(data.get("invitationId")),
            role=_ROLES.get(data.get("role", ""), ""),
            whom=for_whom(self._called(DocumentToken, data.get("tokenId"))),
            why=_WHY.get(data.get("reason", ""), "it does not open"),
            key=quoted(self._called(ApiKey, data.get("apiKeyId")) or "without a name"),
            client=f" with {client.replace('Another', 'another')}" if client else "",
            sessions="a session" if data.get("sessionId") else "all other sessions",
            issuer=quoted(_issuer_name(data.get("issuer", ""))),
            webhook=quoted(self._called(Webhook, data.get("webhookId")) or "that is gone"),
        )

    def _is_over(self, data: dict[str, Any]) -> bool:
        """Return whether the link was revoked with its document, and not by hand."""
        return bool(data.get("documentId")) and self.document(data["documentId"]) is None

    def reading(self, type: str, data: dict[str, Any]) -> Markup:
        opening = self._called(Opening, data.get("openingId"))
        label = opening or self._called(DocumentToken, data["tokenId"])
        times = data.get("count", 1)
        act = _READER_ACTS[type]
        often = f", {counted(times, 'time')}" if times > 1 else ""
        who = quoted(label) if label else "Someone"
        return Markup("{} {}{}").format(who, act, often)

    def document(self, id: str | None) -> Markup | None:
        found = self._documents.get(id or "")
        if found is None:
            return None
        path = "bin" if found.binned_at else f"documents/{found.id}"
        return Markup('<a href="/app/{}">{}</a>').format(path, quoted(found.name))

    def _sender(self, type: str, id: str | None) -> str | None:
        """Return the name that the sender of a document has typed, in quotation marks, if any."""
        found = self._documents.get(id or "") if type == "document.created" else None
        name = found.metadata.get("from") if found else None
        return f"“{name}”" if name else None

    def _look_up(self, table: type[Owned], id: str | None) -> str | None:
        with suppress(ServiceError):
            row: Any = table.one_of(self._owner_id, id or "")
            return _CALLED[table](row)
        return None


def _invited(id: str | None) -> Markup:
    """Return the address that an invitation is for, while the invitation lasts."""
    found = Invitation.find(id) if id else None
    return quoted(found.email_folded) if found else Markup("someone")


def _name_of(user_id: str) -> str:
    """Return what a member is called, or was."""
    return names_of([user_id]).get(user_id, "A former member")


def _issuer_name(issuer: str) -> str:
    """Return the host of a provider, or the words for the proxy."""
    return urlsplit(issuer).netloc or "the page in front of this service"


def _label(token: DocumentToken) -> str | None:
    target_of(token.owner_id, token.target_id)  # raises `NotFound` if it is gone, or in the bin
    label: str | None = token.label
    return label


_CALLED: dict[type[Owned], Callable[[Any], str | None]] = {
    Collection: lambda collection: collection.title,
    DocumentToken: _label,
    Opening: lambda opening: opening.known_as,
    ApiKey: lambda key: key.name,
    Webhook: lambda webhook: webhook.url,
    Session: lambda session: session.client,
}
