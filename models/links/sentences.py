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

    Returns None for an event that is not about a link, and where something is deleted or does not
    open.
    """
    say = _SENTENCES.get(event.type)
    if say is not None:
        with suppress(NotFound, DecryptionError, KeyringError):
            return say(event)
    return None


def _opened(event: Event) -> str:
    return f"{_reader(event)} opened {_target(event)}"


def _saved(event: Event) -> str:
    return f"{_reader(event)} saved {_target(event)}"


def _visited(event: Event) -> str:
    """Say who opened what, or who sent a file by a link that takes files."""
    data = event.data
    if data.get("collectionId") is None or data.get("documentId") is None:
        return _opened(event)
    document = Document.one_of(event.owner_id, data["documentId"])
    sender = _typed(document.metadata.get("from"))
    title = target_of(event.owner_id, data["collectionId"]).name
    return f"{sender or _holder(event)} sent a file to {_quoted(title)}"


def _ended(event: Event) -> str:
    return f"{_link(event)} has ended"


def _refused(event: Event) -> str:
    return f"{_link(event)} was refused"


def _link(event: Event) -> str:
    label = _label(event)
    return f"The link{f' for {_quoted(label)}' if label else ''} to {_target(event)}"


def _target(event: Event) -> str:
    data = event.data
    return _quoted(target_of(event.owner_id, data.get("documentId") or data["collectionId"]).name)


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


_SENTENCES: dict[str, Callable[[Event], str]] = {
    "document.viewed": _opened,
    "document.downloaded": _saved,
    "collection.viewed": _opened,
    "collection.downloaded": _saved,
    "token.opened": _opened,
    "token.visited": _visited,
    "token.refused": _refused,
    "token.spent": _ended,
}
