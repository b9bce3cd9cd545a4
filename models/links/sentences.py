"""The sentences of notices about links: who opened what, by the names that are known now.

Events hold no names, so these are looked up when a mail is made. A name that a reader has typed is
in quotation marks, and is left out where a program that shows mails could take it for an address.
"""

import re
from collections.abc import Callable
from contextlib import suppress

from crypto import DecryptionError, KeyringError

from ..core import NotFound
from ..documents import Document
from ..events import Event
from .document_token import DocumentToken
from .opening import Opening
from .target import target_of

MOST_CHARACTERS = 200  # of a name
_HIDDEN = re.compile(r"[\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_LIKE_ADDRESS = re.compile(r"[/:@]|\w\.\w{2}")
_ACTORS = {"session": "You", "proxy": "You", "oidc": "You", "api_key": "An API key"}
_SOMEBODY = "Somebody"


def sentence_of(event: Event) -> str | None:
    """Return a sentence about an event, which says who did what, with their names.

    Returns None for an event of which notices tell no names, and where something is deleted or does
    not open.
    """
    sentence = event.event_type.notice
    if event.event_type.notice_of_file and _is_of_file(event):
        sentence = event.event_type.notice_of_file
    if sentence:
        with suppress(NotFound, DecryptionError, KeyringError):
            return sentence.format_map(_Names(event))
    return None


def _is_of_file(event: Event) -> bool:
    """Return whether a visit has brought a file: no other visit names both of these."""
    return None not in {event.data.get("collectionId"), event.data.get("documentId")}


class _Names:
    """The names in the sentence about an event. Each is looked up when the sentence has it."""

    def __init__(self, event: Event) -> None:
        self._event = event

    def __getitem__(self, word: str) -> str:
        return _LOOK_UP[word](self._event)


def _link(event: Event) -> str:
    label = _label(event)
    return f"The link{f' for {_quoted(label)}' if label else ''} to {_target(event)}"


def _target(event: Event) -> str:
    data = event.data
    return _quoted(target_of(event.owner_id, data.get("documentId") or data["collectionId"]).name)


def _collection(event: Event) -> str:
    return _quoted(target_of(event.owner_id, event.data["collectionId"]).name)


def _sender(event: Event) -> str:
    """Return who sent the file that a link has taken."""
    document = Document.one_of(event.owner_id, event.data["documentId"])
    return _typed(document.metadata.get("from")) or _holder(event)


def _reader(event: Event) -> str:
    """Return who opened a link, or read without one."""
    data = event.data
    if data["via"] != "document_token":
        return _ACTORS.get(data["via"], _SOMEBODY)
    opening = Opening.find(data.get("openingId", ""))
    if opening is None or opening.owner_id != event.owner_id:
        return _holder(event)
    name = _typed(opening.name)
    if opening.address:
        typed = _plain(opening.name or "")
        return f"{typed} ({opening.address})" if name else opening.address
    return name or _holder(event)


def _holder(event: Event) -> str:
    """Return whoever has the link, of whom only the link's own label is known."""
    label = _label(event)
    return f"Somebody with the link for {_quoted(label)}" if label else _SOMEBODY


def _label(event: Event) -> str | None:
    token = DocumentToken.one_of(event.owner_id, event.data["tokenId"])
    label: str | None = token.label
    return label


def _typed(name: str | None) -> str:
    """Return a typed name in quotation marks; '' for none, and for one like an address."""
    plain = _plain(name or "")
    return "" if not plain or _LIKE_ADDRESS.search(plain) else f"“{plain}”"


def _quoted(name: str) -> str:
    return f"“{_plain(name)}”"


def _plain(name: str) -> str:
    """Return the name in one line, without characters that hide or reorder text."""
    return " ".join(_HIDDEN.sub(" ", name).split())[:MOST_CHARACTERS]


_LOOK_UP: dict[str, Callable[[Event], str]] = {  # by the words in braces of a notice
    "reader": _reader,
    "sender": _sender,
    "target": _target,
    "collection": _collection,
    "link": _link,
}
