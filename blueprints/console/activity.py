"""The pages that tell in sentences what happened."""

from collections.abc import Callable, Iterable
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
from models.core import ServiceError, counted, first_id
from models.documents import with_binned
from models.events import EVENT_TYPES, REFUSALS, EventType, Icon, Variant, facts_about
from models.links import Opening, target_of
from models.records import LAST, Owned

from ..http import API_KEYS, EVENTS, MEMBERS, WEBHOOKS, g
from .forms import Days, days_asked_for, today
from .routes import Pages, render
from .words import for_whom, may, names_of, quoted

activity = Pages("activity", "/activity", reads=EVENTS)
EVENTS_ON_A_PAGE = 50
MOST_ON_A_TIMELINE = 100
MOST_FEEDS = 6  # that one page reads, where most events are one's own looks
_OWN = {"session", "proxy", "oidc"}  # ways by which somebody acts in their own account
_ROLES = {"read": "can read", "write": "can write", "manage": "can manage"}
_FIELDS = {"expiresAt": "end"}  # what pages call a field otherwise than the API
_DRAWINGS: dict[Icon, str] = {
    Icon.BIN: "M5 7h14M9 7V4h6v3m-8 0l1 13h8l1-13",
    Icon.CHECK: "M4 12l5 5L20 6",
    Icon.EYE: "M2 12s4-7 10-7 10 7 10 7-4 7-10 7-10-7-10-7zm10-3a3 3 0 100 6 3 3 0 000-6z",
    Icon.FOLDER: "M4 6h6l2 2h8v11H4z",
    Icon.LINK: "M10 14l4-4m-6 2l-2 2a3.5 3.5 0 005 5l2-2m3-5l2-2a3.5 3.5 0 00-5-5l-2 2",
    Icon.LOCK: "M7 11V8a5 5 0 0110 0v3M5 11h14v9H5z",
    Icon.PEN: "M4 20l1-5L16 4l4 4L9 19z",
    Icon.REFUSED: "M12 3a9 9 0 100 18 9 9 0 000-18zM6 6l12 12",
    Icon.SAVE: "M12 4v11m-5-4l5 5 5-5M5 20h14",
    Icon.SEND: "M4 12h16m-6-6l6 6-6 6",
    Icon.UPLOAD: "M12 16V5m-5 5l5-5 5 5M5 20h14",
}


@dataclass
class Act:
    """Something that one actor did, perhaps several times on a day; `event` is the last time."""

    event: Event
    sentence: Markup
    count: int

    @property
    def icon(self) -> str:
        return _DRAWINGS[self.event.event_type.icon]


@activity.get("")
def show_activity() -> Response:
    """Tell who did what, newest first, by document, type and day"""
    asked = {name: request.args.get(name, "") for name in ("type", "document", "own", "when")}
    days = days_asked_for()
    if days is None:
        asked["when"] = ""
    events, further = _events(asked, days)
    names = _Names(g.caller.owner_id, events, asked["document"])
    return render(
        "activity",
        days=[(day, names.people(list(those))) for day, those in groupby(events, day_of)],
        further=further,
        types=EVENT_TYPES,
        asked=asked,
        document=names.document(asked["document"]),
        head=EventHead.as_stored(g.caller.owner_id),
        kept_days=current_runtime().settings.event_days,
    )


def _events(asked: dict[str, str], days: Days | None) -> tuple[list[Event], str | None]:
    """Return the events of a page, and the id behind which the next page begins.

    The owner's own looks are left out, unless they or a type of events are asked for.
    """
    shows_own = asked["own"] or asked["type"]
    after = request.args.get("after")
    id_from = None
    if days is not None:  # ids tell the moment
        id_from = first_id(Event.PREFIX, days.period.begin)
        after = min(after or LAST, first_id(Event.PREFIX, days.period.end))
    found: list[Event] = []
    # if nothing is left out, a feed that is not full has looked at as many events as one may
    for _ in range(1 if shows_own else MOST_FEEDS):
        events, after = Event.feed(
            g.caller.owner_id,
            EVENTS_ON_A_PAGE - len(found),
            after,
            oldest_first=False,
            type=asked["type"] or None,
            document_id=asked["document"] or None,
            id_from=id_from,
        )
        found += [one for one in events if shows_own or not _is_own_look(one)]
        if after is None or len(found) >= EVENTS_ON_A_PAGE:
            break
    return found, after


def _is_own_look(event: Event) -> bool:
    """Return whether it is a look of the person at the pages; others look in a space, too."""
    data = event.data
    is_own = data["via"] == "session" and data.get("userId") in {None, g.caller.person_id}
    return event.event_type.is_reading and is_own


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
        if event.event_type.by_reader and data.get("tokenId"):
            accepted_at = data["openingId"] if event.type == "agreement.accepted" else None
            line = event, names.reading(event.event_type, data), accepted_at
            found.setdefault(data["tokenId"], []).append(line)
    return found


def day_of(event: Event) -> str:
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
            told = self._told_type(event)
            acts = people.setdefault(self._actor(told, data), {})
            sentence = self._act(told, data)
            known = acts.setdefault(sentence, Act(event, sentence, 0))
            known.count += data.get("count", 1)
        return [(actor, list(acts.values())) for actor, acts in people.items()]

    def _told_type(self, event: Event) -> EventType:
        """Return the type by which an event is told: a link that was revoked with its document,
        and not by hand, has ended.
        """
        id = event.data.get("documentId")
        if event.type == "token.revoked" and id and self.document(id) is None:
            return EVENT_TYPES["token.spent"]
        return event.event_type

    def _actor(self, told: EventType, data: dict[str, Any]) -> str:
        """Return the name of who acted: of a reader, what is known, else the label of the link.

        In a space it is the name of the member.
        """
        if data.get("userId"):
            return self._person(data["userId"])
        if told.actor:
            return told.actor
        if data["via"] in {"document_token", "anyone"}:
            return (
                self._called(Opening, data.get("openingId"))
                or self._sender(told, data.get("documentId"))
                or self._called(DocumentToken, data.get("tokenId"))
                or "Someone"
            )
        if data["via"] == "api_key":
            return f"The key {self._called(ApiKey, data.get('apiKeyId')) or 'without a name'}"
        return "You" if data["via"] in _OWN else "The service"

    def _act(self, told: EventType, data: dict[str, Any]) -> Markup:
        id = data.get("documentId")
        document = self.document(id) or "a document that is gone"
        collection = quoted(self._called(Collection, data.get("collectionId")) or "that is gone")
        client = self._called(Session, data.get("sessionId"))
        sentence = told.sentence_in(_variant_of(data))
        return Markup(sentence).format(  # noqa: S704
            document=document,
            collection=collection,
            fields=_fields_in_words(data.get("changed", ())),
            target=document if id else collection,
            member=quoted(self._person(data.get("memberUserId", ""))),
            invited=_invited(data.get("invitationId")),
            role=_ROLES.get(data.get("role", ""), ""),
            whom=for_whom(self._called(DocumentToken, data.get("tokenId"))),
            why=REFUSALS.get(data.get("reason", ""), "it does not open"),
            key=quoted(self._called(ApiKey, data.get("apiKeyId")) or "without a name"),
            client=f" with {client.replace('Another', 'another')}" if client else "",
            sessions="a session" if data.get("sessionId") else "all other sessions",
            issuer=quoted(_issuer_name(data.get("issuer", ""))),
            webhook=quoted(self._called(Webhook, data.get("webhookId")) or "that is gone"),
        )

    def reading(self, type: EventType, data: dict[str, Any]) -> Markup:
        opening = self._called(Opening, data.get("openingId"))
        label = opening or self._called(DocumentToken, data["tokenId"])
        times = data.get("count", 1)
        act = f"{type.by_reader} it" if type.is_reading else type.by_reader
        often = f", {counted(times, 'time')}" if times > 1 else ""
        who = quoted(label) if label else "Someone"
        return Markup("{} {}{}").format(who, act, often)

    def document(self, id: str | None) -> Markup | None:
        found = self._documents.get(id or "")
        if found is None:
            return None
        path = "bin" if found.binned_at else f"documents/{found.id}"
        return Markup('<a href="/app/{}">{}</a>').format(path, quoted(found.name))

    def _sender(self, told: EventType, id: str | None) -> str | None:
        """Return the name that the sender of a document has typed, in quotation marks, if any."""
        found = self._documents.get(id or "") if told.name == "document.created" else None
        name = found.metadata.get("from") if found else None
        return f"“{name}”" if name else None

    def _look_up(self, table: type[Owned], id: str | None) -> str | None:
        with suppress(ServiceError):
            row: Any = table.one_of(self._owner_id, id or "")
            return _CALLED[table](row)
        return None


def _variant_of(data: dict[str, Any]) -> Variant | None:
    """Return the case of an act with these facts; not every type has other words for it."""
    if data["via"] == "document_token":
        return Variant.BY_LINK
    if data.get("changed") == ["enabled"]:
        return Variant.TURNED_ON if data["enabled"] else Variant.TURNED_OFF
    if not data.get("userId"):
        return None
    is_of_oneself = data["userId"] == data.get("memberUserId")
    return Variant.OF_ONESELF if is_of_oneself else Variant.IN_SPACE


def _fields_in_words(names: Iterable[str]) -> str:
    """Return which fields of a document were changed, by their names in an event."""
    called = [f"the {_FIELDS.get(name, name)}" for name in names]
    return " and ".join(filter(None, [", ".join(called[:-1]), *called[-1:]]))


def _invited(id: str | None) -> Markup:
    """Return the address that an invitation is for, to a manager, while the invitation lasts."""
    found = Invitation.find(id) if id and may(MEMBERS) else None
    return quoted(found.email_folded) if found else Markup("someone")


def _name_of(user_id: str) -> str:
    """Return what a member is called, or was."""
    return names_of([user_id]).get(user_id, "A former member")


def _issuer_name(issuer: str) -> str:
    """Return the host of a provider, or the words for the proxy."""
    return urlsplit(issuer).netloc or "the page in front of this service"


def _is_shown(session: Session) -> bool:
    """Return whether the role in the space lists this session, as the API does."""
    return may(MEMBERS) or session.acting_user_id == g.caller.person_id


def _label(token: DocumentToken) -> str | None:
    target_of(token.owner_id, token.target_id)  # raises `NotFound` if it is gone, or in the bin
    label: str | None = token.label
    return label


_CALLED: dict[type[Owned], Callable[[Any], str | None]] = {
    Collection: lambda collection: collection.title,
    DocumentToken: _label,
    Opening: lambda opening: opening.known_as,
    ApiKey: lambda key: key.name if may(API_KEYS) else "whose name managers see",
    Webhook: lambda webhook: webhook.url if may(WEBHOOKS) else "whose address managers see",
    Session: lambda session: session.client if _is_shown(session) else None,
}
