"""The links of a user over all documents."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from peewee import fn

from crypto import DecryptionError, RootKeyMissing

from ..core import now
from ..documents import Document
from ..events import READINGS, Event
from ..records import ResultPage, RowWith
from .document_token import DocumentToken

_EVENTS = 500


@dataclass(frozen=True)
class ListedLink(RowWith[DocumentToken]):
    """A token with its label and its document's name; both are None if the document is gone, and
    the label if it does not open.
    """

    label: str | None
    document_name: str | None


def links_of_owner(
    owner_id: str, limit: int, after: str | None, state: str | None = None
) -> ResultPage:
    """A page of `ListedLink`s; `state` is `live` or `ended`, None for both."""
    filters = {state: True} if state else {}
    tokens, further = DocumentToken.page_of(owner_id, limit, after, **filters)
    documents = {id: Document.find(id) for id in {token.document_id for token in tokens}}
    return [_listed(token, documents[token.document_id]) for token in tokens], further


def count_live_links(documents: Sequence[Document]) -> dict[str, int]:
    """The number of live links by document; those of a page of one owner's documents."""
    if not documents:
        return {}
    ids = sorted(document.id for document in documents)
    token = DocumentToken
    of_these = token.owner_id == documents[0].owner_id, token.document_id.between(ids[0], ids[-1])
    counted = token.select(token.document_id, fn.COUNT(token.id)).where(
        *of_these, token.condition("live", True, now())
    )
    rows: Any = counted.group_by(token.document_id).tuples()
    return dict(rows)


def link_of_owner(owner_id: str, id: str) -> DocumentToken:
    """`NotFound` also if the document is gone."""
    token = DocumentToken.one_of(owner_id, id)
    token.document = Document.of_token(token.document_id).show_bare_if_damaged()
    return token


def openings(token: DocumentToken) -> list[tuple[Event, dict[str, Any]]]:
    """When the token was used, as far as the last events of its document say; with their facts."""
    events, _ = Event.newest(token.owner_id, _EVENTS, None, document_id=token.document_id)
    facts = [(event, event.data) for event in events if event.type in READINGS]
    return [(event, data) for event, data in facts if data.get("tokenId") == token.id]


def _listed(token: DocumentToken, document: Document | None) -> ListedLink:
    if document is None:
        return ListedLink(token, None, None)
    name, token.document = document.show_bare_if_damaged().name, document
    try:
        return ListedLink(token, token.label, name)
    except (DecryptionError, RootKeyMissing):
        logging.getLogger("docservice").error("the label of %s does not open", token.id)
        return ListedLink(token, None, name)
