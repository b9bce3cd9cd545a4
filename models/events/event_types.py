"""The types of events: one table of all that is the same for each event of a type.

The log, notices, webhooks and pages read it, and the test of the documentation. In a sentence, a
word in braces stands for what is looked up for the event that is told.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, StrEnum, auto


class Icon(StrEnum):
    """The picture beside an event on a page, which draws it."""

    CHECK = auto()
    EYE = auto()
    FOLDER = auto()
    BIN = auto()
    LINK = auto()
    LOCK = auto()
    PEN = auto()
    REFUSED = auto()
    SAVE = auto()
    SEND = auto()
    UPLOAD = auto()


class Merging(Enum):
    """How the events of a type are recorded where a minute counts readings of the same thing."""

    COUNTED = auto()  # the first at once, those of the minute behind it as one event with a count
    BESIDE = auto()  # at once; the minute goes on
    ENDS_MINUTE = auto()  # at once, behind the event of all that the minute has counted


class Variant(StrEnum):
    """A case in which an act is told in other words."""

    BY_LINK = auto()  # whoever has a link did it
    IN_SPACE = auto()  # a member of a space did it
    OF_ONESELF = auto()  # a member did it to themselves
    TURNED_ON = auto()
    TURNED_OFF = auto()


@dataclass(frozen=True)
class EventType:
    """A type of events.

    `words` name the type in a list. `sentence` stands behind the name of who acted; `actor` is that
    name where the credential does not say it. `by_reader` is what a reader did, on the page of what
    was read. `notice` is the sentence of a mail, `nameless` where the names are not known any more.
    """

    name: str
    words: str
    sentence: str
    icon: Icon = Icon.LOCK
    merging: Merging = Merging.ENDS_MINUTE
    variants: Mapping[Variant, str] = field(default_factory=dict)
    actor: str = ""
    by_reader: str = ""
    notice: str = ""
    notice_of_file: str = ""  # where a link has taken a file
    nameless: str = ""
    is_reading: bool = False  # of a document or collection
    is_mailed: bool = False  # to an address whose owner chooses no types
    leads_to_target: bool = False  # of the link, where a notice has one address for both

    def sentence_in(self, variant: Variant | None) -> str:
        """Return the sentence of an act in this case."""
        return self.sentence if variant is None else self.variants.get(variant, self.sentence)


_TYPES = (
    EventType(
        "document.created",
        "document uploaded",
        "uploaded {document}",
        Icon.UPLOAD,
        merging=Merging.BESIDE,
        variants={Variant.BY_LINK: "sent {document}"},
    ),
    EventType("document.updated", "document changed", "changed {fields} of {document}", Icon.PEN),
    EventType(
        "document.viewed",
        "document opened",
        "opened {document}",
        Icon.EYE,
        merging=Merging.COUNTED,
        is_reading=True,
        by_reader="opened",
        notice="{reader} opened {target}",
        leads_to_target=True,
    ),
    EventType(
        "document.downloaded",
        "document saved",
        "saved {document}",
        Icon.SAVE,
        merging=Merging.COUNTED,
        is_reading=True,
        by_reader="saved",
        notice="{reader} saved {target}",
        leads_to_target=True,
    ),
    EventType(
        "document.binned", "document moved to the bin", "moved {document} to the bin", Icon.BIN
    ),
    EventType("document.restored", "document restored", "restored {document}", Icon.UPLOAD),
    EventType("document.deleted", "document deleted", "deleted {document}", Icon.BIN),
    EventType(
        "document.expired",
        "document deleted at its end",
        "deleted {document} at its end",
        Icon.BIN,
        actor="The service",
    ),
    EventType(
        "collection.created", "collection created", "made the collection {collection}", Icon.FOLDER
    ),
    EventType(
        "collection.updated",
        "collection changed",
        "changed the collection {collection}",
        Icon.FOLDER,
    ),
    EventType(
        "collection.added",
        "document added to a collection",
        "put {document} into the collection {collection}",
        Icon.FOLDER,
    ),
    EventType(
        "collection.removed",
        "document removed from a collection",
        "took {document} out of the collection {collection}",
        Icon.FOLDER,
    ),
    EventType(
        "collection.viewed",
        "collection opened",
        "opened the collection {collection}",
        Icon.EYE,
        merging=Merging.COUNTED,
        is_reading=True,
        by_reader="opened",
        notice="{reader} opened {target}",
        leads_to_target=True,
    ),
    EventType(
        "collection.downloaded",
        "collection saved",
        "saved the collection {collection}",
        Icon.SAVE,
        merging=Merging.COUNTED,
        is_reading=True,
        by_reader="saved",
        notice="{reader} saved {target}",
        leads_to_target=True,
    ),
    EventType(
        "collection.deleted",
        "collection deleted",
        "deleted a collection, whose documents stay",
        Icon.BIN,
    ),
    EventType("token.created", "link created", "made a link to {target}{whom}", Icon.LINK),
    EventType(
        "token.updated",
        "link changed",
        "changed the link to {target}{whom}",
        Icon.LINK,
        variants={
            Variant.TURNED_ON: "turned on the link to {target}{whom}",
            Variant.TURNED_OFF: "turned off the link to {target}{whom}",
        },
    ),
    EventType("token.revoked", "link deleted", "deleted the link to {target}{whom}", Icon.LINK),
    EventType(
        "token.sent", "link sent by mail", "sent the link to {target}{whom} by mail", Icon.LINK
    ),
    EventType(
        "token.opened",
        "link opened for the first time",
        "opened the link to {target}{whom} for the first time",
        Icon.EYE,
        merging=Merging.BESIDE,
        notice="{reader} opened {target}",
        nameless="A link was opened",
        is_mailed=True,
        leads_to_target=True,
    ),
    EventType(
        "token.visited",
        "link used, with a mail to you",
        "used the link to {target}{whom}: you get a mail",
        Icon.LINK,
        merging=Merging.BESIDE,
        notice="{reader} opened {target}",
        notice_of_file="{sender} sent a file to {collection}",
        nameless="A link was opened",
        leads_to_target=True,
    ),
    EventType(
        "token.refused",
        "link refused someone",
        "was refused by the link to {target}{whom}: {why}",
        Icon.REFUSED,
        merging=Merging.COUNTED,
        notice="{link} refused someone",
        nameless="A link refused someone",
        is_mailed=True,
    ),
    EventType(
        "token.spent",
        "link ended",
        "ended the link to {target}{whom}",
        Icon.LINK,
        actor="The service",
        notice="{link} has ended",
        nameless="A link has ended",
        is_mailed=True,
    ),
    EventType(
        "agreement.accepted",
        "agreement accepted",
        "accepted the agreement of the link to {target}{whom}",
        Icon.CHECK,
        by_reader="accepted the agreement",
    ),
    EventType("api_key.created", "key created", "created the key {key}", Icon.LOCK),
    EventType("api_key.revoked", "key revoked", "revoked the key {key}", Icon.LOCK),
    EventType("api_key.rotated", "key replaced", "replaced the key {key} by a new one", Icon.LOCK),
    EventType(
        "webhook.test",
        "webhook test",
        "sent a test to the webhook {webhook}",
        Icon.SEND,
        nameless="This is a test",
    ),
    EventType(
        "webhook.disabled", "webhook switched off", "switched off the webhook {webhook}", Icon.SEND
    ),
    EventType(
        "session.created",
        "logged in",
        "logged in{client}",
        Icon.LOCK,
        variants={Variant.IN_SPACE: "came into the space{client}"},
        actor="You",
    ),
    EventType(
        "session.ended",
        "logged out",
        "ended {sessions}",
        Icon.LOCK,
        variants={Variant.IN_SPACE: "ended a session"},
    ),
    EventType(
        "member.added",
        "member added",
        "added {member}, who {role}",
        Icon.LOCK,
        variants={Variant.OF_ONESELF: "made the space"},
    ),
    EventType(
        "member.accepted",
        "member entered for the first time",
        "entered the space for the first time, and {role}",
        Icon.CHECK,
    ),
    EventType(
        "member.changed",
        "role of a member changed",
        "changed the role of {member}, who {role} now",
        Icon.LOCK,
        variants={Variant.OF_ONESELF: "took another role: {role} now"},
    ),
    EventType(
        "member.removed",
        "member removed",
        "removed {member} from the space",
        Icon.LOCK,
        variants={Variant.OF_ONESELF: "left the space"},
    ),
    EventType(
        "invitation.created",
        "someone invited",
        "invited {invited}, who {role} once they join",
        Icon.LOCK,
    ),
    EventType(
        "invitation.withdrawn",
        "invitation withdrawn",
        "withdrew the invitation of {invited}",
        Icon.LOCK,
    ),
    EventType("identity.linked", "login added", "added another login, by {issuer}", Icon.LOCK),
    EventType(
        "identity.unlinked", "login removed", "removed another login, by {issuer}", Icon.LOCK
    ),
    EventType("password.changed", "password changed", "changed the password", Icon.LOCK),
    EventType("account.exported", "account exported", "exported all of the account", Icon.LOCK),
    EventType(
        "login.failed",
        "wrong password",
        "gave a wrong password for this account",
        Icon.REFUSED,
        merging=Merging.COUNTED,
    ),
)

EVENT_TYPES: Mapping[str, EventType] = {one.name: one for one in _TYPES}
NOTICES = tuple(one.name for one in _TYPES if one.is_mailed)
VISITED = "token.visited"

SERVICE_TYPES = (  # of the service's own chain, which no page and no webhook shows
    "log.began",
    "account.created",
    "account.invited",
    "account.disabled",
    "account.enabled",
    "account.imported",
    "account.deleted",
    "root.rotated",
    "root.retired",
    "root.kept",
    "events.forgotten",
    "service.restored",
)

REFUSALS = {  # why a link was refused, by the `reason` of `token.refused`
    "password": "the password was wrong",
    "code": "the code was wrong or too old",
    "recipient": "it is for other people",
    "ended": "it has ended",
}


def event_type(name: str) -> EventType:
    """Return the type with this name; of one that this version does not know, the name alone."""
    known = EVENT_TYPES.get(name)
    return known or EventType(name, name.replace(".", " ").replace("_", " "), name)
